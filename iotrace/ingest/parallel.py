"""From table parallel_io to the reference stream: what the processes of a parallel program did to its files.

A read or write that moves bytes is a reference of type datafile by its process, on its node, if both are recorded;
sync, truncate and delete are references too; open, close, seek, barrier, compute and the heads of list-I/O calls are
not. Where a file was traced in several layers (POSIX below MPI-IO) only the lowest is taken, so that no byte counts
twice. An access without an offset is where the file pointer stands: that of the process and descriptor, or of the
process and file if the trace has no descriptors. An open puts it at 0 (of an append, nowhere known), a seek where
it says, a read or write moves it; before the first of these it is unknown. A use is from an open to its close; without
opens, what a process did to a file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.files.names import local_name
from iotrace.formats.reading.tables import of_columns
from iotrace.libraries import pl
from iotrace.store.writer import TableWriters

BATCH_ROWS = 1 << 18
LOWEST = ("posix", "stdio")
"""Neither calls the other; calls without a layer count as lowest too."""
NOWHERE = -(2**62)
"""A file pointer of which nothing is known; what moves it on leaves it below 0."""
LARGEST_STEP = 2**44
"""No call moves a file pointer further on, so that a batch of them does not overflow."""
REFERENCED = ("read", "write", "sync", "truncate", "delete")


def derive(folder: Path) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Write tables reference and use into a folder that holds parallel_io, sorted, and file and process.

    Returns the tables' numbers of rows, remarks, and what was seen, by name. Raises OSError if the folder cannot
    be written.
    """
    calls = pq.ParquetFile(local_name(folder / "parallel_io.parquet"))
    stream = Stream(_files_of_higher_layers(calls))
    with contextlib.closing(TableWriters(folder)) as writers:
        writers.empty("reference")
        for batch in calls.iter_batches(BATCH_ROWS):
            writers.write("reference", stream.references(batch))
        writers.write("use", stream.table())
    remarks = {"accesses that higher layers made of others": stream.higher} if stream.higher else {}
    return writers.rows, remarks, stream.seen


def calls(table: Path) -> Iterator[pl.DataFrame]:
    """Give the calls of table parallel_io on files, in its order, as the reference stream takes them.

    Only layers that count; a read or write has its offset where the file pointer is known.
    """
    file = pq.ParquetFile(local_name(table))
    stream = Stream(_files_of_higher_layers(file))
    yield from (stream.calls(batch) for batch in file.iter_batches(BATCH_ROWS))


def _files_of_higher_layers(calls: pq.ParquetFile) -> pl.Series:
    """Return the files of which no read or write of a lowest layer was traced."""
    by_batch = []
    for batch in calls.iter_batches(BATCH_ROWS, columns=["file", "layer", "operation"]):
        frame = pl.DataFrame(pl.from_arrow(batch)).with_columns(pl.col("layer", "operation").cast(pl.String))
        moved = frame.filter(pl.col("operation").is_in(["read", "write"]))
        by_batch.append(moved.group_by("file").agg(has_lowest=_is_lowest().any()))
    files = pl.concat(by_batch).group_by("file").agg(pl.col("has_lowest").any())
    return files.filter(~pl.col("has_lowest"))["file"].sort()


def _is_lowest() -> pl.Expr:
    return pl.col("layer").is_null() | pl.col("layer").is_in(list(LOWEST))


class Stream:
    """Makes references of calls, and keeps the file pointers and uses of each process from batch to batch."""

    def __init__(self, higher_files: pl.Series) -> None:
        self.higher_files = higher_files
        self.higher = 0
        self.rows = 0
        self.uses = 0
        self.seen = dict.fromkeys(("empty_requests", "unknown_offsets", "appends_of_unknown_offset"), 0)
        self.pointers = pl.DataFrame(
            schema={
                "process": pl.Int32,
                "channel": pl.Int64,
                "position": pl.Int64,
                "use": pl.Int64,
                "ended": pl.Boolean,
                "appends": pl.Boolean,
            }
        )
        self.use_parts: list[pl.DataFrame] = []

    def calls(self, batch: pa.RecordBatch) -> pl.DataFrame:
        """Return the calls on files in the layers that count, offsets filled in; they follow those before."""
        frame = pl.DataFrame(pl.from_arrow(batch)).with_columns(
            pl.col("layer", "operation", "whence", "flags").cast(pl.String)
        )
        frame = frame.filter(pl.col("file").is_not_null())
        taken = _is_lowest() | pl.col("file").is_in(self.higher_files.to_list())
        moves = pl.col("operation").is_in(["read", "write"])
        self.higher += frame.filter(~taken & moves).height
        return self._followed(frame.filter(taken))

    def references(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the references that these calls, which follow those before, are."""
        frame = self.calls(batch)
        moves = pl.col("operation").is_in(["read", "write"])
        self._count_uses(frame)
        is_empty = moves & (pl.col("length") == 0)
        self.seen["empty_requests"] += frame.filter(is_empty).height
        referenced = frame.filter(pl.col("operation").is_in(list(REFERENCED)) & ~is_empty.fill_null(False))
        unknown = referenced.filter(pl.col("offset_source") == "unknown")
        self.seen["appends_of_unknown_offset"] += unknown.filter("appends").height
        self.seen["unknown_offsets"] += unknown.filter(~pl.col("appends")).height
        return self._batch(referenced)

    def _followed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return calls with the offset where each starts, where that comes from, and the use that it belongs to."""
        operation, offset, flags = pl.col("operation"), pl.col("offset"), pl.col("flags").fill_null("")
        moves = operation.is_in(["read", "write"])
        appends = (operation == "open") & flags.str.contains("append", literal=True)
        is_relative = pl.col("whence").eq_missing("current")
        steps = pl.when(moves & offset.is_null()).then("length").when(is_relative).then("offset")
        is_step = (moves & offset.is_null()) | is_relative
        calls = frame.with_columns(
            channel=pl.when(operation != "delete").then(
                pl.coalesce(pl.col("descriptor"), -1 - pl.col("file").cast(pl.Int64))
            ),
            put_at=pl.when(operation == "open")
            .then(pl.when(appends).then(NOWHERE).otherwise(0))
            .when((operation == "seek") & pl.col("whence").eq_missing("start"))
            .then(offset.fill_null(NOWHERE))
            .when((operation == "seek") & pl.col("whence").eq_missing("end"))
            .then(NOWHERE)
            .when(is_step & ~steps.is_between(-LARGEST_STEP, LARGEST_STEP).fill_null(False))
            .then(NOWHERE),
            step=pl.when(steps.is_between(-LARGEST_STEP, LARGEST_STEP)).then(steps).otherwise(0),
            is_open=operation == "open",
            is_close=operation == "close",
            appends=pl.when(operation == "open").then(appends).when(operation == "seek").then(pl.lit(False)),
            is_carried=pl.lit(False),
        )
        carried = self.pointers.select(
            "process",
            "channel",
            "appends",
            "use",
            put_at="position",
            step=pl.lit(0).cast(pl.Int64),
            is_open=pl.lit(False),
            is_close="ended",
            is_carried=pl.lit(True),
        )
        calls = pl.concat([carried, calls.with_columns(use=pl.lit(None).cast(pl.Int64))], how="diagonal")
        group = ["process", "channel"]
        so_far = pl.col("step").cum_sum().over(group)
        base = pl.when(pl.col("put_at").is_not_null()).then(pl.col("put_at") - so_far)
        calls = calls.with_columns(so_far=so_far, base=base.forward_fill().over(group).fill_null(NOWHERE))
        calls = calls.with_columns(
            position=(pl.col("base") + pl.col("so_far")).clip(lower_bound=NOWHERE),
            starts_use=~pl.col("is_carried")
            & pl.col("channel").is_not_null()
            & (pl.col("is_open") | pl.col("is_close").shift(1).over(group).fill_null(True)),
            appends=pl.col("appends").forward_fill().over(group).fill_null(False),
        )
        number = self.uses - 1 + pl.col("starts_use").cum_sum().cast(pl.Int64)
        calls = calls.with_columns(use=pl.when("is_carried").then("use").when("starts_use").then(number))
        calls = calls.with_columns(pl.col("use").forward_fill().over(group))
        self.uses += int(calls["starts_use"].sum())
        self.pointers = (
            calls.filter(pl.col("channel").is_not_null())
            .group_by(group, maintain_order=True)
            .agg(
                pl.col("position").last(),
                pl.col("use").last(),
                ended=pl.col("is_close").last(),
                appends=pl.col("appends").last(),
            )
        )
        calls = calls.with_columns(before=pl.col("position").shift(1).over(group))
        tracked = pl.when(pl.col("before") >= 0).then("before")
        return calls.filter(~pl.col("is_carried")).with_columns(
            offset=pl.when(moves).then(pl.coalesce(offset, tracked)).otherwise(offset),
            offset_source=pl.when(moves).then(
                pl.when(offset.is_not_null())
                .then(pl.lit("explicit"))
                .when(tracked.is_not_null())
                .then(pl.lit("tracked"))
                .otherwise(pl.lit("unknown"))
            ),
        )

    def _count_uses(self, frame: pl.DataFrame) -> None:
        reads, writes = pl.col("operation") == "read", pl.col("operation") == "write"
        moved = (reads | writes) & (pl.col("length") != 0).fill_null(True)
        self.use_parts.append(
            frame.filter(pl.col("use").is_not_null())
            .group_by("use", maintain_order=True)
            .agg(
                pl.col("file").first(),
                pl.col("process").first(),
                pl.col("time_ns").filter(pl.col("is_open")).first().alias("open_ns"),
                (pl.col("time_ns") + pl.col("duration_ns").fill_null(0))
                .filter(pl.col("is_close"))
                .last()
                .alias("close_ns"),
                moved.sum().cast(pl.Int64).alias("references"),
                (reads & moved).any().alias("reads"),
                (writes & moved).any().alias("writes"),
                pl.col("length").filter(reads).sum().alias("bytes_read"),
                pl.col("length").filter(writes).sum().alias("bytes_written"),
            )
        )

    def _batch(self, referenced: pl.DataFrame) -> pa.RecordBatch:
        moves = pl.col("operation").is_in(["read", "write"])
        synchronous = pl.col("flags").fill_null("").str.contains("synchronous", literal=True)
        length = pl.when(moves).then("length")
        columns = referenced.select(
            "time_ns",
            "duration_ns",
            "process",
            "node",
            "use",
            "file",
            "operation",
            "offset_source",
            call_seq=pl.col("seq"),
            seq=pl.int_range(self.rows, self.rows + pl.len(), dtype=pl.Int64),
            type=pl.lit("datafile"),
            flags=pl.when(synchronous).then(pl.lit("synchronous")),
            offset=pl.when(moves | (pl.col("operation") == "truncate")).then("offset"),
            length=length,
            requested=pl.when(moves).then(pl.coalesce("requested", "length")),
            file_size=pl.lit(None).cast(pl.Int64),
        )
        self.rows += referenced.height
        return _cast("reference", columns)

    def table(self) -> pa.RecordBatch:
        """Return table use."""
        added: Mapping[str, pl.Expr] = {
            name: pl.col(name).sum() for name in ("references", "bytes_read", "bytes_written")
        }
        uses = (
            pl.concat(self.use_parts)
            .group_by("use")
            .agg(
                pl.col("file", "process").first(),
                pl.col("open_ns").drop_nulls().first(),
                pl.col("close_ns").drop_nulls().last(),
                pl.col("reads", "writes").any(),
                **added,
            )
        )
        mode = (
            pl.when(pl.col("reads") & pl.col("writes"))
            .then(pl.lit("read_write"))
            .when("reads")
            .then(pl.lit("read"))
            .when("writes")
            .then(pl.lit("write"))
            .otherwise(pl.lit("unknown"))
        )
        return _cast("use", uses.sort("use").with_columns(mode=mode, type=pl.lit("datafile")))


def _cast(name: str, frame: pl.DataFrame) -> pa.RecordBatch:
    """Return a frame as a table of the schema of that name."""
    return of_columns(name, {column.name: column.to_arrow() for column in frame})
