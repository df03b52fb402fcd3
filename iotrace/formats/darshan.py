"""Binary logs of Darshan: counters of a job's files by rank, and every read and write where extended tracing was on.

The engine reads them (`iotrace_core::parallel_trace::darshan`), formats 1.21 to 3.41. Times of accesses are seconds
since the job's start. A log has no opens and closes; one without extended tracing (DXT) has no accesses, and a store
of such logs alone is of family jobs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace import schemas
from iotrace.errors import IotraceError
from iotrace.families import JOBS
from iotrace.families.jobs import COUNTERS_FORMAT
from iotrace.formats.parallel_io.accesses import ParallelSource
from iotrace.formats.parallel_io.coverage import Coverage
from iotrace.formats.parallel_io.darshan_jobs import JobRows, LogPart
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.jobs import Job, grouped
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.parsed import ParsedCalls
from iotrace.formats.reading.names import Numbers
from iotrace.formats.standard_input import PATH as STANDARD_INPUT
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.engine.native import DarshanLog

MAGIC = 6567223
"""After eight bytes of version, in the writer's byte order."""
MAGICS = (MAGIC.to_bytes(8, "little"), MAGIC.to_bytes(8, "big"))
MAGIC_AT = 8
LARGEST = 2**63 - 1
"""The largest sum of counters, which in damaged logs can have any value."""
FIRST_FORMATS = re.compile(rb"1\.[0-9]{1,2}\0{4,5}")
"""Formats before 2.00 have no magic number."""
WHOLE_FILES = (b"\x1f\x8b", b"BZh")
"""How files compressed as a whole begin that the engine decompresses itself: a damaged one is read in part."""


class DarshanSource(ParallelSource):
    """Logs, one after the other."""

    base = "epoch"
    by_access = True
    counts_mpi_calls = True
    further_tables = ("darshan_job", "darshan_mount", "darshan_record", "darshan_counter")

    def __init__(self, members: Members, paths: Sequence[Path], with_accesses: bool = True) -> None:
        from iotrace.engine import native

        super().__init__(paths)
        self.members = members
        self.with_accesses = with_accesses
        self.paths = list(paths)
        self.coverage = Coverage()
        self.jobs = JobRows(self.notes)
        self._done = 0
        self._bytes = [_size(path) for path in paths]
        self._all_bytes, self._done_bytes = sum(self._bytes), 0
        self._mpi_calls: dict[str, dict[str, int]] = {}
        self._tables = native.DarshanTables()
        self._log: DarshanLog | None = None
        """The log whose counters no rows have yet."""

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes of the logs that were read, and of all."""
        return self._done_bytes, self._all_bytes or None

    def next(self) -> ParsedCalls | None:
        """Return the accesses of the next log, if it has any; raises IotraceError at the end if none could be read."""
        if (calls := self.read_next()) is None and (why := self.jobs.end()):
            raise IotraceError(self.members.beside_damage(why))
        return calls

    def read_next(self) -> ParsedCalls | None:
        """Return the accesses of the next log that can be read, if it has any; None after the last."""
        from iotrace.engine import native

        while self._done < len(self.paths):
            number = self._done
            self._done_bytes += self._bytes[number]
            self._done += 1
            name = self.members.name_of(self.paths[number])
            try:
                log = native.DarshanLog(_bytes(self.members, self.paths[number]), self.with_accesses)
            except ValueError as error:
                self.jobs.refuse(name, str(error))
                continue
            about = log.about
            self.jobs.add(name, about)
            self._log = log
            rows = log.calls()
            self.notes.records += rows.lines
            if about["has_accesses"] and self.with_accesses:
                for layer in dict.fromkeys((*about["traced"], *about["counted"])):
                    moved = about["traced"].get(layer, {"operations": 0, "bytes": 0})
                    self.coverage.add(layer, moved["operations"], moved["bytes"], about["counted"].get(layer))
            for file, calls in about["mpi_calls"].items() if self.with_accesses else ():
                of_file = self._mpi_calls.setdefault(file, dict.fromkeys(calls, 0))
                for column, count in calls.items():
                    of_file[column] = min(LARGEST, of_file[column] + count)
            keys = [f"{number}:{rank}" if number else str(rank) for rank, _ in rows.processes]
            return ParsedCalls(rows, 1, keys, partial(_excerpt, name))
        return None

    def further_rows(self, files: Numbers) -> list[tuple[str, pa.RecordBatch]]:
        """Return rows of tables of counters, once there are many."""
        rows: list[tuple[str, pa.RecordBatch]] = []
        log, self._log = self._log, None
        if log is not None:
            numbers, done = files.numbered(log.files), 0
            while (done := self._tables.add(log, self.jobs.last, numbers, done)) < len(log):
                rows += self.counted()
        return rows

    def last_rows(self) -> list[tuple[str, pa.RecordBatch]]:
        """Return the last rows of these tables, and those of jobs and mounts."""
        return [*self.counted(), *self.jobs.tables()]

    def counted(self) -> list[tuple[str, pa.RecordBatch]]:
        """Take away the rows of records and counters that wait."""
        names = ("darshan_record", "darshan_counter")
        return [
            (name, pa.RecordBatch.from_arrays(batch.columns, schema=schemas.schema(name)))
            for name, batch in zip(names, self._tables.take(), strict=True)
        ]

    def mpi_calls(self) -> Mapping[str, Mapping[str, int]]:
        """Return what the logs count of the calls of MPI-IO, by file."""
        return self._mpi_calls

    def run_of(self, process_key: str) -> int | None:
        """Return the log of a process: each is of one run of a program, whose ranks begin at 0."""
        if len(self.paths) < 2:
            return None
        log, colon, _ = process_key.partition(":")
        return int(log) if colon else 0

    def about(self) -> Mapping[str, Any]:
        """Return what share of the reads and writes that the logs count they hold."""
        runs = [self.members.name_of(path) for path in self.paths] if len(self.paths) > 1 else []
        return {"coverage": self.coverage.as_dict(), "jobs": runs}


class JobsSource(DarshanSource):
    """Logs of which the counters alone are read, one after the other, or as parts that were read before."""

    def __init__(self, members: Members, paths: Sequence[Path]) -> None:
        super().__init__(members, paths, with_accesses=False)
        self.parts: Iterator[LogPart] | None = None
        self._part: LogPart | None = None
        """The part whose counters no rows have yet."""
        self._records = 0

    def read_next(self) -> ParsedCalls | None:
        """Return no accesses, of the next log or part; None after the last."""
        from iotrace.engine import native

        if self.parts is None:
            return super().read_next()
        self._part = next(self.parts, None)
        if self._part is None:
            return None
        self._done_bytes += self._part.log_bytes
        return ParsedCalls(native.DxtLog().read(b""), 1, (), partial(_excerpt, ""))

    def further_rows(self, files: Numbers) -> list[tuple[str, pa.RecordBatch]]:
        """Return rows of tables of counters."""
        part, self._part = self._part, None
        if part is None:
            return super().further_rows(files)
        rows = list(part.numbered(len(self.jobs.jobs), self._records, files.numbered(part.files)))
        self.jobs.add_part(part)
        self._records += part.records
        return rows


def _excerpt(log: str, record: int) -> str:
    return f"access {record} of {log}"


def _bytes(members: Members, path: Path) -> bytes:
    if path != STANDARD_INPUT:
        with path.open("rb") as file:
            head = file.read(4)
            if head.startswith(WHOLE_FILES):
                return head + file.read()
    return members.on_disk(path).read_bytes()


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def recognises(head: bytes) -> bool:
    """Return whether a file that begins so, decompressed, is a log."""
    return head[MAGIC_AT : MAGIC_AT + 8] in MAGICS or FIRST_FORMATS.match(head) is not None


def _jobs(members: Members, paths: Sequence[Path]) -> list[Job]:
    """Return the jobs that the logs name; a log that cannot be read is of the first, and refused when it is read."""
    from iotrace.engine import native

    jobs: list[dict[str, Any] | None] = []
    for path in paths:
        try:
            jobs.append(native.darshan_job(_bytes(members, path)))
        except ValueError:
            jobs.append(None)
    known = [job for job in jobs if job is not None]
    if not known:
        return []
    names = [_name(job or known[0]) for job in jobs]
    with_accesses = {_name(job) for job in known if job["has_accesses"]}
    return grouped(paths, names, {_name(job): _described(job) for job in reversed(known)}, with_accesses)


def _name(job: Mapping[str, Any]) -> str:
    """Return what a job is called: its number, or its start in formats that have none."""
    return str(job["start_s"] if job["job_id"] is None else job["job_id"])


def _described(job: Mapping[str, Any]) -> str:
    try:
        started = datetime.fromtimestamp(job["start_s"], UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        started = "an unknown time"
    program = (job["program"].split() or ["an unknown program"])[0]
    processes = "1 process" if job["processes"] == 1 else f"{job['processes']:,} processes"
    return f"job {_name(job)} of {started}, {processes} of {program}"


FORMAT = parallel_format(
    name="darshan",
    description="Binary Darshan logs: counters of jobs, and extended tracing (DXT) where it was on.",
    endings=".darshan",
    recognises=recognises,
    source=DarshanSource,
    jobs=_jobs,
)
COUNTERS = parallel_format(
    name=COUNTERS_FORMAT,
    description="The same logs, of any number of jobs: their counters alone, as iotrace jobs reads them.",
    endings=".darshan",
    recognises=recognises,
    source=JobsSource,
    family=JOBS,
)
