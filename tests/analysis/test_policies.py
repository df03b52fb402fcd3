"""Replacement policies against their plain twins, LRU against the curve, and the table's form."""

import json

import numpy as np
import pyarrow as pa
import pytest
from block_oracles import hits
from hypothesis import given
from hypothesis import strategies as st
from iotrace.schemas import schema
from property_tests import examples
from test_curve import table, traces

from iotrace.analysis.curves import POLICIES, Cache, compare_policies, curve
from iotrace.analysis.curves.policies import policies_schema, simulate_policies
from iotrace.engine.native import policy_hits
from iotrace.errors import IotraceError, UsageError

REUSED = st.lists(st.integers(0, 30), max_size=250)
"""Few blocks, so that ghosts come back."""


@pytest.mark.parametrize("name", POLICIES)
@examples(200)
@given(blocks=REUSED, size=st.integers(1, 24))
def test_each_policy_is_its_papers(name: str, blocks: list[int], size: int) -> None:
    found = policy_hits(name, size, pa.array(blocks, pa.uint32()))
    assert pa.array(found).to_pylist() == hits(name, size, blocks)


@pytest.mark.parametrize("name", ["lirs", "w-tinylfu"])
@pytest.mark.parametrize("size", [99, 100, 199, 300])
def test_shares_of_a_hundredth_are_rounded_as_in_the_papers_twins(name: str, size: int) -> None:
    often = np.random.default_rng(size).zipf(1.15, 6000) * 997 % 2000
    blocks = np.concatenate([often[:3000], np.arange(2000, 2900), often[3000:]]).tolist()
    found = policy_hits(name, size, pa.array(blocks, pa.uint32()))
    assert pa.array(found).to_pylist() == hits(name, size, blocks)


@pytest.mark.parametrize("name", POLICIES)
def test_a_cache_larger_than_any_memory_takes_none_for_blocks_that_never_come(name: str) -> None:
    found = policy_hits(name, 2**32 - 1, pa.array([1, 2, 1], pa.uint32()))
    assert pa.array(found).to_pylist() == [False, False, True]


@examples(100)
@given(REUSED, st.integers(1, 24), st.integers(0, 100))
def test_the_protected_segment_has_any_size(blocks: list[int], size: int, percent: int) -> None:
    found = policy_hits("slru", size, pa.array(blocks, pa.uint32()), protected_percent=percent)
    assert pa.array(found).to_pylist() == hits("slru", size, blocks, percent=percent)
    if percent == 0:
        assert pa.array(found).to_pylist() == hits("lru", size, blocks)


@examples(100)
@given(traces(), st.sampled_from([3, 4, 16]), st.integers(1, 50))
def test_lru_is_the_curve_at_every_size(rows: list, block: int, batch_rows: int) -> None:
    sizes = [block * size for size in range(1, 40)]
    expected = curve(table(rows, batch_rows), block_bytes=block, sizes_bytes=sizes)
    found = compare_policies(table(rows), policies=["lru"], sizes_bytes=sizes, block_bytes=block)
    assert found.select(schema("curve").names).equals(expected)
    for row in found.to_pylist():
        assert row["equal_lru_size_bytes"] <= row["size_bytes"]


@examples(50)
@given(traces())
def test_the_equal_lru_cache_is_the_same_size_or_the_smallest_that_misses_no_more(rows: list) -> None:
    def misses(row: dict) -> int:
        return row["read_request_misses"] + row["write_request_misses"]

    found = compare_policies(table(rows), sizes_bytes=[12, 40], block_bytes=4).to_pylist()
    for row in found:
        equal = row["equal_lru_size_bytes"]
        at = curve(table(rows), block_bytes=4, sizes_bytes=[max(equal - 4, 4), equal]).to_pylist()
        assert misses(at[1]) <= misses(row)
        misses_as_often_as_lru = equal == row["size_bytes"] and misses(at[1]) == misses(row)
        assert misses_as_often_as_lru or equal == 4 or misses(at[0]) > misses(row)
        assert row["policy"] != "lru" or misses_as_often_as_lru


def test_a_row_for_each_policy_and_size_in_the_order_given() -> None:
    rows = [("read", 0, 0, 40, 40, "a"), ("delete", 0, 0, 0, 0, "a"), ("write", 1, 0, 9, 9, "b")]
    found = compare_policies(table(rows), policies=["opt", "lru"], sizes_bytes=[40, 9], block_bytes=4)
    assert found.schema.equals(policies_schema())
    assert found["policy"].to_pylist() == ["opt", "opt", "lru", "lru"]
    assert found["size_blocks"].to_pylist() == [10, 2, 10, 2]
    assert json.loads(found.schema.metadata[b"tally"])["deletes"] == 1
    assert compare_policies(table([]), block_bytes=4).num_rows == len(POLICIES) * 7


def test_deleted_blocks_make_room_under_every_policy() -> None:
    """Two blocks fill the cache, one goes with its file: a third comes in, and the first is still there."""
    rows = [("read", file, 0, 4, 4, "a") for file in (0, 1)]
    rows += [("delete", 1, 0, 0, 0, "a"), ("read", 2, 0, 4, 4, "a"), ("read", 0, 0, 4, 4, "a")]
    found = compare_policies(table(rows), sizes_bytes=[8], block_bytes=4)
    assert found["block_misses"].to_pylist() == [3] * len(POLICIES)


def test_what_makes_no_sense_is_refused() -> None:
    rows = table([("read", 0, 0, 10, 10, "a")])
    with pytest.raises(UsageError, match=r'a policy must be lru, lru-k, .* or opt, not "unknown"'):
        compare_policies(rows, policies=["unknown"])
    with pytest.raises(UsageError, match="less than one block"):
        compare_policies(rows, sizes_bytes=[100])
    with pytest.raises(UsageError, match="0 to 100 percent"):
        compare_policies(rows, protected_percent=101)
    with pytest.raises(UsageError, match="allocate only"):
        simulate_policies(rows, Cache(write_policy="no-allocate"))
    with pytest.raises(IotraceError, match="reference 0: a negative number"):
        compare_policies(table([("read", 0, -1, 10, 10, "a")]))
    with pytest.raises(ValueError, match="without nulls"):
        policy_hits("lru", 1, pa.array([None], pa.uint32()))
