"""Curves of caches of prefixes: against a list, on chains of blocks and on any blocks; levels of memory."""

from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace.analysis.curves.prefixes import Tier, prefix_curve, tiers
from iotrace.errors import IotraceError

CHAINS = st.builds(
    lambda who, length, turn: [100 * who + place + 50 * (place > 2) * turn for place in range(length)],
    st.integers(0, 3), st.integers(1, 8), st.integers(0, 1),
)  # fmt: skip
PROMPTS = st.lists(CHAINS | st.lists(st.integers(0, 9), min_size=1, max_size=6), max_size=60)


def hits_of_a_list(prompts: Sequence[Sequence[int]], capacity: int) -> tuple[int, ...]:
    """Return requests that hit wholly, those that hit at all, and blocks hit, in one cache kept as a list."""
    cache: list[int] = []
    whole = some = hits = 0
    for prompt in prompts:
        served = next((place for place, block in enumerate(prompt) if block not in cache), len(prompt))
        whole, some, hits = whole + (served == len(prompt)), some + (served > 0), hits + served
        for block in reversed(prompt):
            cache = [block, *(other for other in cache if other != block)][:capacity]
    return whole, some, hits


def batches(prompts: Sequence[Sequence[int]], rows: int = 7) -> list[pa.RecordBatch]:
    """Return prompts as record batches, which may end within a prompt; each block is of two tokens."""
    keys = [block for prompt in prompts for block in prompt]
    requests = [number for number, prompt in enumerate(prompts) for _ in prompt]
    table = pa.table({
        "key": pa.array(keys, pa.int64()),
        "request": pa.array(requests, pa.int64()),
        "tokens": pa.array([2] * len(keys), pa.int64()),
    })  # fmt: skip
    return table.to_batches(max_chunksize=rows)


@given(PROMPTS, st.lists(st.integers(1, 90), min_size=1, max_size=6, unique=True).map(sorted) | st.none())
def test_hits_are_those_of_a_list(prompts: list[list[int]], sizes: list[int] | None) -> None:
    """At each size requests, blocks and tokens are hit as in a cache kept as a list."""
    found = prefix_curve(batches(prompts), sizes=sizes).to_pylist()
    blocks = sum(len(prompt) for prompt in prompts)
    for row in found:
        whole, some, hits = hits_of_a_list(prompts, row["size"])
        assert (row["requests"], row["blocks"], row["tokens"]) == (
            len(prompts), blocks, 2 * blocks,
        )  # fmt: skip
        assert row["request_misses"] == len(prompts) - whole
        assert row["requests_without_hit"] == len(prompts) - some
        assert row["block_misses"] == blocks - hits
        assert row["token_misses"] == 2 * (blocks - hits)
    if sizes is None:
        assert blocks - found[-1]["block_misses"] == hits_of_a_list(prompts, 10**6)[2]


def test_levels_of_memory_share_one_list() -> None:
    """Blocks 1 and 2 come from the first level, 3 and 4 from the second, and 5 is computed again; so their requests."""
    prompts = [[5], [3, 4], [1, 2], [1, 2], [3, 4], [5]]
    levels = [Tier("HBM", 2, 1.0), Tier("DRAM", 2, 10.0)]
    assert [
        tuple(row.values()) for row in tiers(batches(prompts), levels, computed_block_s=100).to_pylist()
    ] == [
        ("HBM", 2, 2, 1, 4, 2.0),
        ("DRAM", 2, 2, 1, 4, 20.0),
        ("computed", None, 6, 4, 12, 600.0),
    ]


def test_bad_input() -> None:
    """Missing columns and invalid sizes are refused in a sentence."""
    with pytest.raises(IotraceError, match="no column request"):
        prefix_curve([pa.RecordBatch.from_pydict({"key": [1]})])
    with pytest.raises(IotraceError, match="at least 1 block"):
        prefix_curve(batches([[1]]), sizes=[0])
    with pytest.raises(IotraceError, match="at least 1 block"):
        tiers(batches([[1]]), [], computed_block_s=1)
