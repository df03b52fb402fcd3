"""From the calls of any parallel format to table parallel_io: checked, numbered, counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace.errors import IotraceError
from iotrace.formats.parallel_io.accesses import (
    LAYERS,
    NUMBERS,
    OPERATIONS,
    TEXTS,
    WHENCES,
    ParallelSource,
)
from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.clock import LONGEST_TRACE_NS, Clock
from iotrace.formats.reading.names import Numbers, known
from iotrace.formats.reading.skips import Skips

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

LARGEST_PLACE = 2**62
"""No byte of a file lies beyond it."""
LONGEST = 2**44
"""No call moves more bytes."""
OPTIONAL = (
    "time_ns",
    "duration_ns",
    "process",
    "node",
    "thread",
    "layer",
    "descriptor",
    "offset",
    "length",
    "requested",
    "compute_ns",
)
"""The columns of table parallel_io that a format may lack."""
NEEDS_FILE = tuple(name for name in OPERATIONS if name not in ("barrier", "compute"))


class ParallelRun:
    """A parallel trace on its way to table parallel_io, and to what tables file and process know of it."""

    def __init__(self, name: str, paths: Sequence[Path], source: ParallelSource) -> None:
        self.name = name
        self.paths = ", ".join(map(str, paths))
        self.source = source
        self.skips = Skips()
        self.hosts, self.files, self.processes = Numbers(), Numbers(), Numbers()
        self.flags = Numbers()
        self.known: dict[str, tuple[int, str | None]] = {}
        self.in_several: set[str] = set()
        """Processes of which several files hold calls."""
        self._file_of: dict[str, Path] = {}
        self.told_columns: set[str] = set()
        self.rows = 0
        self.requests = 0
        self.clock = Clock()
        self._usual_ns: int | None = None
        self._ended = False

    def tables(self) -> list[str]:
        """Return the tables that this run writes; the others are derived from them."""
        return ["parallel_io", "file", "process"]

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on; raises IotraceError at the end of a trace without calls."""
        if self._ended:
            return None
        batch = self.source.next()
        if batch is not None:
            return self._calls(batch)
        self._ended = True
        if not self.rows:
            raise IotraceError(f"{self.paths}: {self._refusal()}")
        return [("file", self._file_table()), ("process", self._process_table())]

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.source.progress()

    def report(self) -> dict[str, Any]:
        """Return what a manifest tells of the run; ``unsorted`` rows came before an earlier one in time."""
        told = self.source.told
        return {
            "counts": {
                "lines": told.records,
                "parsed": told.records - self.skips.total,
                "skipped_lines": self.skips.total,
                "requests": self.requests,
                "duration_ns": self.clock.duration_ns,
            },
            "skipped": dict(sorted(self.skips.reasons.items())),
            "remarks": told.remarks,
            "seen": {"unsorted_requests": self.clock.unsorted},
            "times": self.clock.report(told),
            "path_agreement": None,
            "lacks": [name for name in OPTIONAL if name not in self.told_columns],
            "nodes": [self.source.host_of(host) for host in self.hosts.of],
            "warnings": [*self.skips.warnings(told.records), *told.warnings],
            "unsorted": self.clock.unsorted,
            "processes_in_several_files": len(self.in_several),
        }

    def _refusal(self) -> str:
        records = self.source.told.records
        warned = self.source.told.warnings
        if not records and not self.skips.total:
            return "; ".join(["holds no call", *warned])
        if not self.skips.reasons:
            return f"is no {self.name} trace: none of its {records:,} records is a call"
        reason, first = next(iter(self.skips.reasons.items()))
        return (
            f"is no {self.name} trace: none of its {records:,} records is a call; {self.source.unit}"
            f" {first['first_line']}"
            f" ({reason}) is: {first['excerpt']}"
        )

    def _calls(self, batch: Batch) -> list[tuple[str, pa.RecordBatch]]:
        import polars as pl

        frame = self._in_time(checked(batch))
        self.skips.count(frame, batch.excerpt)
        frame = frame.filter(pl.col("reason").is_null())
        return [("parallel_io", self._batch(frame))] if len(frame) else []

    def _in_time(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a batch with a reason in the rows that are absurdly far from the first batch's median time."""
        import polars as pl

        if self._usual_ns is None:
            median = frame.filter(pl.col("reason").is_null())["time_ns"].median()
            self._usual_ns = None if median is None else int(median)  # type: ignore[arg-type]
        if self._usual_ns is None:
            return frame
        is_far = (pl.col("time_ns") - self._usual_ns).abs() > LONGEST_TRACE_NS
        lasts = pl.col("duration_ns") > LONGEST_TRACE_NS
        return frame.with_columns(
            reason=pl.coalesce("reason", pl.when(is_far | lasts).then(pl.lit("time out of range")))
        )

    def _batch(self, frame: pl.DataFrame) -> pa.RecordBatch:
        """Return calls that make sense as rows of table parallel_io."""
        import polars as pl

        self.clock.see(frame["time_ns"], frame["duration_ns"])
        columns: dict[str, Any] = {name: frame[name].to_arrow() for name in NUMBERS if name != "process"}
        columns |= {
            "seq": tables.running(self.rows, len(frame)),
            "time_ns": self.clock.since_zero(frame["time_ns"]).to_arrow(),
            "process": self._process_numbers(frame).to_arrow(),
            "node": self.hosts.numbers(frame["host"]).to_arrow(),
            "layer": known(frame["layer"], LAYERS),
            "operation": known(frame["operation"], OPERATIONS),
            "file": self.files.numbers(frame["file"]).to_arrow(),
            "whence": known(frame["whence"], WHENCES),
            "flags": self.flags.encoded(frame["flags"]),
        }
        self.rows += len(frame)
        self.requests += int(frame["operation"].is_in(["read", "write"]).sum())
        moved = frame.filter(pl.col("operation").is_in(["read", "write"]))
        self.told_columns |= {
            name
            for name in OPTIONAL
            if (
                moved[name].null_count() < len(moved)
                if name == "offset"
                else columns[name].null_count < len(frame)
            )
        }
        return tables.of_columns("parallel_io", columns)

    def _process_numbers(self, frame: pl.DataFrame) -> pl.Series:
        """Give the processes numbers, those that a batch shows first in the order of their ranks."""
        import polars as pl

        key = pl.coalesce(pl.col("process_key"), pl.col("process").cast(pl.String))
        keyed = frame.select("process", "program", key=pl.when(pl.col("process").is_not_null()).then(key))
        seen = keyed.drop_nulls("key").unique("key", maintain_order=True).sort("process", maintain_order=True)
        for process, program, name in seen.iter_rows():
            if name not in self.known:
                self.known[name] = (process, program)
            if self._file_of.setdefault(name, self.source.reading.path) != self.source.reading.path:
                self.in_several.add(name)
        self.processes.numbers(seen["key"])
        return self.processes.numbers(keyed["key"])

    def _file_table(self) -> pa.RecordBatch:
        paths = [self.source.path_of(name) for name in self.files.of]
        rows = [
            {
                "file": number,
                "path": path,
                "path_last": path,
                "kind": "regular",
                "created": False,
                "deleted": False,
            }
            for number, path in enumerate(paths)
        ]
        return tables.of_rows("file", rows)

    def _process_table(self) -> pa.RecordBatch:
        rows = []
        for name, number in self.processes.of.items():
            process, program = self.known[name]
            rows.append({"process": number, "thread": process, "pid": process, "program": program})
        return tables.of_rows("process", rows)


def checked(batch: Batch) -> pl.DataFrame:
    """Return a batch with all fields, and a reason in each row that makes no sense."""
    import polars as pl

    given = set(batch.frame.columns)
    frame = batch.frame.select(
        (pl.col(name) if name in given else pl.lit(None))
        .cast(pl.String if name in TEXTS else pl.Int64)
        .alias(name)
        for name in (*NUMBERS, *TEXTS)
    )
    operation, offset, length = pl.col("operation"), pl.col("offset"), pl.col("length")
    reason = pl.col("reason")
    if "process" in batch.required:
        reason = pl.coalesce(
            reason, pl.when(pl.col("process").is_null()).then(pl.lit("no process that can be read"))
        )
    if "time_ns" in batch.required:
        reason = pl.coalesce(
            reason, pl.when(pl.col("time_ns").is_null()).then(pl.lit("no time that can be read"))
        )
    moves = operation.is_in(["read", "write"])
    if "length" in batch.required:
        reason = pl.coalesce(
            reason, pl.when(moves & length.is_null()).then(pl.lit("no length that can be read"))
        )
    if "offset" in batch.required:
        reason = pl.coalesce(
            reason, pl.when(moves & offset.is_null()).then(pl.lit("no offset that can be read"))
        )
    process = pl.col("process")
    is_beyond = (offset < -LARGEST_PLACE) | (offset > LARGEST_PLACE - length.fill_null(0))
    reason = pl.coalesce(
        reason,
        pl.when(~operation.is_in(list(OPERATIONS)).fill_null(False)).then(pl.lit("unknown operation")),
        pl.when(operation.is_in(list(NEEDS_FILE)) & pl.col("file").is_null()).then(
            pl.lit("no file that can be read")
        ),
        pl.when((process < 0) | (process >= 2**31)).then(pl.lit("process out of range")),
        pl.when((offset < 0) & (pl.col("whence").fill_null("start") == "start")).then(
            pl.lit("negative offset")
        ),
        pl.when(length < 0).then(pl.lit("negative length")),
        pl.when(length > LONGEST).then(pl.lit("length out of range")),
        pl.when(is_beyond).then(pl.lit("offset out of range")),
        pl.when(~pl.col("time_ns").is_between(-(2**62), 2**62)).then(pl.lit("time out of range")),
    )
    duration_ns, compute_ns = pl.col("duration_ns"), pl.col("compute_ns")
    return frame.with_columns(
        reason=reason,
        whence=pl.when(operation == "seek").then(pl.col("whence").fill_null("start")),
        duration_ns=pl.when(duration_ns >= 0).then(duration_ns),
        compute_ns=pl.when(compute_ns >= 0).then(compute_ns),
    )
