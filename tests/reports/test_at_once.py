"""Two parts of a report that are made at the same time: what either raises is raised, and the page is the same."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from iotrace.reports.report import data
from iotrace.reports.report.at_once import concurrently, sequentially
from iotrace.reports.report.page import report
from traces import log

from iotrace.ingest.pipeline import ingest


def fail() -> int:
    raise ValueError("it cannot be made")


@pytest.mark.parametrize("make", [concurrently, sequentially])
def test_both_are_made_and_what_either_raises_is_raised(make: Callable[..., object]) -> None:
    assert make(lambda: 1, lambda: "2") == (1, "2")
    for first, second in ((fail, lambda: 1), (lambda: 1, fail)):
        with pytest.raises(ValueError, match="it cannot be made"):
            make(first, second)


def test_they_run_at_the_same_time() -> None:
    here, there = threading.Event(), threading.Event()

    def first() -> bool:
        here.set()
        return there.wait(60)

    def second() -> bool:
        there.set()
        return here.wait(60)

    assert concurrently(first, second) == (True, True)


def test_the_page_is_that_of_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = tmp_path / "work.strace"
    raw.write_text(log([f"/data/{number % 40}" for number in range(300)]))
    store = ingest([raw], tmp_path / "work.iotrace")
    at_once = report(store)
    monkeypatch.setattr(data, "MOST_AT_ONCE", 0)
    assert report(store) == at_once
