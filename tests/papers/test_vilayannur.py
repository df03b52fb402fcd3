"""The paper on discretionary caching: cells, figures as settings, findings as predicates on made-up simulations."""

import csv
from collections.abc import Callable, Sequence
from importlib.resources import files

import pytest

from iotrace.papers.findings.claim import findings_of, whole
from iotrace.papers.findings.verdicts import Verdict
from iotrace.papers.vilayannur.cells import cells, printed_required
from iotrace.papers.vilayannur.figures import TRACE, Setting, figures
from iotrace.papers.vilayannur.judging import claims, judge, of_cells
from iotrace.papers.vilayannur.memo import Mechanism, Metrics, PaperMemo, values
from iotrace.simulate.cluster import costs
from iotrace.simulate.cluster.costs import CostRow

PARTS = claims()
SIX = ("lu", "cholesky", "titan", "mining", "pgrep", "db2")
AS_SAID = Mechanism(0, 0)
PAPER_SAYS = {"none": 100, "local": 90, "global": 80, "local-global": 120, "coarse": 110, "fine": 90}


def memo(
    seconds: Callable[[Setting], float] = lambda setting: 1.0,
    traces: Sequence[str] = (),
    imitations: Sequence[str] = (),
    mechanism: Mechanism = AS_SAID,
) -> PaperMemo:
    """A memo of simulations that come to what is given."""

    def simulate(settings: Sequence[Setting], progress: Callable[[str], None]) -> list[Metrics]:
        return [Metrics(seconds(one), 50.0 + len(one.scheme), 40.0) for one in settings]

    return PaperMemo(costs.components(), simulate, lambda: mechanism, tuple(traces), tuple(imitations))


def verdicts(made: PaperMemo) -> dict[str, str]:
    return {row["finding"]: row["verdict"] for row in judge(made).to_pylist()}


def test_cells_are_those_of_the_paper_with_their_errors() -> None:
    rows = cells(costs.components()).to_pylist()
    assert len(rows) == 196 + 28
    assert list(rows[0]) == ["table", "row", "column", "printed", "model", "error"]
    by_key = {(row["table"], row["row"], row["column"]): row for row in rows}
    assert len(by_key) == len(rows)
    for row in rows:
        assert row["error"] == pytest.approx(row["model"] / row["printed"] - 1)
    assert by_key["1", "4 IODs, Global Miss (Local Miss)", "256K"]["printed"] == 107.63
    assert by_key["2", "1 IOD, Caching", "4K"]["printed"] == 0.55
    required = [row for row in rows if row["row"].endswith("Required HR")]
    assert len(required) == 28 and all(row["model"] == row["printed"] for row in required)


def test_required_hit_ratios_come_to_the_printed_digit() -> None:
    assert len(printed_required()) == 28
    for place, ratio in printed_required().items():
        assert costs.required_by_table(*place) == round(100 * ratio)


def test_every_finding_has_its_parts() -> None:
    assert (
        {whole(part.finding) for part in PARTS}
        == set(findings_of("vilayannur"))
        == {f"V{n:02}" for n in range(1, 23)}
    )
    assert len({part.finding for part in PARTS}) == len(PARTS)


def test_every_figure_from_3_to_13_is_there() -> None:
    assert [figure.id for figure in figures()] == [
        *"345678",
        "9a",
        "9b",
        "9a-lu",
        "9b-lu",
        "10",
        "11",
        "12",
        "13",
    ]
    for figure in figures():
        assert bool(figure.points()) != any(run["workload"] == TRACE for run in figure.run)
        assert len(figure.points(SIX)) == len(set(figure.points(SIX)))


def test_settings_are_those_of_the_text() -> None:
    by_id = {figure.id: figure for figure in figures()}
    known = {row["parameter"]: row["value"] for row in _parameters()}
    for point in [*by_id["3"].points(), *by_id["4"].points()]:
        assert point.setting.local_blocks == int(known["local_cache_micro_blocks"])
        assert point.setting.global_blocks == int(known["global_cache_micro_blocks"])
    assert {point.setting.iods for point in by_id["4"].points()} == {int(known["micro_fig4_iods"])}
    assert {point.setting.threshold for point in by_id["8"].points()} == {None, 3, 20}
    assert {point.setting.segment_blocks for point in by_id["9b"].points()} == {2, 4, 8, 16, 32, 64}
    assert {point.setting.threshold for point in by_id["9a"].points()} >= {20, 50}
    assert {dict(point.setting.parameters)["n"] for point in by_id["6"].points()} == {1500}
    sizes = {dict(point.setting.parameters)["n"] for point in by_id["7"].points()}
    assert (min(sizes), max(sizes)) == (int(known["problem_size_min"]), int(known["problem_size_max"]))
    for point in by_id["12"].points(SIX):
        assert (point.setting.local_blocks, point.setting.global_blocks) == (500, 1000)


def _parameters() -> list[dict[str, str]]:
    place = files("iotrace.papers.vilayannur").joinpath("data", "parameters.csv")
    return list(csv.DictReader(line for line in place.read_text("utf-8").splitlines() if line[0] != "#"))


def test_the_printed_times_bear_out_what_is_said_of_them() -> None:
    rows = judge(memo()).to_pylist()
    of_tables = [row for row in rows if whole(row["finding"]) <= "V08"]
    assert {row["printed_verdict"] for row in of_tables} == {"holds"}
    assert {row["origin"] for row in of_tables} == {"fitted"}
    assert all(row["number"] == row["model"] for row in of_tables)


def test_predicates_on_tables_can_fail() -> None:
    def same(row: CostRow, iods: int, size: int) -> float:
        return 1.0 + (row is CostRow.GLOBAL_MISS)

    for part in PARTS:
        if part.how["of"] == "cells" and part.finding != "V04a":
            assert part.verdict(of_cells(part.how, same)) is Verdict.FAILS, part.finding
    at_once = {
        part.finding: part.verdict(of_cells(part.how, lambda *_: 1.0))
        for part in PARTS
        if "other" in part.how
    }
    assert at_once == {"V04a": Verdict.FAILS}


def as_the_paper_says(setting: Setting) -> float:
    """Times that support every finding on figures 3 to 9."""
    if setting.workload == "micro":
        offset = dict(setting.parameters)["largest_offset_blocks"]
        order = {
            10: ["local-global", "local", "global", "none"],
            600: ["local-global", "global", "none", "local"],
            25000: ["none", "local", "global", "local-global"],
        }[offset]
        return 100 + order.index(setting.scheme)
    if setting.scheme == "runtime":
        best = 1 if setting.threshold in (20, 35, 50) and setting.segment_blocks not in (2, 64) else 2
        return 100 + best
    if setting.global_blocks == 50000:
        return 80 + 10 * (setting.scheme != "local-global")
    return PAPER_SAYS[setting.scheme] + (
        100 if setting.workload == "tomcatv" and setting.scheme == "local-global" else 0
    )


@pytest.mark.parametrize("finding", [f"V{number:02}" for number in (*range(9, 20), 22)])
def test_simulations_bear_findings_out_or_not(finding: str) -> None:
    said = verdicts(memo(as_the_paper_says))
    against = [
        verdicts(memo(lambda setting: 1 / as_the_paper_says(setting), mechanism=Mechanism(1, 1))),
        verdicts(memo(lambda setting: 2 if setting.scheme == "local" else 1)),
    ]
    for part in (part.finding for part in PARTS if whole(part.finding) == finding):
        assert said[part] == "holds", part
    assert "fails" in {
        verdict for found in against for part, verdict in found.items() if whole(part) == finding
    }


def test_thresholds_that_never_act_are_not_judged() -> None:
    same = {row["finding"]: row for row in judge(memo()).to_pylist()}
    for finding in ("V18a", "V18b", "V19a", "V19b"):
        assert same[finding]["verdict"] == "can't be judged"
        assert same[finding]["reason"].startswith("the setting does not act")
    one_differs = verdicts(memo(lambda setting: 1 + (setting.threshold == 20)))
    assert one_differs["V18a"] == "fails"


def test_findings_about_traces_want_the_six_traces() -> None:
    def unjudged(made: PaperMemo) -> set[str]:
        return {row["reason"] for row in judge(made).to_pylist() if row["finding"][:3] in ("V20", "V21")}

    names = "LU, Cholesky, Titan, Mining, Pgrep, DB2"
    assert unjudged(memo()) == {f"needs the six traces ({names}); none given"}
    assert unjudged(memo(traces=SIX[:2])) == {f"needs the six traces ({names}); 2 given"}
    strangers = [f"micro{n}.asc" for n in range(6)]
    assert unjudged(memo(traces=strangers)) == {f"needs the six traces ({names}); none is called LU"}
    assert unjudged(memo(traces=[*SIX[:5], "blue"])) == {
        f"needs the six traces ({names}); none is called DB2"
    }
    (told,) = unjudged(memo(traces=SIX, imitations=SIX[:1]))
    assert told == "lu: generated in imitation; only real traces can decide this"


@pytest.mark.parametrize(
    ("after", "holds"),
    [
        ([0.9, 0.96, 0.52, 0.8, 0.7, 1.1], {"V20a": True, "V20b": True, "V20c": False}),
        ([0.6, 0.96, 0.9, 0.8, 1.1, 0.52], {"V20a": True, "V20b": True, "V20c": True}),
        ([0.9, 0.99, 0.5, 0.8, 0.7, 0.6], {"V20a": False, "V20b": False, "V21b": False}),
        ([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], {"V20a": False, "V20b": None, "V20c": None, "V21b": None}),
    ],
)
def test_findings_about_traces(after: list[float], holds: dict[str, bool | None]) -> None:
    times = dict(zip(SIX, after, strict=True))
    made = memo(lambda setting: times.get(setting.workload, 1) if setting.scheme == "runtime" else 1, SIX)
    found = verdicts(made)
    words = {True: "holds", False: "fails", None: "can't be judged"}
    assert {name: found[name] for name in holds} == {name: words[value] for name, value in holds.items()}
    assert found["V21a"] == "holds"


def test_gains_from_the_global_cache_and_traces_by_their_names() -> None:
    def simulate(wanted: Sequence[Setting], progress: Callable[[str], None]) -> list[Metrics]:
        is_new = [one.scheme == "runtime" for one in wanted]
        return [Metrics(0.9 if new else 1.0, 50.0, 45.0 if new else 40.0) for new in is_new]

    named = ("a/LU.umd (1)", "cholesky", "titan.0", "dmine", "pgrep", "db2-tpc")
    found = verdicts(PaperMemo(costs.components(), simulate, lambda: AS_SAID, named))
    assert (found["V20c"], found["V21b"]) == ("fails", "holds")


def test_normalised_values_are_divided_by_their_base() -> None:
    made = memo(lambda setting: setting.segment_blocks + 10 * (setting.scheme == "runtime"), SIX[:1])
    by_id = {figure.id: figure for figure in figures()}
    assert [(point.place, round(value or 0, 3)) for point, _, value in values(made, by_id["9b"])][:2] == [
        (2, round(12 / 14, 3)),
        (4, 1.0),
    ]
    assert [value for _, _, value in values(made, by_id["12"])] == [1.0, 3.5]


def test_each_setting_is_simulated_once() -> None:
    asked: list[Setting] = []

    def simulate(settings: Sequence[Setting], progress: Callable[[str], None]) -> list[Metrics]:
        asked.extend(settings)
        return [Metrics(1.0, None, None)] * len(settings)

    made = PaperMemo(costs.components(), simulate, lambda: Mechanism(0, 0))
    made.prepare()
    judge(made)
    assert len(asked) == len(set(asked)) == len({point.setting for point in made.points()})


def test_components_that_take_no_time_judge_nothing() -> None:
    free = costs.Components(**dict.fromkeys(vars(costs.components()), 0))
    made = PaperMemo(
        free, lambda settings, progress: [Metrics(0.0, None, None)] * len(settings), lambda: Mechanism(0, 0)
    )
    judged = judge(made).to_pylist()
    assert {row["verdict"] for row in judged if row["by"] == "simulation"} == {"can't be judged", "holds"}
    assert all(row["reason"] for row in judged if row["verdict"] == "can't be judged")
    assert next(row["model"] for row in judged if row["finding"] == "V01a") is None
    for figure in made.figures:
        values(made, figure)
