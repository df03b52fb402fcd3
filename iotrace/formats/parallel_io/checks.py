"""Which calls of a parallel trace make sense; the others get the reason why not."""

from __future__ import annotations

from iotrace.formats.parallel_io.accesses import NUMBERS, OPERATIONS, TEXTS, WITHOUT_FILE
from iotrace.formats.reading.batches import Batch, first_reason
from iotrace.formats.reading.clock import trace_limits
from iotrace.libraries import pl


def checked(batch: Batch) -> pl.DataFrame:
    """Return a batch with all fields, and a reason in each invalid row."""
    from iotrace.engine import native

    limits, latest_ns = native.call_limits(), trace_limits()["time_ns"]
    given = set(batch.frame.columns)
    frame = batch.frame.select(
        (pl.col(name) if name in given else pl.lit(None))
        .cast(pl.String if name in TEXTS else pl.Int64)
        .alias(name)
        for name in (*NUMBERS, *TEXTS)
    )
    operation, offset, length = pl.col("operation"), pl.col("offset"), pl.col("length")
    process, time_ns, whence = pl.col("process"), pl.col("time_ns"), pl.col("whence").fill_null("start")
    moves = operation.is_in(["read", "write"])
    lacking = {
        "process": ("no process that can be read", process.is_null()),
        "time_ns": ("no time that can be read", time_ns.is_null()),
        "length": ("no length that can be read", moves & length.is_null()),
        "offset": ("no offset that can be read", moves & offset.is_null()),
    }
    is_nameless = ~operation.is_in(list(WITHOUT_FILE)) & pl.col("file").is_null()
    is_beyond = (offset < -limits["place"]) | (offset > limits["place"] - length.fill_null(0))
    faults = {
        **dict(lacking[name] for name in lacking if name in batch.required),
        "unknown operation": ~operation.is_in(list(OPERATIONS)).fill_null(False),
        **({"no file that can be read": is_nameless} if "file" in batch.required else {}),
        "process out of range": (process < 0) | (process > limits["process"]),
        "negative offset": (offset < 0) & (whence == "start"),
        "negative length": length < 0,
        "length out of range": length > limits["length"],
        "offset out of range": is_beyond,
        "time out of range": ~time_ns.is_between(-latest_ns, latest_ns),
    }
    duration_ns, compute_ns = pl.col("duration_ns"), pl.col("compute_ns")
    return frame.with_columns(
        reason=first_reason(faults),
        whence=pl.when(operation == "seek").then(whence),
        duration_ns=pl.when(duration_ns >= 0).then(duration_ns),
        compute_ns=pl.when(compute_ns >= 0).then(compute_ns),
    )
