"""Stores as the texts of parallel traces: reads and writes of any trace, and of a parallel one what else fits."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files import placed
from iotrace.files.names import local_name
from iotrace.formats import pattern, umd_ascii
from iotrace.ingest import parallel
from iotrace.schemas.reference_types import DATA
from iotrace.store.store import Store

if TYPE_CHECKING:
    import polars as pl

BATCH_ROWS = 1 << 16
UNKNOWN = "reads and writes of unknown place, length or process"


class Accesses:
    """The calls of a store that a text has a place for, and how many others there are.

    These are reads and writes of data of which place and length are known, and the ``further`` operations, which only a
    parallel trace's own table tells of. What reads inodes, directories and executables is not among them.
    """

    def __init__(self, store: Store, needs_process: bool, further: Sequence[str] = ()) -> None:
        self.store = store
        self.needs_process = needs_process
        self.further = further
        self.written = 0
        self.left_out = Counter[str]()
        """How many calls have no place, by what they are."""

    def batches(self) -> Iterator[pl.DataFrame]:
        """Give them in the order of the stream."""
        import polars as pl

        self.written = 0
        self.left_out.clear()
        needs = ["process"] if self.needs_process else []
        moves = pl.col("operation").is_in(["read", "write"])
        for frame in self._calls():
            is_known = pl.all_horizontal(pl.col("offset", "length", *needs).is_not_null())
            is_further = pl.all_horizontal(
                pl.col("operation").is_in(list(self.further)),
                (pl.col("operation") != "seek") | pl.col("whence").eq_missing("start"),
                *(pl.col(name).is_not_null() for name in needs),
            )
            known = frame.filter((moves & is_known) | is_further)
            self.written += known.height
            self._count(frame.filter(moves & ~is_known), UNKNOWN)
            for (operation,), rows in frame.filter(~moves & ~is_further).group_by(
                ["operation"], maintain_order=True
            ):
                self._count(rows, f"calls of {operation}")
            yield known

    def _count(self, rows: pl.DataFrame, what: str) -> None:
        if rows.height:
            self.left_out[what] += rows.height

    def _calls(self) -> Iterator[pl.DataFrame]:
        import polars as pl

        if "parallel_io" in self.store.tables:
            table = self.store.table_path("parallel_io")
            of_no_file = (
                pl.scan_parquet(local_name(table), glob=False)
                .filter(pl.col("file").is_null())
                .select("operation")
                .collect()
            )
            for operation, count in of_no_file["operation"].cast(pl.String).value_counts().iter_rows():
                self.left_out[f"calls of {operation}"] += count
            yield from parallel.calls(table)
            return
        names = ["time_ns", "process", "operation", "flags", "file", "type", "offset", "length"]
        for batch in self.store.batches("reference", names, BATCH_ROWS):
            frame = pl.DataFrame(pl.from_arrow(batch))
            is_data = pl.col("type").cast(pl.String).is_in(DATA)
            for (kind,), rows in frame.filter(~is_data).group_by(
                pl.col("type").cast(pl.String), maintain_order=True
            ):
                self._count(rows, f"references of type {kind}")
            yield frame.filter(is_data).with_columns(
                pl.col("operation", "flags").cast(pl.String), whence=pl.lit(None, pl.String)
            )

    def parts(self) -> dict[int, int]:
        """Return of how many reads and writes that are written each list-I/O call consists."""
        import polars as pl

        counts = Counter[int]()
        for frame in self.batches() if "parallel_io" in self.store.tables else ():
            moved = frame.filter(pl.col("operation").is_in(["read", "write"])).drop_nulls("list_call")
            counts.update(dict(moved.group_by("list_call").len().iter_rows()))
        return counts

    def numbers(self) -> dict[int, int]:
        """Return the number of each process: the trace's own, or that of its row where two ranks share theirs.

        Of traces that are not parallel it is the thread's, which an exec does not change.
        """
        table = self.store.arrow("process", ["process", "thread"])
        rows, own = (table[name].to_pylist() for name in ("process", "thread"))
        is_own = None not in own and ("parallel_io" not in self.store.tables or len(set(own)) == len(own))
        return dict(zip(rows, own if is_own else rows, strict=True))

    def files(self) -> list[str]:
        """Return the files' names by number, each on one line."""
        table = self.store.arrow("file", ["file", "path"]).sort_by("file")
        names = [
            " ".join((path or f"file {place}").split())
            for place, path in enumerate(table["path"].to_pylist())
        ]
        return [name or "-" for name in names]


def to_umd(store: Store, output: Path, force: bool = False) -> tuple[int, Mapping[str, int]]:
    """Write a store's calls as UMD text (``-`` for standard output).

    Processes have the trace's own numbers where each has one to itself; otherwise those of their rows.
    Of a parallel trace reads, writes, opens, closes, seeks to a place and list-I/O calls are written, of others reads
    and writes; times are the trace's own. Returns how many were written, and how many left out, by what they are.
    Raises IotraceError for a trace without times, UsageError where the output exists and ``force`` is not set.
    """
    if store.manifest["times"]["base"] == "none":
        raise IotraceError(f"{store.path}: the trace has no times, which UMD text needs")
    zero_ns = store.manifest["times"]["first_ns"] or 0
    accesses = Accesses(store, needs_process=True, further=("open", "close", "seek", "list_io"))
    numbers = accesses.numbers()
    processes = {numbers[row] for frame in accesses.batches() for row in frame["process"].unique()}
    records = accesses.written
    parts = accesses.parts()
    calls = (
        {
            **row,
            "process": numbers[row["process"]],
            "time_ns": zero_ns + row["time_ns"],
            "count": parts.get(row["list_call"], 0) if row["operation"] == "list_io" else 1,
        }
        for frame in accesses.batches()
        for row in frame.iter_rows(named=True)
    )
    _write(output, umd_ascii.text(calls, accesses.files(), len(processes), records), force)
    return records, accesses.left_out


def to_pattern(store: Store, output: Path, force: bool = False) -> tuple[int, Mapping[str, int]]:
    """Write a store's reads and writes as a pattern (``-`` for standard output), without times and computation.

    Processes are numbered from 0, in the order of their rows; what a thread was before an exec is the same process.
    Returns how many were written, and how many calls left out, by what they are. Raises UsageError where the output
    exists and ``force`` is not set.
    """
    accesses = Accesses(store, needs_process=False)

    def program() -> Iterator[pl.DataFrame]:
        import polars as pl

        is_synchronous = pl.col("flags").fill_null("").str.contains("synchronous", literal=True)
        waits = (pl.col("operation") == "write") & is_synchronous
        for frame in accesses.batches():
            operation = pl.when(waits).then(pl.lit("sync_write")).otherwise("operation")
            yield frame.with_columns(operation=operation, compute_ns=pl.lit(0))

    threads: dict[int, int] = {}
    dense = {row: threads.setdefault(own, len(threads)) for row, own in sorted(accesses.numbers().items())}
    rows = (
        {**row, "process": dense.get(row["process"])}
        for frame in program()
        for row in frame.iter_rows(named=True)
    )
    _write(output, pattern.text(rows, accesses.files()), force)
    return accesses.written, accesses.left_out


def _write(output: Path, lines: Iterator[str], force: bool) -> None:
    if str(output) == "-":
        sys.stdout.writelines(lines)
        return
    if output.is_dir():
        raise UsageError(f"{output}: is a directory")
    if os.path.lexists(output) and not force:
        raise UsageError(f"{output}: exists; give --force to replace it")
    try:
        with placed(output, replace=force) as partial, partial.open("w", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        raise IotraceError(f"{output}: {reason(error)}") from None
