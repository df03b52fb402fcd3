"""All processes together: global sequentiality within a reorder window, overlap, the parts of the file used.

The order of time says only roughly in which order self-scheduled records were taken (Kotz and Ellis 1991, section
3.2), so everything here tolerates accesses that are out of place by a number of accesses, the window.
"""

from dataclasses import dataclass

import numpy as np

from iotrace.analysis.patterns.accesses import Accesses, Integers, share, starts_of

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Covered:
    """Contiguous parts of the file that are accessed, in order of offset."""

    start: Integers
    end: Integers

    @property
    def bytes(self) -> int:
        """All of them together."""
        return int((self.end - self.start).sum())


@dataclass(frozen=True)
class Together:
    """Findings on the processes' common sequence."""

    window_accesses: int
    consecutive_share: float
    """Accesses that start where one of another process ends which is at most a window's accesses before or after."""
    sequential_share: float
    """Pairs of accesses at most a window apart (at distances of 1, 2, 4, ...) whose later one starts above the
    earlier: 1 in order, about a half at random."""
    ordered_share: float
    """Accesses that are at most a window's accesses from where they would be if all were sorted by offset."""
    linked_share: float
    """As consecutive_share, but the other access may be of the same process."""
    linked_beyond_chance: float
    """How far linked_share is above what accesses in random order would have, at the window (1, 2, 4, ... up to the
    whole) that shows it best: 0 as in random order, 1 where every access is linked."""
    covered: Covered
    once_share: float
    """Of the bytes covered, those that are accessed once."""
    overlap_share: float
    """Of the bytes covered, those that more than one process accesses."""
    portions: Integers
    """Bytes of the portions that are left when accesses are linked, in the order of their first access."""
    portion_starts: Integers


def look(accesses: Accesses, window: int) -> Together:
    """Analyze the common sequence, with a window of ``window`` accesses."""
    before, of_another, candidates = _links(accesses)
    index = np.arange(len(accesses))
    distance = np.where(before < 0, NEVER, np.abs(index - before))
    starts, lengths = _chains(accesses, np.where(distance <= window, before, -1), distance)
    covered, once, shared = _coverage(accesses)
    return Together(
        window,
        share(((of_another >= 0) & (np.abs(index - of_another) <= window)).sum(), len(accesses)),
        _concordance(accesses.offset, window),
        _ordered(accesses, window),
        share((distance <= window).sum(), len(accesses)),
        _beyond_chance(distance, candidates, window),
        covered,
        share(once, covered.bytes),
        share(shared, covered.bytes),
        lengths,
        starts,
    )


def _links(accesses: Accesses) -> tuple[Integers, Integers, Integers]:
    """Return for each access the nearest in time that ends where it starts, of any process and of another (or -1).

    The third array says how many end there at all.
    """
    count = len(accesses)
    places, code = np.unique(np.r_[accesses.end, accesses.offset], return_inverse=True)
    end, start = code[:count], code[count:]
    order = np.argsort(end, kind="stable")
    sorted_end, process = end[order], accesses.process[order]
    low = np.searchsorted(sorted_end, np.arange(len(places)))
    high = np.searchsorted(sorted_end, np.arange(len(places)), side="right")
    after = np.searchsorted(sorted_end * count + order, start * count + np.arange(count))
    low, high = low[start], high[start]
    run = np.flatnonzero(np.r_[starts_of(sorted_end, process), True])
    of_run = np.searchsorted(run, np.arange(count), side="right") - 1
    run_start, run_end = run[of_run], run[of_run + 1]

    def nearest(earlier: Integers, later: Integers) -> Integers:
        index = np.arange(count)
        neighbour = np.full(count, -1, np.int64)
        gap = np.full(count, NEVER)
        for position, inside in ((earlier, earlier >= low), (later, later < high)):
            candidate = order[np.clip(position, 0, count - 1)]
            closer = inside & (np.abs(index - candidate) < gap)
            neighbour[closer], gap[closer] = candidate[closer], np.abs(index - candidate)[closer]
        return neighbour

    def skip_own(position: Integers, step: Integers) -> Integers:
        safe = np.clip(position, 0, count - 1)
        is_own = (position == safe) & (process[safe] == accesses.process)
        return np.where(is_own, step[safe], position)

    any_process = nearest(after - 1, after)
    another = nearest(skip_own(after - 1, run_start - 1), skip_own(after, run_end))
    return any_process, another, high - low


def _beyond_chance(distance: Integers, candidates: Integers, window: int) -> float:
    best, width, count = 0.0, 1, len(distance)
    while True:
        width = min(width, window)
        linked = share((distance <= width).sum(), count)
        near = min(1.0, 2 * width / max(1, count - 1))
        chance = float((1 - (1 - near) ** candidates).mean())
        if chance < 1:
            best = max(best, (linked - chance) / (1 - chance))
        if width == window:
            return best
        width *= 2


def _concordance(offset: Integers, window: int) -> float:
    shares, distance = [], 1
    while distance <= window and distance < len(offset):
        later, earlier = offset[distance:], offset[:-distance]
        different = later != earlier
        if different.any():
            shares.append(share((later > earlier).sum(), different.sum()))
        distance *= 2
    return float(np.mean(shares)) if shares else 0.0


def _ordered(accesses: Accesses, window: int) -> float:
    order = np.lexsort((np.arange(len(accesses)), accesses.offset))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return share((np.abs(rank - np.arange(len(rank))) <= window).sum(), len(rank))


def _chains(accesses: Accesses, before: Integers, distance: Integers) -> tuple[Integers, Integers]:
    """Follow the links, each access followed by at most one, and return the chains' starts and bytes.

    Chains are in the order of their first accesses in time.
    """
    count = len(accesses)
    linked = np.flatnonzero(before >= 0)
    order = linked[np.lexsort((distance[linked], before[linked]))]
    followers = order[starts_of(before[order])]
    head = np.arange(count)
    head[followers] = before[followers]
    for _ in range(int(count).bit_length() + 1):
        further = head[head]
        if np.array_equal(further, head):
            break
        head = further
    heads, chain = np.unique(head, return_inverse=True)
    lengths = np.bincount(chain, accesses.length).astype(np.int64)
    return accesses.offset[heads], lengths


def _coverage(accesses: Accesses) -> tuple[Covered, int, int]:
    """Return the parts that are accessed, the bytes accessed once, and those that several processes access."""
    start, end = accesses.offset, accesses.end
    covered = _union(start, end)
    once = _bytes_at_depth(start, end, 1)
    places, code = np.unique(np.r_[start, end], return_inverse=True)
    first, last = code[: len(start)], code[len(start) :]
    order = np.lexsort((first, accesses.process))
    # the processes' files laid one behind the other, so that one union parts them
    base = accesses.process[order] * len(places)
    spans = _union(base + first[order], base + last[order], touching=False)
    own_start, own_end = places[spans.start % len(places)], places[spans.end % len(places)]
    alone = _bytes_at_depth(own_start, own_end, 1)
    return covered, once, covered.bytes - alone


def _union(start: Integers, end: Integers, touching: bool = True) -> Covered:
    """Return the union of intervals; those that only touch are joined or not."""
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    apart = start[1:] > reach[:-1] if touching else start[1:] >= reach[:-1]
    first = np.flatnonzero(np.r_[True, apart])
    return Covered(start[first], reach[np.r_[first[1:], len(start)] - 1])


def _bytes_at_depth(start: Integers, end: Integers, depth: int) -> int:
    """Return how many bytes lie in exactly ``depth`` of the intervals."""
    offset = np.r_[start, end]
    change = np.repeat(np.array([1, -1], np.int64), len(start))
    order = np.argsort(offset, kind="stable")
    offset, over = offset[order], np.cumsum(change[order])
    return int((np.diff(offset) * (over[:-1] == depth)).sum())


def lengths_fixed(lengths: Integers, least: float) -> bool:
    """Return whether at least this share of the lengths, except for the last, which may be shorter, are the same."""
    if len(lengths) < 2:
        return True
    complete = lengths[:-1]
    most = np.bincount(np.unique(complete, return_inverse=True)[1]).max()
    return bool(most >= least * len(complete) and lengths[-1] <= np.median(complete))
