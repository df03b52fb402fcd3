"""Stores as the texts of parallel traces: the reads and writes of their reference stream, whatever it was made of."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.formats import pattern, umd_ascii
from iotrace.placing import placed
from iotrace.store import Store

if TYPE_CHECKING:
    import polars as pl

BATCH_ROWS = 1 << 16


class Accesses:
    """The reads and writes of a store of which place and length are known, and how many others there are."""

    def __init__(self, store: Store, needs_process: bool) -> None:
        self.store = store
        self.needs_process = needs_process
        self.written = 0
        self.left_out = 0

    def batches(self) -> Iterator[pl.DataFrame]:
        """Give them in the order of the stream."""
        import polars as pl
        import pyarrow.parquet as pq

        self.written = self.left_out = 0
        names = ["time_ns", "process", "operation", "flags", "file", "offset", "length"]
        for batch in pq.ParquetFile(self.store.table_path("reference")).iter_batches(
            BATCH_ROWS, columns=names
        ):
            frame = pl.DataFrame(pl.from_arrow(batch)).with_columns(
                pl.col("operation", "flags").cast(pl.String)
            )
            moves = frame.filter(pl.col("operation").is_in(["read", "write"]))
            known = moves.drop_nulls(["offset", "length", *(["process"] if self.needs_process else [])])
            self.written += known.height
            self.left_out += moves.height - known.height
            yield known

    def files(self) -> list[str]:
        """Return the files' names by number, each on one line."""
        table = self.store.arrow("file", ["file", "path"]).sort_by("file")
        names = [
            " ".join((path or f"file {place}").split())
            for place, path in enumerate(table["path"].to_pylist())
        ]
        return [name or "-" for name in names]


def to_umd(store: Store, output: Path, force: bool = False) -> tuple[int, int]:
    """Write a store's reads and writes as UMD text (``-`` for standard output), processes by their rows' numbers.

    Returns how many were written and left out: those of unknown place or length, or of no process. Opens, closes and
    list-I/O calls are not written. Raises IotraceError for a trace without times, UsageError where the output exists
    and ``force`` is not set.
    """
    if store.manifest["times"]["base"] == "none":
        raise IotraceError(f"{store.path}: the trace has no times, which UMD text needs")
    accesses = Accesses(store, needs_process=True)
    processes = {number for frame in accesses.batches() for number in frame["process"].unique()}
    calls = (row for frame in accesses.batches() for row in frame.iter_rows(named=True))
    records = accesses.written
    _write(output, umd_ascii.text(calls, accesses.files(), len(processes), records), force)
    return records, accesses.left_out


def to_pattern(store: Store, output: Path, force: bool = False) -> tuple[int, int]:
    """Write a store's reads and writes as a pattern (``-`` for standard output), without times and computation.

    Returns how many were written and left out: those of unknown place or length. Raises UsageError where the output
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

    rows = (row for frame in program() for row in frame.iter_rows(named=True))
    _write(output, pattern.text(rows, accesses.files()), force)
    return accesses.written, accesses.left_out


def _write(output: Path, lines: Iterator[str], force: bool) -> None:
    if str(output) == "-":
        sys.stdout.writelines(lines)
        return
    if output.is_dir():
        raise UsageError(f"{output}: is a directory")
    if output.exists() and not force:
        raise UsageError(f"{output}: exists; give --force to replace it")
    try:
        with placed(output) as partial, partial.open("w", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        raise IotraceError(f"{output}: {reason(error)}") from None
