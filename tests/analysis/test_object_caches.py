"""Other caches of objects: each against a twin that is plainly right, libCacheSim where it agrees, and bad input."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_objects import REQUESTS, Request, batches, rows

from iotrace.analysis.curves.object_caches import OBJECT_POLICIES, flash_log, object_policies, object_writes
from iotrace.errors import IotraceError

Cache = dict[int, int]
"""Objects in the cache and their sizes, in an order that the policy keeps."""


class Twin:
    """A policy that needs not know what leaves."""

    def sync(self, cache: Cache) -> None:
        """Take note of what has left the cache."""


class Queue(Twin):
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


class GreedyDual(Twin):
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


class Samples(Twin):
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
        """Return the object of the pool that was requested least recently, as far as the pool knows."""
        self.sync(cache)
        while True:
            for key in [self.draw() for _ in range(5)]:
                if key not in [other for _, other in self.pool]:
                    self.pool = sorted([*self.pool, (self.last[key], key)])[:16]
            while self.pool:
                key = self.pool.pop(0)[1]
                if key in cache:
                    return key


TWINS: dict[str, Callable[[], Any]] = {
    "lru": lambda: Queue(True), "fifo": lambda: Queue(False), "gdsf": GreedyDual, "sampled-lru": Samples,
}  # fmt: skip


def misses_of_a_cache(
    twin: Any, requests: Sequence[Request], capacity: int, by_bytes: bool
) -> tuple[int, int]:
    """Return requests and bytes missed."""
    cache: Cache = {}
    misses = missed = 0
    for key, size, operation in requests:
        if operation == "delete":
            cache.pop(key, None)
            twin.sync(cache)
            continue
        hit, weight = key in cache, size if by_bytes else 1
        misses, missed = misses + (not hit), missed + (not hit) * size
        if weight > capacity:
            cache.pop(key, None)
            twin.sync(cache)
            continue
        while not hit and sum(cache.values()) + weight > capacity:
            del cache[twin.victim(cache)]
        twin.request(cache, key, weight, hit)
        while sum(cache.values()) > capacity:
            del cache[twin.victim(cache)]
    return misses, missed


@given(REQUESTS, st.integers(1, 700), st.booleans())
def test_policies_miss_as_their_twins(requests: list[Request], size: int, by_bytes: bool) -> None:
    """Each policy misses as its twin does."""
    unit = "bytes" if by_bytes else "objects"
    found = object_policies(batches(requests or [(1, 1, "get")], 3), sizes=[size, 3], unit=unit)
    assert [row["policy"] for row in found.to_pylist()] == [
        name for name in OBJECT_POLICIES for _ in range(2)
    ]
    for row in found.to_pylist():
        twin = misses_of_a_cache(TWINS[row["policy"]](), requests or [(1, 1, "get")], row["size"], by_bytes)
        assert (row["request_misses"], row["byte_misses"]) == twin


def write_backs(requests: Sequence[Request], capacity: int) -> tuple[int, ...]:
    """Return writes, those absorbed, and objects dirty at the end, of an LRU cache of objects kept as a list."""
    cache: list[int] = []
    dirty: set[int] = set()
    writes = absorbed = 0
    for key, _, operation in requests:
        cache = [key, *(other for other in cache if other != key)]
        if operation != "get":
            absorbed += key in dirty
            dirty.discard(key)
        if operation == "set":
            writes += 1
            dirty.add(key)
        if operation == "delete":
            cache.remove(key)
        dirty -= set(cache[capacity:])
        cache = cache[:capacity]
    return writes, absorbed, len(dirty)


@given(REQUESTS, st.lists(st.integers(1, 14), min_size=1, unique=True))
def test_writes_absorbed(requests: list[Request], sizes: list[int]) -> None:
    """A write is absorbed if its object is set again or deleted before the cache evicts it."""
    found = object_writes(batches(requests or [(1, 1, "get")]), sizes=sizes)
    assert [row[:4] for row in rows(found)] == [
        (size, *write_backs(requests, size)) for size in sorted(sizes)
    ]


def log_of_segments(
    requests: Sequence[Request], segments: int, segment: int, reinserts: bool
) -> tuple[int, int, int, int]:
    """Return misses, bytes appended at first and again, and padding, of a log kept as lists of copies."""
    log: list[list[list[int]]] = [[]]
    misses = first = again = padding = 0

    def used() -> int:
        return sum(copy[1] for copy in log[-1])

    for key, size, operation in requests:
        copies = [copy for part in log for copy in part if copy[0] == key and copy[2] >= 0]
        hit = bool(copies) and operation != "delete"
        misses += not copies and operation != "delete"
        if hit:
            copies[0][2] = 1
        if copies and (operation != "get" or copies[0][1] != size):
            copies[0][2] = -1
        if operation == "delete" or (copies and copies[0][2] == 1) or size > segment:
            continue
        while used() + size > segment:
            padding += segment - used()
            log.append([])
            if len(log) > segments:
                kept = [[other, length, 0] for other, length, state in log.pop(0) if state == 1 and reinserts]
                log[-1] += kept
                again += used()
        log[-1].append([key, size, 0])
        first += size
    return misses, first, again, padding


@given(REQUESTS, st.integers(2, 4), st.sampled_from([12, 64, 70]), st.booleans())
def test_a_log_of_segments(requests: list[Request], segments: int, segment: int, reinserts: bool) -> None:
    """The log appends, reclaims and wastes what its twin does."""
    given = batches(requests or [(1, 1, "get")])
    found = flash_log(given, segments * segment + 3, segment_bytes=segment, reinserts=reinserts).to_pylist()[
        0
    ]
    names = ("request_misses", "appended_bytes", "appended_again_bytes", "padding_bytes")
    assert tuple(found[name] for name in names) == log_of_segments(
        requests or [(1, 1, "get")], segments, segment, reinserts
    )


def test_what_a_log_writes_for_a_byte() -> None:
    """Object 1 is requested before its segment is reclaimed, and written twice; object 2 leaves after four."""
    given = batches(
        [(1, 5, "get"), (2, 5, "get"), (1, 5, "get"), (3, 5, "get"), (4, 5, "get"), (5, 5, "get")]
    )
    row = flash_log(given, 20, segment_bytes=10).to_pylist()[0]
    assert (row["appended_bytes"], row["appended_again_bytes"], row["write_amplification"]) == (25, 5, 1.2)
    assert row["mean_lifetime_requests"] == 4


@pytest.mark.parametrize("policy", ["lru", "fifo"])
def test_libcachesim_misses_the_same(policy: str) -> None:
    """With one size for each object, libCacheSim's caches in bytes miss the same requests."""
    pytest.importorskip(
        "libcachesim", reason="libcachesim is not installed: pip install 'iotrace-toolkit[peers]'"
    )
    import libcachesim

    keys = [(place * place * 7919 + place // 3) % 997 % (40 + place % 400) for place in range(20_000)]
    requests = [(key, key * 37 % 91 + 1, "get") for key in keys]
    make = {"lru": libcachesim.LRU, "fifo": libcachesim.FIFO}[policy]
    for row in object_policies(
        batches(requests), policies=[policy], sizes=[200, 2000, 9000], unit="bytes"
    ).to_pylist():
        cache = make(cache_size=row["size"], default_ttl=2**30, hashpower=12, consider_obj_metadata=False)
        request = libcachesim.Request()
        misses = 0
        for key, size, _ in requests:
            request.obj_id, request.obj_size = key, size
            misses += not cache.get(request)
        assert row["request_misses"] == misses


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (lambda: object_policies([], policies=["mru"], sizes=[1]), "mru"),
        (lambda: object_policies([], sizes=[0]), "the size of a cache is 1 to"),
        (lambda: object_writes(batches([(1, 1, "get")]), sizes=[0]), "the size of a cache is 1 to"),
        (lambda: flash_log([], 20, segment_bytes=20), "at least two segments"),
        (lambda: flash_log([], 20, segment_bytes=0), "at least two segments"),
        (
            lambda: object_writes([pa.RecordBatch.from_pydict({"key": [1]})], unit="bytes"),
            "does not state the sizes",
        ),
    ],
)
def test_bad_input(refused: Callable[[], Any], reason: str) -> None:
    """What makes no sense is refused in a sentence."""
    with pytest.raises(IotraceError, match=reason):
        refused()
