"""Fetch blocks and coalesced evictions against their plain twin, the curve, and by hand."""

import pyarrow as pa
import pytest
from disk_access_oracle import disk_accesses as plain
from hypothesis import given
from hypothesis import strategies as st
from oracles import Row
from property_tests import examples
from test_curve import table, traces

from iotrace import queries
from iotrace.analysis.curves import Cache, curve, disk_accesses, tally
from iotrace.analysis.curves.disk_accesses import DiskAccess, simulate_disk_accesses
from iotrace.errors import IotraceError, UsageError

BLOCK = 4
AT_END = ("dirty_at_end", "prefetched_at_end")
COUNTED = (
    "read_request_misses", "read_block_misses", "write_request_misses", "write_block_misses", "fetches",
    "prefetched_blocks", "prefetched_hits", "prefetched_unused", "write_expulsions", "disk_writes",
    "blocks_written", "read_bytes_exact", "write_bytes_exact", *AT_END,
)  # fmt: skip
SIZES = [1, 2, 3, 4, 6, 9, 14, 25, 40]
PERCENTS = st.sampled_from([0, 1, 30, 50, 100])
FETCHES = st.sampled_from([1, 2, 3, 4, 8])


def simulated(rows: list[Row], fetch: int, percent: int, batch_rows: int = 1000, **others: int) -> list[dict]:
    references = table(rows, batch_rows)
    sizes = [size * BLOCK for size in SIZES]
    found = disk_accesses(
        references, fetch_bytes=[fetch * BLOCK], coalesce_percent=percent, sizes_bytes=sizes,
        block_bytes=BLOCK, **others,
    )  # fmt: skip
    return found.to_pylist()


@examples(300)
@given(traces(), FETCHES, PERCENTS, st.integers(1, 50))
def test_every_size_is_its_twin(rows: list[Row], fetch: int, percent: int, batch_rows: int) -> None:
    for found in simulated(rows, fetch, percent, batch_rows):
        expected = plain(rows, found["size_blocks"], BLOCK, fetch, percent)
        assert {name: found[name] for name in COUNTED} == {name: expected[name] for name in COUNTED}


@examples(150)
@given(traces(), FETCHES, PERCENTS)
def test_where_no_size_is_known_the_whole_block_is_fetched(rows: list[Row], fetch: int, percent: int) -> None:
    rows = [(*row[:4], None, row[5]) for row in rows]
    for found in simulated(rows, fetch, percent):
        expected = plain(rows, found["size_blocks"], BLOCK, fetch, percent)
        assert {name: found[name] for name in COUNTED} == {name: expected[name] for name in COUNTED}


@examples(100)
@given(traces(), FETCHES, PERCENTS, st.integers(0, 30))
def test_the_warm_up_is_not_counted(rows: list[Row], fetch: int, percent: int, warm_up: int) -> None:
    requests = [place for place, row in enumerate(rows) if row[0] not in ("truncate", "delete")]
    counted_from = requests[warm_up] if warm_up < len(requests) else len(rows)
    whole, before = simulated(rows, fetch, percent), simulated(rows[:counted_from], fetch, percent)
    for found, total, part in zip(
        simulated(rows, fetch, percent, warm_up_requests=warm_up), whole, before, strict=True
    ):
        for name in COUNTED:
            assert found[name] == total[name] - (0 if name in AT_END else part[name])


@examples(150)
@given(traces(), st.integers(1, 50))
def test_without_both_it_is_the_curve(rows: list[Row], batch_rows: int) -> None:
    sizes = [BLOCK * size for size in range(1, 40)]
    expected = curve(table(rows, batch_rows), block_bytes=BLOCK, sizes_bytes=sizes)
    found = disk_accesses(table(rows), sizes_bytes=sizes, block_bytes=BLOCK)
    for name in set(expected.column_names) & set(found.column_names):
        assert found[name].equals(expected[name]), name
    for name in ("disk_writes", "blocks_written"):
        assert found[name].equals(expected["write_expulsions"])
    assert found["fetches"].equals(expected["read_block_misses"])


@examples(150)
@given(traces(), FETCHES, PERCENTS)
def test_coalescing_leaves_reads_and_adds_up(rows: list[Row], fetch: int, percent: int) -> None:
    alone = simulated(rows, fetch, 0)
    for found, other in zip(simulated(rows, fetch, percent), alone, strict=True):
        for name in (*COUNTED[:9], "read_bytes_exact", "prefetched_at_end"):
            assert found[name] == other[name]
        assert other["disk_writes"] == other["blocks_written"] == other["write_expulsions"]
        assert found["disk_writes"] <= min(found["write_expulsions"], found["blocks_written"])
        assert found["prefetched_blocks"] == sum(
            found[f"prefetched_{fate}"] for fate in ("hits", "unused", "at_end")
        )
        assert found["dirty_at_end"] <= other["dirty_at_end"]


def test_a_sequential_reader_fetches_half_as_often() -> None:
    """Ten blocks, of which the last is short; a fetch block of two brings each second block in."""
    rows = [("read", 0, BLOCK * number, min(BLOCK, 39 - BLOCK * number), 39, "a") for number in range(10)]
    (row,) = disk_accesses(table(rows), fetch_bytes=[8], sizes_bytes=[16], block_bytes=BLOCK).to_pylist()
    assert (row["read_request_misses"], row["fetches"], row["prefetched_hits"]) == (5, 5, 5)
    assert (row["read_bytes_estimated"], row["read_bytes_exact"]) == (40, 39)
    assert row["prefetched_unused"] == row["prefetched_at_end"] == 0


def test_nothing_is_fetched_beyond_the_files_end_nor_for_a_write() -> None:
    rows = [("read", 0, 0, 4, 6, "a"), ("write", 1, 0, 4, 40, "a"), ("read", 2, 0, 4, 4, "a")]
    (row,) = disk_accesses(table(rows), fetch_bytes=[32], sizes_bytes=[400], block_bytes=BLOCK).to_pylist()
    assert (row["fetches"], row["prefetched_blocks"], row["prefetched_at_end"]) == (2, 1, 1)
    assert row["read_bytes_exact"] == 10


def test_adjacent_dirty_blocks_of_the_last_portion_are_one_write() -> None:
    """Blocks 0 to 3 are written and pushed out by four files; the last two of the stack are half of it."""
    rows = [("write", 0, 0, 16, 16, "a")] + [("read", file, 0, 4, 4, "a") for file in range(1, 5)]

    def written(percent: int) -> tuple[int, int, int]:
        found = disk_accesses(table(rows), coalesce_percent=percent, sizes_bytes=[16], block_bytes=BLOCK)
        (row,) = found.to_pylist()
        return row["disk_writes"], row["blocks_written"], row["write_expulsions"]

    assert written(0) == written(25) == (4, 4, 4)
    assert written(50) == (2, 4, 4)
    assert written(75) == (2, 4, 4)
    assert written(100) == (1, 4, 4)


def test_deleted_blocks_are_not_written() -> None:
    rows = [("write", 0, 0, 12, 12, "a"), ("truncate", 0, 4, 0, 4, "a")]
    rows += [("read", file, 0, 4, 4, "a") for file in range(1, 5)]
    (row,) = disk_accesses(table(rows), coalesce_percent=100, sizes_bytes=[12], block_bytes=BLOCK).to_pylist()
    assert (row["disk_writes"], row["blocks_written"]) == (1, 1)


def test_a_row_for_each_fetch_block_and_size() -> None:
    rows = [("read", 0, 0, 40, 40, "a"), ("delete", 0, 0, 0, 0, "a"), ("write", 1, 0, 9, 9, "b")]
    found = disk_accesses(table(rows), fetch_bytes=[8, 4], sizes_bytes=[40, 9], block_bytes=BLOCK)
    assert found.schema.equals(queries.table_schema("disk_accesses"))
    assert found["fetch_bytes"].to_pylist() == [8, 8, 4, 4]
    assert found["size_blocks"].to_pylist() == [10, 2, 10, 2]
    assert tally(found)["distinct_blocks"] == 13


def test_sizes_double_as_long_as_a_count_changes() -> None:
    rows = [("read", 0, 0, 4, 20, "a"), ("read", 0, 16, 4, 20, "a"), ("read", 0, 0, 4, 20, "a")]
    assert disk_accesses(table(rows), block_bytes=BLOCK)["size_blocks"].to_pylist() == [1, 2]
    assert disk_accesses(table([]), block_bytes=BLOCK)["size_blocks"].to_pylist() == [1]
    found = disk_accesses(table(rows), fetch_bytes=[20], block_bytes=BLOCK)
    assert found["size_blocks"].to_pylist() == [1, 2, 4, 8]


def test_blocks_that_are_only_fetched_have_a_budget() -> None:
    """Each file of four blocks is read at its first: three more are in its fetch block."""
    rows = [("read", file, 0, 4, 16, "a") for file in range(4)]
    access = DiskAccess(fetch_bytes=(16,), budget_blocks=9)
    simulate_disk_accesses(table(rows[:3]), Cache(block_bytes=BLOCK), access)
    with pytest.raises(
        IotraceError, match="reference 3: the fetch blocks have more than 9 blocks that no request"
    ):
        simulate_disk_accesses(table(rows), Cache(block_bytes=BLOCK), access)


def test_what_makes_no_sense_is_refused() -> None:
    rows = table([("read", 0, 0, 10, 10, "a")])
    for size in (4095, 2048, 6144, 0, -4096):
        with pytest.raises(UsageError, match=f"a multiple of the cache block, 4096 bytes, not {size} bytes"):
            disk_accesses(rows, fetch_bytes=[size])
    with pytest.raises(UsageError, match="1 to 1024 cache blocks"):
        disk_accesses(rows, fetch_bytes=[1025 * 4096])
    with pytest.raises(UsageError, match="0 to 100 percent"):
        disk_accesses(rows, coalesce_percent=101)
    with pytest.raises(UsageError, match="less than one block"):
        disk_accesses(rows, sizes_bytes=[100])
    with pytest.raises(IotraceError, match="reference 0: a negative number"):
        disk_accesses(table([("read", 0, -1, 10, 10, "a")]), fetch_bytes=[8192])
    assert isinstance(disk_accesses(rows), pa.Table)
