"""Ratios of a curve's counts, as the dissertation's figures show them (Richardson 1994, 2.6)."""

import pyarrow as pa
import pyarrow.compute as pc

RATIOS = {
    "read_request_miss_ratio": (("read_request_misses",), ("read_requests",)),
    "write_request_miss_ratio": (("write_request_misses",), ("write_requests",)),
    "request_miss_ratio": (
        ("read_request_misses", "write_request_misses"),
        ("read_requests", "write_requests"),
    ),
}
"""Each ratio's counts and what they are of. A request larger than the cache misses more than once, so that a
small cache's ratio can pass 1."""


def absorbed(curves: pa.Table) -> pa.ChunkedArray:
    """Return the share of the blocks written that never have to reach the disk, for each row of a table of curves that
    has column write_syncs: neither expelled nor synced, nor dirty at the end; null without writes.

    Only where syncs are honoured, and without a warm-up, whose blocks are expelled, too.
    """
    written = curves["write_block_references"]
    stored = _sum(curves, ("write_expulsions", "write_syncs", "dirty_at_end"))
    share = pc.divide(
        stored.cast(pa.float64()), pc.if_else(pc.equal(written, 0), None, written).cast(pa.float64())
    )
    return pc.subtract(1.0, share)


def ratio(curves: pa.Table, name: str) -> pa.ChunkedArray:
    """Return one of RATIOS for each row of a table of curves; null if there is nothing to divide by."""
    counted, of = RATIOS[name]
    counts, whole = (_sum(curves, names) for names in (counted, of))
    return pc.divide(
        counts.cast(pa.float64()), pc.if_else(pc.equal(whole, 0), None, whole).cast(pa.float64())
    )


def _sum(curves: pa.Table, names: tuple[str, ...]) -> pa.ChunkedArray:
    first, *others = names
    total = curves[first]
    for name in others:
        total = pc.add(total, curves[name])
    return total
