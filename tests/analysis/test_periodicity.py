"""The rhythm of a job's I/O: made periodic and aperiodic jobs, and windows against a plain twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.analysis.periodicity import Floats, over_windows, rhythm

SPAN_S = 1000.0


def bursts(starts_s: Floats, length_s: float) -> Floats:
    return over_windows(starts_s, starts_s + length_s, np.full(len(starts_s), 1e9), SPAN_S)


@pytest.mark.parametrize(("period_s", "length_s"), [(7, 1), (20, 5), (50, 5), (50, 25), (110, 2)])
@pytest.mark.parametrize("jitter", [0, 0.05])
def test_a_periodic_job_is_periodic(period_s: float, length_s: float, jitter: float) -> None:
    draw = np.random.default_rng(3)
    starts_s = np.arange(period_s / 2, SPAN_S - length_s, period_s)
    found = rhythm(
        bursts(starts_s + draw.normal(0, jitter * period_s, len(starts_s)).clip(-period_s / 3), length_s)
    )
    assert found is not None and found.is_periodic
    assert SPAN_S / found.periods == pytest.approx(period_s, rel=0.05)


def test_noise_beneath_does_not_hide_it() -> None:
    draw = np.random.default_rng(4)
    moved = bursts(np.arange(10, 990, 50.0), 5)
    found = rhythm(moved + draw.exponential(0.1 * moved.max(), len(moved)))
    assert found is not None and found.is_periodic and SPAN_S / found.periods == pytest.approx(50, rel=0.05)


def test_four_bursts_may_come_by_chance() -> None:
    found = rhythm(bursts(np.arange(100, 1000, 240.0), 30))
    assert found is not None and found.bursts == 4 and not found.is_periodic


def test_bursts_by_chance_are_not() -> None:
    draw = np.random.default_rng(5)
    periodic = 0
    for seed in range(100):
        count, length_s = draw.integers(3, 40), draw.uniform(1, 20)
        found = rhythm(bursts(np.sort(draw.uniform(0, SPAN_S - length_s, count)), length_s), seed)
        periodic += found is not None and found.is_periodic
    assert periodic <= 4


def test_of_few_bursts_or_none_nothing_is_said() -> None:
    for moved in (np.zeros(500), np.ones(500), bursts(np.array([100.0, 600.0]), 50), np.ones(3), np.empty(0)):
        assert rhythm(moved) is None


def test_the_same_seed_gives_the_same() -> None:
    moved = np.random.default_rng(6).exponential(1, 512)
    assert rhythm(moved) == rhythm(moved)


accesses = st.lists(
    st.tuples(st.floats(0, 90), st.one_of(st.just(0.0), st.floats(0.01, 10)), st.integers(1, 10**9)),
    min_size=1,
    max_size=20,
)


@examples(200)
@given(accesses, st.integers(1, 40))
def test_windows_are_those_of_a_plain_twin(rows: list[tuple[float, float, int]], windows: int) -> None:
    start_s, length_s, moved = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    expected, width = np.zeros(windows), 100.0 / windows
    for start, length, size in rows:
        for window in range(windows):
            first, after = window * width, (window + 1) * width
            if length:
                expected[window] += size * max(0.0, min(after, start + length) - max(first, start)) / length
            elif int(start / width) == window:
                expected[window] += size
    found = over_windows(start_s, start_s + length_s, moved, 100.0, windows)
    assert found == pytest.approx(expected, rel=1e-6, abs=10)
