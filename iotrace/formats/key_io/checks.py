"""Which requests of a key trace make sense; the others get the reason why not."""

from __future__ import annotations

from iotrace.formats.key_io.requests import FIELDS, UNREADABLE
from iotrace.formats.reading.batches import Batch, first_reason
from iotrace.formats.reading.clock import trace_limits
from iotrace.libraries import pl

TYPES = {
    **dict.fromkeys(("operation", "key", "tenant", "reason"), "String"),
    "number": "UInt64",
    "hit": "Boolean",
}
"""The types of fields that are not signed integers of 64 bits."""


def checked(batch: Batch) -> pl.DataFrame:
    """Return a batch with all `FIELDS` and a reason in each invalid row."""
    from iotrace.engine import native

    most_bytes, times = native.object_limits()["size"], trace_limits()
    frame = _complete(batch.frame)
    size, ttl_ns, time_ns = pl.col("size"), pl.col("ttl_ns"), pl.col("time_ns")
    lacks_key = pl.col("key").is_null() & pl.col("number").is_null()
    faults = {
        "no key": lacks_key,
        "no time that can be read": time_ns.is_null() & pl.lit("time_ns" in batch.required),
        "no size that can be read": (size == UNREADABLE)
        | (size.is_null() & pl.lit("size" in batch.required)),
        "negative size": size < 0,
        "size out of range": size > most_bytes,
        "no time to live that can be read": ttl_ns == UNREADABLE,
        "negative time to live": ttl_ns < 0,
        "no operation": pl.col("operation").is_null() & pl.lit("operation" in batch.required),
        "time out of range": time_ns.abs() > times["time_ns"],
    }
    duration_ns = pl.col("duration_ns")
    return frame.with_columns(
        reason=first_reason(faults),
        duration_ns=pl.when(duration_ns.is_between(0, times["duration_ns"])).then(duration_ns),
    )


def _complete(frame: pl.DataFrame) -> pl.DataFrame:
    given = set(frame.columns)
    return frame.select(
        (pl.col(name) if name in given else pl.lit(None))
        .cast(getattr(pl, TYPES.get(name, "Int64")))
        .alias(name)
        for name in FIELDS
    )
