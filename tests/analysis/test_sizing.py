"""Which size to buy, against every size tried one by one, and as a person reads it."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from block_oracles import hits
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.analysis.curves import Cache, compare_policies, simulate
from iotrace.analysis.curves.others import others, sampling_rate
from iotrace.analysis.curves.sizing import (
    OTHER_POLICIES,
    SHARES,
    CurveHits,
    Others,
    Sizing,
    sentences,
    sizing,
)

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


def found_in(references: pa.Table, **settings: Any) -> Sizing | None:
    return sizing(CurveHits(simulate(references, Cache(block_bytes=BLOCK, **settings))))


def lru_hits(blocks: list[int], size: int) -> int:
    """Hits in an LRU cache of `size` blocks."""
    return sum(hits("lru", size, blocks))


@examples(100)
@given(st.lists(st.integers(0, 90), min_size=1, max_size=300))
def test_sizes_are_the_smallest_that_have_their_share(blocks: list[int]) -> None:
    found = found_in(requests(blocks))
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
    found = found_in(requests(list(range(100)) * 10))
    assert found is not None
    assert found.sizes_bytes == dict.fromkeys(SHARES, 100 * BLOCK)
    assert found.steps == ((64 * BLOCK, 128 * BLOCK, 90.0),)
    said = " ".join(sentences(found))
    assert "at most 90 %" in said and "400 KB has 99 % of these hits, and a smaller one not even half" in said
    assert "256 KB to 512 KB (90 % of the references)" in said


def test_without_hits_no_size_is_named() -> None:
    said = sentences(found_in(requests(list(range(50)))))
    assert said == ["No block is referenced twice: no cache has a hit."]


@examples(50)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=200))
def test_other_policies_hit_what_their_twins_do(blocks: list[int]) -> None:
    found = found_in(requests(blocks))
    if found is None:
        return
    shown = others(requests(blocks), Cache(block_bytes=BLOCK), found)
    size = found.sizes_bytes[90] // BLOCK
    assert shown is not None and shown.rate == 1
    for name in OTHER_POLICIES:
        assert shown.hit_percent[name] == pytest.approx(100 * np.mean(hits(name, size, blocks)))


def test_a_long_stream_is_sampled_and_its_estimates_are_near() -> None:
    blocks = np.random.default_rng(5).zipf(1.2, 1_300_000) % 200_000
    references = requests(blocks.tolist())
    cache = Cache(block_bytes=BLOCK)
    found = found_in(references)
    assert found is not None and sampling_rate(found, BLOCK) == 0.25
    shown = others(references, cache, found)
    exact = compare_policies(
        references, policies=list(OTHER_POLICIES), sizes_bytes=[found.sizes_bytes[90]], block_bytes=BLOCK
    )
    assert shown is not None
    for name, misses in zip(OTHER_POLICIES, exact["block_misses"].to_pylist(), strict=True):
        assert shown.hit_percent[name] == pytest.approx(100 * (1 - misses / found.references), abs=1)
    assert "25 % of the blocks" in " ".join(sentences(found, shown))


def test_where_the_optimum_hits_no_more_the_others_are_not_listed() -> None:
    found = found_in(requests([*range(100), *range(100)]))
    assert found is not None
    shown = Others(dict.fromkeys(OTHER_POLICIES, found.chosen_percent))
    (said,) = [one for one in sentences(found, shown) if "Belady" in one]
    assert "no other replacement policy would hit more" in said and "ARC" not in said


def test_a_cache_too_small_for_a_sample_has_no_estimates() -> None:
    found = Sizing(4_000_000, 3_000_000, dict.fromkeys(SHARES, 100 * BLOCK), 70.0, 1.0, None, ())
    assert sampling_rate(found, BLOCK) is None
    assert others(requests([1]), Cache(block_bytes=BLOCK), found) is None


def test_what_a_warm_up_wrote_makes_absorbed_writes_unknown() -> None:
    """Four blocks are written, then one block twice: all four are expelled once counting has begun."""
    blocks = [0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 4]
    references = requests(blocks, [True] * 6 + [False] * 5)
    everything = found_in(references, syncs="honour")
    assert everything is not None and everything.absorbed is not None and 0 <= everything.absorbed <= 1
    warmed = found_in(references, syncs="honour", warm_up_requests=4)
    assert warmed is not None and warmed.absorbed is None
