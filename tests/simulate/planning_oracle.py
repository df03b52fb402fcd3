"""Plans for a global cache by trying every set of segments, and a cache that never evicts by chance."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, product

BLOCK = 10


@dataclass(frozen=True)
class Access:
    process: int
    phase: int | None
    write: bool
    file: int
    offset: int
    length: int

    def blocks(self) -> range:
        return range(self.offset // BLOCK, (self.offset + self.length - 1) // BLOCK + 1)


Segment = tuple[int, int]
Plan = dict[int, frozenset[Segment]]
"""For each visit, the segments that go through."""


def sizes(accesses: list[Access], segment_blocks: int) -> dict[Segment, int]:
    """The blocks of every segment of each file, whose size is the last byte that is accessed."""
    ends: Counter[int] = Counter()
    for one in accesses:
        ends[one.file] = max(ends[one.file], one.blocks()[-1] + 1)
    return {
        (file, first // segment_blocks): min(segment_blocks, end - first)
        for file, end in ends.items()
        for first in range(0, end, segment_blocks)
    }


def value(
    accesses: list[Access], visits: list[int], plan: Plan, segment_blocks: int, weights: tuple[float, ...]
) -> float:
    """What a plan is worth in a cache that keeps a segment's blocks as long as the segment is in the set."""
    hit, miss, write = weights
    held: set[tuple[int, int]] = set()
    total, now = 0.0, None
    for _, visit, access in sorted(zip(visits, visits, accesses, strict=True), key=lambda one: one[0]):
        for step in range((now if now is not None else visit) + 1, visit + 1) if now != visit else ():
            held = {
                (file, block) for file, block in held if (file, block // segment_blocks) in plan.get(step, ())
            }
        now = visit
        for block in access.blocks():
            if (access.file, block // segment_blocks) in plan.get(visit, ()):
                place = (access.file, block)
                total += -write if access.write else hit if place in held else -miss
                held.add(place)
    return total


def best(
    accesses: list[Access], visits: list[int], capacity: int, segment_blocks: int, weights: tuple[float, ...]
) -> float:
    """The largest value over all plans that fit."""
    size = sizes(accesses, segment_blocks)
    sets = [
        frozenset(chosen)
        for count in range(len(size) + 1)
        for chosen in combinations(size, count)
        if sum(size[one] for one in chosen) <= capacity
    ]
    names = sorted(set(visits))
    plans = (dict(zip(names, chosen, strict=True)) for chosen in product(sets, repeat=len(names)))
    return max(value(accesses, visits, plan, segment_blocks, weights) for plan in plans)
