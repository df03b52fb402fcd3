"""Other caches of objects: each against a twin that is plainly right; bad input."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Literal

import pyarrow as pa
import pytest
from block_oracles import ORACLES
from hypothesis import given
from hypothesis import strategies as st
from sized_oracles import SIZED, misses
from test_objects import REQUESTS, Request, batches, rows

from iotrace.analysis.curves import POLICIES
from iotrace.analysis.curves.object_caches import flash_log, object_policies, object_writes
from iotrace.engine.native import policy_hits
from iotrace.errors import IotraceError


@given(REQUESTS, st.integers(1, 700))
def test_policies_miss_as_their_twins(requests: list[Request], size: int) -> None:
    """Each policy misses by bytes as its twin does."""
    requests = requests or [(1, 1, "get")]
    found = object_policies(batches(requests, 3), sizes=[size, 3], unit="bytes").to_pylist()
    assert [row["policy"] for row in found] == [name for name in SIZED for _ in range(2)]
    for row in found:
        twin = misses(SIZED[row["policy"]](row["size"]), requests, by_bytes=True)
        assert (row["request_misses"], row["byte_misses"]) == twin, row["policy"]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 60)), max_size=400), st.integers(50, 900))
def test_many_objects_of_one_size_each(requests: list[tuple[int, int]], size: int) -> None:
    """The same of more objects, which are no larger than a cache."""
    sized = [(key, key * 37 % 59 + 1, "get") for key, _ in requests] or [(1, 1, "get")]
    for row in object_policies(batches(sized), sizes=[size], unit="bytes").to_pylist():
        assert row["request_misses"] == misses(SIZED[row["policy"]](size), sized, by_bytes=True)[0]


def numbered(requests: list[Request]) -> list[Request]:
    """Return requests with numbers for keys, in the order in which these come."""
    keys = list(dict.fromkeys(key for key, _, _ in requests))
    return [(keys.index(key), size, operation) for key, size, operation in requests] or [(0, 1, "get")]


@given(REQUESTS, st.integers(1, 14))
def test_policies_of_objects(requests: list[Request], size: int) -> None:
    """In objects, policies miss as their twins; those of blocks as blocks do."""
    requests = numbered(requests)
    for row in object_policies(batches(requests), policies=list(SIZED), sizes=[size]).to_pylist():
        missed = misses(ORACLES[row["policy"]](size), requests, by_bytes=False)[0]
        assert row["request_misses"] == missed, row["policy"]
    requests = numbered([request for request in requests if request[2] != "delete"])
    numbers = pa.array([key for key, _, _ in requests], pa.uint32())
    for row in object_policies(batches(requests), sizes=[size]).to_pylist():
        if row["policy"] in POLICIES:
            missed = len(requests) - policy_hits(row["policy"], size, numbers).true_count
            assert row["request_misses"] == missed, row["policy"]


@given(
    REQUESTS, st.integers(1, 14), st.sampled_from(["lru", "fifo", "clock", "lfu", "sieve", "lirs", "s3-fifo"])
)
def test_bytes_of_one_each_are_objects(requests: list[Request], size: int, policy: str) -> None:
    """Where objects have 1 byte, caches in bytes miss as those in objects.

    Deletes are included except for CLOCK, in which a new block has the frame, and the place, of a deleted one.
    """
    kept = [request for request in requests if policy != "clock" or request[2] != "delete"]
    ones = [(key, 1, operation) for key, _, operation in kept]
    in_bytes, in_objects = (
        object_policies(batches(ones or [(1, 1, "get")]), policies=[policy], sizes=[size], unit=unit)
        for unit in ("bytes", "objects")
    )
    assert in_bytes.equals(in_objects)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("unit", "size"), [("objects", 2), ("objects", 7), ("bytes", 64), ("bytes", 300)])
def test_long_runs(seed: int, unit: Literal["objects", "bytes"], size: int) -> None:
    """The same of more requests, of which one in ten is a delete."""
    draw = Random(seed)
    keys = [int(draw.choice([6, 13, 40]) * draw.random() ** 2) for _ in range(400)]
    operations = draw.choices(["get", "delete"], [9, 1], k=400)
    sizes = [key * 37 % 59 + 1 if seed % 2 else draw.choice([0, 1, 3, 11, 64, 500]) for key in keys]
    requests = numbered(list(zip(keys, sizes, operations, strict=True)))
    twins = ORACLES if unit == "objects" else SIZED
    for row in object_policies(batches(requests), policies=list(SIZED), sizes=[size], unit=unit).to_pylist():
        twin = misses(twins[row["policy"]](size), requests, by_bytes=unit == "bytes")
        assert (row["request_misses"], row["byte_misses"]) == twin, row["policy"]


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


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (lambda: object_policies([], policies=["unknown"], sizes=[1]), "unknown"),
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
    """Invalid settings and requests are refused in a sentence."""
    with pytest.raises(IotraceError, match=reason):
        refused()
