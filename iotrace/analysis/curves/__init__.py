"""Stack distances and miss-ratio curves: LRU caches of every size in one pass; other policies at chosen sizes."""

from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.curves import (
    Curves,
    curve,
    simulate,
    simulate_each,
    simulate_split,
    split_curves,
    tally,
)
from iotrace.analysis.curves.disk_accesses import disk_accesses
from iotrace.analysis.curves.keys import curve_of_keys
from iotrace.analysis.curves.objects import object_curve
from iotrace.analysis.curves.policies import POLICIES, compare_policies

__all__ = [
    "POLICIES", "Cache", "Curves", "compare_policies", "curve", "curve_of_keys", "disk_accesses", "object_curve",
    "simulate", "simulate_each", "simulate_split", "split_curves", "tally",
]  # fmt: skip
