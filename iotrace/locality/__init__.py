"""Stack distances and miss-ratio curves: LRU caches of every size in one pass over the reference stream."""

from __future__ import annotations

from iotrace.locality.curves import curve, split_curves, tally

__all__ = ["curve", "split_curves", "tally"]
