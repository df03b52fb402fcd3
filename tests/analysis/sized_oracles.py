"""Each replacement policy of objects with sizes as plainly as possible, from its paper's text.

The engine must agree request by request. A policy is asked for an object and its weight, 1 for a block, and says
whether that hit. Dictionaries are oldest first.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Request = tuple[int, int, str]
Cache = dict[int, int]
"""Objects in the cache and their sizes, in an order that the policy keeps."""


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


class Ranking:
    """An order in which objects are evicted, which needs not know what else leaves."""

    def sync(self, cache: Cache) -> None:
        """Take note of what has left the cache."""


class Queue(Ranking):
    """FIFO, or LRU where a hit renews."""

    def __init__(self, renews: bool) -> None:
        self.renews = renews

    def request(self, cache: Cache, key: int, size: int, hit: bool) -> None:
        """Keep the order of the dictionary."""
        if not hit or self.renews:
            cache.pop(key, None)
        cache[key] = size

    def victim(self, cache: Cache) -> int:
        """Return the first."""
        return next(iter(cache))


class LruK:
    """The times of the requests for each object; those of an evicted one are remembered."""

    def __init__(self, capacity: int, k: int = 2) -> None:
        self.capacity, self.k, self.clock, self.times = capacity, k, 0, {}
        self.cache = Cache()

    def shrink(self, most: int) -> None:
        while sum(self.cache.values()) > most:
            del self.cache[min(self.cache, key=lambda key: (self.times[key][-self.k], self.times[key][-1]))]

    def request(self, key: int, weight: int) -> bool:
        hit = key in self.cache
        if weight > self.capacity:
            self.remove(key)
            return hit
        if not hit:
            self.shrink(self.capacity - weight)
        self.clock += 1
        self.times.setdefault(key, [0] * self.k).append(self.clock)
        self.cache[key] = weight
        self.shrink(self.capacity)
        return hit

    def remove(self, key: int) -> None:
        self.cache.pop(key, None), self.times.pop(key, None)


class GreedyDual(Ranking):
    """GDSF: requests since it came in, divided by the size, plus the priority of the last object evicted."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self.priorities: dict[int, tuple[float, int]] = {}
        self.clock, self.evicted = 0, 0.0

    def request(self, cache: Cache, key: int, size: int, hit: bool) -> None:
        """Set the priority."""
        cache[key], self.clock = size, self.clock + 1
        self.counts[key] = self.counts[key] + 1 if hit else 1
        self.priorities[key] = (self.evicted + self.counts[key] * 1e6 / max(size, 1), self.clock)

    def victim(self, cache: Cache) -> int:
        """Return the object of the least priority, the oldest of several."""
        key = min(cache, key=self.priorities.__getitem__)
        self.evicted = self.priorities[key][0]
        return key


class Samples(Ranking):
    """Redis: five drawn at each eviction, a pool of 16; objects by number, moved as the last one fills a gap."""

    def __init__(self) -> None:
        self.last: dict[int, int] = {}
        self.order: list[int] = []
        self.pool: list[tuple[int, int]] = []
        self.clock = self.chance = 0

    def request(self, cache: Cache, key: int, size: int, hit: bool) -> None:
        """Note the time."""
        self.sync(cache)
        cache[key], self.clock = size, self.clock + 1
        self.last[key] = self.clock
        self.sync(cache)

    def sync(self, cache: Cache) -> None:
        """Take out of the order what has left, and append what is new."""
        for key in [key for key in self.order if key not in cache]:
            place = self.order.index(key)
            self.order[place] = self.order[-1]
            self.order.pop()
        self.order += [key for key in cache if key not in self.order]

    def draw(self) -> int:
        """SplitMix64."""
        mask = 2**64 - 1
        self.chance = (self.chance + 0x9E3779B97F4A7C15) & mask
        mixed = ((self.chance ^ self.chance >> 30) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & mask
        return self.order[(mixed ^ mixed >> 31) * len(self.order) >> 64]

    def victim(self, cache: Cache) -> int:
        """Return the object of the pool that was requested least recently, to the pool's knowledge."""
        self.sync(cache)
        while True:
            for key in [self.draw() for _ in range(5)]:
                if key not in [other for _, other in self.pool]:
                    self.pool = sorted([*self.pool, (self.last[key], key)])[:16]
            while self.pool:
                key = self.pool.pop(0)[1]
                if key in cache:
                    return key


class Clock(Ranking):
    """CLOCK for objects with sizes: a bit for each object, set when it comes in and at hits."""

    def __init__(self) -> None:
        self.bits: dict[int, bool] = {}

    def request(self, cache: Cache, key: int, size: int, hit: bool) -> None:
        """Set the bit."""
        cache[key], self.bits[key] = size, True

    def victim(self, cache: Cache) -> int:
        """Return the first whose bit is not set; the others go to the end without it."""
        while self.bits[key := next(iter(cache))]:
            cache[key], self.bits[key] = cache.pop(key), False
        return key


class Sieve(Ranking):
    """A bit for each object, set at hits, and a hand, an object or None for the oldest."""

    def __init__(self) -> None:
        self.visited: dict[int, bool] = {}
        self.order: list[int] = []
        self.hand: int | None = None

    def request(self, cache: Cache, key: int, size: int, hit: bool) -> None:
        """Set the bit at a hit."""
        cache[key], self.visited[key] = size, hit
        self.order = list(cache)

    def sync(self, cache: Cache) -> None:
        """Move the hand on from an object that has left."""
        while self.hand is not None and self.hand not in cache:
            self.hand = self.after(self.hand)
        self.order = list(cache)

    def after(self, key: int) -> int | None:
        """Return the next newer object, None after the newest."""
        return dict(zip(self.order, self.order[1:], strict=False)).get(key)

    def victim(self, cache: Cache) -> int:
        """Return the first from the hand on that was not visited."""
        self.sync(cache)
        while self.visited[key := self.order[0] if self.hand is None else self.hand]:
            self.visited[key], self.hand = False, self.after(key)
        self.hand = self.after(key)
        return key


class Lfu(Ranking):
    """Requests since the object came in; of equal counts the one whose last request lies furthest back."""

    def __init__(self) -> None:
        self.counts: dict[int, tuple[int, int]] = {}
        self.clock = 0

    def request(self, cache: Cache, key: int, size: int, hit: bool) -> None:
        """Count."""
        cache[key], self.clock = size, self.clock + 1
        self.counts[key] = (self.counts[key][0] + 1 if hit else 1, self.clock)

    def victim(self, cache: Cache) -> int:
        """Return the object of the least count."""
        return min(cache, key=self.counts.__getitem__)


class Ranked:
    """A cache that evicts by a ranking until the object requested fits."""

    def __init__(self, ranking: Any, capacity: int) -> None:
        self.ranking, self.capacity, self.cache = ranking, capacity, {}

    def request(self, key: int, weight: int) -> bool:
        """Return whether it hits."""
        hit = key in self.cache
        if weight > self.capacity:
            self.remove(key)
            return hit
        while not hit and sum(self.cache.values()) + weight > self.capacity:
            del self.cache[self.ranking.victim(self.cache)]
        self.ranking.request(self.cache, key, weight, hit)
        while sum(self.cache.values()) > self.capacity:
            del self.cache[self.ranking.victim(self.cache)]
        return hit

    def remove(self, key: int) -> None:
        """Take an object out."""
        self.cache.pop(key, None)
        self.ranking.sync(self.cache)


def first(objects: dict[int, int]) -> int:
    """Return the oldest object."""
    return next(iter(objects))


class S3Fifo:
    """Queues as dictionaries from objects to weights, oldest first."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.uses = capacity, {}
        self.small, self.main, self.ghost = Cache(), Cache(), Cache()

    def evict_main(self) -> None:
        while self.uses[key := first(self.main)] > 0:
            self.uses[key], self.main[key] = self.uses[key] - 1, self.main.pop(key)
        del self.main[key]

    def evict_small(self) -> None:
        while self.small:
            weight = self.small.pop(key := first(self.small))
            queue = self.ghost if self.uses[key] <= 1 else self.main
            queue[key], self.uses[key] = weight, 0
            while 10 * sum(queue.values()) > 9 * self.capacity:
                queue.pop(first(queue)) if queue is self.ghost else self.evict_main()
            if queue is self.ghost:
                return

    def request(self, key: int, weight: int) -> bool:
        hit = key in self.small or key in self.main
        if weight > self.capacity:
            self.remove(key)
            return hit
        if hit:
            self.uses[key] = min(self.uses[key] + 1, 3)
            (self.small if key in self.small else self.main)[key] = weight
        while sum([*self.small.values(), *self.main.values(), weight * (not hit)]) > self.capacity:
            is_small = 10 * sum(self.small.values()) >= self.capacity or not self.main
            self.evict_small() if is_small else self.evict_main()
        if not hit:
            (self.small if self.ghost.pop(key, None) is None else self.main)[key] = weight
            self.uses[key] = 0
        return hit

    def remove(self, key: int) -> None:
        for queue in (self.small, self.main, self.ghost):
            queue.pop(key, None)


class Lirs:
    """The stack, the queue, the evicted objects of the stack, oldest first, and which objects are LIR."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.most_low = capacity, capacity - max(1, capacity // 100)
        self.stack, self.queue, self.evicted, self.low = Cache(), Cache(), Cache(), set()

    def low_weight(self) -> int:
        return sum(self.stack[key] for key in self.low)

    def prune(self) -> None:
        while self.stack and first(self.stack) not in self.low:
            del self.stack[first(self.stack)]
        self.evicted = {key: 0 for key in self.evicted if key in self.stack}

    def demote(self) -> None:
        self.prune()
        self.low.remove(key := first(self.stack))
        self.queue[key] = self.stack.pop(key)
        self.prune()

    def shrink(self, weight: int = 0) -> None:
        while self.low_weight() > self.most_low:
            self.demote()
        while self.low_weight() + sum(self.queue.values()) + weight > self.capacity:
            if not self.queue:
                self.demote()
                continue
            self.queue.pop(key := first(self.queue))
            if key in self.stack:
                self.evicted[key] = 0

    def forget(self) -> None:
        while sum(self.stack.values()) > 2 * self.capacity and self.evicted:
            self.evicted.pop(key := first(self.evicted))
            del self.stack[key]

    def request(self, key: int, weight: int) -> bool:
        hit = key in self.low or key in self.queue
        if weight > self.capacity:
            self.remove(key)
            return hit
        if not hit:
            self.shrink(weight)
        former = self.queue.get(key, self.stack.get(key, 0)) if hit else weight
        was_in_stack = self.stack.pop(key, None) is not None
        self.stack[key] = weight
        if key not in self.low:
            self.queue.pop(key, None), self.evicted.pop(key, None)
            if was_in_stack or self.low_weight() + weight <= self.most_low:
                self.low.add(key)
                while self.low_weight() > self.most_low:
                    self.demote()
            else:
                self.queue[key] = weight
                if hit:
                    self.forget()
        self.prune()
        if weight > former:
            self.shrink()
        if weight > former or not hit:
            self.forget()
        return hit

    def remove(self, key: int) -> None:
        for part in (self.stack, self.queue, self.evicted):
            part.pop(key, None)
        self.low.discard(key)
        self.prune()


class WindowTinyLfu:
    """Segments as dictionaries, oldest first; the sketch counts objects by their numbers.

    The sketch of blocks, which have these numbers, is for the size of the cache and there from the start.
    """

    def __init__(self, capacity: int, sketch: Sketch | None = None) -> None:
        main = capacity * 99 // 100
        self.capacity, self.most = capacity, (capacity - main, main * 80 // 100)
        self.window, self.probationary, self.protected = Cache(), Cache(), Cache()
        self.segments = (self.window, self.probationary, self.protected)
        self.numbers: dict[int, int] = {}
        self.sketch, self.of_blocks = sketch, sketch is not None

    def used(self) -> int:
        return sum(sum(segment.values()) for segment in self.segments)

    def number(self, key: int) -> int:
        return key if self.of_blocks else self.numbers[key]

    def count(self, key: int, weight: int, hit: bool) -> None:
        objects = sum(map(len, self.segments)) + 1
        is_new = not self.of_blocks and not hit and (self.sketch is None or 8 * self.sketch.groups < objects)
        if is_new and weight <= self.capacity and self.used() + weight >= self.capacity // 2:
            self.sketch = Sketch(objects)
        if self.sketch:
            self.sketch.add(self.number(key))

    def estimate(self, key: int) -> int:
        return self.sketch.estimate(self.number(key)) if self.sketch else 0

    def request(self, key: int, weight: int) -> bool:
        self.numbers.setdefault(key, len(self.numbers))
        segment = next((segment for segment in self.segments if key in segment), None)
        self.count(key, weight, segment is not None)
        if segment is not None:
            del segment[key]
        if weight > self.capacity:
            return segment is not None
        if segment is None or segment is self.window:
            entries = {**self.window, key: weight} if weight <= self.most[0] else {key: weight, **self.window}
            self.window.clear()
            self.window.update(entries)
        else:
            heavy = segment is self.probationary and weight > self.most[1]
            (self.probationary if heavy else self.protected)[key] = weight
        self.settle()
        return segment is not None

    def settle(self) -> None:
        while sum(self.window.values()) > self.most[0]:
            candidate = first(self.window)
            self.probationary[candidate] = self.window.pop(candidate)
            if self.used() > self.capacity:
                victim = first(self.probationary)
                wins = self.estimate(candidate) > self.estimate(victim)
                del self.probationary[victim if wins else candidate]
        while self.used() > self.capacity:
            segment = self.probationary or self.protected or self.window
            del segment[first(segment)]
        while sum(self.protected.values()) > self.most[1]:
            demoted = first(self.protected)
            self.probationary[demoted] = self.protected.pop(demoted)

    def remove(self, key: int) -> None:
        self.numbers.setdefault(key, len(self.numbers))
        for segment in self.segments:
            segment.pop(key, None)


SIZED: dict[str, Callable[[int], Any]] = {
    "lru": lambda size: Ranked(Queue(True), size),
    "lru-k": LruK,
    "clock": lambda size: Ranked(Clock(), size),
    "fifo": lambda size: Ranked(Queue(False), size),
    "lfu": lambda size: Ranked(Lfu(), size),
    "s3-fifo": S3Fifo,
    "sieve": lambda size: Ranked(Sieve(), size),
    "lirs": Lirs,
    "w-tinylfu": WindowTinyLfu,
    "gdsf": lambda size: Ranked(GreedyDual(), size),
    "sampled-lru": lambda size: Ranked(Samples(), size),
}
"""The policies of caches sized in bytes, in the engine's order."""


def misses(oracle: Any, requests: Sequence[Request], by_bytes: bool) -> tuple[int, int]:
    """Return requests and bytes missed."""
    missed = missed_bytes = 0
    for key, size, operation in requests:
        if operation == "delete":
            oracle.remove(key)
        elif not oracle.request(key, size if by_bytes else 1):
            missed, missed_bytes = missed + 1, missed_bytes + size
    return missed, missed_bytes
