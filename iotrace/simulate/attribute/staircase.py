"""A class's least cost by the space that it gets: the steps from which a best partition is made."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iotrace.simulate.attribute.curves import Integers

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Staircase:
    """Sizes in bytes from 0 on at which the cost falls, what it falls to, and the block size that it takes.

    Space beyond a step is of no use up to the next: a subcache may leave some of its share empty.
    """

    sizes: Integers
    costs: Numbers
    blocks_bytes: Integers

    @classmethod
    def of(cls, curves: Sequence[tuple[int, Integers, Numbers]]) -> "Staircase":
        """Make it of the costs by size of one class with several block sizes (block size, sizes, costs)."""
        sizes = np.concatenate([sizes for _, sizes, _ in curves])
        costs = np.concatenate([np.asarray(costs, np.float64) for _, _, costs in curves])
        blocks = np.concatenate([np.full(len(sizes), block) for block, sizes, _ in curves])
        order = np.lexsort((costs, sizes))
        sizes, costs, blocks = sizes[order], costs[order], blocks[order]
        least = np.minimum.accumulate(costs)
        falls = np.concatenate([[True], costs[1:] < least[:-1]])
        # of several costs at one size only the first, which is the least, can fall
        return cls(sizes[falls], costs[falls], blocks[falls])

    def hull(self) -> Integers:
        """Return the places of the steps on the lower convex hull."""
        corners: list[int] = []
        sizes, costs = self.sizes.tolist(), self.costs.tolist()
        for index in range(len(sizes)):
            while len(corners) > 1:
                first, second = corners[-2], corners[-1]
                rise = (costs[second] - costs[first]) * (sizes[index] - sizes[first])
                if rise < (costs[index] - costs[first]) * (sizes[second] - sizes[first]):
                    break
                corners.pop()
            corners.append(index)
        return np.array(corners)
