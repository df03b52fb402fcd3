"""Curves estimated from a sample: against the exact ones, against a slow twin of SHARDS, and bad input."""

import math
import os
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
import sampling_traces
from hypothesis import given
from hypothesis import strategies as st
from sampling_twin import misses, sampled

from iotrace.analysis.curves.bands import LEVEL, Band, band, quantile
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.curves import simulate
from iotrace.analysis.curves.policies import POLICIES, compare_policies
from iotrace.analysis.curves.sampled import COUNTS, simulate_sampled, simulate_sampled_keys
from iotrace.analysis.curves.sampled_policies import simulate_sampled_policies
from iotrace.analysis.curves.sampling import Sampling, chosen, parsed
from iotrace.engine.native import SampledCaches
from iotrace.errors import IotraceError, UsageError

BLOCK = 4096
Row = tuple[int, int, bool]
ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40), st.booleans()), max_size=150)
NOT_OF_A_SAMPLE = ("cold_", "_exact")
"""Columns that a sample does not tell."""


def table(rows: list[Row], blocks: int = 1) -> pa.Table:
    operation = pa.array([["read", "write"][is_write] for _, _, is_write in rows], pa.string())
    return pa.table(
        {
            "file": pa.array([file for file, _, _ in rows], pa.int32()),
            "operation": operation.dictionary_encode(),
            "offset": pa.array([block * BLOCK for _, block, _ in rows], pa.int64()),
            "length": pa.array([blocks * BLOCK] * len(rows), pa.int64()),
        }
    )


SIZES = [size * BLOCK for size in (1, 2, 3, 5, 8, 13, 40, 100)]


@given(ROWS, st.sampled_from([Sampling(rate=1.0), Sampling(most_blocks=1000)]), st.integers(1, 3))
def test_a_sample_of_all_blocks_is_exact(rows: list[Row], sampling: Sampling, blocks: int) -> None:
    """A rate of 1, and a size of all blocks, have the counts of the exact curve, and bands without width."""
    exact = simulate(table(rows, blocks), Cache()).table(SIZES)
    curves = simulate_sampled(table(rows, blocks), Cache(), sampling)
    found = curves.table(SIZES)
    told = [name for name in exact.column_names if not any(part in name for part in NOT_OF_A_SAMPLE)]
    if blocks > 1:
        told = [name for name in told if "request_misses" not in name and name != "read_service_time_ns"]
    for name in told:
        assert found[name].to_pylist() == exact[name].to_pylist(), name
    assert curves.rate == 1
    assert all(found[f"{name}_{end}"].equals(found[name]) for name in COUNTS for end in ("low", "high_all"))


@given(ROWS, st.sampled_from([0.9, 0.5, 0.25, 0.1]), st.integers(0, 2**64 - 1))
def test_counts_of_a_sample_are_those_of_the_slow_twin(rows: list[Row], rate: float, seed: int) -> None:
    """The caches over the whole sample and without each group count what one list for each size counts."""
    sampling = Sampling(rate=rate, seed=seed, head_blocks=0)
    caches = SampledCaches(Cache().for_engine(), sampling.for_engine(), policies=[], threads=2)
    for batch in table(rows).to_batches(max_chunksize=40):
        caches.push(batch)
    found_rate, blocks, curves, _, _ = caches.finish(**Cache().pricing())
    assert math.isclose(found_rate, rate, rel_tol=1e-12)
    assert blocks == len({row[:2] for row in sampled(rows, rate, seed, None)})
    sizes = [1, 2, 3, 5, 8, 40]
    for curve, without in zip(curves, [None, *range(16)], strict=True):
        counted = pa.record_batch(curve.table(0, sizes))
        columns = [
            counted[name].to_pylist()
            for name in ("read_block_misses", "write_block_misses", "write_expulsions")
        ]
        of_twin = [misses(sampled(rows, rate, seed, without), size) for size in sizes]
        assert list(zip(*columns, strict=True)) == of_twin, without


@given(ROWS, st.integers(1, 10))
def test_the_head_is_exact(rows: list[Row], head: int) -> None:
    """Up to the head's size, counts are exact whatever the sample, for requests of several blocks, too."""
    sizes = [size * BLOCK for size in range(1, head + 1)]
    exact = simulate(table(rows, 2), Cache()).table(sizes)
    found = simulate_sampled(table(rows, 2), Cache(), Sampling(rate=0.1, head_blocks=head)).table(sizes)
    names = [*COUNTS, "read_request_misses", "write_request_misses", "read_service_time_ns"]
    for name in names if rows else []:
        assert found[name].to_pylist() == exact[name].to_pylist(), name
    assert all(found["exact"].to_pylist())


def of_blocks(blocks: np.ndarray, writes: np.ndarray | None = None) -> pa.Table:
    """Return references to single blocks of one file."""
    is_write = np.zeros(len(blocks), np.int32) if writes is None else writes.astype(np.int32)
    operation = pa.DictionaryArray.from_arrays(pa.array(is_write), pa.array(["read", "write"]))
    return pa.table(
        {
            "file": pa.array(np.zeros(len(blocks), np.int32)),
            "operation": operation,
            "offset": pa.array(blocks.astype(np.int64) * BLOCK),
            "length": pa.array(np.full(len(blocks), BLOCK, np.int64)),
        }
    )


def test_components_are_those_of_one_cache() -> None:
    """Estimates by component sum to what all references have, and their totals are exact."""
    draw = np.random.default_rng(3)
    blocks = draw.integers(0, 20_000, 60_000)
    rows = of_blocks(blocks).append_column("who", pa.array(np.where(blocks % 3 == 0, "a", "b")))
    sizes = [BLOCK * size for size in (100, 5000, 15_000)]
    exact = simulate(rows, Cache(), "who").table(sizes)
    found = simulate_sampled(rows, Cache(), Sampling(rate=0.2), "who").table(sizes)
    assert sorted(set(found["who"].to_pylist())) == ["a", "b"]
    assert found["who"].to_pylist() == exact["who"].to_pylist()
    assert found["block_references"].to_pylist() == exact["block_references"].to_pylist()
    truth, low, high = (
        np.array(column)
        for column in (exact["block_misses"], found["block_misses_low_all"], found["block_misses_high_all"])
    )
    assert np.all((low <= truth) & (truth <= high))
    assert np.all(high - low < 0.2 * found["block_references"].to_numpy())


def test_policies_of_all_blocks_are_those_of_the_simulation() -> None:
    """At rate 1, miniature caches are the caches; at a fifth, the exact misses of most lie in the bands."""
    draw = np.random.default_rng(5)
    blocks = np.minimum(draw.zipf(1.2, 40_000), 30_000) * 7919 % 30_011
    rows = of_blocks(blocks, draw.random(len(blocks)) < 0.3)
    sizes = [BLOCK * size for size in (400, 1600)]
    exact = compare_policies(rows, sizes_bytes=sizes)
    whole, _ = simulate_sampled_policies(rows, Cache(), Sampling(rate=1.0), POLICIES, sizes)
    assert whole["policy"].to_pylist() == exact["policy"].to_pylist()
    for name in COUNTS:
        assert whole[name].to_pylist() == exact[name].to_pylist(), name
    part, _ = simulate_sampled_policies(rows, Cache(), Sampling(rate=0.2), POLICIES, sizes)
    errors = np.abs(part["block_misses"].to_numpy() - exact["block_misses"].to_numpy()) / len(blocks)
    assert errors.max() < 0.03


def test_keys_are_blocks_of_one_file() -> None:
    """Plain keys have the estimates of reads of as many blocks; beyond the places in a file, too."""
    keys = np.random.default_rng(9).integers(0, 3000, 20_000)
    sampling = Sampling(rate=0.3, head_blocks=0)
    sizes = [BLOCK * size for size in (10, 100, 2000)]
    of_keys = simulate_sampled_keys(keys, Cache(), sampling)
    assert of_keys.table(sizes).equals(simulate_sampled(of_blocks(keys), Cache(), sampling).table(sizes))
    large = simulate_sampled_keys(keys.astype(np.uint64) << np.uint64(52), Cache(), sampling)
    assert abs(large.sampled_blocks / 3000 - 0.3) < 0.05


def test_a_sample_of_fixed_size_keeps_to_it() -> None:
    """The sample has at most as many blocks as asked for, and more than a fifth of them."""
    blocks = np.random.default_rng(7).integers(0, 50_000, 200_000)
    curves = simulate_sampled(of_blocks(blocks), Cache(), Sampling(most_blocks=2000))
    assert 400 < curves.sampled_blocks <= 2000
    assert math.log2(curves.rate).is_integer()


def test_a_sample_of_few_blocks_has_no_band() -> None:
    """With too few blocks in the sample the band spans all that is possible, and an empty stream has none."""
    curves = simulate_sampled(of_blocks(np.arange(1000)), Cache(), Sampling(rate=0.001, head_blocks=10))
    assert curves.sampled_blocks < 32
    found = curves.table([BLOCK * 500])
    assert (found["block_misses_low"].to_pylist(), found["block_misses_high"].to_pylist()) == ([0], [1000])
    empty = simulate_sampled(of_blocks(np.arange(0)), Cache(), Sampling(rate=0.1))
    assert empty.table([BLOCK])["block_misses"].to_pylist() == [0]


REFUSED = {
    "0": "above 0 and at most 1",
    "2": "above 0 and at most 1",
    "-0.5": "above 0 and at most 1",
    "nan": "above 0 and at most 1",
    "0 blocks": "at least one block",
    "x blocks": "not a whole number",
    "some": "is not a sample",
    "": "is not a sample",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_sample_that_makes_no_sense_is_refused(text: str) -> None:
    """The sentence says what a sample is."""
    with pytest.raises(UsageError, match=REFUSED[text]):
        parsed(text)


def test_references_that_make_no_sense_are_refused_with_their_row() -> None:
    """The sample's rows are checked as the exact engine's are, sampled or not."""
    rows = table([(0, 1, False)] * 5).set_column(
        3, "length", pa.array([BLOCK, BLOCK, BLOCK, -1, BLOCK], pa.int64())
    )
    with pytest.raises(IotraceError, match="reference 3: a negative number"):
        simulate_sampled(rows, Cache(), Sampling(rate=0.001))


def test_auto_chooses_by_memory_and_time() -> None:
    """All blocks where they fit; else the highest rate that does, never above what a smaller limit allows."""
    assert chosen(1000, 2**30, 10**10).rate == 1
    assert chosen(10**7, 2**30, 10**10).rate == 1
    assert chosen(10**7, 2**27, 10**10, most_blocks=10**6).rate == 1
    assert chosen(10**7, 2**28, 10**10, most_blocks=10**7).rate != 1
    by_time = chosen(10**9, 2**36, 100 * 10**9)
    assert by_time.rate is not None and by_time.rate < 0.1 and "time" in by_time.reason
    assert chosen(10**9, 2**36, 200 * 10**9).rate >= by_time.rate
    by_memory = chosen(10**8, 2**28, 10**12)
    assert by_memory.rate is not None and "memory" in by_memory.reason
    fixed = chosen(10**9, 2**28, None)
    assert fixed.most_blocks is not None and fixed.rate is None
    for memory, time, words in (
        (2**20, 10**10, "1 MB of memory is too little"),
        (2**30, 10**6, "are too little for"),
    ):
        with pytest.raises(UsageError, match=words):
            chosen(10**8, memory, time)


STUDENT = {8: 2.3060, 13: 2.1604, 14: 2.1448, 15: 2.1314, 30: 2.0423}


@pytest.mark.parametrize("freedom", STUDENT)
def test_quantiles_are_those_of_tables(freedom: int) -> None:
    """Student's quantile agrees with printed tables."""
    assert abs(quantile(freedom) - STUDENT[freedom]) < 0.001


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    """For a sum over groups, the band is that of the textbook, and wider for all places at once."""
    sums = np.random.default_rng(1).normal(100, 10, (16, 3))
    without = (sums.sum(axis=0) - sums) * 16 / 15
    found = band(sums.sum(axis=0), without, 1e9, 0.5)
    error = 16 * np.std(sums, axis=0, ddof=1) / 4 * math.sqrt(0.5)
    # a step of the estimate is 1 / part, and with 1e9 blocks no band is wider for their number
    expected = quantile(15) * np.sqrt(error**2 + 0.5 / 0.25)
    np.testing.assert_allclose(found.high - found.estimate, expected, rtol=1e-6)
    assert np.all(found.high_all > found.high) and LEVEL == 0.95


SEEDS = 50
CHANCE = 0.93
"""The least chance with which a pointwise band is to have the exact value."""


def fewest(trials: int, risk: float) -> int:
    """Return the fewest successes that a chance of `CHANCE` stays below with no more than this risk."""
    total = 0.0
    for successes in range(trials + 1):
        chance = math.comb(trials, successes) * CHANCE**successes * (1 - CHANCE) ** (trials - successes)
        if (total := total + chance) > risk:
            return successes
    return trials


def real_traces() -> dict[str, np.ndarray]:
    folder = os.environ.get("IOTRACE_TRACES")
    return dict(sampling_traces.real(Path(folder))) if folder else {}


PLACES = 5


@pytest.fixture(scope="module", params=["made", pytest.param("made and real", marks=pytest.mark.nightly)])
def inside(request: pytest.FixtureRequest) -> dict[str, np.ndarray]:
    """For each trace: whether the band has the exact block misses, by seed and by five sizes beyond the head."""
    found = {}
    traces = dict(sampling_traces.made()) | (real_traces() if request.param == "made and real" else {})
    for name, blocks in traces.items():
        rows = sampling_traces.references(blocks)
        distinct = len(np.unique(blocks))
        rate = max(0.05, min(0.5, 1000 / distinct)) if name in sampling_traces.REAL else 0.05
        sizes = np.round(np.geomspace(1.25 * Sampling(rate=rate).head, distinct, PLACES))
        truth = (
            simulate(rows, Cache()).table([int(size) * BLOCK for size in sizes])["block_misses"].to_numpy()
        )
        bands = [
            simulate_sampled(rows, Cache(), Sampling(rate=rate, seed=seed)).bands(0, sizes)["block_misses"]
            for seed in range(1, SEEDS + 1)
        ]
        found[name] = np.array([(band.low <= truth) & (truth <= band.high) for band in bands])
    return found


def test_bands_have_the_exact_value_at_each_size(inside: dict[str, np.ndarray]) -> None:
    """At every size of every trace, as many seeds have it as a chance of 93 % gives in all but 1 of 10,000 cases."""
    for name, of_trace in inside.items():
        assert of_trace.sum(axis=0).min() >= fewest(SEEDS, 1e-4), (name, of_trace.mean(axis=0))


def test_bands_have_the_exact_value_over_all_traces(inside: dict[str, np.ndarray]) -> None:
    """Over all traces, as many do at the same place among the sizes as 93 % gives in all but 1 of 100 cases."""
    together = np.concatenate(list(inside.values()))
    assert together.sum(axis=0).min() >= fewest(len(together), 0.01), together.mean(axis=0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.randoms())
def test_estimates_of_misses_never_rise_with_the_size(values: list[float], chance: Random) -> None:
    order = list(range(len(values)))
    chance.shuffle(order)
    estimate = np.array(values)
    fallen = Band(estimate, estimate - 1, estimate + 1, estimate - 2, estimate + 2).falling(np.array(order))
    ordered = fallen.estimate[order]
    assert all(np.diff(ordered) <= 0)
    assert all(fallen.estimate <= estimate) and all(fallen.low <= fallen.estimate)
    assert all(fallen.estimate <= fallen.high)
