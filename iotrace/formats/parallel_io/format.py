"""A parallel format for the registry, from what is its own: a name, how it looks, and where its calls come from."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.families import PARALLEL, Family
from iotrace.files.of_trace import files_of
from iotrace.formats.format import Format, Run
from iotrace.formats.parallel_io.accesses import ParallelSource
from iotrace.formats.parallel_io.jobs import Job, JobsOf, refuse_several, without_repeated
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.run import ParallelRun
from iotrace.formats.reading.files import choose

SourceOf = Callable[[Members, Sequence[Path]], ParallelSource]


def parallel_format(
    name: str,
    description: str,
    endings: str,
    recognises: Callable[[bytes], bool],
    source: SourceOf,
    jobs: JobsOf | None = None,
    repeats: bool = False,
    reads_ahead: bool = False,
    family: Family = PARALLEL,
) -> Format:
    """Return a format of a family, by default parallel_io; `source` gets the trace's files, out of archives.

    ``jobs`` says which files are of which job, where that can be known: several are refused. ``repeats`` says that two
    files of one content may be two processes', so that neither is a copy of the other. ``reads_ahead``: as in `Format`.
    """

    def start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
        members = Members(files_of(paths))
        named = set(paths).intersection(members.files)
        chosen = choose(members.files, named, recognises)
        if not chosen.taken:
            raise IotraceError(
                f"{', '.join(map(str, paths))}: holds no trace; iotrace formats lists what is read"
            )
        taken, repeated = without_repeated(by_number(chosen.taken), compares_content=not repeats)
        if jobs is not None and len(taken) > 1:
            refuse_several(", ".join(map(str, paths)), jobs(members, taken))
        reading = source(members, taken)
        reading.kept = members
        reading.notes.damage += members.damage
        reading.notes.warnings += members.warnings
        reading.notes.warnings += [*chosen.warnings(name), *repeated]
        return ParallelRun(name, paths, reading)

    def jobs_of(paths: Sequence[Path]) -> list[Job]:
        files = files_of(paths)
        members = Members(files)
        if members.names:
            raise UsageError("the jobs in an archive cannot be separated: unpack it first")
        named = set(paths).intersection(files)
        taken, _ = without_repeated(choose(files, named, recognises).taken, compares_content=not repeats)
        return [] if jobs is None else jobs(members, by_number(taken))

    return Format(
        name, family, description, endings, recognises, start, jobs=jobs_of, reads_ahead=reads_ahead
    )


def by_number(paths: Sequence[Path]) -> list[Path]:
    """Return files in the order of their names, numbers in them by value (10.txt after 9.txt)."""
    import re

    def key(path: Path) -> list[tuple[int, str]]:
        parts = re.split(r"(\d+)", path.name)
        return [(int(part), "") if part.isdigit() and len(part) < 19 else (-1, part) for part in parts]

    return sorted(paths, key=key)
