"""``iotrace curve --sample --workers``: slices that run at the same time estimate what one pass does, bit for bit."""

import shlex
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_states import BLOCK, MOVES, Row, references
from test_states_verb import days, run, whole

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.sampled import SampledCurves, simulate_sampled
from iotrace.analysis.curves.sampled_slices import SampledSlice, simulate_sampled_slices
from iotrace.analysis.curves.sampling import Sampling
from iotrace.analysis.curves.slices import cut
from iotrace.errors import IotraceError, UsageError
from iotrace.workers import Workers

__all__ = ["days"]

CACHE = Cache(block_bytes=BLOCK, deletes="ignore", syncs="ignore")
SAMPLINGS = st.builds(
    Sampling,
    rate=st.sampled_from([1.0, 0.9, 0.5, 0.2]),
    seed=st.integers(0, 9),
    head_blocks=st.sampled_from([0, 1, 3, 20]),
)


def sliced(
    rows: list[Row], workers: int, sampling: Sampling, cache: Cache = CACHE, is_remote: bool = False
) -> SampledCurves:
    """Return the curves of rows that workers take slices of."""
    table, budget = references(rows), BlockBudget(1 << 30, BLOCK, "")

    def leaf(records: range) -> SampledSlice:
        batches = table.slice(records.start, len(records)).to_batches()
        return SampledSlice.of(batches, cache, sampling, budget.of_slice(records.start))

    with ThreadPoolExecutor(workers) as pool:
        running = Workers(pool, workers, is_remote)
        return simulate_sampled_slices(running, leaf, cut(len(rows), workers), cache, sampling, budget)


def looks_back(rows: list[Row]) -> bool:
    """Whether what some request touches follows from the size of its file, by the request alone."""
    requests = (row for row in rows if row[0] in ("read", "write", "update") and row[3] != 0)
    return any(
        offset is None or (length is None and size is None) for _, _, offset, length, size, _ in requests
    )


@given(MOVES, st.integers(1, 6), SAMPLINGS, st.booleans())
def test_slices_estimate_what_one_pass_does(
    rows: list[Row], workers: int, sampling: Sampling, is_remote: bool
) -> None:
    """Every column of every row: estimates, bands, exact head. Only requests that look back may be refused."""
    try:
        found = sliced(rows, workers, sampling, is_remote=is_remote).table()
    except IotraceError as error:
        assert "depends on the size of its file; give --workers 1" in str(error)
        assert workers > 1
        assert looks_back(rows)
        return
    one_pass = simulate_sampled(references(rows), CACHE, sampling).table()
    assert found.equals(one_pass, check_metadata=True)


def test_a_slice_longer_than_the_exact_caches_keep() -> None:
    """The exact caches of a slice are cut from time to time; the whole is as exact as one pass."""
    blocks = [7 * place % 5003 for place in range(9_000)]
    rows = pa.table(
        {
            "operation": pa.array(["read"] * len(blocks)).dictionary_encode(),
            "file": pa.array([0] * len(blocks), pa.int32()),
            "offset": pa.array([block * BLOCK for block in blocks], pa.int64()),
            "length": pa.array([BLOCK] * len(blocks), pa.int64()),
        }
    )
    many = pa.concat_tables([rows] * 600)  # 5.4 million references
    sampling = Sampling(rate=0.01, head_blocks=5_200)
    budget = BlockBudget(1 << 30, BLOCK, "")
    slice_ = SampledSlice.of(many.to_batches(), CACHE, sampling, budget)
    with ThreadPoolExecutor(1) as pool:
        found = simulate_sampled_slices(Workers(pool, 1), lambda _: slice_, [0], CACHE, sampling, budget)
    assert found.table().equals(simulate_sampled(many, CACHE, sampling).table())


def test_deletions_are_refused_with_the_advice() -> None:
    rows: list[Row] = [("write", 0, 0, 4, None, None), ("delete", 0, 0, None, None, None)]
    with pytest.raises(IotraceError, match="give --deletes ignore, or --workers 1"):
        sliced(rows * 2, 2, Sampling(rate=0.5), Cache(block_bytes=BLOCK))


@pytest.mark.usefixtures("days")
@pytest.mark.parametrize(
    "options", [(), ("--where", "file = 0"), ("--sample-head", "0"), ("--sizes", "64K,1M")]
)
def test_the_command_prints_the_same_with_any_number_of_workers(options: tuple[str, ...]) -> None:
    for workers in ("2", "5"):
        assert whole("--sample", "20%", "--workers", workers, *options) == whole("--sample", "20%", *options)


@pytest.mark.usefixtures("days")
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--sample '64 blocks'", "with --workers a sample has a rate"),
        ("--sample 10% --warm-up 5", "--workers cannot be combined with --warm-up"),
        ("--sample 10% --policy fifo --sizes 1M", "--workers cannot be combined with --policy"),
        ("--sample 10% --by type", "--workers cannot be combined with --by"),
    ],
)
def test_what_slices_cannot_do_is_refused(words: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        run("curve", "both.csv", "--workers", "2", *shlex.split(words))
