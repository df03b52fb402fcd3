"""Replacement policies of blocks as plainly as possible, from their papers' text; the others are in `sized_oracles`.

The engine must agree request by request. A policy is sent a block and says whether that hit. Lists are oldest first.
"""

from collections.abc import Callable, Generator
from typing import Any

from sized_oracles import SIZED, Sketch, WindowTinyLfu

Blocks = Generator[bool, int, None]
"""A policy: it is sent a block and says whether that hit."""


def slru(size: int, percent: int = 75) -> Blocks:
    probationary, protected, hit = [], [], False
    limit = min(size * percent // 100, size - 1)
    while True:
        block = yield hit
        if hit := block in probationary + protected:
            (probationary if block in probationary else protected).remove(block)
            protected.append(block)
            if len(protected) > limit:
                probationary.append(protected.pop(0))
        else:
            if len(probationary + protected) == size:
                probationary.pop(0)
            probationary.append(block)


def two_q(size: int) -> Blocks:
    a1in, a1out, am, hit = [], [], [], False
    while True:
        block = yield hit
        if hit := block in a1in + am:
            if block in am:
                am.remove(block)
                am.append(block)
            continue
        if seen := block in a1out:
            a1out.remove(block)
        if len(a1in + am) == size:
            if len(a1in) > size // 4:
                a1out.append(a1in.pop(0))
                if len(a1out) > size // 2:
                    a1out.pop(0)
            else:
                am.pop(0)
        (am if seen else a1in).append(block)


def arc(size: int) -> Blocks:
    t1, t2, b1, b2, p, hit = [], [], [], [], 0.0, False

    def replace(in_b2: bool) -> None:
        first = t1 and (len(t1) > p or (in_b2 and len(t1) == p))
        (b1 if first else b2).append((t1 if first else t2).pop(0))

    while True:
        block = yield hit
        hit = block in t1 + t2
        found = next((one for one in (t1, t2, b1, b2) if block in one), None)
        if found is b1:
            p = min(p + max(1, len(b2) / len(b1)), size)
        if found is b2:
            p = max(p - max(1, len(b1) / len(b2)), 0)
        if found is None and len(t1 + b1) == size:
            (b1 if len(t1) < size else t1).pop(0)
        elif found is None and len(t1 + b1 + t2 + b2) == 2 * size:
            b2.pop(0)
        if not hit and len(t1 + t2) == size:
            replace(found is b2)
        if found is not None:
            found.remove(block)
        (t1 if found is None else t2).append(block)


def opt(size: int, blocks: list[int]) -> Blocks:
    """The one that looks ahead; the next reference of a block in the rest of the trace, or never."""
    cache, hit = [], False
    for now in range(1, len(blocks) + 1):
        block = yield hit
        rest = blocks[now:]
        if not (hit := block in cache):
            if len(cache) == size:
                cache.remove(max(cache, key=lambda one: rest.index(one) if one in rest else len(rest)))
            cache.append(block)
    yield hit


class OfBlocks:
    """A policy of blocks only as a cache."""

    def __init__(self, policy: Blocks) -> None:
        self.policy = policy
        next(policy)

    def request(self, key: int, weight: int) -> bool:
        """Return whether it hits."""
        return self.policy.send(key)


class Frames:
    """CLOCK for blocks, which are in frames: a new block has the frame that was freed last."""

    def __init__(self, size: int) -> None:
        self.size, self.frames, self.used, self.free, self.pointer = size, [], {}, [], 0

    def request(self, key: int, weight: int) -> bool:
        hit = key in self.frames
        if not hit and not self.free and len(self.frames) < self.size:
            self.frames.append(key)
        elif not hit:
            self.frames[self.free.pop() if self.free else self.victim()] = key
        self.used[key] = True
        return hit

    def victim(self) -> int:
        while True:
            frame, self.pointer = self.pointer, (self.pointer + 1) % self.size
            if not self.used[self.frames[frame]]:
                return frame
            self.used[self.frames[frame]] = False

    def remove(self, key: int) -> None:
        if key in self.frames:
            self.free.append(frame := self.frames.index(key))
            self.frames[frame] = None


ORACLES: dict[str, Callable[..., Any]] = {
    **SIZED,
    "clock": Frames,
    "slru": lambda size, percent=75: OfBlocks(slru(size, percent)),
    "2q": lambda size: OfBlocks(two_q(size)),
    "arc": lambda size: OfBlocks(arc(size)),
    "w-tinylfu": lambda size: WindowTinyLfu(size, Sketch(size)),
}
"""The policies of caches of blocks except for opt, and those of caches of objects only."""


def hits(name: str, size: int, blocks: list[int], **parameters: int) -> list[bool]:
    """Return which references to blocks hit."""
    oracle = OfBlocks(opt(size, blocks)) if name == "opt" else ORACLES[name](size, **parameters)
    return [oracle.request(block, 1) for block in blocks]
