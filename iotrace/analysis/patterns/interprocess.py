"""Interprocess locality: how soon, and how often, a block used by one process is used by another.

After Kotz and Ellis (1991, section 3.3), who define it. A use is an access's touch of a block; its successor is the
next touch of that block by any other process. Distances are counted in accesses to the file and in time from issue to
issue. Neighbouring blocks that the same accesses touch are followed together, so that large accesses cost no more than
small ones.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.analysis.patterns.accesses import Accesses, Integers, share, starts_of
from iotrace.errors import IotraceError

MOST_BYTES = 1 << 62
"""How many bytes a file's accesses may move, so that sums of them stay within 63 bits."""
MOST_TOUCHES = 200_000_000
"""The most touches of neighbouring blocks that are followed with any budget: each takes about 100 bytes of memory."""
ADVICE = "choose larger blocks (--block), or raise it with --budget BLOCKS"


@dataclass(frozen=True)
class Distances:
    """Distances of touches, ascending, and how many touches have each; a distance may be there several times."""

    values: Integers
    up_to: Integers
    """The touches up to and including each."""

    @classmethod
    def of(cls, values: Integers, touches: Integers) -> "Distances":
        """Return distances in any order, and the touches that have them."""
        order = np.argsort(values, kind="stable")
        return cls(values[order], np.cumsum(touches[order]))

    def __len__(self) -> int:
        """Return the number of touches."""
        return int(self.up_to[-1]) if len(self.up_to) else 0

    def within(self, most: int) -> int:
        """Return how many touches have at most this distance."""
        place = int(np.searchsorted(self.values, most, side="right"))
        return int(self.up_to[place - 1]) if place else 0

    @property
    def most(self) -> int:
        """The largest distance; 0 of no touches."""
        return int(self.values[-1]) if len(self.values) else 0

    @property
    def median(self) -> float | None:
        """The median over touches; None of no touches."""
        if not len(self):
            return None
        middle = [(len(self) - 1) // 2, len(self) // 2]
        return float(self.values[np.searchsorted(self.up_to, middle, side="right")].mean())


@dataclass(frozen=True)
class Reuse:
    """The touches of blocks whose block another process touches later, and how much later."""

    touches: int
    """All touches of blocks, including those that no process follows."""
    accesses: Distances
    """Accesses to the file from each followed touch to the one that follows."""
    times_ns: Distances | None
    """The same in time; None if the trace has no times."""

    @property
    def share(self) -> float:
        """The share of the touches that another process follows."""
        return share(len(self.accesses), self.touches)


def reuse(accesses: Accesses, block_bytes: int, budget_blocks: int = Budget.PATTERNS) -> Reuse:
    """Follow the blocks of a file.

    Raises IotraceError if they are more than the budget allows, or they or their bytes more than can be followed.
    """
    BlockBudget(budget_blocks, block_bytes, ADVICE).spend(pa.array(accesses.length))
    if (moved := accesses.length.sum(dtype=np.float64)) > MOST_BYTES:
        raise IotraceError(
            f"{len(accesses):,} accesses to one file move {moved:.3g} bytes, more than the {MOST_BYTES:.3g} that can be"
            " counted"
        )
    first, last = accesses.offset // block_bytes, (accesses.end - 1) // block_bytes
    bounds = np.unique(np.concatenate([first, last + 1]))
    first_run, after_run = np.searchsorted(bounds, first), np.searchsorted(bounds, last + 1)
    if (followed := (after_run - first_run).sum(dtype=np.float64)) > MOST_TOUCHES:
        raise IotraceError(
            f"{len(accesses):,} accesses to one file touch {followed:,.0f} runs of blocks of {block_bytes:,} bytes,"
            f" more than the {MOST_TOUCHES:,} that can be followed: choose larger blocks (--block)"
        )
    access, blocks = _touches(first_run, after_run - first_run)
    turn = np.flatnonzero(np.r_[starts_of(blocks, accesses.process[access]), True])
    lengths = np.diff(turn)
    is_followed = np.r_[blocks[turn[1:-1]] == blocks[turn[:-2]], np.zeros(min(len(lengths), 1), np.bool_)]
    lasting, starts = lengths[is_followed], turn[1:][is_followed]
    is_before = np.repeat(is_followed, lengths)
    before, after = access[is_before], np.repeat(access[starts], lasting)
    touches = np.diff(bounds)[blocks[is_before]]
    times = accesses.time_ns
    return Reuse(
        int((last - first + 1).sum()),
        Distances.of((after - before).astype(np.int64), touches),
        None if times is None else Distances.of(times[after] - times[before], touches),
    )


def _touches(first: Integers, counts: Integers) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the access and the run of blocks of each touch, ordered by run."""
    run = np.repeat(first - (np.cumsum(counts) - counts), counts)
    run += np.arange(len(run))
    run = run.astype(np.int32)
    order = np.argsort(run, kind="stable")
    access = np.repeat(np.arange(len(counts), dtype=np.int32), counts)[order]
    return access, run[order]


def curve(distances: Distances, touches: int) -> list[tuple[int, int, float]]:
    """Return rows of distance, touches followed within it, and their share of all, at 1, 2, 5, 10, 20, 50, ...

    The last row's distance is the first of these that none exceeds.
    """
    rows = []
    most = distances.most
    for power in range(19):
        for step in (1, 2, 5):
            within = step * 10**power
            followed = distances.within(within)
            rows.append((within, followed, share(followed, touches)))
            if within >= most:
                return rows
    return rows
