"""Which size to buy, against every size tried one by one, and as a person reads it."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_oracles import hits
from property_tests import examples

from iotrace.analysis.curves import Cache, simulate
from iotrace.analysis.curves.sizing import SHARES, sentences, sizing

BLOCK = 4096


def requests(blocks: list[int], writes: list[bool] | None = None) -> pa.Table:
    writes = writes or [False] * len(blocks)
    return pa.table(
        {
            "file": pa.array([0] * len(blocks), pa.int32()),
            "operation": ["write" if one else "read" for one in writes],
            "offset": pa.array([BLOCK * block for block in blocks], pa.int64()),
            "length": pa.array([BLOCK] * len(blocks), pa.int64()),
        }
    )


def lru_hits(blocks: list[int], size: int) -> int:
    """Hits in an LRU cache of `size` blocks."""
    return sum(hits("lru", size, blocks))


@examples(100)
@given(st.lists(st.integers(0, 90), min_size=1, max_size=300))
def test_sizes_are_the_smallest_that_have_their_share(blocks: list[int]) -> None:
    found = sizing(simulate(requests(blocks), Cache(block_bytes=BLOCK)))
    most = lru_hits(blocks, 10**6)
    if not most:
        assert found is None
        return
    assert found is not None and found.hits == most
    for share in SHARES:
        enough = [size for size in range(1, 92) if 100 * lru_hits(blocks, size) >= share * most]
        assert found.sizes_bytes[share] == BLOCK * enough[0]
    chosen = found.sizes_bytes[90] // BLOCK
    gained = lru_hits(blocks, 2 * chosen) - lru_hits(blocks, chosen)
    assert found.doubled_percent == pytest.approx(100 * gained / len(blocks))


def test_a_loop_is_one_step() -> None:
    found = sizing(simulate(requests(list(range(100)) * 10), Cache(block_bytes=BLOCK)))
    assert found is not None
    assert found.sizes_bytes == dict.fromkeys(SHARES, 100 * BLOCK)
    assert found.steps == ((64 * BLOCK, 128 * BLOCK, 90.0),)
    said = " ".join(sentences(found))
    assert "at most 90 %" in said and "400 KB has half of these hits" in said
    assert "256 KB to 512 KB (90 % of the references)" in said


def test_without_hits_no_size_is_named() -> None:
    said = sentences(sizing(simulate(requests(list(range(50))), Cache(block_bytes=BLOCK))))
    assert said == ["No block is referenced twice: no cache has a hit."]
