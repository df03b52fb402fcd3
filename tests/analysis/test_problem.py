"""The first sentences on a trace name the largest problem, or say that it is not storage."""

import pytest
from iotrace.queries.rules import rules

from iotrace.analysis.advice import Advice, Card
from iotrace.analysis.problem import problem

CALL = ("fsync", 9, 30.0)
MOST = "Most storage time, added up over all processes: 30 s in 9 calls of fsync."


def advice(at_stake_s: float | None) -> Advice:
    rule = rules()["sync_storm"]
    return Advice((Card(rule, "9 syncs, all of /d", at_stake_s, None, (), 0),), 0, 60.0, 0)


def split(**seconds: float) -> dict[str, int]:
    return {state: round(1e9 * taken) for state, taken in seconds.items()}


@pytest.mark.parametrize(
    ("at_stake_s", "seconds", "first"),
    [
        (
            20.0,
            {"storage": 40, "computing": 20},
            "9 syncs, all of /d: 20 s of 1 min. 40 s of 1 min (66.7 %) are in storage calls.",
        ),
        (
            20.0,
            {"storage": 25, "computing": 35},
            "9 syncs, all of /d: 20 s of 1 min. 25 s of 1 min (41.7 %) are in storage calls.",
        ),
        (0.5, {"storage": 40, "computing": 20}, "40 s of 1 min (66.7 %) are in storage calls. " + MOST),
        (None, {"storage": 40, "computing": 20}, "40 s of 1 min (66.7 %) are in storage calls. " + MOST),
        (
            0.5,
            {"storage": 6, "waiting": 54},
            "Mostly waiting, not storage: 54 s of 1 min (90 %); 6 s of 1 min (10 %) are in storage calls."
            " 9 syncs, all of /d: 500 ms of 1 min.",
        ),
        (
            5.0,
            {"storage": 10, "unknown": 50},
            "9 syncs, all of /d: at least 5 s of 1 min. For 50 s of 1 min (83.3 %) the trace does not record what calls"
            " took (strace -T does).",
        ),
        (
            20.0,
            {"storage": 50, "unknown": 10},
            "9 syncs, all of /d: at least 20 s of 1 min. 50 s of 1 min (83.3 %) are in storage calls.",
        ),
        (20.0, {}, "9 syncs, all of /d: 20 s of 1 min."),
    ],
)
def test_the_first_sentence_names_the_largest_problem(
    at_stake_s: float | None, seconds: dict[str, float], first: str
) -> None:
    assert problem(advice(at_stake_s), split(**seconds), CALL)[0] == first


def test_what_most_time_goes_to_is_said_once() -> None:
    for at_stake_s in (0.5, 20.0):
        for seconds in ({"storage": 40.0, "computing": 20.0}, {"computing": 60.0}, {"unknown": 60.0}):
            said = " ".join(problem(advice(at_stake_s), split(**seconds), CALL))
            partly = MOST.replace("time, ", "time that the trace records, ") if "unknown" in seconds else MOST
            assert said.count(partly) == said.count("9 syncs") == 1


def test_without_advice_the_time_is_still_said() -> None:
    nothing = Advice((), 0, 60.0, 0)
    first, second = problem(nothing, split(storage=40, computing=20), CALL)
    assert (first, second) == (
        "40 s of 1 min (66.7 %) are in storage calls. " + MOST,
        "No rule found anything to change.",
    )
