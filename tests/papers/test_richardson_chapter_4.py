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
from iotrace.papers.findings.claim import whole
from iotrace.papers.richardson.cache_figures import figure_tables, figures
from iotrace.papers.richardson.cache_judging import FILES, judge
from iotrace.papers.richardson.cache_measures import HOW, numbers, runs
from iotrace.papers.richardson.judging import claims, measures
from iotrace.papers.richardson.paging import Disk, demand_paging

KB = 1024


def printed(name: str) -> set[str]:
    lines = files("iotrace.papers.richardson").joinpath("data", name).read_text("utf-8").splitlines()
    return {row["id"] for row in csv.DictReader(line for line in lines if not line.startswith("#"))}


def inode_reads(inodes: list[int]) -> list[Row]:
    return [("inode", "read", inode, 0, 128, 128) for inode in inodes]


def points(table: Any, figure: str, line: str) -> dict[int, float]:
    rows = [row for row in table.to_pylist() if row["figure"] == figure and row["line"] == line]
    return {row["size_blocks"]: row["value"] for row in rows}


def test_every_finding_of_chapter_4_is_stated() -> None:
    first_and_last = [whole(claim.finding).split("-") for claim in claims(FILES)]
    ids = {name if len(name) == 3 else f"W{name}" for both in first_and_last for name in both}
    of_chapter_5 = {"R11", "R12", "R14", "R15", "R16", "R25", "R26", "R29", "R30", "R31"}
    printed_ids = printed("working_set.csv") | printed("findings.csv")
    assert ids == (printed_ids - of_chapter_5) | {"F47", "F48"}


def test_every_measure_is_used_and_can_be_read() -> None:
    by_id = {measure["id"]: measure for measure in measures(FILES)}
    assert {claim.how["measure"] for claim in claims(FILES)} == set(by_id)
    for measure in by_id.values():
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
    assert numbers(memo, capture) == (10,)
    assert numbers(memo, {**capture, "unit": "KB"}) == (10 * 128 / 1024,)
    assert numbers(memo, {"how": "captured", "run": run, "ratio": "read_hit_ratio", "size_blocks": 9}) == (0,)
    at = {"how": "at", "run": run, "ratio": "read_hit_ratio", "times": 100}
    assert numbers(memo, at) == (90,)
    assert numbers(memo, {**at, "sizes_blocks": [9, 10]}) == (0, 90)
    parts = [{"run": run}, {"run": run}]
    halves = {"how": "halves", "parts": parts, "sizes_blocks": [10, 20], "extreme": "smallest"}
    assert numbers(memo, halves) == (0.1,)
    assert numbers(memo, {**halves, "extreme": "largest"}) == (1,)
    quotient = {"how": "quotient", "parts": [{"how": "at", "run": run, "ratio": "write_hit_ratio"}] * 2}
    assert numbers(memo, quotient) == ()


def test_measures_of_blocks(tmp_path: Path) -> None:
    """A file of 512 KB read once in pieces of 8 KB, and an executable of 8 KB that is requested whole."""
    large = [("datafile", "read", 0, place * 8 * KB, 8 * KB, 512 * KB) for place in range(64)]
    program: list[Row] = [("executable", "read", 1, 0, 8 * KB, 8 * KB)]
    memo = RunMemo(small_store(tmp_path / "s.iotrace", [*large, *program], {0: 512 * KB, 1: 8 * KB}))
    run = {"types": ["executable", "datafile"], "file_bytes_from": 512 * KB}
    curve = {"run": run, "ratio": "request_miss_ratio", "cache_bytes": [1024 * KB]}
    blocks = [4 * KB, 8 * KB, 16 * KB, 32 * KB]
    doubling = {**curve, "how": "block_doublings", "blocks": blocks[1:]}
    assert numbers(memo, {**doubling, "statistic": "mean"}) == (0.5,)
    assert numbers(memo, {**doubling, "statistic": "largest", "blocks": blocks}) == (1,)
    # the requests are for 8 KB: blocks of 8 KB save nothing against 4 KB
    assert numbers(memo, {**curve, "how": "first_doubling", "blocks": blocks}) == (2,)
    assert numbers(memo, {**curve, "how": "half_blocks", "blocks": [16 * KB]}) == (2,)
    compared = {**curve, "how": "differences", "statistic": "largest", "reference_block": 4 * KB}
    assert numbers(memo, {**compared, "blocks": [32 * KB]}) == (75,)
    whole = {**compared, "run": {"types": ["executable"]}, "blocks": [8 * KB]}
    assert numbers(memo, whole) == (0,)
    of_all = {**curve, "how": "differences", "statistic": "mean", "blocks": [32 * KB]}
    of_all |= {"other": {"file_bytes_from": 0}, "of": {"types": ["executable", "datafile"]}}
    assert numbers(memo, of_all) == pytest.approx([100 / 65])


def test_measures_of_inodes_in_large_blocks(tmp_path: Path) -> None:
    """1,024 inodes in turn, twice: none hits before all fit, but 32 in a block share a miss."""
    memo = RunMemo(small_store(tmp_path / "s.iotrace", inode_reads([*range(1024)] * 2), {1023: 128}))
    raw = {"run": {"types": ["inode"], "block_bytes": 128}, "ratio": "read_hit_ratio", "inodes_per_block": 32}
    gains = numbers(memo, {**raw, "how": "placement", "part": 0.9})
    assert len(gains) == 5 and all(gain == pytest.approx(-100 * 31 / 32) for gain in gains)
    assert numbers(memo, {**raw, "how": "placement_gain"}) == pytest.approx([1])


def test_the_first_entries_capture_what_locality_there_is(tmp_path: Path) -> None:
    """Two blocks in turn, and after each turn one of twelve: two entries hit twice in five, and ten no more."""
    order = [[0, 1, 0, 1, 2 + number % 12] for number in range(60)]
    rows = [("datafile", "read", 0, 4 * KB * block, 4 * KB, 512 * KB) for turn in order for block in turn]
    memo = RunMemo(small_store(tmp_path / "s.iotrace", rows, {0: 512 * KB}))
    raw = {"run": {"types": ["datafile"]}, "ratio": "request_miss_ratio", "hits": "request_hit_ratio"}
    # from 2 to 7 entries (half of the 14 that hold all) the miss ratio falls from 3/5 by what block 0 and 1 gain
    (first,) = numbers(memo, {**raw, "how": "first_entries", "entries": 2})
    assert first == pytest.approx((120 / 300) / (118 / 300))
    assert numbers(memo, {**raw, "how": "first_entries", "entries": 8}) == ()


def test_what_is_said_of_some_workloads_is_judged_where_the_trace_is_said_to_be_like_one(
    tmp_path: Path,
) -> None:
    rows: list[Row] = [("datafile", "read", 0, 0, KB, KB)] * 2
    memo = RunMemo(small_store(tmp_path / "s.iotrace", rows, {0: KB}))
    without, like = (
        {row["finding"]: row for row in judge(memo, like=name).to_pylist()} for name in (None, "cad")
    )
    assert (without["R06"]["verdict"], like["R06"]["verdict"]) == ("can't be judged", "holds")
    assert without["R06"]["reason"].startswith("the dissertation says it of compilation only")
    assert like["R09a"]["reason"].startswith("the dissertation says it of whole files only")


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
