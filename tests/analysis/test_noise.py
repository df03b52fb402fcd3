"""What noise explains of a change: slow twins, worked examples, and how often noise alone is called a change."""

import math
from collections.abc import Callable
from itertools import chain, repeat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from iotrace.queries.metrics import metrics

from iotrace.analysis.compare.compare import compared
from iotrace.analysis.compare.measure import WINDOWS, Floats, Measures, Spread, Sums
from iotrace.analysis.compare.noise import ERROR, levels, of_repeats, percentiles
from iotrace.analysis.compare.student import t_quantile
from iotrace.families import CALLS

SEEDS = 200
RARE = 1e-4
"""How often a method that is right may fail a bound below."""


def most_of(seeds: int, share: float) -> int:
    """Return the number that a binomial number of `seeds` with this share exceeds with at most RARE."""
    below = 0.0
    for number in range(seeds + 1):
        below += math.comb(seeds, number) * share**number * (1 - share) ** (seeds - number)
        if 1 - below <= RARE:
            return number
    return seeds


MOST_FALSE = most_of(SEEDS, ERROR)


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


KNOWN = metrics("syscall").by_name


def test_the_levels_of_all_metrics_add_up_to_the_error() -> None:
    found = levels(["wall_time", "calls", "reads", "writes"], ["wall_time"])
    assert found["wall_time"] == pytest.approx(ERROR / 2)
    assert sum(found.values()) == pytest.approx(ERROR)
    assert sum(levels(["calls", "reads"], ["wall_time"]).values()) == pytest.approx(ERROR)
    assert sum(levels(["wall_time"], ["wall_time"]).values()) == pytest.approx(ERROR)


def test_the_band_of_repeated_traces_is_that_of_a_pooled_t_test() -> None:
    # relative deviations of 10 % on each side: standard error 0.1 * sqrt(2/3), with 4 degrees of freedom
    found = of_repeats([9.0, 10.0, 11.0], [18.0, 20.0, 22.0], KNOWN["wall_time"], 0.01)
    assert found is not None and found.band is not None
    assert found.band[1] == pytest.approx(math.exp(4.604 * 0.1 * math.sqrt(2 / 3)), rel=1e-4)
    assert found.band[0] * found.band[1] == pytest.approx(1)
    assert found.is_change and found.are_apart


@pytest.mark.parametrize(
    ("metric", "least"),
    [("wall_time", 0.05), ("read_latency_p50", 0.05), ("bytes_read", 0.01), ("calls", 0.0005)],
)
def test_runs_that_agree_by_accident_are_taken_to_vary(metric: str, least: float) -> None:
    found = of_repeats([1000.0] * 3, [1001.0] * 3, KNOWN[metric], 0.01)
    assert found is not None and found.band is not None
    assert found.band[1] == pytest.approx(math.exp(4.604 * least * math.sqrt(2 / 3)), rel=1e-4)
    assert not found.is_change and found.are_apart


def test_counts_of_few_events_need_a_change_of_several() -> None:
    calls = KNOWN["calls"]
    for a, b, is_change in ((0.0, 1.0, False), (0.0, 2.0, True), (3.0, 4.0, False), (3.0, 30.0, True)):
        found = of_repeats([a] * 3, [b] * 3, calls, 0.01)
        assert found is not None and found.is_change is is_change, (a, b)
    nothing = of_repeats([0.0] * 3, [0.0] * 3, calls, 0.01)
    assert nothing is not None and not nothing.is_change
    assert of_repeats([0.0] * 3, [1.0] * 3, KNOWN["wall_time"], 0.01) is None


def test_latencies_are_known_to_the_microsecond() -> None:
    for a, b, is_change in ((1.0, 2.0, False), (0.1, 5.0, False), (20.0, 50.0, True)):
        found = of_repeats([a] * 3, [b] * 3, KNOWN["read_latency_p50"], 0.01)
        assert found is not None and found.is_change is is_change, (a, b)


@pytest.mark.parametrize("repeats", [1, 3])
def test_percentiles_with_few_values_above_are_not_judged(repeats: int) -> None:
    random = np.random.default_rng(1)
    # 200 values: 10 above p95, 2 above p99
    sides = [[measures_of([random.lognormal(0, 1, 4) for _ in range(WINDOWS)])] * repeats for _ in "ab"]
    found = compared(*sides)
    assert found.row("read_latency_p95").significant is False
    assert found.row("read_latency_p99").significant is None


def measured(random: np.random.Generator, slower: float = 1.0) -> Measures:
    """Return a trace of some 30 reads in each window, and now and then a burst: log-normal latencies."""
    counts = random.poisson(30 * random.lognormal(0, 0.3, WINDOWS)) + 1
    return measures_of([np.round(slower * 100 * random.lognormal(0, 0.8, count)) for count in counts])


def measures_of(windows: list[Floats]) -> Measures:
    """Return what `measure` would of reads of one byte each with these latencies."""
    made = Measures(CALLS, dict.fromkeys(metrics("syscall").by_name), trace="a part of one trace")
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


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_a_trace_against_itself_has_ratio_1_and_nothing_significant(seed: int, resampling: int) -> None:
    one = measured(np.random.default_rng(seed))
    found = compared([one], [one], resampling)
    judged = [row for row in found.rows if row.significant is not None]
    assert len(judged) == 6
    assert all(row.ratio == 1 and not row.significant for row in judged)


def drifting(random: np.random.Generator) -> Measures:
    """Return a stationary trace whose windows are alike: the correlation of one with the next is 0.9."""
    noise, level = random.normal(size=WINDOWS), random.normal()
    levels_of_windows = []
    for step in noise:
        level = 0.9 * level + math.sqrt(1 - 0.9**2) * step
        levels_of_windows.append(math.exp(0.3 * level))
    return measures_of(
        [
            np.round(100 * level * random.lognormal(0, 0.8, random.poisson(30 * level) + 1))
            for level in levels_of_windows
        ]
    )


@pytest.mark.parametrize(("repeats", "make"), [(1, measured), (1, drifting), (3, measured), (3, drifting)])
def test_noise_alone_is_called_a_change_of_any_metric_as_rarely_as_stated(
    repeats: int, make: Callable[[np.random.Generator], Measures]
) -> None:
    wrong = 0
    for seed in range(SEEDS):
        random = np.random.default_rng(seed)
        a, b = ([make(random) for _ in range(repeats)] for _ in range(2))
        wrong += any(row.is_change for row in compared(a, b).rows)
    assert wrong <= MOST_FALSE


@pytest.mark.parametrize("shape", ["normal", "heavy tails", "two modes"])
@pytest.mark.parametrize("variation", [0.01, 0.1, 0.5])
def test_runs_of_the_same_code_are_called_changed_as_rarely_as_stated(shape: str, variation: float) -> None:
    wrong, pairs = 0, 1000
    for seed in range(pairs):
        random = np.random.default_rng(seed)
        wrong += any(
            row.is_change
            for row in compared(runs(random, shape, variation), runs(random, shape, variation)).rows
        )
    assert wrong <= most_of(pairs, ERROR)


def runs(random: np.random.Generator, shape: str, variation: float, slower: float = 1.0) -> list[Measures]:
    """Return three runs of one program: all times of a run are longer or shorter together, and each alone."""
    found = []
    for _ in range(3):
        values: dict[str, float | None] = {}
        whole = _draw(random, shape)
        for name, metric in KNOWN.items():
            own = whole if metric.is_of_time and random.random() < 0.5 else _draw(random, shape)
            spread = variation if metric.is_of_time else variation / 100
            values[name] = 1000 * math.exp(spread * own) * (slower if metric.is_of_time else 1)
        many = Spread(np.array([1000.0]), np.full((1, 1), 10_000.0))
        groups = {metric.name for metric in KNOWN.values() if metric.percentiles}
        found.append(Measures(CALLS, values, spreads=dict.fromkeys(groups, many)))
    return found


def _draw(random: np.random.Generator, shape: str) -> float:
    """Return a number of about unit deviation."""
    if shape == "heavy tails":
        return float(random.standard_t(3) / math.sqrt(3))
    if shape == "two modes":
        return float(random.choice([-1, 1], p=[0.2, 0.8]) + 0.5 * random.normal())
    return float(random.normal())


def test_programs_that_take_half_as_long_again_are_found() -> None:
    found = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        slower = compared(runs(random, "normal", 0.05), runs(random, "normal", 0.05, 1.5))
        found += slower.row("wall_time").verdict == "worse"
    assert found >= 95


@pytest.mark.parametrize(("repeats", "slower", "word"), [(1, 4.0, "different"), (3, 2.0, "worse")])
def test_reads_that_take_several_times_as_long_are_found(repeats: int, slower: float, word: str) -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        a = [measured(random) for _ in range(repeats)]
        b = [measured(random, slower) for _ in range(repeats)]
        row = compared(a, b).row("read_latency_p50")
        assert row.verdict == word, (seed, row)
        assert row.ratio == pytest.approx(slower, rel=0.25)


def test_what_few_windows_show_is_not_judged() -> None:
    random = np.random.default_rng(1)
    few = [random.lognormal(0, 1, 20 if place < 24 else 0) for place in range(WINDOWS)]
    made = measures_of(few)
    assert all(row.significant is None for row in compared([made], [made]).rows)


def test_what_one_side_lacks_altogether_is_judged_by_the_other() -> None:
    random = np.random.default_rng(1)
    a, b = measured(random), measured(random)
    b.sums["reads"], b.values["reads"] = Sums(np.zeros(WINDOWS), None), 0.0
    row = compared([a], [b]).row("reads")
    assert (row.ratio, row.significant) == (0, True)
    row = compared([b], [a]).row("reads")
    assert (row.ratio, row.significant, row.verdict) == (None, None, "cannot_tell")


def test_without_times_only_repeated_traces_are_judged() -> None:
    random = np.random.default_rng(1)
    a, b = measured(random), measured(random)
    a.is_timed = False
    assert all(row.significant is None for row in compared([a], [b]).rows)
    assert any(row.significant is not None for row in compared([a] * 3, [b] * 3).rows)
