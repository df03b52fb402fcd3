"""Stack distances and miss-ratio curves of keys in data frames: NumPy, Arrow, polars, pandas, DuckDB or plain lists.

Importing it gives polars' expressions and series the namespace ``iotrace``:
``pl.col("block").iotrace.stack_distance().over("disk")``.
"""

from iotrace.frames import namespace as _namespace
from iotrace.frames.distances import reuse_time, stack_distance, with_distances, working_set
from iotrace.frames.key_curve import KeyCurve, compare, curve
from iotrace.frames.object_curve import object_curve

_namespace.register()

__all__ = [
    "KeyCurve",
    "compare",
    "curve",
    "object_curve",
    "reuse_time",
    "stack_distance",
    "with_distances",
    "working_set",
]
