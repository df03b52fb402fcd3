"""A few records of huge length: every simulator refuses them with its budget, at once, and runs what fits."""

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from program import Run
from typer.testing import CliRunner

from iotrace.analysis.block_budget import BLOCKS_PER_REQUEST, BlockBudget
from iotrace.cli import application
from iotrace.errors import IotraceError
from iotrace.ingest import pipeline

HUGE = 2**44
"""The longest record that a parallel trace may have, in bytes."""
VERBS = (
    ("cluster",),
    ("parallel",),
    ("patterns", "--least", "2"),
    ("curve",),
    ("curve", "--policy", "fifo", "--sizes", "1M"),
    ("attribute",),
    ("nonvolatile",),
)


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep stores of raw traces apart from the user's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def umd(path: Path, length: int) -> Path:
    """Write a UMD trace of 40 records, of which each fifth is of this length."""
    lengths = [length if number % 5 == 0 else 4096 for number in range(40)]
    lines = [f"2 0 {number % 2} 0 {number}.0 0.0 0 {size}" for number, size in enumerate(lengths)]
    path.write_text("\n".join(["2 1 40", "file", *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 40 records, made of a text of 1.2 KB."""
    folder = tmp_path_factory.mktemp("budget")
    trace = umd(folder / "huge.asc", HUGE)
    return pipeline.ingest([trace], folder / "huge.iotrace").path


def refusal(*words: object) -> str:
    """Return the error with which a command ends."""
    done = CliRunner().invoke(application(), list(map(str, words)))
    assert isinstance(done.exception, IotraceError), done.output
    return str(done.exception)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_records_of_huge_length_are_refused_with_the_budget(verb: tuple[str, ...], hostile: Path) -> None:
    line = refusal(verb[0], hostile, *verb[1:])
    assert "requests touch" in line and "the budget is" in line and "raise it with --budget BLOCKS" in line


@pytest.mark.parametrize("power", [55, 61])
@pytest.mark.parametrize(
    "words", [(), ("--block", str(2**50), "--budget", str(2**40))], ids=["usual", "raised"]
)
def test_patterns_of_lengths_whose_sum_overflows(
    power: int, words: tuple[str, ...], hostile: Path, tmp_path: Path, run: Run
) -> None:
    store = tmp_path / "huge.iotrace"
    shutil.copytree(hostile, store)
    rows = pq.read_table(store / "reference.parquet")
    lengths = pa.array(np.random.default_rng(4).integers(2**power, 2 ** (power + 1), len(rows)))
    for name, values in (("length", lengths), ("offset", pa.array([0] * len(rows)))):
        rows = rows.set_column(rows.schema.get_field_index(name), name, values)
    pq.write_table(rows, store / "reference.parquet")
    verb = ("patterns", store, "--least", "2", *words)
    if words and power == 55:
        done = run(*verb, "--format", "json")
        assert done.returncode == 0, done.stderr
        assert sum(row["bytes"] for row in json.loads(done.stdout)) == sum(lengths.to_pylist())
    else:
        assert ("can be counted" if words else "the budget is") in refusal(*verb)


@pytest.mark.parametrize(
    "verb", [("curve", "--sizes", "1M"), ("cluster", "--discipline", "none")], ids=" ".join
)
def test_a_budget_that_is_raised_lets_the_trace_run(verb: tuple[str, ...], tmp_path: Path, run: Run) -> None:
    trace = umd(tmp_path / "large.asc", 2**24)
    assert "the budget is 100 blocks and 64 more for each request" in refusal(
        verb[0], trace, *verb[1:], "--budget", "100"
    )
    done = run(verb[0], trace, *verb[1:], "--budget", "40000")
    assert done.returncode == 0, done.stderr


def test_a_block_trace_of_huge_requests_is_refused_by_the_write_cache(tmp_path: Path) -> None:
    lines = [f"{number},0,{2**32 - 512},W" for number in range(100)]
    trace = tmp_path / "disk.csv"
    trace.write_text("\n".join(["ts,lba,size,op", *lines]) + "\n")
    form = "csv:time=ts:s,offset=lba:512,length=size,op=op"
    words = refusal("write-cache", trace, "--trace-format", form)
    assert "the budget is 16,777,216 blocks and 64 more for each request" in words


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    lengths=st.lists(st.none() | st.integers(0, 2**62), max_size=40),
    block_bytes=st.sampled_from([1, 512, 4096]),
    budget=st.integers(0, 2**20),
)
def test_a_budget_is_exceeded_where_the_blocks_say_so(
    lengths: list[int | None], block_bytes: int, budget: int
) -> None:
    spent = BlockBudget(budget, block_bytes, "advice")
    touched = sum(-(-(length or 0) // block_bytes) for length in lengths)
    if touched > budget + BLOCKS_PER_REQUEST * len(lengths):
        with pytest.raises(IotraceError, match="advice"):
            spent.spend(pa.array(lengths, pa.int64()))
    else:
        spent.spend(pa.array(lengths, pa.int64()))
        assert spent.requests == len(lengths)


def test_a_read_to_the_end_of_a_huge_file_counts_in_full() -> None:
    row = {
        "operation": ["read", "sync"],
        "offset": [0, 0],
        "length": [None, None],
        "file_size": [2**62, 2**62],
    }
    references = pa.record_batch({**row, "length": pa.array(row["length"], pa.int64())})
    with pytest.raises(IotraceError, match="1 requests touch 1,125,899,906,842,624 blocks"):
        list(BlockBudget(10, 4096, "advice").watched([references]))
