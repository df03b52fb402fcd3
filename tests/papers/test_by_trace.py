"""Traces that are read at the same time: what is made of them, and what an error ends."""

import threading
import time

import pytest

from iotrace.errors import IotraceError
from iotrace.papers.by_trace import Abandoned, Check, of_each

TRACES = {"small": 1, "large": 9, "middle": 5, "other": 4}


@pytest.mark.parametrize("workers", [1, 2, 4, None])
def test_results_are_in_the_order_of_the_traces(workers: int | None) -> None:
    def work(name: str, size: int, check: Check) -> str:
        check()
        time.sleep(0.01 * (10 - size))
        return f"{name} {size}"

    made = of_each(TRACES, work, lambda size: size, workers)
    assert list(made.items()) == [(name, f"{name} {size}") for name, size in TRACES.items()]
    assert of_each({}, work, lambda size: size, workers) == {}


def test_the_largest_come_first_and_no_more_than_there_are_workers() -> None:
    running, most, begun, lock = set[str](), 0, list[str](), threading.Lock()
    both = threading.Barrier(2, timeout=60)

    def work(name: str, size: int, check: Check) -> None:
        nonlocal most
        with lock:
            begun.append(name)
            running.add(name)
            most = max(most, len(running))
        both.wait()  # no two could meet if they were worked on one after the other
        with lock:
            running.remove(name)

    of_each(TRACES, work, lambda size: size, 2)
    assert set(begun[:2]) == {"large", "middle"} and most == 2


def test_an_error_ends_the_work_on_the_others() -> None:
    begun, abandoned = list[str](), list[str]()
    both = threading.Barrier(2, timeout=60)

    def work(name: str, size: int, check: Check) -> None:
        begun.append(name)
        both.wait()
        if name == "large":
            raise IotraceError("large: is damaged")
        try:
            while True:
                check()
                time.sleep(0.001)
        except Abandoned:
            abandoned.append(name)
            raise

    with pytest.raises(IotraceError, match="large: is damaged"):
        of_each(TRACES, work, lambda size: size, 2)
    assert abandoned == ["middle"] and sorted(begun) == ["large", "middle"]


def test_of_several_errors_that_of_the_first_trace_is_raised() -> None:
    both = threading.Barrier(2, timeout=60)

    def work(name: str, size: int, check: Check) -> None:
        both.wait()
        raise IotraceError(name)

    with pytest.raises(IotraceError, match="small"):
        of_each({"small": 1, "large": 9}, work, lambda size: size, 2)


def test_one_trace_is_worked_on_by_the_caller() -> None:
    threads = of_each({"one": 1}, lambda name, size, check: threading.current_thread(), lambda size: size, 8)
    assert threads == {"one": threading.current_thread()}
