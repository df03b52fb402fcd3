"""Which calls of a parallel trace make sense; the others get the reason why not."""

from __future__ import annotations

from iotrace.formats.parallel_io.accesses import NUMBERS, OPERATIONS, TEXTS
from iotrace.formats.reading.batches import Batch
from iotrace.libraries import pl

LARGEST_PLACE = 2**62
"""No byte of a file lies beyond it."""
LONGEST = 2**44
"""No call moves more bytes."""
NEEDS_FILE = tuple(name for name in OPERATIONS if name not in ("barrier", "compute"))


def checked(batch: Batch) -> pl.DataFrame:
    """Return a batch with all fields, and a reason in each row that makes no sense."""
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
