"""libCacheSim's policies, hit by hit, and plain twins of the two that it reads otherwise than their papers say."""

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
