"""From the calls of any parallel format to table parallel_io: checked, numbered, counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace import schemas
from iotrace.formats.format import ReadsAhead
from iotrace.formats.parallel_io.accesses import (
    LAYERS,
    NUMBERS,
    OF_BYTES,
    OPERATIONS,
    WHENCES,
    ParallelSource,
)
from iotrace.formats.parallel_io.checks import checked
from iotrace.formats.parallel_io.parsed import ParsedCalls
from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.clock import trace_limits
from iotrace.formats.reading.names import Numbers, known
from iotrace.formats.reading.run import TraceRun
from iotrace.libraries import pa, pc, pl

MOVES = ("read", "write")
"""Operations that are requests."""


class ParallelRun(TraceRun):
    """A parallel trace on its way to table parallel_io, and to what tables file and process know of it."""

    table = "parallel_io"
    optional = (
        "time_ns", "duration_ns", "process", "node", "thread", "layer", "descriptor", "offset", "length",
        "requested", "compute_ns",
    )  # fmt: skip
    taken = "duration_ns"
    lasting = ("duration_ns",)
    length = "length"
    row = "call"
    without_records = "holds no call"

    def __init__(self, name: str, paths: Sequence[Path], source: ParallelSource) -> None:
        from iotrace.engine import native

        super().__init__(name, paths, source)
        self.source: ParallelSource = source
        self.files = Numbers()
        self.known: dict[str, tuple[int, str | None]] = {}
        self.in_several: set[str] = set()
        """Processes of which several files hold calls."""
        self._file_of: dict[str, str | None] = {}
        self.order = native.CallOrder(source.by_access)
        self.nameless = 0
        """How many calls are on the bytes of a file that the trace does not name."""

    def read_ahead(self, threads: int) -> None:
        """Have threads read lines before their turn, where the format can; calls are numbered in the order of the
        lines."""
        if isinstance(self.source, ReadsAhead):
            self.source.read_ahead(threads)

    @property
    def unit(self) -> str:
        """The name of a record of the trace in a sentence."""
        return self.source.unit

    def _warnings(self) -> list[str]:
        broken = self.order.broken
        warning = f"{broken:,} of {self.rows:,} calls came after a later one of their process; they were sorted by time"
        return [*super()._warnings(), *([warning] if broken else []), *self._nameless()]

    def _nameless(self) -> list[str]:
        """Say how many calls are of an unknown file."""
        if not self.nameless:
            return []
        return [
            f"the trace does not say on which file {self.nameless:,} of {self.rows:,} calls were: their time is in all"
            " numbers, and their bytes are in none of files and caches"
        ]

    def _see(self, calls: pa.RecordBatch) -> None:
        """Count calls out of order, and those of an unknown file."""
        self.order.see(calls)
        if calls["file"].null_count:
            is_of_bytes = pc.is_in(pc.cast(calls["operation"], pa.string()), pa.array(OF_BYTES))
            self.nameless += pc.sum(pc.and_(is_of_bytes, pc.is_null(calls["file"]))).as_py()

    def _unsorted_seen(self) -> dict[str, int]:
        """Return the counts of disorder: the order of ranks among each other does not count."""
        return {"unsorted_requests": self.order.broken} if self.order.broken else {}

    def _further(self) -> Mapping[str, Any]:
        return {
            "nodes": [self.source.host_of(host) for host in self.hosts.of],
            "processes_in_several_files": len(self.in_several),
            **self.source.about(),
        }

    def _read(self, batch: Batch | ParsedCalls) -> list[tuple[str, pa.RecordBatch]]:
        if not isinstance(batch, ParsedCalls):
            return super()._read(batch)
        if not len(batch.rows) and not batch.rows.skipped:
            return []
        self.durations.add(batch.rows.wrong_durations)
        rows = batch.rows
        is_odd = self.source.notes.open_end is not None or not rows.is_in_range
        if is_odd or not self._are_in_time(rows.summary(), lambda: rows.calls(0)["time_ns"]):
            return super()._read(batch.batch())
        if batch.rows.skipped:  # few traces need polars
            self.skips.count(batch.skipped(), batch.excerpt)
        return [(self.table, self._parsed_batch(batch))] if len(batch.rows) else []

    def _parsed_batch(self, calls: ParsedCalls) -> pa.RecordBatch:
        """Return calls that the engine read as rows of the table, counted and numbered as `_batch` does."""
        rows, summary = calls.rows, calls.rows.summary()
        self.clock.see_summary(summary, rows.unsorted)
        self.requests += summary["moves"]
        processes = [
            (process, None, key) for (process, _), key in zip(rows.processes, calls.keys, strict=True)
        ]
        self._meet(sorted(processes, key=lambda process: process[0]))
        count = len(rows)
        batch = rows.table(
            self.rows,
            self.clock.zero_ns or 0,
            self.processes.numbered(calls.keys),
            self.files.numbered(rows.files),
            self.hosts.numbered(rows.hosts),
        )
        self.rows += count
        self._see(batch)
        self.lengths.see(batch["length"].drop_null().to_numpy())
        self.recorded_columns |= {
            name for name in self.optional if name != "offset" and batch[name].null_count < count
        }
        if summary["placed_moves"]:
            self.recorded_columns.add("offset")
        return pa.RecordBatch.from_arrays(batch.columns, schema=schemas.schema(self.table))

    def _checked(self, batch: Batch) -> pl.DataFrame:
        return checked(batch)

    def _is_far(self, usual_ns: int) -> pl.Expr:
        return super()._is_far(usual_ns) | (pl.col("duration_ns") > trace_limits()["duration_ns"])

    def _columns(self, frame: pl.DataFrame) -> dict[str, Any]:
        return {
            **{name: frame[name].to_arrow() for name in NUMBERS if name != "process"},
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

    def _batch(self, frame: pl.DataFrame) -> pa.RecordBatch:
        batch = super()._batch(frame)
        self._see(batch)
        return batch

    def _count(self, frame: pl.DataFrame) -> None:
        super()._count(frame)
        self.requests += int(frame["operation"].is_in(MOVES).sum())

    def _is_recorded(self, name: str, column: pa.Array, frame: pl.DataFrame) -> bool:
        """Return whether a batch has a value in an optional column; an offset counts where a call moves bytes."""
        if name != "offset":
            return super()._is_recorded(name, column, frame)
        return bool(frame["offset"].is_not_null().filter(frame["operation"].is_in(MOVES)).any())

    def _process_numbers(self, frame: pl.DataFrame) -> pl.Series:
        """Give the processes numbers, those that a batch shows first in the order of their ranks."""
        key = pl.coalesce(pl.col("process_key"), pl.col("process").cast(pl.String))
        keyed = frame.select("process", "program", key=pl.when(pl.col("process").is_not_null()).then(key))
        seen = keyed.drop_nulls("key").unique("key", maintain_order=True).sort("process", maintain_order=True)
        self._meet(seen.iter_rows())
        return self.processes.numbers(keyed["key"])

    def _meet(self, processes: Iterable[tuple[Any, ...]]) -> None:
        """Give processes numbers: the rank, program and key of each."""
        file = self.source.notes.file
        for process, program, key in processes:
            if key not in self.known:
                self.known[key] = (process, program)
            if self._file_of.setdefault(key, file) != file:
                self.in_several.add(key)
            self.processes.numbered([key])

    def tables(self) -> list[str]:
        """Return the tables that this run writes."""
        mpi_file = ["mpi_file"] if self.source.counts_mpi_calls else []
        return [*super().tables(), *mpi_file, *self.source.further_tables]

    def next_rows(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Return the rows of the next batch, and those of further tables that are ready; None after the last."""
        rows = super().next_rows()
        return None if rows is None else [*rows, *self.source.further_rows(self.files)]

    def refuse_without_data(self) -> None:
        """Raise IotraceError as for any trace, unless the trace has other tables than calls."""
        if not self.source.further_tables:
            super().refuse_without_data()

    def last_tables(self) -> list[tuple[str, pa.RecordBatch]]:
        """Return the tables that are complete only at the end."""
        counted = self.source.mpi_calls()
        rows = [
            {"file": number, **counted[name]} for name, number in self.files.of.items() if name in counted
        ]
        mpi_file = [("mpi_file", tables.of_rows("mpi_file", rows))] if self.source.counts_mpi_calls else []
        return [*self.source.last_rows(), *super().last_tables(), *mpi_file]

    def _file_rows(self) -> list[dict[str, Any]]:
        paths = [self.source.path_of(name) for name in self.files.of]
        return [
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

    def _process_rows(self) -> list[dict[str, Any]]:
        rows = []
        for name, number in self.processes.of.items():
            process, program = self.known[name]
            job = self.source.run_of(name)
            rows.append(
                {"process": number, "thread": process, "pid": process, "program": program, "job": job}
            )
        return rows
