"""What noise explains of a change: slow twins, worked examples, and how often noise alone is called a change."""

import math
from itertools import chain, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from iotrace.queries.metrics import metrics

from iotrace.analysis.compare.compare import compared
from iotrace.analysis.compare.measure import WINDOWS, Floats, Measures, Spread, Sums
from iotrace.analysis.compare.noise import CONFIDENCE, of_repeats, percentiles
from iotrace.analysis.compare.student import t_quantile

SEEDS = 200
RARE = 1e-4
"""How often a metric whose band is right may fail a bound below."""


def most_of(seeds: int, share: float) -> int:
    """Return the number that a binomial number of `seeds` with this share exceeds with at most RARE."""
    below = 0.0
    for number in range(seeds + 1):
        below += math.comb(seeds, number) * share**number * (1 - share) ** (seeds - number)
        if 1 - below <= RARE:
            return number
    return seeds


MOST_FALSE = most_of(SEEDS, 1 - CONFIDENCE)


def test_the_bound_on_false_positives() -> None:
    assert MOST_FALSE == 9  # of 200, where 2 are expected


@pytest.mark.parametrize(
    ("probability", "degrees", "printed"),
    [(0.995, 1, 63.657), (0.995, 2, 9.925), (0.995, 4, 4.604), (0.975, 4, 2.776), (0.995, 10, 3.169)],
)  # fmt: skip
def test_quantiles_of_student_are_those_of_the_printed_table(
    probability: float, degrees: float, printed: float
) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(printed, abs=6e-4)


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=WINDOWS, max_size=WINDOWS),
    st.lists(st.integers(0, 3), min_size=WINDOWS, max_size=WINDOWS),
)
def test_percentiles_of_resampled_windows_are_those_of_the_values_written_out(
    counts: list[list[int]], weights: list[int]
) -> None:
    values = [1.0, 2.0, 30.0, 400.0]
    written_out = sorted(
        chain.from_iterable(
            repeat(value, number * weight)
            for row, weight in zip(counts, weights, strict=True)
            for value, number in zip(values, row, strict=True)
        )
    )
    spread = Spread(np.array(values), np.array(counts, float))
    found = percentiles(spread, np.array([weights], float), np.array([0.5, 0.95, 0.99]))[0]
    if not written_out:
        assert np.isnan(found).all()
        return
    ends = [written_out[max(math.ceil(round(len(written_out) * end, 6)) - 1, 0)] for end in (0.5, 0.95, 0.99)]
    assert list(found) == ends


def test_the_band_of_repeated_traces_is_that_of_welch() -> None:
    # variances 1 and 4 over 3 each: standard error of the ratio sqrt(1/3/100 + 4/3/400) with 4 degrees of freedom
    band = of_repeats([9.0, 10.0, 11.0], [18.0, 20.0, 22.0])
    assert band is not None
    assert band[1] == pytest.approx(math.exp(4.604 * math.sqrt(0.02 / 3)), rel=1e-4)
    assert band[0] * band[1] == pytest.approx(1)
    assert of_repeats([10.0] * 3, [10.0] * 3) == (1.0, 1.0)
    assert of_repeats([0.0] * 3, [10.0] * 3) is None
    assert of_repeats([1.0], [2.0]) is None
    alone = of_repeats([9.0, 10.0, 11.0], [12.0])  # the one varies as the three do
    assert alone is not None
    assert alone[1] == pytest.approx(math.exp(9.925 * math.sqrt(0.01 * 4 / 3)), rel=1e-4)


def measured(random: np.random.Generator, slower: float = 1.0) -> Measures:
    """Return a trace of some 30 reads in each window, and now and then a burst: log-normal latencies."""
    counts = random.poisson(30 * random.lognormal(0, 0.3, WINDOWS)) + 1
    return measures_of([np.round(slower * 100 * random.lognormal(0, 0.8, count)) for count in counts])


def measures_of(windows: list[Floats]) -> Measures:
    """Return what `measure` would of reads of one byte each with these latencies."""
    made = Measures("syscall", dict.fromkeys(metrics("syscall").by_name))
    taken = np.concatenate(windows)
    values = np.unique(taken)
    counted = np.array(
        [np.bincount(np.searchsorted(values, one), minlength=len(values)) for one in windows], float
    )
    made.spreads["read_latency"] = Spread(values, counted)
    ordered = np.sort(taken)
    for name, end in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        made.values[f"read_latency_{name}"] = float(ordered[math.ceil(end * len(ordered)) - 1])
    reads, spent = (np.array([f(window) for window in windows], float) for f in (len, np.sum))
    made.sums |= {
        "reads": Sums(reads, None),
        "storage_call_time": Sums(spent, None),
        "read_size": Sums(spent, reads),
    }
    made.values |= {
        "reads": reads.sum(),
        "storage_call_time": spent.sum(),
        "read_size": spent.sum() / reads.sum(),  # a ratio of sums, whatever it stands for
    }
    return made


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_a_trace_against_itself_has_ratio_1_and_nothing_significant(seed: int, resampling: int) -> None:
    one = measured(np.random.default_rng(seed))
    found = compared([one], [one], resampling)
    judged = [row for row in found.rows if row.significant is not None]
    assert len(judged) == 6
    assert all(row.ratio == 1 and not row.significant for row in judged)


def false_positives(repeats: int) -> dict[str, int]:
    wrong: dict[str, int] = {}
    for seed in range(SEEDS):
        random = np.random.default_rng(seed)
        a, b = ([measured(random) for _ in range(repeats)] for _ in range(2))
        for row in compared(a, b).rows:
            if row.significant is not None:
                wrong[row.metric] = wrong.get(row.metric, 0) + row.significant
    return wrong


@pytest.mark.parametrize("repeats", [1, 3])
def test_noise_alone_is_called_a_change_as_rarely_as_stated(repeats: int) -> None:
    wrong = false_positives(repeats)
    assert len(wrong) == 6
    assert all(number <= MOST_FALSE for number in wrong.values()), wrong


@pytest.mark.parametrize("repeats", [1, 3])
def test_reads_that_take_twice_as_long_are_found(repeats: int) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        a = [measured(random) for _ in range(repeats)]
        b = [measured(random, 2.0) for _ in range(repeats)]
        found = compared(a, b)
        for name in ("read_latency_p50", "read_latency_p95"):
            row = found.row(name)
            assert row.significant
            assert row.ratio == pytest.approx(2, rel=0.25)


def test_what_few_windows_or_values_show_is_not_judged() -> None:
    random = np.random.default_rng(1)
    few = [random.lognormal(0, 1, 20 if place < 24 else 0) for place in range(WINDOWS)]
    made = measures_of(few)
    assert all(row.significant is None for row in compared([made], [made]).rows)
    made = measures_of(
        [random.lognormal(0, 1, 4) for _ in range(WINDOWS)]
    )  # 200 values: 10 above p95, 2 above p99
    found = compared([made], [made])
    assert found.row("read_latency_p95").significant is False
    assert found.row("read_latency_p99").significant is None


def test_what_one_side_lacks_altogether_is_judged_by_the_other() -> None:
    random = np.random.default_rng(1)
    a, b = measured(random), measured(random)
    b.sums["reads"], b.values["reads"] = Sums(np.zeros(WINDOWS), None), 0.0
    row = compared([a], [b]).row("reads")
    assert (row.ratio, row.significant) == (0, True)
    row = compared([b], [a]).row("reads")
    assert (row.ratio, row.significant) == (None, None)


def test_without_times_only_repeated_traces_are_judged() -> None:
    random = np.random.default_rng(1)
    a, b = measured(random), measured(random)
    a.is_timed = False
    assert all(row.significant is None for row in compared([a], [b]).rows)
    assert any(row.significant is not None for row in compared([a, a], [b, b]).rows)
