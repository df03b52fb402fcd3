"""Write caches that earlier requests warm: what is counted is the whole's less what comes before."""

import pyarrow as pa
import pytest
from block_traces import block_trace
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.simulate.write_cache.requests import Requests
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate

BLOCK = 512
AT_ARRIVAL = ("reads", "writes", "read_cache_hits", "write_cache_hits", "read_blocks", "written_blocks")
"""What a request adds when it comes, which none that comes later changes."""
IN_ALL = (*AT_ARRIVAL, "discards", "disk_reads", "stalled_reads", "stalled_writes")
"""What is the same difference where the disk is idle before: purges in a pause are the whole's alone."""
ALL_SETTINGS = [
    Settings(read_cache_bytes=32 * BLOCK, write_cache_bytes=16 * BLOCK, purge="asap"),
    Settings(read_cache_bytes=32 * BLOCK, write_cache_bytes=16 * BLOCK, purge="linear"),
    Settings(single_cache_bytes=32 * BLOCK, purge="dynamic", interval=3),
]
REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.sampled_from(["read", "write", "discard"]),
        st.integers(0, 60),
        st.integers(1, 20),
    ),
    min_size=2,
    max_size=60,
)


def trace(requests: list[tuple[int, str, int, int]], pause_ms: int, at: int) -> tuple[pa.Table, int]:
    """Return a trace with a pause before request `at`, and when that comes."""
    now, rows = 0, []
    for place, (gap_ms, operation, lbn, blocks) in enumerate(requests):
        now += gap_ms + (pause_ms if place == at else 0)
        rows.append((float(now), operation, lbn, blocks))
    return block_trace(rows), int(rows[at][0] * 1_000_000)


def counts(table: pa.Table, settings: Settings, from_ns: int | None = None) -> dict[str, int]:
    requests = Requests(table)
    requests.counted_from_ns = from_ns
    (row,) = simulate(requests, "ra82", settings, threads=1).to_pylist()
    return row


@pytest.mark.parametrize("settings", ALL_SETTINGS)
@examples(40)
@given(requests=REQUESTS, part=st.data())
def test_what_is_counted_is_the_whole_less_what_comes_before(
    settings: Settings, requests: list[tuple[int, str, int, int]], part: st.DataObject
) -> None:
    at = part.draw(st.integers(1, len(requests) - 1))
    requests = [(1, "read", 0, 1), *requests]
    for pause_ms, names in ((1, AT_ARRIVAL), (1_000_000, IN_ALL)):
        table, from_ns = trace(requests, pause_ms, at)
        whole, before = counts(table, settings), counts(table.slice(0, at), settings)
        warm = counts(table, settings, from_ns)
        assert {name: warm[name] for name in names} == {name: whole[name] - before[name] for name in names}
        assert warm["disk_writes"] <= whole["disk_writes"]


def test_all_is_counted_where_nothing_comes_before() -> None:
    table, _ = trace([(5, "write", 8, 8), (5, "read", 8, 8), (9, "read", 800, 8)], 0, 0)
    assert counts(table, ALL_SETTINGS[0], 0) == counts(table, ALL_SETTINGS[0])
