"""The first sentences on a trace name the largest problem, or say that it is not storage."""

import pytest
from iotrace.queries.rules import rules

from iotrace.analysis.advice import Advice, Card, Whole
from iotrace.analysis.problem import problem

CALL = ("fsync", 9, 30.0)
MOST = "Most storage time, added up over all processes: 30 s in 9 calls of fsync."


def advice(at_stake_s: float | None) -> Advice:
    rule = rules()["sync_storm"]
    card = Card(rule, "9 syncs, all of /d", at_stake_s, None, (), 0, 9.0)
    return Advice((card,), 0, Whole(60.0, 0, requests=100))


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
        (0.7, {"storage": 40, "computing": 20}, "40 s of 1 min (66.7 %) are in storage calls. " + MOST),
        (None, {"storage": 40, "computing": 20}, "40 s of 1 min (66.7 %) are in storage calls. " + MOST),
        (
            0.7,
            {"storage": 6, "waiting": 54},
            "Mostly waiting, not in storage calls: 54 s of 1 min (90 %); 6 s of 1 min (10 %) are in storage calls."
            " 9 syncs, all of /d: 700 ms of 1 min.",
        ),
        (
            5.0,
            {"storage": 10, "unknown": 50},
            "For 50 s of 1 min (83.3 %) the trace does not show what calls waited for: storage, or something else."
            " 9 syncs, all of /d: at least 5 s of 1 min.",
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
    for at_stake_s in (0.7, 20.0):
        for seconds in ({"storage": 40.0, "computing": 20.0}, {"computing": 60.0}, {"unknown": 60.0}):
            said = " ".join(problem(advice(at_stake_s), split(**seconds), CALL))
            partly = MOST.replace("time, ", "time that the trace records, ") if "unknown" in seconds else MOST
            assert said.count(partly) == said.count("9 syncs") == 1


def test_what_a_recording_shows_of_waits_is_said() -> None:
    parts = {"device": 3_000_000_000, "queued": 0, "memory": 1_000_000_000, "other": 0}
    whole = Whole(60.0, 0, shows_waits=True, parts=parts)
    first, second = problem(Advice((), 0, whole), split(storage=4, computing=16, runnable=40))
    assert first.startswith("Mostly waiting for a processor, not in storage calls: 40 s of 1 min (66.7 %);")
    assert second == (
        "Of 4 s in storage calls, added up over all threads: 75 % waiting for a disk that works on a request;"
        " 25 % in reads that found their pages in memory."
    )
    computing = problem(Advice((), 0, whole), split(storage=4, computing=56))[0]
    assert computing.startswith("Mostly computing, not in storage calls: 56 s")


def test_without_advice_the_time_is_still_said() -> None:
    nothing = Advice((), 0, Whole(60.0, 0))
    first, second = problem(nothing, split(storage=40, computing=20), CALL)
    assert (first, second) == (
        "40 s of 1 min (66.7 %) are in storage calls. " + MOST,
        "Nothing worth changing was found.",
    )


def test_what_is_below_a_percent_of_the_run_is_no_headline() -> None:
    """0.5 s of a minute; then of two ranks, whose run is two minutes; and of the requests where no time is known."""
    first = "40 s of 1 min (66.7 %) are in storage calls. " + MOST
    said = problem(advice(0.5), split(storage=40, computing=20), CALL)
    assert said == [first, "Nothing to change has 1 % of the run's time at stake; 1 rule found less."]
    (card,) = advice(0.7).cards
    assert Advice((card,), 0, Whole(60.0, 0)).leader is card
    assert Advice((card,), 0, Whole(60.0, 0, ranks=2)).leader is None
    (card,) = advice(None).cards
    assert Advice((card,), 0, Whole(None, 0, requests=900)).leader is card
    assert Advice((card,), 0, Whole(None, 0, requests=901)).leader is None


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        (
            Whole(1469.0, 0, io_s=0.4546),
            "I/O is 0.03 % of the run (455 ms of 24.5 min in requests); nothing to gain here.",
        ),
        (
            Whole(60.0, 0, io_s=0.5, ranks=4),
            "I/O is 0.21 % of the run (500 ms of 4 min in requests, both added up over 4 ranks); nothing to gain here.",
        ),
        (
            Whole(60.0, 0, io_s=0.5, has_unseen=True),
            "I/O is 0.83 % of the run (500 ms of 1 min in requests); I/O of mappings or io_uring is not in the trace.",
        ),
        (Whole(60.0, 0, io_s=0.5, is_bound=True), "Nothing worth changing was found."),
        (Whole(60.0, 0, io_s=0.6), "Nothing worth changing was found."),
    ],
)
def test_a_run_that_is_hardly_io_has_nothing_to_gain(whole: Whole, said: str) -> None:
    assert problem(Advice((), 0, whole), {}) == [said]
