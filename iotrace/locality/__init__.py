<<<<<<< HEAD
"""Stack distances and miss-ratio curves: LRU caches of every size in one pass over the reference stream."""

from __future__ import annotations

from iotrace.locality.curves import curve, split_curves, tally

__all__ = ["curve", "split_curves", "tally"]
=======
"""Stack distances and miss-ratio curves."""
>>>>>>> 3088767 (Take traces in: events to tables to a store, with a manifest)
