"""The page of ``iotrace patterns``: each file's pattern with the evidence, its accesses as points, its locality."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from iotrace.reports.pages import drawings
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Note, Section
from iotrace.reports.pages.first_screen import Picture, first_screen
from iotrace.reports.pages.schemas import table_schema
from markupsafe import Markup, escape

from iotrace import units
from iotrace.analysis.answers.screen import fitting
from iotrace.analysis.patterns import study
from iotrace.analysis.patterns.accesses import Integers
from iotrace.analysis.patterns.sentences import sentence

BRAND = "iotrace patterns"
SOURCE = "Kotz and Ellis 1991, section 3.2"
MOST_FILES = 12
"""Files with most accesses that are drawn; the table has all."""
MOST_POINTS = 2500
CLOSE_POINTS = 300
DRAWN_POINTS = 600
"""Of the picture on the first screen."""
SHARES = (
    "path", "phase", "operation", "pattern",
    "local_consecutive_share", "local_sequential_share",
    "global_consecutive_share", "global_sequential_share", "global_ordered_share", "linked_beyond_chance",
    "direction", "metadata_accesses", "exchanged_accesses", "missing_share",
    "portions", "portion_mean_bytes", "portion_variation", "strides", "passes", "regular_share",
    "covered_bytes", "once_share", "overlap_share", "reused_share", "reuse_accesses", "reuse_ns",
)  # fmt: skip


def page(name: str, subjects: Sequence[study.Subject]) -> str:
    """Return the page of a trace's files."""
    tables: dict[str, pa.Table] = {}
    notes: dict[str, Note] = {}
    sections = [
        _told(subjects, tables),
        _drawn(subjects, tables, notes),
        _locality(subjects, tables, notes),
        _evidence(),
    ]
    return compose(
        [section for section in sections if section.figures],
        tables,
        brand=BRAND,
        title=f"{printable(name)}: parallel access patterns",
        headline=f"{printable(name)}: parallel access patterns",
        sentences=_verdict(subjects),
        notes=notes,
        opening=_opening(subjects),
        more="More about these patterns",
    )


def _counted(subjects: Sequence[study.Subject]) -> list[tuple[str, int]]:
    """Return how many series have each pattern, the most frequent first."""
    return Counter(_name(part) for subject in subjects for part in subject.parts).most_common()


def _name(part: study.PatternPart) -> str:
    return " or ".join(part.pattern.name.names)


def _opening(subjects: Sequence[study.Subject]) -> Markup | None:
    """Return the first screen: the most frequent pattern, and the accesses to the file with most of them."""
    if not subjects:
        return None
    parts = [part for subject in subjects for part in subject.parts]
    (name, count), *_ = _counted(subjects)
    alike = [part for part in parts if _name(part) == name]
    largest = max(alike, key=lambda part: len(part.accesses))
    meaning = sentence(largest.pattern, largest.processes).split("; ")[0].rstrip(".")
    files = units.plural(len(subjects), "file", "files")
    said = [
        f"{units.count(count)} of {units.count(len(parts))} series of accesses, in {files}, are {name};"
        f" the largest: {meaning}.",
        f"{units.count(count)} of {units.count(len(parts))} series of accesses, in {files}, are {name}.",
    ]
    return first_screen(fitting(said), _picture(subjects))


def _picture(subjects: Sequence[study.Subject]) -> Picture:
    subject = _drawn_first(subjects)[0]
    positions = _sampled(subject, DRAWN_POINTS)
    numbers = _points(subject, positions, _ranks(subject))
    times = numbers["time_ns"].null_count == 0
    across = numbers["time_ns" if times else "position"].to_pylist()
    offsets = numbers["offset"].to_pylist()
    places = [(x, y, rank) for x, y, rank in zip(across, offsets, numbers["rank"].to_pylist(), strict=True)]
    written = units.duration if times else units.count
    path = units.shortened(printable(subject.file.path), 50)
    accesses = f"{units.count(len(places))} of {units.count(_size(subject))} accesses"
    drawing = drawings.points(
        places,
        f"{units.size(max(offsets))}\n{units.size(min(offsets))}",
        (written(min(across)), written(max(across))),
        f"Where {accesses} to {path} start, over {'time' if times else 'their number'}, by process.",
    )
    title = f"{path}: offsets over {'time' if times else 'accesses'}, a colour for each process"
    return Picture("first-accesses", title, drawing, numbers)


def _verdict(subjects: Sequence[study.Subject]) -> list[Markup]:
    named = Markup(", ").join(
        Markup("<b>{}</b> {}").format(count, name) for name, count in _counted(subjects)
    )
    files = units.plural(len(subjects), "file", "files")
    series = units.count(sum(len(subject.parts) for subject in subjects))
    return [
        Markup("{} with {} series of reads or writes: {}.").format(files, series, named),
        escape(
            "A phase of a file ends where every use of it has been closed, and at quiet gaps. Reads and writes are"
            " analyzed separately. The names are those of Kotz and Ellis (1991), and strided, nested-strided, forward."
        ),
    ]


def _told(subjects: Sequence[study.Subject], tables: dict[str, pa.Table]) -> Section:
    tables["patterns"] = tables["evidence"] = study.patterns(subjects)
    return Section(
        "names",
        "Which pattern is it, and how sure?",
        "If two patterns give the same accesses, both are named, the more probable first.",
        (
            Figure(
                "patterns",
                "names",
                "Patterns by file and phase",
                "Certainty is 1 where every test on which the name depends was passed as clearly as can be, and the"
                " processes take at least 20 steps. Below 0.25 the pattern is unknown, with its candidates.",
                "table",
                table="patterns",
                source=SOURCE,
                wide=True,
            ),
        ),
    )


def _evidence() -> Section:
    return Section(
        "evidence-section",
        "What is the evidence?",
        "Local is what each process does by itself, global what all do together, where accesses may be out of order by"
        " the window.",
        (
            Figure(
                "evidence",
                "evidence-section",
                "What each name is based on",
                "Hover over a column's heading for its description, or see iotrace schema patterns.",
                "table",
                table="evidence",
                wide=True,
                arguments={"columns": SHARES},
            ),
        ),
    )


def _drawn(subjects: Sequence[study.Subject], tables: dict[str, pa.Table], notes: dict[str, Note]) -> Section:
    figures = []
    for subject in _drawn_first(subjects)[:MOST_FILES]:
        figures += _of_file(subject, tables, notes)
    lead = (
        "Each access where it starts, when it was issued, in the colour of its process, numbered from 0 in each series;"
        " points read, squares write."
    )
    if len(subjects) > MOST_FILES:
        lead += f" The {MOST_FILES} files with most accesses are drawn of {units.count(len(subjects))}."
    return Section("files", "What does it look like?", lead, tuple(figures))


def _drawn_first(subjects: Sequence[study.Subject]) -> list[study.Subject]:
    return sorted(
        subjects,
        key=lambda subject: (-max(part.processes or 0 for part in subject.parts) > 1, -_size(subject)),
    )


def _sampled(subject: study.Subject, most: int) -> Integers:
    """Return the positions of a file's accesses, or of a sample of them, in order."""
    positions = np.sort(np.concatenate([part.positions for part in subject.parts]))
    if len(positions) > most:
        positions = np.sort(np.random.default_rng(1).choice(positions, most, replace=False))
    return positions


def _size(subject: study.Subject) -> int:
    return sum(len(part.accesses) for part in subject.parts)


def _of_file(subject: study.Subject, tables: dict[str, pa.Table], notes: dict[str, Note]) -> list[Figure]:
    """Draw all of a file's series, sampled, and consecutive accesses from the middle of the largest."""
    path = units.shortened(printable(subject.file.path), 70)
    positions, total = _sampled(subject, MOST_POINTS), _size(subject)
    whole = f"file-{subject.file.file}"
    ranks = _ranks(subject)
    tables[whole] = _points(subject, positions, ranks)
    notes[whole] = _shown(len(positions), total, "drawn at random")
    parts = sorted(subject.parts, key=lambda part: int(part.positions[0]))
    begins = [
        (_place(subject, int(part.positions[0])), f"{part.operation}: {part.pattern.name.names[0]}")
        for part in parts
    ]
    largest = max(reversed(parts), key=lambda part: ((part.processes or 0) > 1, len(part.accesses)))
    count = min(CLOSE_POINTS, len(largest.positions))
    first = (len(largest.positions) - count) // 2
    close = f"close-{subject.file.file}"
    tables[close] = _points(subject, largest.positions[first : first + count], ranks)
    notes[close] = _shown(count, len(largest.positions), "consecutive ones from the middle")
    name = f"{largest.operation}s of phase {largest.phase}: {' or '.join(largest.pattern.name.names)}"
    return [
        Figure(
            whole,
            "files",
            path,
            "All values on which the names are based.",
            "offsets_over_time",
            table=whole,
            arguments={"phases": begins},
        ),
        Figure(close, "files", f"Close up: {name}", f"{path}.", "offsets_over_time", table=close),
    ]


def _place(subject: study.Subject, position: int) -> float:
    times = subject.file.requests.time_ns
    return float(position if times is None else times[position])


def _shown(count: int, total: int, how: str) -> Note:
    if count == total:
        return Note(f"All {units.count(total)} accesses.")
    return Note(f"{units.count(count)} of {units.count(total)} accesses, {how}.")


def _ranks(subject: study.Subject) -> Integers:
    """Number each access's process among those of its series, so that phases of other processes look alike."""
    ranks = np.zeros(len(subject.file.requests), np.int64)
    for part in subject.parts:
        ranks[part.positions] = part.accesses.process
    return ranks


def _points(subject: study.Subject, positions: Integers, ranks: Integers) -> pa.Table:
    requests = subject.file.requests
    times = None if requests.time_ns is None else requests.time_ns[positions]
    count = len(positions)
    columns = {
        "position": pa.array(positions),
        "time_ns": pa.nulls(count, pa.int64()) if times is None else pa.array(times),
        "process": pa.array(requests.process[positions]),
        "rank": pa.array(ranks[positions]),
        "operation": pa.array(np.where(requests.is_write[positions], "write", "read")),
        "offset": pa.array(requests.offset[positions]),
        "length": pa.array(requests.length[positions]),
    }
    schema = table_schema("drawn_accesses")
    return pa.table([columns[field.name].cast(field.type) for field in schema], schema=schema)


def _locality(
    subjects: Sequence[study.Subject], tables: dict[str, pa.Table], notes: dict[str, Note]
) -> Section:
    largest = sorted(subjects, key=lambda subject: -len(subject.reuse.accesses))[:8]
    locality = study.locality(largest)
    figures = []
    for measure, title in (("accesses", "counted in accesses to the file"), ("ns", "counted in time")):
        points = locality.filter(pc.equal(locality["measure"], measure))
        if points.num_rows:
            tables[f"reuse-{measure}"] = points
            figures.append(
                Figure(
                    f"reuse-{measure}",
                    "locality",
                    f"Until another process uses the block, {title}",
                    "Of all touches of the file's blocks, how many are followed by another process's touch of the same"
                    " block within the distance. Reads and writes of all phases.",
                    "interprocess_reuse",
                    table=f"reuse-{measure}",
                    source="Kotz and Ellis 1991, section 3.3: interprocess locality",
                )
            )
    lead = (
        "A block that another process uses soon is worth caching; a curve that stays low means that no other process"
        " uses the blocks."
    )
    shared = sum(1 for subject in subjects if len(subject.reuse.accesses))
    if shared > len(largest):
        lead += f" The {len(largest)} files with most of it are drawn of {units.count(shared)}."
    return Section("locality", "How soon does another process use a block?", lead, tuple(figures))
