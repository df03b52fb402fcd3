"""``iotrace curve --workers``: slices that run at the same time give the table of one pass, or say why they cannot."""

from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_states import BLOCK, MOVES, Row, one_pass, references
from test_states_verb import days, run, whole

from iotrace.analysis.block_budget import BlockBudget, Spent
from iotrace.analysis.curves import Cache, curve
from iotrace.analysis.curves.curves import Curves
from iotrace.analysis.curves.slices import PARTS_PER_SLOT, Slice, cut, cut_for, simulate_slices
from iotrace.errors import IotraceError, UsageError
from iotrace.store.row_groups import batches_of
from iotrace.workers import Workers

__all__ = ["days"]


def curves(rows: list[Row], workers: int, cache: Cache, is_remote: bool = False) -> Curves:
    """Return the curves of rows that workers take slices of."""
    table, budget = references(rows), BlockBudget(1 << 30, BLOCK, "")

    def leaf(records: range) -> Slice:
        batches = table.slice(records.start, len(records)).to_batches()
        return Slice.of(batches, cache, budget.of_slice(records.start))

    with ThreadPoolExecutor(workers) as pool:
        running = Workers(pool, workers, is_remote)
        return simulate_slices(running, leaf, cut(len(rows), workers), cache, budget)


@given(st.integers(0, 50), st.integers(1, 9))
def test_slices_are_all_rows_in_order(rows: int, slices: int) -> None:
    ranges = cut(rows, slices)
    assert [row for each in ranges for row in each] == list(range(rows))
    assert max(map(len, ranges)) - min(map(len, ranges)) <= 1


@given(MOVES, st.integers(1, 6))
def test_slices_give_the_table_of_one_pass(rows: list[Row], workers: int) -> None:
    cache = Cache(block_bytes=BLOCK, deletes="ignore", syncs="ignore")
    assert curves(rows, workers, cache).table().equals(one_pass(rows), check_metadata=True)


def test_a_file_with_sizes_among_files_without() -> None:
    """A block that lies beyond its file's end begins to be counted so in the middle of a slice."""
    unsized: list[Row] = [
        (operation, 0, 4 * block, 4, None, None)
        for block in (0, 1, 2, 0, 1, 3)
        for operation in ("read", "write", "read")
    ]
    sized: list[Row] = [("write", 1, 0, 3, 3, None), ("read", 1, 0, 6, 6, None), ("read", 1, 4, 3, 7, None)]
    rows = [*unsized, *sized, *unsized, *sized, *unsized]
    for workers in range(1, 8):
        table = curves(rows, workers, Cache(block_bytes=BLOCK, deletes="ignore")).table()
        assert table.equals(curve(references(rows), block_bytes=BLOCK, deletes="ignore", syncs="ignore"))


@given(st.integers(0, 30), st.integers(0, 30))
def test_rows_of_a_file_by_row_groups(first: int, end: int) -> None:
    """The rows asked for, whichever row groups and batches they lie in."""
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table({"row": list(range(25))}), buffer, row_group_size=7)
    stored = pq.ParquetFile(pa.BufferReader(buffer.getvalue()))
    found = [
        row for batch in batches_of(stored, ["row"], 3, range(first, end)) for row in batch["row"].to_pylist()
    ]
    assert found == list(range(25))[first:end]


@pytest.mark.usefixtures("days")
@pytest.mark.parametrize(
    "options", [(), ("--where", "file = 0"), ("--block", "512"), ("--sizes", "64K,1M", "--coalesce", "none")]
)
def test_the_command_prints_the_same_with_any_number_of_workers(options: tuple[str, ...]) -> None:
    for workers in ("2", "3", "999"):
        assert whole("--workers", workers, *options) == whole(*options)


@pytest.mark.usefixtures("days")
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--by type", "--workers cannot be combined with --by"),
        ("--warm-up 5", "--workers cannot be combined with --warm-up"),
        ("--policy fifo --sizes 1M", "--workers cannot be combined with --policy"),
        ("--state -o a.state", "--workers cannot be combined with --state"),
        ("--write-policy no-allocate", "a state needs the write policy allocate"),
    ],
)
def test_what_slices_cannot_do_is_refused(words: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        run("curve", "both.csv", "--workers", "2", *words.split())


def test_deletions_are_refused_with_the_advice() -> None:
    rows: list[Row] = [("write", 0, 0, 4, None, None), ("delete", 0, 0, None, None, None)]
    with pytest.raises(IotraceError, match="give --deletes ignore, or --workers 1"):
        curves(rows * 2, 2, Cache(block_bytes=BLOCK))


def test_a_store_without_references_has_an_empty_curve(tmp_path: Path) -> None:
    log = tmp_path / "a.strace"
    log.write_text("1 0.000001 close(3) = 0 <0.000001>\n")
    assert run("curve", str(log), "--format", "csv", "--workers", "2") == run(
        "curve", str(log), "--format", "csv"
    )


@given(MOVES, st.integers(1, 6))
def test_slices_that_are_sent_give_the_table_of_one_pass(rows: list[Row], workers: int) -> None:
    cache = Cache(block_bytes=BLOCK, deletes="ignore", syncs="ignore")
    assert curves(rows, workers, cache, True).table().equals(one_pass(rows), check_metadata=True)


@given(st.lists(st.integers(1, 9), max_size=30), st.integers(1, 9))
def test_remote_workers_take_whole_row_groups(groups: list[int], slots: int) -> None:
    ends = list(accumulate(groups))
    workers = Workers(None, slots)  # type: ignore[arg-type]
    ranges = cut_for(workers, ends)
    assert [row for each in ranges for row in each] == list(range(sum(groups)))
    if len(groups) >= PARTS_PER_SLOT * slots:
        assert {each.stop for each in ranges} <= set(ends)


@given(st.lists(st.integers(0, 400), min_size=1, max_size=20), st.integers(1, 6), st.integers(0, 30))
def test_slices_spend_a_budget_as_the_whole_does(blocks: list[int], slices: int, most: int) -> None:
    """Slices together are refused just where one pass is."""
    whole = BlockBudget(most, 1, "")
    refused = False
    for length in blocks:
        try:
            whole.spend(pa.array([length]))
        except IotraceError:
            refused = True
            break
    spent = Spent(0, 0.0, 0.0)
    for each in cut(len(blocks), slices):
        budget = BlockBudget(most, 1, "").of_slice(each.start)
        try:
            for length in blocks[each.start : each.stop]:
                budget.spend(pa.array([length]))
        except IotraceError:
            assert refused
            return
        spent += budget.spent
    assert (spent.peak > most) == refused
