"""Accesses of a small program, and the segments that they make of files."""

from collections import Counter
from dataclasses import dataclass

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
"""For each phase, the segments that go through."""


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
