"""Binary Darshan logs with extended tracing (DXT), read through PyDarshan (pip install '.[darshan]').

Every read and write of the DXT modules, times in seconds since the job's start as the log has them. A log has no opens
and closes; without DXT it has counters alone, of which no trace can be made: it is refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.files.temporary import temporary_folder
from iotrace.formats.darshan_dxt import file_key
from iotrace.formats.parallel_io import darshan_log
from iotrace.formats.parallel_io.accesses import ParallelSource
from iotrace.formats.parallel_io.coverage import Coverage
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.jobs import Job, grouped
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.formats.reading.durations import UNREADABLE_NS
from iotrace.formats.reading.files import first_bytes
from iotrace.libraries import pa, pl

MAGIC = 6567223
"""darshan-log-format.h; in the writer's byte order, after eight bytes of version."""
MAGICS = (MAGIC.to_bytes(8, "little"), MAGIC.to_bytes(8, "big"))
MAGIC_AT = 8
COMPRESSION_AT, BZIP2 = 16, b"\1"
"""Where the header of formats from 3.0 on has the kind of compression of all that follows."""
MISSING = "binary Darshan logs need PyDarshan: pip install '.[darshan]' where iotrace came from, or pip install darshan"


class DarshanSource(ParallelSource):
    """Logs, one after the other."""

    base = "epoch"
    by_access = True
    counts_mpi_calls = True

    def __init__(self, members: Members, paths: Sequence[Path]) -> None:
        super().__init__(paths)
        self.members = members
        self.paths = list(paths)
        self._done = 0
        self._without: list[str] = []
        self._damaged: list[str] = []
        self._bytes = [_size(path) for path in paths]
        self.coverage = Coverage()
        self._mpi_calls: dict[str, dict[str, int]] = {}

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes of the logs that were read, and of all."""
        return sum(self._bytes[: self._done]), sum(self._bytes) or None

    def next(self) -> Batch | None:
        """Return the accesses of the next log; raises IotraceError at the end where none has any."""
        while self._done < len(self.paths):
            number = self._done
            self._done += 1
            name = self.members.name_of(self.paths[number])
            table, about = self._read(number, name)
            if not [module for module in about["modules"] if module in darshan_log.MODULES]:
                self._without.append(f"{name} (it has {', '.join(about['modules']) or 'no module'})")
                continue
            for module in about["partial"]:
                if module in darshan_log.MODULES:
                    self.notes.warnings.append(
                        f"{name}: Darshan's memory ran out: module {module} holds only a part of what was done"
                    )
                else:
                    self.notes.warnings.append(
                        f"{name}: Darshan's memory ran out: the counters of module {module} are not of all files"
                    )
            if about["missing_bytes"]:
                self._damaged.append(
                    f"{name}: is cut short: at least {about['missing_bytes']:,} bytes of its modules are missing"
                )
            elif not table.num_rows:
                self._damaged.append(
                    f"{name}: its DXT modules hold no access that can be read: it may be damaged"
                )
            self.notes.records += table.num_rows
            self._compare(table, about["counted"])
            frame, files = _accesses(table, about, number)
            self._add_mpi_calls(about["mpi_calls"], files)
            return Batch(frame, ("process", "operation", "time_ns", "length"), _excerpt(table))
        if self._damaged and not self.notes.records:
            raise IotraceError(self.members.beside_damage("; ".join(self._damaged)))
        self.notes.damage += self._damaged
        self._damaged = []
        if self._without:
            warning = "logs without DXT hold counters, not accesses, and were left out"
            if self.notes.records:
                self.notes.warnings.append(f"{warning}: {'; '.join(self._without)}")
            else:
                raise IotraceError(
                    f"{self._without[0]}: holds counters and no accesses: DXT was off when it was recorded; set"
                    " DXT_ENABLE_IO_TRACE=1 for the run"
                )
        return None

    def _compare(self, table: pa.Table, counted: Mapping[str, Mapping[str, Any]]) -> None:
        """Compare a log's accesses of valid length with its counters, layer by layer."""
        import pyarrow.compute as pc

        from iotrace.engine import native

        most_bytes = native.call_limits()["length"]
        length = table["length"]
        table = table.filter(pc.and_(pc.greater_equal(length, 0), pc.less_equal(length, most_bytes)))
        counts = table.group_by("layer").aggregate([([], "count_all"), ("length", "sum")]).to_pylist()
        of_name = {row["layer"]: (row["count_all"], row["length_sum"]) for row in counts}
        for layer in dict.fromkeys((*of_name, *counted)):
            operations, moved = of_name.get(layer, (0, 0))
            self.coverage.add(layer, int(operations), int(moved or 0), counted.get(layer))

    def _add_mpi_calls(self, counted: Mapping[str, Mapping[str, int]], files: Mapping[str, str]) -> None:
        """Add what a log counts of the files of which it has accesses, which it calls by number."""
        for number in counted.keys() & files.keys():
            of_file = self._mpi_calls.setdefault(files[number], dict.fromkeys(counted[number], 0))
            for column, calls in counted[number].items():
                of_file[column] += calls

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

    def _read(self, number: int, name: str) -> tuple[pa.Table, dict[str, Any]]:
        path = self.members.on_disk(self.paths[number])
        with temporary_folder() as folder:
            table = folder / "segments.arrow"
            done = _pydarshan(name, str(path), str(table))
            if done.returncode or not table.is_file():
                raise IotraceError(
                    self.members.beside_damage(f"{name}: PyDarshan cannot read it: {_why(done, path)}")
                )
            segments = pa.ipc.open_file(table.read_bytes()).read_all()
            segments.validate(full=True)
        return segments, json.loads(segments.schema.metadata[darshan_log.ABOUT])


def _pydarshan(name: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Run PyDarshan in a separate process; raises IotraceError, which names a log, if it is not installed."""
    command = [sys.executable, "-P", "-m", darshan_log.__name__, *words]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == darshan_log.NO_DARSHAN:
        raise IotraceError(f"{name}: {MISSING}")
    return done


def _excerpt(table: pa.Table) -> Callable[[int], str]:
    return lambda record: str(table.slice(record - 1, 1).to_pylist())


def _why(done: subprocess.CompletedProcess[bytes], path: Path) -> str:
    if done.returncode == darshan_log.NO_LOG:
        return _why_not_opened(first_bytes(path))
    if done.returncode < 0:
        return f"the log is damaged (signal {-done.returncode})"
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"


def _why_not_opened(head: bytes) -> str:
    """Return why PyDarshan opens no log that begins so."""
    version = head[:MAGIC_AT].rstrip(b"\0").decode("ascii", "replace")
    if version.startswith(("1.", "2.")):
        return f"it is of Darshan's log format {version}; PyDarshan reads formats from 3.0 on"
    if head[COMPRESSION_AT : COMPRESSION_AT + 1] == BZIP2:
        return (
            "it is compressed with bzip2, which PyDarshan as pip installs it lacks, or it is damaged; darshan-convert"
            " LOG NEW rewrites it compressed with zlib"
        )
    return "the log is damaged or cut short"


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _accesses(table: pa.Table, about: dict[str, Any], log: int) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the accesses of a log, and what they call the files, by their numbers in the log."""
    zero_ns = about["start_s"] * NS_PER_S
    frame = pl.DataFrame(pl.from_arrow(table))
    files = {
        number: file_key(int(number), name)
        for number, name in frame.select("file_id", "file_name").unique().iter_rows()
    }
    start, end = pl.col("start_time"), pl.col("end_time")
    rank = pl.col("rank").cast(pl.String)
    accesses = frame.select(
        "layer",
        "host",
        "operation",
        "length",
        record=pl.int_range(1, pl.len() + 1, dtype=pl.Int64),
        time_ns=zero_ns + _ns(start),
        duration_ns=_ns(end - start).fill_null(UNREADABLE_NS),
        offset=pl.when(pl.col("offset") != -1).then("offset"),
        process="rank",
        process_key=pl.concat_str(pl.lit(f"{log}:"), rank) if log else rank,
        file=pl.col("file_id").replace_strict(files, return_dtype=pl.String),
    )
    return accesses, files


def _ns(seconds: pl.Expr) -> pl.Expr:
    fits = seconds.is_between(-4e9, 4e9)
    return pl.when(fits).then((seconds * NS_PER_S).round()).cast(pl.Int64, strict=False)


MOST_AT_ONCE = 500
"""The most logs passed to one process: the length of a command line is limited."""


def _jobs(members: Members, paths: Sequence[Path]) -> list[Job]:
    """Return the jobs that the logs name; a log that cannot be opened is of the first, and refused when it is read."""
    jobs = [
        job
        for at in range(0, len(paths), MOST_AT_ONCE)
        for job in _jobs_of([members.on_disk(path) for path in paths[at : at + MOST_AT_ONCE]])
    ]
    known = [job for job in jobs if job is not None]
    if not known:
        return []
    names = [str((job or known[0])["id"]) for job in jobs]
    return grouped(paths, names, {str(job["id"]): _described(job) for job in reversed(known)})


def _described(job: Mapping[str, Any]) -> str:
    try:
        started = datetime.fromtimestamp(job["start_s"], UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        started = "an unknown time"
    program = (job["program"].split() or ["an unknown program"])[0]
    processes = "1 process" if job["processes"] == 1 else f"{job['processes']:,} processes"
    return f"job {job['id']} of {started}, {processes} of {program}"


def _jobs_of(logs: Sequence[Path]) -> list[dict[str, Any] | None]:
    """Ask PyDarshan for the jobs in a separate process; one log at a time if a damaged one ends it."""
    with temporary_folder() as folder:
        out = folder / "jobs.json"
        done = _pydarshan(str(logs[0]), "--jobs", str(out), *map(str, logs))
        if done.returncode == 0 and out.is_file():
            jobs: list[dict[str, Any] | None] = json.loads(out.read_text())
            return jobs
    if len(logs) == 1:
        return [None]
    return [job for log in logs for job in _jobs_of([log])]


FORMAT = parallel_format(
    name="darshan",
    description="Binary Darshan logs with extended tracing (DXT), through PyDarshan (optional extra darshan).",
    endings=".darshan",
    recognises=lambda head: head[MAGIC_AT : MAGIC_AT + 8] in MAGICS,
    source=DarshanSource,
    jobs=_jobs,
)
