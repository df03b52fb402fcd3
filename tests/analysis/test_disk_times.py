"""The disk's time with neighbours written together: against a plain cache, the simulation of each size, and by hand."""

from collections import Counter, OrderedDict
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import Key, Row, blocks_of, drop
from property_tests import examples
from test_curve import table, traces, traces_with_syncs, with_flags

from iotrace.analysis.curves import Cache, Curves, disk_accesses, simulate
from iotrace.analysis.curves.disk_times import all_with_disk_times, simulate_with_writes, with_disk_times
from iotrace.errors import UsageError

SIZES = list(range(1, 40))
ACCESS_NS, BYTE_NS = 10**9, 1000
COSTS = {"overhead_ms": 1000, "transfer_ms_per_kb": 1.024}
"""An access takes a second and a byte 1 µs, so that a time tells how many accesses and bytes it is of."""


class Plain:
    """A cache of one size, its oldest block first, and what it reads and writes."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.cache: OrderedDict[Key, bool] = OrderedDict()
        self.counts: Counter = Counter()

    def write(self, keys: Iterable[Key]) -> None:
        dirty = {key for key in keys if self.cache.get(key)}
        self.counts["writes"] += sum((file, block - 1) not in dirty for file, block in dirty)
        self.counts["blocks_written"] += len(dirty)
        for key in dirty:
            self.cache[key] = False

    def expel(self) -> None:
        (file, block), is_dirty = next(iter(self.cache.items()))
        if is_dirty:
            first, last = block, block
            while self.cache.get((file, first - 1)):
                first -= 1
            while self.cache.get((file, last + 1)):
                last += 1
            self.write((file, number) for number in range(first, last + 1))
        del self.cache[file, block]

    def request(self, keys: list[Key], reads: bool) -> None:
        for piece in (keys[first : first + self.size] for first in range(0, len(keys), self.size)):
            missed = 0
            for key in piece:
                missed += key not in self.cache
                if key not in self.cache and len(self.cache) == self.size:
                    self.expel()
                self.cache[key] = self.cache.pop(key, False) or not reads
            if reads:
                self.counts.update(reads=missed > 0, blocks_read=missed)


def plain(rows: list[Row], size: int, block: int) -> Counter:
    one = Plain(size)
    for row in rows:
        operation, file, offset, length, _, _ = row
        if operation in ("truncate", "delete"):
            drop(one.cache, row, block)
        elif operation == "sync":
            named = set(blocks_of(row, block)) if length else None
            one.write(
                key
                for key in list(one.cache)
                if file == -1 or (key[0] == file and (key in named if named else key[1] >= offset // block))
            )
        else:
            keys = blocks_of(row, block)
            one.request(keys, operation == "read")
            if operation == "synchronous write":
                one.write(keys)
    return one.counts


def with_writes(references: Any, cache: Cache, sizes: list[int]) -> Curves:
    return simulate_with_writes(references, cache, sizes, again=lambda: references)


def time_ns(accesses: int, blocks: int, block: int) -> int:
    return accesses * ACCESS_NS + blocks * block * BYTE_NS


@examples(300)
@given(traces_with_syncs(), st.sampled_from([1, 4]))
def test_every_size_is_a_plain_cache(rows: list[Row], block: int) -> None:
    cache = Cache(block_bytes=block, syncs="honour", **COSTS)
    curves = with_writes(with_flags(rows), cache, SIZES)
    found = with_disk_times(curves, [size * block for size in SIZES], alone=False).to_pylist()[1:]
    for row in found:
        counts = plain(rows, row["size_blocks"], block)
        assert row["write_service_time_ns"] == time_ns(counts["writes"], counts["blocks_written"], block)
        assert row["read_service_time_ns"] == time_ns(counts["reads"], counts["blocks_read"], block)


@examples(200)
@given(traces(), st.integers(1, 50), st.integers(0, 30))
def test_it_is_the_simulation_of_each_size(rows: list[Row], batch_rows: int, warm_up: int) -> None:
    cache = Cache(block_bytes=4, warm_up_requests=warm_up)
    found = with_writes(table(rows, batch_rows), cache, SIZES).write_times_ns
    expected = disk_accesses(
        table(rows), coalesce_percent=100, sizes_bytes=[4 * size for size in SIZES], block_bytes=4,
        warm_up_requests=warm_up,
    )  # fmt: skip
    assert found == dict(zip(SIZES, expected["write_service_time_ns"].to_pylist(), strict=True))


@examples(100)
@given(traces())
def test_the_counts_are_those_of_the_curve(rows: list[Row]) -> None:
    cache = Cache(block_bytes=4, syncs="honour")
    curves = with_writes(table(rows), cache, [1, 2, 4, 8, 16, 32])
    assert curves.table().equals(simulate(table(rows), cache).table())


def test_without_a_cache_each_request_is_one_access() -> None:
    """Three writes of 10 blocks and a read of 2: four accesses."""
    rows = [("write", 0, start * 40, 40, 40, "a") for start in range(3)] + [("read", 1, 0, 8, 8, "a")]
    curves = with_writes(table(rows), Cache(block_bytes=4, **COSTS), [4])
    none, row = with_disk_times(curves, [16], alone=False).to_pylist()
    assert (none["size_blocks"], none["size_bytes"]) == (0, 0)
    assert none["write_service_time_ns"] == time_ns(3, 30, 4)
    assert none["read_service_time_ns"] == time_ns(1, 2, 4)
    assert (none["block_misses"], none["read_request_misses"], none["write_request_misses"]) == (32, 1, 3)
    assert none["read_bytes_exact"] is None and none["write_expulsions"] == 30
    assert row["write_service_time_ns"] == plain(rows, 4, 4)["writes"] * ACCESS_NS + 28 * 4 * BYTE_NS


def test_times_of_all_sizes_are_null_unless_each_block_is_alone() -> None:
    rows = [("write", 0, start, 8, 60, "a") for start in range(0, 60, 12)]
    curves = simulate(table(rows), Cache(block_bytes=4))
    together = with_disk_times(curves, None, alone=False)
    assert together["write_service_time_ns"].to_pylist()[1:] == [None] * (together.num_rows - 1)
    assert together["read_service_time_ns"].to_pylist()[1:] == [None] * (together.num_rows - 1)
    assert together["write_service_time_ns"][0].is_valid
    assert with_disk_times(curves, None, alone=True).slice(1).equals(curves.table())


@examples(50)
@given(traces(), st.booleans(), st.sampled_from([None, "group"]))
def test_all_sizes_are_the_same_as_a_stream(rows: list[Row], alone: bool, by: str | None) -> None:
    curves = simulate(table(rows), Cache(block_bytes=4), by)
    found = all_with_disk_times(curves, alone=alone).read_all()
    assert found.equals(with_disk_times(curves, None, alone=alone), check_metadata=True)


def test_each_component_has_its_row_without_a_cache() -> None:
    rows = [("write", 0, 0, 8, 8, "a"), ("read", 1, 0, 4, 4, "b"), ("read", 1, 4, 4, 8, "b")]
    curves = simulate(table(rows), Cache(block_bytes=4), "group")
    for sizes in (None, [8, 4]):
        found = with_disk_times(curves, sizes, alone=True).to_pylist()
        assert [row["group"] for row in found if row["size_blocks"] == 0] == ["a", "b"]
        assert [row["block_misses"] for row in found if row["size_blocks"] == 0] == [2, 2]
        assert len(found) == 2 + curves.table(sizes).num_rows


def test_more_sizes_than_one_stack_has() -> None:
    rows = [("write", 0, start, 4, 4000, "a") for start in range(0, 400, 4)]
    sizes = list(range(1, 101))
    curves = with_writes(table(rows), Cache(block_bytes=4, **COSTS), sizes[::-1])
    assert curves.write_times_ns == {
        size: time_ns(counts["writes"], counts["blocks_written"], 4)
        for size in sizes
        for counts in [plain(rows, size, 4)]
    }


def test_what_cannot_be_simulated_is_refused() -> None:
    for cache in (Cache(write_policy="no-allocate"), Cache(inodes_per_block=4)):
        with pytest.raises(UsageError, match="coalesced evictions"):
            with_writes(table([]), cache, [1])
