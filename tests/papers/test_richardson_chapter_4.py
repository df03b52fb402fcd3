"""Chapter 4 on small stores: figures by hand, findings as data, equation 4.2."""

import csv
from collections import OrderedDict
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from small_store import Row, small_store

from iotrace import queries
from iotrace.analysis.lines.runs import Run, RunMemo
from iotrace.errors import UsageError
from iotrace.papers.data import entries
from iotrace.papers.richardson.cache_figures import figure_tables, figures
from iotrace.papers.richardson.cache_judging import FILES, judge
from iotrace.papers.richardson.cache_measures import HOW, runs, take
from iotrace.papers.richardson.paging import Disk, demand_paging

KB = 1024


def stated(name: str) -> dict[str, Any]:
    return {kind: entries("richardson", name, kind) for kind in ("measure", "finding")}


def printed(name: str) -> set[str]:
    lines = files("iotrace.papers.richardson").joinpath("data", name).read_text("utf-8").splitlines()
    return {row["id"] for row in csv.DictReader(line for line in lines if not line.startswith("#"))}


def inode_reads(inodes: list[int]) -> list[Row]:
    return [("inode", "read", inode, 0, 128, 128) for inode in inodes]


def points(table: Any, figure: str, line: str) -> dict[int, float]:
    rows = [row for row in table.to_pylist() if row["figure"] == figure and row["line"] == line]
    return {row["size_blocks"]: row["value"] for row in rows}


def test_every_finding_of_chapter_4_is_stated() -> None:
    ids = [finding["id"] for name in FILES for finding in stated(name)["finding"]]
    of_chapter_5 = {"R11", "R12", "R14", "R15", "R16"}
    assert len(ids) == len(set(ids))
    printed_ids = printed("working_set.csv") | printed("findings.csv")
    assert set(ids) == (printed_ids - of_chapter_5) | {"F47", "F48"}


def test_every_measure_is_used_and_can_be_read() -> None:
    for name in FILES:
        raw = stated(name)
        measures = {measure["id"]: measure for measure in raw["measure"]}
        assert {finding["measure"] for finding in raw["finding"]} == set(measures)
        for measure in measures.values():
            assert measure["how"] in HOW
            assert all(isinstance(run, Run) for run in runs(measure))


def test_all_figures_of_chapter_4_are_there() -> None:
    assert list(figures()) == [f"4.{number}" for number in range(1, 16)]


@examples(30)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=80))
def test_figure_4_2_is_an_lru_list_of_inodes(
    tmp_path_factory: pytest.TempPathFactory, inodes: list[int]
) -> None:
    path = tmp_path_factory.mktemp("stores") / "small.iotrace"
    memo = RunMemo(small_store(path, inode_reads(inodes), {9: 128}))
    for size, value in points(figure_tables(memo, ["4.2"]), "4.2", "reads").items():
        cache: OrderedDict[int, None] = OrderedDict()
        hits = 0
        for inode in inodes:
            hits += inode in cache
            cache[inode] = None
            cache.move_to_end(inode)
            if len(cache) > size:
                cache.popitem(last=False)
        assert value == pytest.approx(hits / len(inodes))


def test_updates_after_reads_halve_the_miss_ratio(tmp_path: Path) -> None:
    rows: list[Row] = []
    for inode in [0, 1, 2] * 4:
        rows += [("inode", "read", inode, 0, 128, 128), ("inode", "update", inode, 0, 128, 128)]
    memo = RunMemo(small_store(tmp_path / "s.iotrace", rows, {2: 128}))
    table = figure_tables(memo, ["4.2"])
    assert points(table, "4.2", "reads") == {1: 0, 2: 0, 4: 9 / 12}
    assert points(table, "4.2", "reads and writes") == {1: 12 / 24, 2: 12 / 24, 4: 21 / 24}
    judged = {row["finding"]: row for row in judge(memo).to_pylist()}
    assert (judged["R01"]["verdict"], judged["R01"]["ours"]) == ("holds", 0.5)
    assert (judged["W01"]["verdict"], judged["W01"]["ours"]) == ("holds", 0.0)
    assert (judged["W02"]["verdict"], judged["W02"]["ours"]) == ("fails", 75.0)
    assert judged["R04"]["verdict"] == "can't be judged"
    assert judged["R04"]["reason"] == "the trace has no such requests: datafile"


def test_large_files_are_a_part_of_all_requests_and_of_their_own(tmp_path: Path) -> None:
    """Four reads of a large file in sequence and twelve of a small one that always hits after the first."""
    large = [("datafile", "read", 0, place * 8 * KB, 8 * KB, 512 * KB) for place in range(4)]
    small = [("datafile", "read", 1, 0, 4 * KB, 4 * KB)] * 12
    memo = RunMemo(small_store(tmp_path / "s.iotrace", [*large, *small], {0: 512 * KB, 1: 4 * KB}))
    table = figure_tables(memo, ["4.12", "4.14"])
    assert points(table, "4.12", "4 KB blocks, of all requests")[8] == 4 / 16
    assert points(table, "4.12", "4 KB blocks, of these files' requests")[8] == 4 / 4
    assert points(table, "4.12", "16 KB blocks, of these files' requests")[2] == 2 / 4
    assert points(table, "4.14", "4 KB blocks, of all requests") == {1: 1 / 16}
    assert points(table, "4.14", "4 KB blocks, of these files' requests") == {1: 1 / 12}


def test_traffic_counts_whole_blocks_or_up_to_the_files_end(tmp_path: Path) -> None:
    rows: list[Row] = [("datafile", "read", 0, 0, 100, 6 * KB), ("datafile", "write", 1, 0, 10, 10)]
    memo = RunMemo(small_store(tmp_path / "s.iotrace", rows, {0: 6 * KB, 1: 10}))
    table = figure_tables(memo, ["4.11"])
    assert points(table, "4.11", "16 KB blocks")[2] == 2 * 16 / 8
    assert points(table, "4.11", "16 KB blocks, reads only")[2] == 16 / 8
    assert points(table, "4.11", "16 KB blocks, reads up to the file's end")[2] == 6 / 8


def test_inodes_placed_together_share_misses(tmp_path: Path) -> None:
    memo = RunMemo(small_store(tmp_path / "s.iotrace", inode_reads([5, 7, 5, 1]), {7: 128}))
    table = figure_tables(memo, ["4.9"])
    assert points(table, "4.9", "4 KB blocks, 2 to a block")[1] == 2 / 4
    assert points(table, "4.9", "4 KB blocks, 1 to a block")[1] == 0


def test_writes_and_reads_under_both_policies(tmp_path: Path) -> None:
    rows: list[Row] = [("datafile", "write", 0, 0, KB, KB), ("datafile", "read", 0, 0, KB, KB)]
    rows += [("datafile", "write", 0, 0, KB, KB), ("datafile", "write", 0, KB, KB, 2 * KB)]
    memo = RunMemo(small_store(tmp_path / "s.iotrace", rows, {0: 2 * KB}))
    table = figure_tables(memo, ["4.6", "4.7", "4.8"])
    assert points(table, "4.6", "no-write-allocate") == {1: 1.0}
    assert points(table, "4.7", "write-allocate") == {1: 0.0}
    assert points(table, "4.8", "all write hits") == {1: 2 / 3}
    assert points(table, "4.8", "hits that overwrite") == {1: 1 / 3}
    assert points(table, "4.8", "hits that fill") == {1: 1 / 3}


def test_measures_of_capture_and_of_halves(tmp_path: Path) -> None:
    """Ten inodes in a loop, ten times: an LRU cache of ten captures all, one of nine nothing."""
    memo = RunMemo(small_store(tmp_path / "s.iotrace", inode_reads(list(range(10)) * 10), {9: 128}))
    run = {"types": ["inode"], "block_bytes": 128}
    capture = {"how": "capturing_size", "run": run, "ratio": "read_hit_ratio", "unit": "blocks"}
    assert take(memo, capture) == 10
    assert take(memo, {**capture, "unit": "KB"}) == 10 * 128 / 1024
    assert take(memo, {"how": "captured", "run": run, "ratio": "read_hit_ratio", "size_blocks": 9}) == 0
    assert take(memo, {"how": "at", "run": run, "ratio": "read_hit_ratio", "times": 100}) == 90
    parts = [{"run": run}, {"run": run}]
    halves = {"how": "halves", "parts": parts, "sizes_blocks": [10, 20], "extreme": "smallest"}
    assert take(memo, halves) == 0.1
    assert take(memo, {**halves, "extreme": "largest"}) == 1
    quotient = {"how": "quotient", "parts": [{"how": "at", "run": run, "ratio": "write_hit_ratio"}] * 2}
    assert take(memo, quotient) is None


def test_equation_4_2_gives_the_dissertations_12_percent(tmp_path: Path) -> None:
    assert round(100 * Disk().break_even(135 * KB), 3) == 12.203
    rows: list[Row] = [("executable", "read", 0, 0, 135 * KB, 135 * KB)] * 3
    store = small_store(tmp_path / "s.iotrace", rows, {0: 135 * KB, 1: 10})
    table = demand_paging(store)
    assert table.schema.equals(queries.table_schema("demand_paging"))
    assert table["ours"].to_pylist() == table["paper"].to_pylist()
    slower = demand_paging(store, Disk(overhead_ms=0)).to_pylist()[-1]
    assert slower["ours"] == pytest.approx(100 * 135 / 136)


def test_demand_paging_without_executables_says_so(tmp_path: Path) -> None:
    table = demand_paging(small_store(tmp_path / "s.iotrace", inode_reads([0]), {0: 128}))
    assert table["ours"].to_pylist()[3:] == [None, None, None]


def test_a_store_without_requests_is_judged_nowhere(tmp_path: Path) -> None:
    judged = judge(RunMemo(small_store(tmp_path / "s.iotrace", [], {0: 128})))
    assert set(judged["verdict"].to_pylist()) == {"can't be judged"}
    assert judged.schema.equals(queries.table_schema("findings"))


def test_an_unknown_figure_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"chapter 4 has no figure 4\.16"):
        figure_tables(RunMemo(small_store(tmp_path / "s.iotrace", [], {0: 128})), ["4.16"])
