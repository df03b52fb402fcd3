"""Stack distances and miss-ratio curves: LRU caches of every size in one pass over the reference stream."""

from __future__ import annotations

from iotrace.locality.cache import Cache
from iotrace.locality.curves import (
    Curves,
    curve,
    simulate,
    simulate_each,
    simulate_split,
    split_curves,
    tally,
)

__all__ = ["Cache", "Curves", "curve", "simulate", "simulate_each", "simulate_split", "split_curves", "tally"]
