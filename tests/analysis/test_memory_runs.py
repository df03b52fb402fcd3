"""Which runs of the page cache make a prediction."""

import pytest

from iotrace.analysis.memory.runs import DIRTY, Measured, ModelRun, Requests, runs_at

MB = 1 << 20
WRITES = Requests(has_mapped=False, has_writes=True, overlap=False)
READS = Requests(has_mapped=False, has_writes=False, overlap=False)


def measured(shows_writes: bool = True, shows_processors: bool = False) -> Measured:
    return Measured(64 * MB, "cgroup-v1", 8 * MB, True, 2, True, shows_writes, shows_processors, None, None)


def flushers(runs: list[ModelRun]) -> list[str]:
    """Return the expected choice, then the others, each once."""
    return list(dict.fromkeys(run.flusher for run in runs))


@pytest.mark.parametrize(
    ("limit_mb", "expected"),
    [(32, ["woken", "recorded"]), (64, ["recorded", "woken"]), (128, ["recorded", "woken", "late"])],
)
def test_dirty_pages_are_expected_to_be_written_as_recorded_with_as_much_memory(
    limit_mb: int, expected: list[str]
) -> None:
    assert flushers(runs_at(limit_mb * MB, measured(), WRITES, None)) == expected


def test_the_range_holds_both_ends_where_no_write_is_recorded() -> None:
    runs = runs_at(64 * MB, measured(shows_writes=False), WRITES, None)
    assert flushers(runs) == ["woken", "late"]
    assert [run.flusher for run in runs if run.cause == DIRTY] == ["late"]


def test_without_writes_nothing_is_dirty() -> None:
    assert flushers(runs_at(64 * MB, measured(), READS, None)) == ["woken"]


def test_other_memory_that_is_given_counts() -> None:
    """With 56 MB the page cache has what it had at its tightest in the recording; with less, reclaim presses harder."""
    assert flushers(runs_at(64 * MB, measured(), WRITES, 8 * MB)) == ["recorded", "woken"]
    assert flushers(runs_at(64 * MB, measured(), WRITES, 16 * MB)) == ["woken", "recorded"]


def test_dirty_pages_are_otherwise_with_each_choice_of_batches_and_statistics() -> None:
    runs = [run for run in runs_at(64 * MB, measured(), WRITES, None) if run.flusher == "woken"]
    assert {(run.pages < 64 * MB // 4096, run.statistics) for run in runs} == {
        (False, "recorded"),
        (True, "recorded"),
        (False, "current"),
        (False, "interval"),
    }
