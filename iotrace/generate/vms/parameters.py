"""Parameters of a trace beyond its published load: none of them was printed, so that all are invented."""

from dataclasses import dataclass
from typing import Any

from iotrace.errors import UsageError
from iotrace.option import RATIO, check, option

Bounds = tuple[float, float]
SHARE: Bounds = (0.0, 1.0)
DISTANCE: Bounds = (1.0, 1e9)
SPREAD: Bounds = (0.0, 10.0)


def _number(default: float, bounds: Bounds, description: str) -> Any:
    return option(float(default), description, RATIO, least=bounds[0], most=bounds[1])


@dataclass(frozen=True)
class Parameters:
    """How requests follow one another in place and time.

    A place is a first block and a number of blocks. A request goes either to an earlier place, identified by how
    many writes (or reads) ago it was written (or read), or to a new one, on blocks that no other place has. Distances
    of requests have the shape that was measured on a real disk (`shapes`), all others are log-normal: the median, and
    the spread, which is the standard deviation of the natural logarithm. Where a distance reaches beyond the start of
    the trace, the place is new. Raises UsageError for what is out of bounds.
    """

    write_run_requests: float = _number(
        2, (1, 1e6), "writes in a row, in the mean, with no read between them"
    )
    rewrite_share: float = _number(0.5, SHARE, "writes that write a place again which was written before")
    rewrite_distance_writes: float = _number(50, DISTANCE, "how many writes ago: the median")
    rewrite_distance_spread: float = _number(1.5, SPREAD, "and its spread")
    rewrite_order_share: float = _number(
        0, SHARE, "of these after another one, those that keep the order in which both were last written"
    )
    write_after_read_share: float = _number(
        0.1, SHARE, "first writes of a place which was read before: an update"
    )
    write_after_read_distance_reads: float = _number(3, DISTANCE, "how many reads ago: the median")
    write_after_read_distance_spread: float = _number(1.0, SPREAD, "and its spread")
    write_kind_kept_share: float = _number(
        0,
        SHARE,
        "writes that do what the write before did: write a place again, update one, or take a new one",
    )
    reread_share: float = _number(0.5, SHARE, "reads of a place which was read before and never written")
    reread_distance_reads: float = _number(200, DISTANCE, "how many reads ago: the median")
    reread_distance_spread: float = _number(2.0, SPREAD, "and its spread")
    reread_order_share: float = _number(
        0, SHARE, "of these after another one, those that keep the order in which both were last read"
    )
    read_after_write_share: float = _number(0.1, SHARE, "reads of a place which was written before")
    read_after_write_distance_writes: float = _number(50, DISTANCE, "how many writes ago: the median")
    read_after_write_distance_spread: float = _number(1.5, SPREAD, "and its spread")
    read_kind_kept_share: float = _number(
        0,
        SHARE,
        "reads that do what the read before did: read a place again, read one back, or take a new one",
    )
    sequential_share: float = _number(
        0.2, SHARE, "new places that begin where the one before, of the same operation, ends"
    )
    same_track_share: float = _number(
        0.2, SHARE, "new places on the track of an earlier one of the same operation"
    )
    same_cylinder_share: float = _number(
        0.2, SHARE, "new places in the cylinder of an earlier one of the same operation"
    )
    neighbour_distance_places: float = _number(50, DISTANCE, "how many new places ago: the median")
    neighbour_distance_spread: float = _number(1.5, SPREAD, "and its spread")
    active_disk_share: float = _number(
        0.5, (1e-6, 1.0), "the part of the disk, in its middle, for all other places"
    )
    size_spread: float = _number(0.8, (0.0, 3.0), "spread of the sizes, log-normal, 1 to 127 blocks")
    burst_requests: float = _number(4, (1, 1e6), "requests of a burst: the median")
    burst_spread: float = _number(1.0, (0.0, 4.0), "and its spread")
    burst_gap_ms: float = _number(
        20, (0, 1e6), "from one request of a burst to the next, in the mean (exponential)"
    )
    write_gap_ms: float = _number(20, (0, 1e6), "the same from a write to a write that follows it")
    day_swing: float = _number(
        0.3, SHARE, "swing of the load over the day, two peaks and a noon between, over its mean"
    )

    def __post_init__(self) -> None:
        check(self)
        for names in SUMS:
            if sum(getattr(self, name) for name in names) > 1 + 1e-9:
                raise UsageError(f"{' and '.join(names)} are more than 1 together")


SUMS = (
    ("rewrite_share", "write_after_read_share"),
    ("reread_share", "read_after_write_share"),
    ("sequential_share", "same_track_share", "same_cylinder_share"),
)
"""Shares of the same whole."""
