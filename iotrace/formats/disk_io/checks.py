"""Which requests of a block trace make sense, in 512-byte blocks; the others get the reason why not."""

from __future__ import annotations

from iotrace.formats.disk_io.fields import UNKNOWN_OPERATION
from iotrace.formats.disk_io.requests import BLOCK_BYTES, DISCARD, FIELDS, FLUSH, STAGES
from iotrace.formats.reading.batches import Batch, first_reason
from iotrace.formats.reading.clock import trace_limits
from iotrace.libraries import pl

LATENCIES = ("latency_ns", "service_ns")
"""How long a request took; what is negative, or longer than any trace, is unknown."""
UNREADABLE = {
    "operation": UNKNOWN_OPERATION,
    "file": "no file",
    "lbn": "no block number that can be read",
    "blocks": "no length that can be read",
    "time_ns": "no time that can be read",
}
"""The reason for skipping a row in which a required column is null, in the order in which columns are checked."""
TEXT = ("device", "operation", "program", "file", "host", "flags", "reason")


def checked(batch: Batch) -> pl.DataFrame:
    """Return a batch with all `FIELDS`, places in 512-byte blocks, and a reason in each invalid row."""
    from iotrace.engine import native

    limits, times = native.block_limits(), trace_limits()
    frame = _complete(batch.frame)
    if "offset_bytes" in batch.frame.columns:
        offset, length = pl.col("offset_bytes"), pl.col("length_bytes")
        inside = offset % BLOCK_BYTES
        end = (inside + length + BLOCK_BYTES - 1) // BLOCK_BYTES
        frame = frame.with_columns(
            lbn=offset // BLOCK_BYTES,
            blocks=pl.when(length > 0).then(end).otherwise(length.clip(-1, 0)),
            unaligned=((inside != 0) | (length % BLOCK_BYTES != 0)).fill_null(False),
        )
    elif "length_bytes" in batch.frame.columns:
        length = pl.col("length_bytes")
        frame = frame.with_columns(
            blocks=pl.when(length > 0).then((length - 1) // BLOCK_BYTES + 1).otherwise(length.clip(-1, 0)),
            unaligned=(length % BLOCK_BYTES != 0).fill_null(False),
        )
    else:
        frame = frame.with_columns(unaligned=pl.lit(False))
    lbn, blocks = pl.col("lbn"), pl.col("blocks")
    is_discard = pl.col("operation") == DISCARD
    most_blocks = limits["disk_blocks"]
    many = blocks >= pl.when(is_discard).then(most_blocks).otherwise(limits["request_blocks"])
    needs_place = pl.col("operation").ne_missing(FLUSH)
    lacking = {
        why: pl.col(name).is_null() & (needs_place if name in ("lbn", "blocks") else pl.lit(True))
        for name, why in UNREADABLE.items()
        if name in (*batch.required, "lbn")
    }
    faults = {
        **lacking,
        "negative block number": lbn < 0,
        "negative length": blocks < 0,
        "length out of range": many,
        "block number out of range": (lbn >= most_blocks) | (lbn + blocks > most_blocks),
        "time out of range": pl.col("time_ns").abs() > times["time_ns"],
    }
    pid = pl.when(pl.col("pid").abs() < 2**31).then(pl.col("pid"))
    answered = [
        pl.when(pl.col(name).is_between(0, times["duration_ns"])).then(pl.col(name)).alias(name)
        for name in LATENCIES
    ]
    since_arrival_ns = {name: pl.col(name) - pl.col("time_ns") for name in STAGES}
    stages = [
        pl.when((pl.col(name).abs() <= times["time_ns"]) & (since_ns.abs() <= times["duration_ns"]))
        .then(pl.col(name))
        .alias(name)
        for name, since_ns in since_arrival_ns.items()
    ]
    return frame.with_columns(*answered, *stages, reason=first_reason(faults), pid=pid)


def _complete(frame: pl.DataFrame) -> pl.DataFrame:
    kinds = {name: pl.String if name in TEXT else pl.Int64 for name in FIELDS}
    given = set(frame.columns)
    return frame.select(
        (pl.col(name) if name in given else pl.lit(None)).cast(kind).alias(name)
        for name, kind in kinds.items()
    )
