"""The block hits of one run, of which a size is chosen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from iotrace.analysis.lines.counts import Counts
from iotrace.analysis.lines.ratios import BOTH, WRITE


@dataclass(frozen=True)
class RunHits:
    """The block references of a run that hit; see `iotrace.analysis.curves.sizing.BlockHits`."""

    counts: Counts
    knows_absorbed: bool = True
    """Whether syncs are honoured and nothing only warms the caches."""

    @property
    def block_bytes(self) -> int:
        """The size of a block."""
        return self.counts.block_bytes

    @property
    def distinct_blocks(self) -> int:
        """The size in blocks from which on nothing changes."""
        return max(self.counts.distinct_blocks, 1)

    @property
    def references(self) -> int:
        """All block references."""
        return sum(half.blocks for half in self.counts.halves.values())

    def at(self, sizes_blocks: Sequence[int]) -> npt.NDArray[Any]:
        """Return the hits at each size."""
        sizes = np.array(sizes_blocks, np.float64)
        return self.references - self.counts.of_directions(BOTH, "block_misses", sizes).astype(np.int64)

    def absorbed(self, size_blocks: int) -> float | None:
        """Return the part of the blocks written that a write-back cache keeps from the disk, if it is known."""
        written = self.counts.halves["write"].blocks
        if not self.knows_absorbed or not written:
            return None
        size = np.array([float(size_blocks)])
        stored = sum(
            float(self.counts.of_directions(WRITE, name, size)[0]) for name in ("disk_writes", "dirty_at_end")
        )
        return 1 - stored / written
