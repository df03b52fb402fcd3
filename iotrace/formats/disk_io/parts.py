"""A block trace of several files: each is read alone, and their results are merged as if one run had read them all.

A file of lines may itself be read in parts (see `iotrace.formats.reading.file_parts`). Formats say whether their files
can be read so (``split`` of `iotrace.formats.format.Format`). What one file needs of those before it is the
`TracePrefix`, read from the beginning of the trace; all else merges exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from iotrace.formats.disk_io.lines import LineSource
from iotrace.formats.disk_io.run import DiskRun
from iotrace.formats.reading.batches import SourceNotes
from iotrace.formats.reading.clock import Clock
from iotrace.formats.reading.file_counts import CountsByFile, add_skips


@dataclass(frozen=True)
class TracePrefix:
    """Facts that the beginning of a trace states for all its files."""

    usual_ns: int | None
    """Times too far from this are rejected."""
    header: str | None
    """The line that names the columns, where a file may follow that has none."""


@dataclass(frozen=True)
class FileResult:
    """The results of reading one file besides its rows; names are in the order of their numbers in the rows."""

    notes: SourceNotes
    skipped: dict[str, dict[str, Any]]
    clock: Clock
    usual_ns: int | None
    devices: list[str]
    files: list[tuple[str, str]]
    processes: list[str]
    recorded_columns: frozenset[str]
    rows: int
    requests: int
    references: int
    seen: dict[str, int]
    counts_by_file: CountsByFile
    part: range | None
    """The bytes of the file that were read; None of all."""
    lines: int
    """How many lines those are, in a file of lines."""


def read_prefix(run: DiskRun) -> TracePrefix:
    """Read the beginning of a trace, up to its first rows; raises as reading all of it does where there are none."""
    while not run.rows and run.next() is not None:
        pass
    header = run.source.header if isinstance(run.source, LineSource) else None
    return TracePrefix(run.usual_ns, header)


def resume_after(run: DiskRun, prefix: TracePrefix, part: range | None = None) -> None:
    """Make a run over one file, or a part of it, continue after the beginning of the trace."""
    run.usual_ns = prefix.usual_ns
    if part is not None and isinstance(run.source, LineSource):
        run.source.reading.part = part
    if prefix.header is not None and isinstance(run.source, LineSource):
        run.source.follow(prefix.header)


def file_result(run: DiskRun) -> FileResult:
    """Return the results of a run over one file, at its end."""
    return FileResult(
        run.source.notes,
        run.skips.reasons,
        run.clock,
        run.usual_ns,
        list(run.devices.of),
        list(run.files),
        list(run.processes.of),
        frozenset(run.recorded_columns),
        run.rows,
        run.requests,
        run.references,
        run.seen,
        run.counts_by_file,
        run.source.reading.part if isinstance(run.source, LineSource) else None,
        run.source.lines_of_file if isinstance(run.source, LineSource) else 0,
    )


def fit_together(parts: Sequence[FileResult]) -> bool:
    """Whether all files have the same clock, and accept the same times: else they are not read alone."""
    clocks = {(part.notes.base, part.notes.zero_ns) for part in parts}
    timed = {part.clock.zero_ns is None for part in parts if part.rows}
    usual = {part.usual_ns for part in parts}
    return len(clocks) == len(usual) == 1 and len(timed) <= 1


class _Read:
    """A source that has been read."""

    def __init__(self, notes: SourceNotes) -> None:
        self.notes = notes

    def progress(self) -> tuple[int, int | None]:
        return 0, None

    def next(self) -> None:
        return None


def merged(
    name: str, paths: Sequence[Path], warnings: Sequence[str], parts: Sequence[FileResult], overtaken: int
) -> DiskRun:
    """Return the run over all files in their order, at its end; `overtaken` requests came after a later one of a file
    before theirs."""
    first = parts[0].notes
    notes = replace(
        first,
        records=sum(part.notes.records for part in parts),
        remarks={},
        warnings=list(warnings),
        damage=[],
    )
    run = DiskRun(name, paths, _Read(notes))
    lines = 0
    for part in parts:
        lines_before = lines if part.part is not None and part.part.start else 0
        lines = lines_before + part.lines
        for kind, count in part.notes.remarks.items():
            notes.remark(kind, count)
        notes.warnings += [warning for warning in part.notes.warnings if warning not in notes.warnings]
        notes.damage += part.notes.damage
        add_skips(run.skips.reasons, part.skipped, lines_before)
        run.counts_by_file.add(part.counts_by_file, lines_before)
        run.devices.numbered(part.devices)
        for key in part.files:
            run.files.setdefault(key, len(run.files))
        run.processes.numbered(part.processes)
        run.recorded_columns |= part.recorded_columns
        run.rows += part.rows
        run.requests += part.requests
        run.references += part.references
        for kind, count in part.seen.items():
            run.seen[kind] = run.seen.get(kind, 0) + count
    run.usual_ns = parts[0].usual_ns
    run.clock = _clock([part.clock for part in parts if part.clock.zero_ns is not None], overtaken)
    return run


def _clock(clocks: Sequence[Clock], overtaken: int) -> Clock:
    if not clocks:
        return Clock()
    return Clock(
        clocks[0].zero_ns,
        min(clock.first_ns for clock in clocks),
        max(clock.last_ns for clock in clocks),
        max(clock.end_ns for clock in clocks),
        min(clock.resolution_ns or 0 for clock in clocks),
        sum(clock.unsorted for clock in clocks) + overtaken,
    )


def reached_ns(parts: Iterable[FileResult]) -> list[int | None]:
    """Return for each file the latest time of those before it, None where none has a time."""
    reached: list[int | None] = []
    latest: int | None = None
    for part in parts:
        reached.append(latest)
        if part.clock.zero_ns is not None:
            latest = part.clock.last_ns if latest is None else max(latest, part.clock.last_ns)
    return reached
