"""The worth of accesses through the global cache of a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from iotrace.errors import UsageError
from iotrace.simulate.cluster.costs.components import Components
from iotrace.simulate.cluster.costs.rows import BLOCK_BYTES, CostRow


@dataclass(frozen=True)
class Worth:
    """The worth of an access to a block through the global cache, compared with bypassing it."""

    hit_ns: float
    """Time saved by a read that finds its block there; below 0 where even a hit is slower (small requests)."""
    miss_ns: float
    """Time lost by a read that does not."""

    def __post_init__(self) -> None:
        if self.miss_ns < 0 or self.hit_ns + self.miss_ns < 0:
            raise UsageError("a miss through the global cache costs 0 or more, a hit no more than a miss")

    @classmethod
    def of(cls, costs: Components, size_bytes: int, iods: int, local: bool = True) -> Worth:
        """Return what costs (b) say of reads of a size that miss in the local cache, or have none, block by block."""
        blocks = max(1.0, size_bytes / BLOCK_BYTES)
        direct, hit, miss = (
            costs.time_ns(row, size_bytes, iods)
            for row in (
                CostRow.LOCAL_MISS if local else CostRow.PVFS,
                CostRow.GLOBAL_HIT,
                CostRow.GLOBAL_MISS,
            )
        )
        return cls((direct - hit) / blocks, max(0, miss - direct, hit - direct) / blocks)
