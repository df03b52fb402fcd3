"""Clocks of a parallel trace's processes that disagree, moved so that a barrier ends for all at one instant.

The rule. Where every process that calls anything calls a barrier, its clock is moved so that its first barrier ends
when that of the others does. Otherwise a barrier is taken to be where a process pauses: between the end of a call and
the start of its next lie at least `LEAST_GAP_NS` and at least `TIMES_USUAL` times the process's median gap. The first
such pause of each process ends, after the move, at one instant. A process without such a pause is not moved,
and is reported; no clock is moved if fewer than two processes pause. That instant is the median over the processes, so
that most of them move little. Only differences between clocks are found, no drift; a process that does not wait for
others does not pause with them, so check the reported moves.
"""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.errors import IotraceError
from iotrace.files.names import local_name
from iotrace.formats.reading.tables import of_columns
from iotrace.libraries import pl
from iotrace.store.writer import TableWriters

LEAST_GAP_NS = 10_000_000
TIMES_USUAL = 20
BATCH_ROWS = 1 << 18
MOST_TOLD = 8


@dataclass(frozen=True)
class Move:
    """How far a process's clock was moved, and after which pause; both null if it was left as it is."""

    process: int
    moved_ns: int | None
    gap_ns: int | None


@dataclass(frozen=True)
class Alignment:
    """The result of an alignment: its rule, and the shift of each process."""

    rule: str
    moves: tuple[Move, ...]
    first_moved_ns: int
    """How much later the first call is after the moves."""
    duration_ns: int

    def as_dict(self) -> dict[str, Any]:
        """Return the manifest's entry on it."""
        return {"rule": self.rule, "processes": [asdict(move) for move in self.moves]}

    def sentence(self) -> str:
        """Say what was moved, the largest moves first."""
        moved = [move for move in self.moves if move.moved_ns]
        left = [move for move in self.moves if move.moved_ns is None]
        if not moved and len(left) == len(self.moves):
            return f"clocks were left as they are: fewer than two processes have a {self.rule} by which to align them"
        largest = sorted(moved, key=lambda move: -abs(move.moved_ns or 0))[:MOST_TOLD]
        moves = ", ".join(
            f"process {move.process} by {(move.moved_ns or 0) / 1e9:+.6f} s" for move in largest
        )
        more = f" and {len(moved) - MOST_TOLD} others" if len(moved) > MOST_TOLD else ""
        stayed = f"; {len(left)} without one stayed" if left else ""
        return f"clocks were aligned at each process's {self.rule}: moved {moves or 'none'}{more}{stayed}"


def align(folder: Path) -> Alignment:
    """Move times in table parallel_io, which is left to be sorted; return what was moved.

    Raises IotraceError if the trace has no times.
    """
    table = folder / "parallel_io.parquet"
    calls = (
        pl.read_parquet(
            local_name(table), glob=False, columns=["seq", "time_ns", "duration_ns", "process", "operation"]
        )
        .with_columns(pl.col("operation").cast(pl.String))
        .drop_nulls(["time_ns", "process"])
        .sort("time_ns", "seq")
    )
    if calls.is_empty():
        raise IotraceError("--align-clocks: the trace has no times of processes to align")
    rule, ends = _barriers(calls)
    if rule is None:
        rule, ends = "first pause", _pauses(calls)
    processes = calls["process"].unique().sort().to_list()
    moves = _moves(ends, processes)
    by_process = {move.process: move.moved_ns or 0 for move in moves}
    moved = calls.select(
        start=pl.col("time_ns") + pl.col("process").replace_strict(by_process, return_dtype=pl.Int64),
        duration=pl.col("duration_ns").fill_null(0),
    )
    _rewrite(table, by_process)
    first = int(moved["start"].min())  # type: ignore[arg-type]
    end = int((moved["start"] + moved["duration"]).max())  # type: ignore[arg-type]
    return Alignment(rule, moves, first - int(calls["time_ns"][0]), end - first)


def _barriers(calls: pl.DataFrame) -> tuple[str | None, pl.DataFrame]:
    """Return when each process's first barrier ended, if all call one."""
    ends = (
        calls.filter(pl.col("operation") == "barrier")
        .group_by("process")
        .agg(
            end_ns=(pl.col("time_ns") + pl.col("duration_ns").fill_null(0)).first(),
            gap_ns=pl.col("duration_ns").first(),
        )
    )
    return ("first barrier" if len(ends) == calls["process"].n_unique() else None), ends


def _pauses(calls: pl.DataFrame) -> pl.DataFrame:
    """Return when each process's first pause ended, of those that pause."""
    end = pl.col("time_ns") + pl.col("duration_ns").fill_null(0)
    gap = pl.col("time_ns") - end.cum_max().shift(1).over("process")
    gaps = calls.with_columns(gap_ns=gap).drop_nulls("gap_ns")
    usual = pl.col("gap_ns").clip(lower_bound=0).median().over("process")
    is_pause = (pl.col("gap_ns") >= LEAST_GAP_NS) & (pl.col("gap_ns") >= TIMES_USUAL * usual)
    return (
        gaps.filter(is_pause)
        .group_by("process", maintain_order=True)
        .agg(end_ns=pl.col("time_ns").first(), gap_ns=pl.col("gap_ns").first())
    )


def _moves(ends: pl.DataFrame, processes: list[int]) -> tuple[Move, ...]:
    if len(ends) < 2:
        return tuple(Move(process, None, None) for process in processes)
    instants = sorted(ends["end_ns"].to_list())
    instant = instants[len(instants) // 2]
    pauses = {
        process: (end_ns, gap_ns)
        for process, end_ns, gap_ns in ends.select("process", "end_ns", "gap_ns").rows()
    }
    return tuple(
        Move(process, instant - pauses[process][0], pauses[process][1])
        if process in pauses
        else Move(process, None, None)
        for process in processes
    )


def _rewrite(table: Path, by_process: dict[int, int]) -> None:
    """Write the table again, each process's times moved."""
    partial = table.with_name("aligned")
    partial.mkdir()
    with contextlib.closing(TableWriters(partial)) as writers:
        for batch in pq.ParquetFile(local_name(table)).iter_batches(BATCH_ROWS):
            writers.write("parallel_io", _moved(batch, by_process))
    (partial / table.name).replace(table)
    partial.rmdir()


def _moved(batch: pa.RecordBatch, by_process: dict[int, int]) -> pa.RecordBatch:
    frame = pl.DataFrame(pl.from_arrow(batch.select(["time_ns", "process"])))
    move = pl.col("process").replace_strict(by_process, default=0, return_dtype=pl.Int64)
    times = frame.select(pl.col("time_ns") + move).to_series().to_arrow()
    columns = {name: batch[name] for name in batch.schema.names}
    return of_columns("parallel_io", {**columns, "time_ns": times})
