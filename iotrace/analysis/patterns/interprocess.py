"""Interprocess locality: how soon, and how often, a block used by one process is used by another.

After Kotz and Ellis (1991, section 3.3), who define it. A use is an access's touch of a block; its successor is the
next touch of that block by any other process. Distances are counted in accesses to the file and in time from issue to
issue.
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
"""The most touches of a file's blocks that are followed with any budget: each takes about 100 bytes of memory."""
ADVICE = "choose larger blocks (--block), or raise it with --budget BLOCKS"


@dataclass(frozen=True)
class Reuse:
    """The touches of blocks whose block another process touches later, and how much later."""

    touches: int
    """All touches of blocks, including those that no process follows."""
    accesses: Integers
    """Accesses to the file from each followed touch to the one that follows, sorted."""
    times_ns: Integers | None
    """The same in time, sorted; None if the trace has no times."""

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
    counts = last - first + 1
    if (touched := counts.sum(dtype=np.float64)) > MOST_TOUCHES:
        raise IotraceError(
            f"{len(accesses):,} accesses to one file touch {touched:,.0f} blocks of {block_bytes:,} bytes, more than"
            f" the {MOST_TOUCHES:,} that can be followed: choose larger blocks (--block)"
        )
    access, block = _touches(first, counts)
    run = np.flatnonzero(np.r_[starts_of(block, accesses.process[access]), True])
    lengths = np.diff(run)
    is_followed = np.r_[block[run[1:-1]] == block[run[:-2]], np.zeros(min(len(lengths), 1), np.bool_)]
    lasting, starts = lengths[is_followed], run[1:][is_followed]
    before, after = access[np.repeat(is_followed, lengths)], np.repeat(access[starts], lasting)
    times = None if accesses.time_ns is None else np.sort(accesses.time_ns[after] - accesses.time_ns[before])
    return Reuse(len(access), np.sort(after - before).astype(np.int64), times)


def _touches(
    first: Integers, counts: Integers
) -> tuple[NDArray[np.signedinteger], NDArray[np.signedinteger]]:
    """Return the access and the block of each touch, ordered by block; small numbers take half of the memory."""
    least = int(first.min(initial=0))
    form = np.int32 if int((first + counts).max(initial=0)) - least < 1 << 31 else np.int64
    block = np.repeat(first - least - (np.cumsum(counts) - counts), counts)
    block += np.arange(len(block))
    block = block.astype(form)
    order = np.argsort(block, kind="stable")
    block = block[order]
    access = np.repeat(np.arange(len(counts), dtype=np.int32), counts)[order]
    return access, block


def curve(distances: Integers, touches: int) -> list[tuple[int, int, float]]:
    """Return rows of distance, touches followed within it, and their share of all, at 1, 2, 5, 10, 20, 50, ...

    The last row's distance is the first of these that none exceeds.
    """
    rows = []
    most = int(distances[-1]) if len(distances) else 0
    for power in range(19):
        for step in (1, 2, 5):
            within = step * 10**power
            followed = int(np.searchsorted(distances, within, side="right"))
            rows.append((within, followed, share(followed, touches)))
            if within >= most:
                return rows
    return rows
