"""Each replacement policy as plainly as possible, from its paper's text; the engine must agree reference by reference.

A policy is a generator: it is sent a block and says whether that hit. Lists are oldest first.
"""

from collections import Counter
from collections.abc import Callable, Generator
from functools import partial

Policy = Generator[bool, int, None]


def lru(size: int) -> Policy:
    cache, hit = [], False
    while True:
        block = yield hit
        if hit := block in cache:
            cache.remove(block)
        elif len(cache) == size:
            cache.pop(0)
        cache.append(block)


def fifo(size: int) -> Policy:
    cache, hit = [], False
    while True:
        block = yield hit
        if not (hit := block in cache):
            if len(cache) == size:
                cache.pop(0)
            cache.append(block)


def clock(size: int) -> Policy:
    frames, used, pointer, hit = [], {}, 0, False
    while True:
        block = yield hit
        if not (hit := block in frames):
            if len(frames) < size:
                frames.append(block)
            else:
                while used[frames[pointer]]:
                    used[frames[pointer]] = False
                    pointer = (pointer + 1) % size
                frames[pointer] = block
                pointer = (pointer + 1) % size
        used[block] = True


def lfu(size: int) -> Policy:
    uses, hit = {}, False  # block: how often; in the order of last use
    while True:
        block = yield hit
        hit = block in uses
        if not hit and len(uses) == size:
            del uses[min(uses, key=lambda cached: uses[cached])]
        uses[block] = uses.pop(block, 0) + 1


def slru(size: int, percent: int = 75) -> Policy:
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


def two_q(size: int) -> Policy:
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


def arc(size: int) -> Policy:
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


def s3_fifo(size: int) -> Policy:
    small, main, ghost, uses, hit = [], [], [], Counter(), False

    def evict_main() -> None:
        while uses[main[0]] > 0:
            uses[main[0]] -= 1
            main.append(main.pop(0))
        main.pop(0)

    def evict_small() -> None:
        while small:
            block = small.pop(0)
            if uses[block] <= 1:
                ghost.append(block)
                del ghost[: 10 * len(ghost) > 9 * size]
                return
            main.append(block)
            uses[block] = 0
            if 10 * len(main) > 9 * size:
                evict_main()

    while True:
        block = yield hit
        if hit := block in small + main:
            uses[block] = min(uses[block] + 1, 3)
            continue
        while len(small + main) == size:
            evict_small() if 10 * len(small) >= size else evict_main()
        (main if block in ghost else small).append(block)
        ghost[:] = [other for other in ghost if other != block]
        uses[block] = 0


def sieve(size: int) -> Policy:
    queue, visited, hand, hit = [], {}, None, False  # oldest first: the tail is queue[0]
    while True:
        block = yield hit
        if hit := block in queue:
            visited[block] = True
            continue
        if len(queue) == size:
            place = 0 if hand is None else queue.index(hand)
            while visited[queue[place]]:
                visited[queue[place]] = False
                place = (place + 1) % size
            hand = queue[place + 1] if place + 1 < size else None
            queue.pop(place)
        queue.append(block)
        visited[block] = False


def lirs(size: int) -> Policy:
    stack, queue, evicted, low, hit = [], [], [], set(), False  # low: the LIR blocks
    most_low = size - max(1, size // 100)

    def make_low(block: int) -> None:
        low.add(block)
        if len(low) > most_low:
            low.remove(stack[0])
            queue.append(stack.pop(0))

    while True:
        block = yield hit
        hit, was_in_stack = block in low or block in queue, block in stack
        if not hit and len(low) + len(queue) == size:
            evicted += [queue.pop(0)]
        for one in (stack, queue, evicted):
            one[:] = [other for other in one if other != block]
        stack.append(block)
        if block not in low:
            if was_in_stack or len(low) < most_low:
                make_low(block)
            else:
                queue.append(block)
        while stack and stack[0] not in low:
            stack.pop(0)
        evicted[:] = [other for other in evicted if other in stack]
        while len(stack) > 2 * size:
            stack.remove(evicted.pop(0))


class Sketch:
    """Caffeine's count-min sketch: a list of counters, of which a block has four."""

    def __init__(self, size: int) -> None:
        self.groups = max(1, (1 << (size - 1).bit_length()) // 8)
        self.counts, self.added, self.sample = Counter(), 0, 10 * size

    def counters(self, block: int) -> list[tuple[int, int, int]]:
        """The group, the row and the column in it."""
        mixed = ((block ^ block >> 17) * 0xED5AD4BB) % 2**32
        mixed = ((mixed ^ mixed >> 11) * 0xAC4C1B51) % 2**32
        mixed ^= mixed >> 15
        choice = (mixed * 0x31848BAB) % 2**32
        choice ^= choice >> 14
        return [(mixed % self.groups, row, choice >> 8 * row & 31) for row in range(4)]

    def estimate(self, block: int) -> int:
        return min(self.counts[counter] for counter in self.counters(block))

    def add(self, block: int) -> None:
        below = [counter for counter in self.counters(block) if self.counts[counter] < 15]
        self.counts.update(below)
        self.added += bool(below)
        if below and self.added == self.sample:
            self.added = (self.added - sum(count % 2 for count in self.counts.values()) // 4) // 2
            self.counts = Counter({counter: count // 2 for counter, count in self.counts.items()})


def w_tiny_lfu(size: int) -> Policy:
    window, probationary, protected, sketch, hit = [], [], [], Sketch(size), False
    main = size * 99 // 100
    while True:
        block = yield hit
        sketch.add(block)
        hit = block in window + probationary + protected
        if block in window + protected:
            segment = window if block in window else protected
            segment.append(segment.pop(segment.index(block)))
        elif hit:
            protected.append(probationary.pop(probationary.index(block)))
            if len(protected) > main * 80 // 100:
                probationary.append(protected.pop(0))
        else:
            window.append(block)
            if len(window) > size - main:
                probationary.append(window.pop(0))
            if len(window + probationary + protected) > size:
                first, last = sketch.estimate(probationary[0]), sketch.estimate(probationary[-1])
                probationary.pop(0 if last > first else -1)


def opt(size: int, blocks: list[int]) -> Policy:
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


POLICIES: dict[str, Callable[[int], Policy]] = {
    "lru": lru,
    "slru": slru,
    "2q": two_q,
    "arc": arc,
    "clock": clock,
    "fifo": fifo,
    "lfu": lfu,
    "s3-fifo": s3_fifo,
    "sieve": sieve,
    "lirs": lirs,
    "w-tinylfu": w_tiny_lfu,
}


def hits(name: str, size: int, blocks: list[int], **parameters: int) -> list[bool]:
    """Which references hit."""
    policy = opt(size, blocks) if name == "opt" else partial(POLICIES[name], **parameters)(size)
    next(policy)
    return [policy.send(block) for block in blocks]
