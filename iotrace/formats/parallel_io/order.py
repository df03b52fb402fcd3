"""Whether the calls of each process come in the order of time."""

from __future__ import annotations

from collections.abc import Sequence

from iotrace.libraries import pl


class OrderWithin:
    """Counts calls that come after one of the same series which began and ended later.

    A call within another, which tracers write before or after it, is in order.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = list(keys)
        """Columns that make a series."""
        self.broken = 0
        self._reached: pl.DataFrame | None = None

    def see(self, frame: pl.DataFrame) -> None:
        """Count further calls: columns time_ns, duration_ns, and the keys."""
        calls = frame.select(
            *self.keys,
            start=pl.col("time_ns"),
            end=pl.col("time_ns") + pl.col("duration_ns").fill_null(0),
            is_new=pl.lit(True),
        ).drop_nulls("start")
        if self._reached is not None:
            calls = pl.concat([self._reached, calls])
        before = [pl.col(name).cum_max().shift(1).over(self.keys) for name in ("start", "end")]
        is_before = (pl.col("start") < before[0]) & (pl.col("end") < before[1]) & pl.col("is_new")
        self.broken += int(calls.select(is_before.fill_null(False).sum()).item())
        self._reached = calls.group_by(self.keys).agg(pl.col("start", "end").max(), is_new=pl.lit(False))
