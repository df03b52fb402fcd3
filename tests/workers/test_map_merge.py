"""`map_merge`: what the leaves make, merged in order, on any executor; or an error."""

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from operator import add
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_executors import Toy, Unlucky

from iotrace.errors import IotraceError
from iotrace.workers import map_merge

PARTS = st.lists(st.integers(0, 9), min_size=1, max_size=70)
SEEDS = st.integers(0, 1 << 30)


def leaf(part: int) -> tuple[int, ...]:
    return (part, -part)


def all_of(parts: list[int]) -> tuple[int, ...]:
    """What a loop makes of the same: concatenation shows each part once, and their order."""
    return sum(map(leaf, parts), ())


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as made:
        yield made


@given(PARTS, st.integers(1, 5))
def test_threads_give_what_a_loop_gives(parts: list[int], threads: int) -> None:
    with ThreadPoolExecutor(threads) as pool:
        assert map_merge(pool, leaf, add, parts) == all_of(parts)


def test_processes_give_what_a_loop_gives(pool: ProcessPoolExecutor) -> None:
    for count in range(1, 40):
        assert map_merge(pool, leaf, add, list(range(count))) == all_of(list(range(count)))


@given(PARTS, SEEDS)
def test_tasks_may_end_in_any_order(parts: list[int], seed: int) -> None:
    with Toy(seed) as toy:
        assert map_merge(toy, leaf, add, parts) == all_of(parts)


@given(PARTS, SEEDS, st.floats(0, 0.3))
def test_an_executor_that_fails_gives_the_result_or_an_error(
    parts: list[int], seed: int, failing: float
) -> None:
    with Toy(seed, failing) as toy, suppress(Unlucky, IotraceError):
        assert map_merge(toy, leaf, add, parts) == all_of(parts)


@given(PARTS, st.data())
def test_what_a_leaf_or_a_merge_raises_is_raised(parts: list[int], data: st.DataObject) -> None:
    bad = data.draw(st.integers(0, len(parts) - 1))

    def failing(place: int) -> tuple[int, ...]:
        if place == bad:
            raise IotraceError("bad part")
        return (place,)

    def merging(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
        if right[0] <= bad <= right[-1]:
            raise IotraceError("bad part")
        return left + right

    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(IotraceError, match="bad part"):
            map_merge(pool, failing, add, range(len(parts)))
        if bad:
            with pytest.raises(IotraceError, match="bad part"):
                map_merge(pool, lambda place: (place,), merging, range(len(parts)))


def test_what_follows_a_failure_is_not_begun() -> None:
    begun: list[int] = []

    def failing(place: int) -> int:
        begun.append(place)
        raise IotraceError("no")

    with ThreadPoolExecutor(1) as pool, pytest.raises(IotraceError, match="no"):
        map_merge(pool, failing, add, range(1000))
    assert len(begun) < 10


def test_merges_do_not_wait_behind_all_leaves() -> None:
    """So that few values are held at a time, however many parts there are."""
    held = most = 0

    def counted(place: int) -> int:
        nonlocal held, most
        held += 1
        most = max(most, held)
        return 1

    def merged(left: int, right: int) -> int:
        nonlocal held
        held -= 1
        return left + right

    with ThreadPoolExecutor(1) as pool:
        assert map_merge(pool, counted, merged, range(1024)) == 1024
    assert most < 20


def test_parts_done_are_counted() -> None:
    seen: list[tuple[int, int]] = []
    with ThreadPoolExecutor(3) as pool:
        map_merge(pool, leaf, add, [1, 2, 3], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_there_is_something_to_merge() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ValueError, match="no parts"):
        map_merge(pool, leaf, add, [])


def killed(part: int) -> int:
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL)
    return part


def test_a_process_that_is_killed_is_an_error() -> None:
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(IotraceError, match="a worker ended before its part was done"),
    ):
        map_merge(pool, killed, add, [1, 2, 3])


def test_nothing_of_dask_is_loaded(tmp_path: Path) -> None:
    """Those who do not use a cluster do not wait for it to load."""
    import subprocess
    import sys

    code = (
        "import sys; from concurrent.futures import ThreadPoolExecutor; from iotrace.workers import map_merge;"
        "pool = ThreadPoolExecutor(1); assert map_merge(pool, str, max, [1, 2]) == '2';"
        "print([name for name in sys.modules if name.partition('.')[0] in ('dask', 'distributed')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "[]\n"


def test_of_parts_that_fail_the_first_is_told_whichever_ends_first() -> None:
    def leaf(part: int) -> int:
        time.sleep(0.05 * (3 - part))  # the last ends first
        if part:
            raise IotraceError(f"part {part}")
        return part

    with ThreadPoolExecutor(3) as pool, pytest.raises(IotraceError, match="part 1"):
        map_merge(pool, leaf, lambda left, right: left + right, [0, 1, 2])
