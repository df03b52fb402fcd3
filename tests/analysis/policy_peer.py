"""libCacheSim's policies, hit by hit, and plain twins of the three that it reads otherwise than their papers say."""

from collections import OrderedDict

import libcachesim
import numpy as np
from libcachesim import libcachesim_python as peer

NEVER = 2**63 - 1
WITH_OUR_PARAMETERS = {
    "lru": (peer.LRU_init, ""),
    "slru": (peer.SLRU_init, "seg-size=1:3"),
    "2q": (peer.TwoQ_init, "Ain-size-ratio=0.25, Aout-size-ratio=0.5"),
    "arc": (peer.ARC_init, ""),
    "clock": (peer.Clock_init, "init-freq=1, n-bit-counter=1"),
    "fifo": (peer.FIFO_init, ""),
    "lfu": (peer.LFU_init, ""),
    "s3-fifo": (peer.S3FIFO_init, "small-size-ratio=0.1, ghost-size-ratio=0.9, move-to-main-threshold=2"),
    "sieve": (peer.Sieve_init, ""),
    "lirs": (peer.LIRS_init, ""),
    "w-tinylfu": (peer.WTinyLFU_init, "main-cache=SLRU, window-size=0.01"),
    "opt": (peer.Belady_init, ""),
}


def hits(name: str, size: int, blocks: list[int]) -> np.ndarray:
    """Return which references hit in libCacheSim's cache of `size` objects of size 1."""
    common = peer.CommonCacheParams(
        cache_size=size, default_ttl=2**30, hashpower=20, consider_obj_metadata=False
    )
    make, parameters = WITH_OUR_PARAMETERS[name]
    cache = make(common, parameters) if parameters else make(common)
    request = libcachesim.Request()
    request.obj_size = 1
    hit = np.empty(len(blocks), bool)
    for place, (block, next_use) in enumerate(zip(blocks, next_uses(blocks), strict=True)):
        request.obj_id, request.next_access_vtime = block, next_use
        hit[place] = cache.get(request)
    return hit


def next_uses(blocks: list[int]) -> list[int]:
    """The place of each reference's next one to the same block, or NEVER."""
    last: dict[int, int] = {}
    uses = [NEVER] * len(blocks)
    for place in range(len(blocks) - 1, -1, -1):
        uses[place] = last.get(blocks[place], NEVER)
        last[blocks[place]] = place
    return uses


def slru(size: int, blocks: list[int]) -> np.ndarray:
    """As libCacheSim has it: the probationary segment has a limit too, and misses enter the protected one while only
    that has free space."""
    limits, segments, hit = (size // 4, size * 3 // 4), (OrderedDict(), OrderedDict()), []
    probationary, protected = segments
    for block in blocks:
        hit.append(block in probationary or block in protected)
        if hit[-1]:
            probationary.pop(block, None)
            protected[block] = True
            protected.move_to_end(block)
            if len(protected) > limits[1]:
                probationary[protected.popitem(last=False)[0]] = True
        else:
            if len(probationary) + len(protected) == size:
                (probationary or protected).popitem(last=False)
            open_segments = (
                segment for segment, limit in zip(segments, limits, strict=True) if len(segment) < limit
            )
            next(open_segments, probationary)[block] = True
    return np.array(hit, bool)


def s3_fifo(size: int, blocks: list[int]) -> np.ndarray:
    """As libCacheSim has it: until the first eviction S takes its tenth only, and the rest of the misses enter M; an
    object leaves G before the eviction that frees space for it; M grows beyond its part as S's objects enter it."""
    small, main, ghost, hit = OrderedDict(), OrderedDict(), OrderedDict(), []
    part, evicted = size // 10, False
    for block in blocks:
        queue = small if block in small else main
        hit.append(block in queue)
        if hit[-1]:
            queue[block] += 1
            continue
        seen = ghost.pop(block, False)
        while len(small) + len(main) == size:
            evicted = True
            if small and len(main) <= size - part:
                evict_small(small, main, ghost, size - part)
            else:
                evict_main(main)
        (main if seen or (not evicted and len(small) >= part) else small)[block] = 0
    return np.array(hit, bool)


def evict_small(small: OrderedDict, main: OrderedDict, ghost: OrderedDict, most: int) -> None:
    while small:
        block, uses = small.popitem(last=False)
        if uses < 2:
            ghost[block] = True
            if len(ghost) > most:
                ghost.popitem(last=False)
            return
        main[block] = 0


def evict_main(main: OrderedDict) -> None:
    while True:
        block, uses = main.popitem(last=False)
        if uses == 0:
            return
        main[block] = min(uses, 3) - 1


class Lirs:
    """As libCacheSim has it: a hit of a block that is only in Q also takes the bottom LIR block out of S into Q, and
    evicts for it, even the block that was hit; a LIR block fewer is left until a new block comes."""

    def __init__(self, size: int) -> None:
        self.size, self.most_high = size, max(1, size // 100)
        self.most_low, self.low, self.high = size - self.most_high, 0, 0
        self.stack: OrderedDict[int, str] = OrderedDict()  # block: LIR, HIR or evicted; oldest first
        self.queue: OrderedDict[int, None] = OrderedDict()
        self.evicted: OrderedDict[int, None] = OrderedDict()

    def hit(self, block: int) -> bool:
        in_stack = self.stack.get(block)
        for one in (self.stack, self.queue):
            if block in one:
                one.move_to_end(block)
        hit = in_stack in ("LIR", "HIR") or block in self.queue
        if in_stack == "LIR":
            self.prune()
        elif in_stack is not None:
            if block in self.queue:
                del self.queue[block]
                self.high -= 1
            if self.low == self.most_low:
                self.demote()
            self.evicted.pop(block, None)
            self.stack[block] = "LIR"
            self.low += 1
        elif hit:
            if self.low == self.most_low:
                self.demote()
            self.stack[block] = "HIR"
        elif self.low < self.most_low:
            self.stack[block] = "LIR"
            self.low += 1
        else:
            if self.high == self.most_high:
                self.evict()
            self.stack[block], self.queue[block] = "HIR", None
            self.high += 1
        while len(self.stack) > 2 * self.size and self.evicted:
            del self.stack[self.evicted.popitem(last=False)[0]]
        return hit

    def demote(self) -> None:
        block = self.stack.popitem(last=False)[0]
        self.low -= 1
        if self.high == self.most_high:
            self.evict()
        self.queue[block] = None
        self.high += 1
        self.prune()

    def evict(self) -> None:
        block = self.queue.popitem(last=False)[0]
        self.high -= 1
        if block in self.stack:
            self.stack[block] = "evicted"
            self.evicted[block] = None

    def prune(self) -> None:
        while len(self.stack) > 1 and next(iter(self.stack.values())) != "LIR":
            self.evicted.pop(self.stack.popitem(last=False)[0], None)


def lirs(size: int, blocks: list[int]) -> np.ndarray:
    """See `Lirs`."""
    cache = Lirs(size)
    return np.array([cache.hit(block) for block in blocks], bool)
