"""Figures, improvements and findings of chapter 5 on small stores."""

import csv
from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pytest
from attribute_oracle import simulate
from small_store import Row, small_store

from iotrace.errors import UsageError
from iotrace.papers.data import published
from iotrace.papers.findings.claim import whole
from iotrace.papers.richardson.attribute_figures import Line, figure_table, figures, points, value
from iotrace.papers.richardson.attribute_improvements import PRINTED_AS, improvements
from iotrace.papers.richardson.attribute_judging import FILES, HOW, STATISTICS, judge, numbers
from iotrace.papers.richardson.judging import claims, measures
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import REGIONS, region_as_printed, region_by_bounds, schemes, variable

KB = 1024


def inode_round(inodes: int, times: int) -> list[Row]:
    """Inodes read in turn, again and again: all hit where all fit, none otherwise."""
    return [("inode", "read", number, 0, 128, 128) for _ in range(times) for number in range(inodes)]


@pytest.fixture
def memo(tmp_path: Path) -> PassMemo:
    """300 inodes, which 32 KB do not hold and 64 KB do; 40 hold both halves of a 16-KB ID subcache's."""
    return PassMemo(small_store(tmp_path / "inodes", inode_round(300, 10)))


@pytest.fixture
def other(tmp_path: Path) -> PassMemo:
    return PassMemo(small_store(tmp_path / "few", inode_round(40, 2)))


def drawn(memos: dict[str, PassMemo], ids: list[str] | None = None) -> pa.Table:
    """Return the lines of figures for traces."""
    return figure_table({name: points(memo, ids) for name, memo in memos.items()}, ids)


def test_every_finding_of_chapter_5_is_stated() -> None:
    ids = {whole(claim.finding) for claim in claims(FILES)}
    assert ids == {"R11", "R12", "R14", "R15", "R16", "R25", "R26", "R29", "R30", "R31"}
    by_id = {measure["id"]: measure for measure in measures(FILES)}
    assert {claim.how["measure"] for claim in claims(FILES)} == set(by_id)
    for measure in by_id.values():
        assert measure["how"] in HOW and measure.get("statistic", "mean") in STATISTICS


def test_every_printed_improvement_has_a_row(memo: PassMemo) -> None:
    rows = improvements({"one": memo}).to_pylist()
    there = {(row["measure"], row["region"]): row["paper_percent"] for row in rows}
    others = {"miss_ratio", "request_miss_ratio"}  # the abstract's and chapter 6's words for the reads
    printed = [row for row in published("richardson", "improvements") if row["measure"] not in others]
    assert {
        (row["measure"], row["region"]): float(row["change_pct"]) for row in printed
    }.items() <= there.items()
    assert len(rows) == len(PRINTED_AS) * len(REGIONS) + 3


def test_means_are_over_traces_then_sizes(memo: PassMemo, other: PassMemo) -> None:
    rows = improvements({"a": memo, "b": other}).to_pylist()
    medium = next(row for row in rows if (row["measure"], row["region"]) == ("read_disk_requests", "medium"))
    # a: the ID subcache holds all from 64 KB on, the baseline's 32 KB none; b: both hold all
    assert medium["ours_percent"] == pytest.approx(100 * ((300 / 3000 + 1) / 2 - 1))
    assert (medium["cells"], medium["left_out"]) == (14, 0)
    writes = next(row for row in rows if (row["measure"], row["region"]) == ("write_disk_requests", "large"))
    assert writes["ours_percent"] is None and (writes["cells"], writes["left_out"]) == (0, 20)


def test_a_baseline_without_a_block_is_left_out_of_the_means_unless_kept(memo: PassMemo) -> None:
    named = [
        ("read_disk_requests", "small"),
        ("read_disk_requests", "max_over_sizes"),
        ("memory_for_equal_miss_ratio", "all"),
    ]
    for measure, region in named:
        usual, kept = (
            next(
                row
                for row in improvements({"a": memo}, keep_uncached=keep).to_pylist()
                if (row["measure"], row["region"]) == (measure, region)
            )
            for keep in (False, True)
        )
        assert (usual["cells"], usual["left_out"]) == (kept["cells"] - 1, kept["left_out"] + 1)
    # of 32, 64 and 128 KB, each of which has inodes alone: half of 32 KB does not hold them, the others do
    means = {
        keep: next(
            row["ours_percent"]
            for row in improvements({"a": memo}, keep_uncached=keep).to_pylist()
            if (row["measure"], row["region"]) == ("read_disk_requests", "small")
        )
        for keep in (False, True)
    }
    at_64_kb, at_128_kb = (
        value(memo, Line("", variable(), "reads", schemes()["unix"]), total) for total in (65536, 131072)
    )
    at_32_kb = value(memo, Line("", variable(), "reads", schemes()["unix"]), 32768)
    assert means[False] == pytest.approx(100 * ((at_64_kb + at_128_kb) / 2 - 1))
    assert means[True] == pytest.approx(100 * ((at_32_kb + at_64_kb + at_128_kb) / 3 - 1))
    judged = {
        keep: {row["finding"]: row["ours"] for row in judge(memo, keep_uncached=keep).to_pylist()}
        for keep in (False, True)
    }
    for keep, ours in judged.items():
        assert ours["R31a"] == pytest.approx(100 + means[keep])
    others = judged[False].keys() - {"R31a", "R31d", "R31g", "R31j"}
    assert {name: judged[False][name] for name in others} == {name: judged[True][name] for name in others}


def test_totals_with_a_subcache_that_has_no_block_are_marked(memo: PassMemo) -> None:
    rows = drawn({"a": memo}, ["5.4", "5.11"]).to_pylist()
    assert {(row["total_bytes"], row["uncached"]) for row in rows if row["uncached"]} == {(32768, "Unix")}
    assert {row["figure"] for row in rows if row["uncached"]} == {"5.4", "5.11"}
    assert schemes()["unix"].without_block(36864) == variable().without_block(32768) == ()


def test_the_mean_is_beside_each_trace(memo: PassMemo, other: PassMemo) -> None:
    rows = drawn({"a": memo, "b": other}, ["5.11"]).to_pylist()
    at = {row["trace"]: row for row in rows if row["total_bytes"] == 640 * KB}
    assert (at["a"]["value"], at["b"]["value"], at[None]["value"]) == (0.1, 1.0, 0.55)
    assert all(row["printed"] for row in at.values()) and at[None]["traces"] == 2
    assert {row["trace"] for row in drawn({"a": memo}, ["5.11"]).to_pylist()} == {"a"}


def test_every_figure_has_points(memo: PassMemo) -> None:
    table = drawn({"a": memo})
    of_reads = set(figures()) - {"5.13", "5.15"}  # nothing is written
    assert of_reads <= set(table["figure"].to_pylist())
    assert list(figures()) == [f"5.{number}" for number in (4, 6, 7, 8, *range(10, 21))]


def test_figures_that_there_are_not(memo: PassMemo) -> None:
    with pytest.raises(UsageError, match=r"no figure 5\.9"):
        drawn({"a": memo}, ["5.9"])


def test_figure_5_10_is_a_simulation_of_both(memo: PassMemo) -> None:
    rows = drawn({"a": memo}, ["5.10"]).to_pylist()
    at = {row["line"]: row["value"] for row in rows if row["total_bytes"] == 32 * KB}
    for scheme, blocks in ((schemes()["unix"], 256), (variable(), 128)):
        counts = simulate(inode_round(300, 10), {"all": (blocks, 128)}, lambda row: "all")["all"]
        assert at[scheme.label] == counts["read_request_misses"] / counts["read_requests"]


def test_judging_says_why_it_cannot(memo: PassMemo) -> None:
    judged = {row["finding"]: row for row in judge(memo).to_pylist()}
    assert judged["R16a"]["verdict"] == judged["R16b"]["verdict"] == "can't be judged"
    assert judged["R16a"]["reason"].startswith("the dissertation says it of application only")
    assert judged["R15"]["verdict"] == "can't be judged" and judged["R15"]["reason"]


def test_the_best_and_the_worst_size_are_judged_in_their_direction(memo: PassMemo, other: PassMemo) -> None:
    """A reduction of 90 % is one; where nothing is saved there is none (it held as "at least a quarter is left")."""
    best, none = (
        {row["finding"]: row for row in judge(one, like="application").to_pylist()}["R16a"]
        for one in (memo, other)
    )
    assert (best["ours"], best["verdict"], best["distance"]) == (90, "fails", pytest.approx(-6.6))
    assert (none["ours"], none["verdict"]) == (0, "fails")
    worst = {row["finding"]: row for row in judge(other, like="mecca-server").to_pylist()}["R16b"]
    assert (worst["ours"], worst["verdict"]) == (0, "fails")


def test_curves_do_not_cancel() -> None:
    assert STATISTICS["mean"]([0.5, 1.5]) == 1
    assert STATISTICS["mean difference"]([0.5, 1.5]) == STATISTICS["largest difference"]([0.5, 1.5]) == 50
    assert STATISTICS["percent below 1"]([0.5, 1.0, 1.5, 0.9]) == 50
    assert (STATISTICS["largest reduction"]([0.25, 2]), STATISTICS["largest increase"]([0.25, 2])) == (
        75,
        100,
    )


def test_measures_at_sizes(memo: PassMemo) -> None:
    by_id = {measure["id"]: measure for measure in measures(FILES)}
    judge(memo)  # prepares all schemes
    # from 36 MB on the ID subcache holds all; the baseline's 256 inodes none of 300 in turn
    assert sorted(set(numbers(memo, by_id["misses_beyond_24_mb"]))) == [10, 100]
    assert numbers(memo, by_id["sizes_below_the_best_baseline"]) == (100,)
    assert numbers(memo, by_id["writes_at_capture"]) == numbers(memo, by_id["writes_beyond"]) == ()
    assert all(ratio == 1 for ratio in numbers(memo, by_id["id_only_in_the_smallest"]))


def test_an_empty_trace_is_judged_by_nothing(tmp_path: Path) -> None:
    empty = PassMemo(small_store(tmp_path / "empty", []))
    assert set(judge(empty)["verdict"].to_pylist()) == {"can't be judged"}
    assert set(improvements({"empty": empty})["ours_percent"].to_pylist()) == {None}
    assert drawn({"empty": empty}).num_rows == 0


def test_regions() -> None:
    assert [region_as_printed(size * KB) for size in (128, 256, 4352, 6272, 6273)] == [
        "small", "medium", "medium", "large", None,
    ]  # fmt: skip
    assert [region_by_bounds(size * KB) for size in (128, 129, 256, 4096, 4097, 8192)] == [
        "small", None, "medium", "medium", None, "large",
    ]  # fmt: skip


def test_schemes_are_data() -> None:
    text = files("iotrace.simulate.attribute").joinpath("variable_scheme.csv").read_text("utf-8")
    rows = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
    assert [str(row.configuration) for row in variable().rows] == [row["notation"] for row in rows]
    for row, printed in zip(variable().rows, rows, strict=True):
        assert row.printed_bytes[-1] == int(printed["total_max_kb"]) * KB
