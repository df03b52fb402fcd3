"""Claims of all four papers: bounds that can be met and missed, verdicts, distances, and counts by kind."""

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace import queries
from iotrace.papers.biswas import judging as of_write_caches
from iotrace.papers.biswas.judging import PartClaim
from iotrace.papers.findings.claim import Basis, Cause, Claim, Judgement, Kind, Origin, read_claims
from iotrace.papers.findings.difference import OPPOSITES, in_words
from iotrace.papers.findings.interval import DOMAINS, Interval, about, example
from iotrace.papers.findings.tally import (
    APART,
    IN_ALL,
    by_kind,
    causes,
    findings_table,
    for_a_terminal,
    group,
)
from iotrace.papers.findings.verdicts import Verdict, verdict_of, with_whole_verdicts
from iotrace.papers.kotz import judging as of_parallel
from iotrace.papers.page import bounds_of, number_of, plain, short_number
from iotrace.papers.richardson import attribute_judging, cache_judging, characterization, judging
from iotrace.papers.richardson.workloads import Subject
from iotrace.papers.vilayannur import judging as of_clusters
from iotrace.papers.vilayannur.figures import Setting
from iotrace.papers.vilayannur.memo import Mechanism, Metrics, PaperMemo
from iotrace.simulate.cluster import costs

RICHARDSON = [
    claim
    for module in (characterization, cache_judging, attribute_judging)
    for claim in judging.claims(module.FILES)
]
BISWAS, KOTZ, VILAYANNUR = of_write_caches.claims(), of_parallel.claims(), of_clusters.claims()
CLAIMS = [*RICHARDSON, *BISWAS, *KOTZ, *VILAYANNUR]
JUDGED = [claim for claim in CLAIMS if claim.reason is None]
TRIES = 3000


def named(claims: list[Any]) -> Any:
    return pytest.mark.parametrize("claim", claims, ids=[claim.finding for claim in claims])


def test_each_claim_has_a_name_of_its_own() -> None:
    assert len({claim.finding for claim in CLAIMS}) == len(CLAIMS) > 200


@named(JUDGED)
def test_a_claim_can_hold_and_fail(claim: Claim) -> None:
    """A number that its quantity can have is within the bounds, and another is beyond them."""
    within, beyond = (example(claim.interval, claim.domain, side) for side in (True, False))
    assert claim.verdict(within) is Verdict.HOLDS and claim.verdict(beyond) is Verdict.FAILS
    assert claim.interval.distance(within) >= 0 >= claim.interval.distance(beyond)
    assert claim.decisive([within, beyond], "every") == beyond
    assert claim.decisive([within, beyond], "any") == within
    assert claim.bounds and claim.verdict(None) is Verdict.UNJUDGED


def both_sides(claim: Claim, measured: Callable[[random.Random], float | None]) -> set[Verdict]:
    """Return the verdicts that made-up cells can have."""
    pick = random.Random(1991)
    verdicts: set[Verdict] = set()
    for _ in range(TRIES):
        verdicts.add(claim.verdict(measured(pick)))
        if {Verdict.HOLDS, Verdict.FAILS} <= verdicts:
            break
    return verdicts - {Verdict.UNJUDGED}


class MadeUp:
    """Numbers made up for cells: each word of a cell's key moves it by a factor of its own, and noise moves it too.

    Where nothing moves them all are one number, which is near the bounds of the claim or anywhere.
    """

    def __init__(self, pick: random.Random, claim: Claim) -> None:
        self._pick = pick
        ends = [end for end in claim.interval.ends if end is not None]
        self._base = pick.choice([sum(ends) / len(ends), pick.uniform(0, 100), 10 ** pick.uniform(-1, 5)])
        self._spread = pick.choice([0.0, 0.05, 0.5, 2.0])
        self._noise = pick.choice([0.0, 0.0, 0.01, 0.5])
        self._factors: dict[Any, float] = {}
        self._known: dict[Any, float] = {}

    def _factor(self, word: Any) -> float:
        return self._factors.setdefault(word, 2 ** self._pick.gauss(0, self._spread))

    def __getitem__(self, key: tuple[Any, ...]) -> float:
        if key not in self._known:
            words = math.prod(self._factor((place, word)) for place, word in enumerate(key))
            self._known[key] = self._base * words * 2 ** self._pick.gauss(0, self._noise)
        return self._known[key]


@named([part for part in BISWAS if part.reason is None])
def test_the_cells_of_write_caches_can_bear_a_claim_out_and_not(claim: PartClaim) -> None:
    def measured(pick: random.Random) -> float | None:
        cells = MadeUp(pick, claim)
        return of_write_caches.measure(
            claim, lambda table, row, metric: cells[table.id, *row.columns.values(), metric], "Off-Day"
        )

    assert both_sides(claim, measured) == {Verdict.HOLDS, Verdict.FAILS}


@named(list(KOTZ))
def test_the_points_of_parallel_file_systems_can_bear_a_claim_out_and_not(claim: Claim) -> None:
    def measured(pick: random.Random) -> float | None:
        cells = MadeUp(pick, claim)
        try:
            return of_parallel.measure(claim, lambda cell, metric: cells[*cell.key, metric], Points(cells))
        except ZeroDivisionError:
            return None

    assert both_sides(claim, measured) == {Verdict.HOLDS, Verdict.FAILS}


class Points:
    """Simulations of points that come to what is made up."""

    def __init__(self, cells: MadeUp) -> None:
        self._cells = cells

    def point(self, point: Any) -> Any:
        return Row(self._cells, (point.figure.id, point.policy, point.value))

    settled = point


class Row:
    """What is made up of a point, by metric."""

    def __init__(self, cells: MadeUp, key: tuple[Any, ...]) -> None:
        self._cells, self._key = cells, key

    def __getitem__(self, metric: str) -> float:
        return self._cells[*self._key, metric]


def vars_of(setting: Setting) -> tuple[Any, ...]:
    return tuple(vars(setting).values())


SIX = ("lu", "cholesky", "titan", "mining", "pgrep", "db2")


@named(list(VILAYANNUR))
def test_the_simulations_of_clusters_can_bear_a_claim_out_and_not(claim: Claim) -> None:
    def measured(pick: random.Random) -> float | None:
        cells = MadeUp(pick, claim)
        if claim.how["of"] in ("cells", "required"):
            try:
                return of_clusters.of_cells(claim.how, lambda row, iods, size: cells[row, iods, size] or 1.0)
            except ZeroDivisionError:
                return None

        def simulate(settings: Any, progress: Any) -> list[Metrics]:
            return [metrics(one) for one in settings]

        def metrics(setting: Setting) -> Metrics:
            return Metrics(
                cells[vars_of(setting)] + 1e-6,
                pick.uniform(40, 41 + pick.random() * 40),
                pick.uniform(0, 100),
            )

        mechanism = Mechanism(pick.randrange(2), pick.randrange(2))
        memo = PaperMemo(costs.components(), simulate, lambda: mechanism, SIX)
        return of_clusters._simulated(claim, memo)

    assert both_sides(claim, measured) == {Verdict.HOLDS, Verdict.FAILS}


BOUNDS = st.none() | st.integers(-3, 3)


@given(st.integers(-4, 4), BOUNDS, BOUNDS, BOUNDS, BOUNDS)
def test_an_interval_is_its_bounds(
    number: int, low: int | None, high: int | None, above: int | None, below: int | None
) -> None:
    tests = [
        low is None or number >= low,
        high is None or number <= high,
        above is None or number > above,
        below is None or number < below,
    ]
    interval = Interval(low, high, above, below)
    assert interval.holds(number) == all(tests)
    if interval != Interval():
        distance = interval.distance(number)
        assert distance >= 0 if all(tests) else distance <= 0


@given(st.floats(0.1, 99.9), st.floats(1.01, 1.99))
def test_about_a_share_passes_neither_0_nor_100(share: float, factor: float) -> None:
    interval = about(share, factor, "percent")
    low, high = interval.ends
    assert low is not None and high is not None and 0 < low < share < high < 100
    assert interval.real_bounds(DOMAINS["percent"])
    if share > 50:
        assert (100 - share) / (100 - high) == pytest.approx(factor)


def test_about_is_within_a_factor() -> None:
    assert about(10, 2, "blocks").ends == (5, 20)
    assert about(90, 1.5, "percent").ends == pytest.approx((85, 100 - 10 / 1.5))


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"unit": "furlongs", "low": 1}, "not a unit"),
        ({"unit": "percent", "high": 100.8}, "a bound that no number"),
        ({"unit": "percent", "low": 0}, "a bound that no number"),
        ({"unit": "percent", "about": 51, "factor": 3}, "a bound that no number"),
        ({"low": 2, "high": 1}, "a bound that no number"),
        ({}, "needs bounds, or a reason"),
        ({"low": 1, "reason": "none"}, "needs bounds, or a reason"),
        ({"low": 1, "about": 2}, "give bounds, or exactly, or about"),
        ({"low": 1, "factor": 2}, "a factor is for"),
        ({"low": "1"}, "X01: Expected `float"),
        ({"low": 1, "hihg": 2}, "X01: no claim has hihg"),
        ({"low": 1, "origin": "guessed"}, "guessed"),
    ],
)
def test_mistakes_in_claims_are_refused(raw: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_claims([{"finding": "X01", "claim": "c", "section": "1", **raw}], Claim, ("take",))


def test_more_than_a_level_that_is_reached_is_no_failure() -> None:
    level = Claim("X", "", "", unit="percent", reaches=85.0)
    assert level.interval == Interval(low=about(85.0, 1.5, "percent").low) == Interval(low=77.5)
    assert level.holds(100) and not level.holds(77.4)
    with pytest.raises(ValueError, match="give bounds, or exactly, or about, or reaches"):
        Claim("X", "", "", unit="percent", reaches=85.0, about=85.0)


def test_kinds() -> None:
    def kind(**given: Any) -> Kind:
        return Claim("X", "", "", **given).kind

    assert kind(unit="percent", low=1, high=2) is kind(above=1, high=2) is Kind.RANGE
    assert kind(above=1) is kind(high=1) is kind(unit="points", below=0) is Kind.ORDERING
    assert kind(low=1.1) is kind(about=1) is kind(unit="blocks", exactly=4) is Kind.NUMERIC
    assert kind(above=1, structural=True) is Kind.STRUCTURAL


def test_a_judgement_says_what_it_rests_on() -> None:
    claim = Claim("X01a", "", "", unit="percent", high=50, made=Origin.FITTED, note="why", cause=Cause.PAPER)
    on_trace = Judgement(claim, Basis.TRACE, 60.0, printed=40.0).row()
    assert (on_trace["verdict"], on_trace["distance"], on_trace["origin"]) == ("fails", -10, "independent")
    assert (on_trace["printed_verdict"], on_trace["note"], on_trace["cause"]) == (
        "holds",
        "why",
        "the paper's own numbers",
    )
    made = Judgement(claim, Basis.MADE_TRACE, 40.0).row()
    assert (made["verdict"], made["distance"], made["origin"]) == ("holds", 10, "fitted")
    assert made["note"] is None and made["cause"] is None
    beyond = Judgement(Claim("X", "", "", high=1, cause=Cause.MODEL), Basis.TRACE, 2.0, printed=3.0).row()
    assert (beyond["printed_verdict"], beyond["cause"]) == ("fails", "the paper's own numbers")
    drawn = Claim("X", "", "", high=1, note="by the seeds", cause=Cause.CHANCE)
    of_seeds = [Judgement(drawn, Basis.SIMULATED, number).row() for number in (0.5, 2.0, None)]
    assert [row["cause"] for row in of_seeds] == ["chance", "chance", None]
    assert [row["note"] for row in of_seeds] == ["by the seeds", "by the seeds", None]
    assert Judgement(Claim("X", "", "", low=1), Basis.TRACE, 0.0).row()["cause"] == "workload"
    assert Judgement(Claim("X", "", "", low=1), Basis.SIMULATED, 0.0).row()["cause"] is None
    unjudged = Judgement(claim, Basis.TRACE, None, "nothing").row()
    assert (unjudged["verdict"], unjudged["distance"], unjudged["reason"]) == (
        "can't be judged",
        None,
        "nothing",
    )


def rows() -> Iterator[dict[str, Any]]:
    for claim in JUDGED:
        for number in (example(claim.interval, claim.domain, True), None):
            yield Judgement(claim, Basis.TRACE, number, None if number else "x").row()


def test_counts_are_of_all_claims_and_set_apart_what_is_no_evidence() -> None:
    lines = by_kind(rows())
    assert lines.schema.equals(queries.table_schema("findings_by_kind"), check_metadata=True)
    by_name = {line["kind"]: line for line in lines.to_pylist()}
    parts = [line for name, line in by_name.items() if name != IN_ALL]
    assert sum(line["claims"] for line in parts) == 2 * len(JUDGED)
    assert (
        sum(line["holds"] for line in parts) == sum(line["cannot_be_judged"] for line in parts) == len(JUDGED)
    )
    evidence = [line for name, line in by_name.items() if not name.startswith("apart") and name != IN_ALL]
    assert by_name[IN_ALL]["claims"] == sum(line["claims"] for line in evidence)
    assert {"apart: structural", "apart: fitted", "apart: repeated"} <= set(by_name)


def test_what_is_no_evidence_is_counted_under_the_first_reason() -> None:
    row = {"kind": "structural", "judged_on": "made trace", "origin": "fitted"}
    assert group(row) == "structural" and group({**row, "kind": "range"}) == "fitted"
    assert group({"kind": "range", "judged_on": "printed input", "origin": "fitted"}) == "printed input"
    assert group({"kind": "range", "judged_on": "trace", "origin": "independent"}) == "range"
    assert "range" not in APART


def test_a_terminal_has_what_fails_first_and_says_why_in_a_word() -> None:
    claims = [
        (Claim("K1", "x", "1", low=2.0), 3.0),
        (Claim("K2", "x", "1", low=2.0, cause=Cause.PAPER), 1.0),
        (Claim("K3", "x", "1", low=2.0, origin=Origin.FITTED), 3.0),
        (Claim("K4", "x", "1", low=2.0), None),
        (Claim("K5", "x", "1", low=2.0, cause=Cause.MODEL, origin=Origin.MATCHED), 1.0),
    ]
    rows = [Judgement(claim, Basis.SIMULATED, number) for claim, number in claims]
    judged = findings_table(
        "parallel_paper_findings", [{**one.row(), "ours": one.number or 0.0} for one in rows]
    )
    shown = for_a_terminal(judged)["Claims"]
    assert shown.column_names[:7] == ["finding", "verdict", "cause", "claim", "ours", "bounds", "origin"]
    assert [(row["finding"], row["cause"], row["origin"]) for row in shown.to_pylist()] == [
        ("K2", "paper", None),
        ("K5", "model", "matched"),
        ("K1", None, None),
        ("K3", None, "fitted"),
        ("K4", None, None),
    ]


def test_each_trace_has_counts() -> None:
    some = [{**row, "trace": name} for name in ("a", "b") for row in list(rows())[:4]]
    lines = by_kind(some).to_pylist()
    assert [line["claims"] for line in lines if line["kind"] == IN_ALL] == [4, 4]
    assert {line["trace"] for line in lines} == {"a", "b"}


@given(st.lists(st.sampled_from(list(Verdict)), min_size=1))
def test_a_finding_fails_with_one_of_its_claims(verdicts: list[Verdict]) -> None:
    said = [
        {"finding": f"X01{'abcdefghijkl'[place % 12]}", "verdict": str(one)}
        for place, one in enumerate(verdicts)
    ]
    (found,) = {row["whole_verdict"] for row in with_whole_verdicts(said, lambda name: name[:3])}
    expected = Verdict.HOLDS if Verdict.HOLDS in verdicts else Verdict.UNJUDGED
    assert found == (Verdict.FAILS if Verdict.FAILS in verdicts else expected)
    assert verdict_of([str(one) for one in verdicts]) == found


def test_a_claim_on_a_class_of_workloads_is_judged_on_that_class_alone() -> None:
    of_compilations = next(claim for claim in RICHARDSON if claim.finding == "R06")
    assert Subject(like="kernel-build").why_not(of_compilations) is None
    for like in (None, "ingres", "mecca-server"):
        said = Subject(like=like).why_not(of_compilations)
        assert said and said.startswith("the dissertation says it of compilation only")
    assert all(DOMAINS[claim.unit] for claim in CLAIMS)


def test_a_number_that_goes_the_other_way_is_said_so() -> None:
    assert in_words(-12.5, "percent less") == (12.5, "percent more")
    assert in_words(-3.0, "percent more") == (3.0, "percent less")
    assert in_words(12.5, "percent less") == (12.5, "percent less")
    assert in_words(-2.0, "points") == (-2.0, "points")
    assert {unit for unit in DOMAINS if unit.endswith((" less", " more"))} == set(OPPOSITES)


def test_a_terminal_says_the_direction_and_keeps_the_bounds_unit() -> None:
    claims = [
        (Claim("B1", "x", "1", unit="percent less", low=7.5, high=27.5), -12.5),
        (Claim("B2", "x", "1", unit="percent less", low=7.5, high=27.5), 12.5),
    ]
    rows = [
        {
            **Judgement(claim, Basis.SIMULATED, number).row(),
            "ours": number,
            "paper": "10 to 25 %",
            "trace": "a",
        }
        for claim, number in claims
    ]
    judged = findings_table("write_cache_findings", rows)
    shown = for_a_terminal(judged)["Claims"].to_pylist()
    assert [(row["ours"], row["unit"], row["bounds"]) for row in shown] == [
        (12.5, "percent more", "at least 7.5, at most 27.5 percent less; it is more"),
        (12.5, "percent less", "at least 7.5, at most 27.5"),
    ]
    assert [row["ours"] for row in judged.to_pylist()] == [-12.5, 12.5]
    assert (
        number_of(rows[0]) == "12.5 percent more"
        and bounds_of(rows[0]) == "at least 7.5, at most 27.5 percent less"
    )
    assert short_number(rows[0], "ours") == "12.5 percent more" and short_number(rows[1], "ours") == "12.5"


def test_what_is_known_of_failing_claims_is_last_on_a_terminal() -> None:
    claims = [
        (Claim("K1", "x", "1", low=2.0), 1.0),
        (Claim("K2", "x", "1", low=2.0, cause=Cause.MODEL, note="a rule"), 1.0),
        (Claim("K3", "x", "1", low=2.0, cause=Cause.CHANCE, note="the seeds"), 3.0),
        (Claim("K4", "x", "1", low=2.0, cause=Cause.MODEL, note="not said"), 3.0),
    ]
    rows = [{**Judgement(claim, Basis.SIMULATED, number).row(), "ours": number} for claim, number in claims]
    tables = for_a_terminal(findings_table("parallel_paper_findings", rows))
    assert list(tables)[-1] == "Why claims fail, or rest on the seeds"
    assert [tuple(row.values()) for row in list(tables.values())[-1].to_pylist()] == [
        ("K2", "model", "a rule"),
        ("K3", "chance", "the seeds"),
    ]
    assert causes(rows) == "not known 1, model 1"
    held = [row for row in rows if row["verdict"] == "holds"]
    assert causes(held) == "" and list(
        for_a_terminal(findings_table("parallel_paper_findings", held[1:]))
    ) == [
        "Claims by kind",
        "Claims",
    ]


@pytest.mark.parametrize("number", [0.5, -0.0123, 999.0, -1328.4, 28000.0, 1e6])
def test_numbers_are_written_without_exponents(number: float) -> None:
    written = plain(number, 3)
    assert "e" not in written and float(written.replace(",", "")) == pytest.approx(number, rel=0.005)
