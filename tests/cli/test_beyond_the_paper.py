"""``iotrace nonvolatile`` and ``iotrace attribute --adaptive``: what they write, and what they refuse."""

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program import LOG, Run, refused

from iotrace import queries


def rows_of(result: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(result.decode().splitlines()))


def test_every_write_policy_beside_every_memory(run: Run, shared_store: Path) -> None:
    rows = rows_of(run("nonvolatile", shared_store, "--format", "csv").stdout)
    assert list(rows[0]) == queries.table_schema("limited_nonvolatile").names
    assert len(rows) == 4 * 2 * 3
    causes = ("expelled", "flushed", "synced", "written_through")
    for row in rows:
        assert int(row["blocks_written"]) == sum(int(row[f"blocks_{cause}"]) for cause in causes)


def test_parquet_has_the_documented_schema(run: Run, shared_store: Path, tmp_path: Path) -> None:
    for words, name in (
        (("nonvolatile", shared_store), "limited_nonvolatile"),
        (("attribute", shared_store, "--adaptive"), "attribute_adaptive"),
    ):
        done = run(*words, "-o", tmp_path / f"{name}.parquet")
        assert done.returncode == 0, done.stderr
        assert pq.read_schema(tmp_path / f"{name}.parquet").equals(queries.table_schema(name))


def test_a_condition_keeps_the_syncs(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "synced.strace"
    calls = [
        'openat(AT_FDCWD, "/a", O_RDWR|O_CREAT|O_TRUNC, 0666) = 3',
        'write(3, ""..., 4096) = 4096',
        "fsync(3) = 0",
    ]
    log.write_text("".join(f"1 1700000000.00000{place} {call}\n" for place, call in enumerate(calls)))
    for condition in ((), ("--where", "type = 'datafile'")):
        words = ("--volatile", "1M", "--nonvolatile", "0", "--write-policy", "copy-back", "-f", "json")
        (row,) = json.loads(run("nonvolatile", log, *words, *condition).stdout)
        assert row["blocks_synced"] == 1, condition


def test_without_time_stamps_two_policies_are_left(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "timeless.strace"
    log.write_text("".join(line.split(None, 2)[2] for line in LOG.read_text().splitlines(keepends=True)))
    done = run("nonvolatile", log, "-f", "csv")
    assert {row["write_policy"] for row in rows_of(done.stdout)} == {"copy-back", "write-through"}
    assert "no time stamps" in done.stderr.decode()
    done = run("nonvolatile", log, "--write-policy", "periodic")
    assert done.returncode == 1 and "no time stamps, which periodic writes need" in done.stderr.decode()


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (["--volatile", "0", "--nonvolatile", "0"], "at least one block"),
        (["--volatile", "1T", "--block", "16"], "at most 4,294,967,295 blocks"),
        (["--volatile", "2000000T"], "more than 2^60 bytes"),
        (["--volatile", "100"], "less than one block"),
        (["--volatile", "much"], "is not a size"),
        (["--write-policy", "never"], "not one of"),
        (["--interval", "0s"], "--interval: 0 is below 1 ns"),
        (["--interval", "soon"], "is not a time"),
        (["--where", " "], "--where is empty"),
        (
            ["--write-policy", "copy-back", "--interval", "5s"],
            "--interval needs --write-policy periodic or deadline",
        ),
        (
            ["--write-policy", "copy-back", "--sweep", "interval=5s,10s"],
            "--interval needs --write-policy periodic or deadline",
        ),
        (["--sweep", "write-policy=copy-back", "--write-policy", "all"], "swept twice"),
    ],
)
def test_refusals(run: Run, shared_store: Path, words: list[str], result: str) -> None:
    assert result in refused(run("nonvolatile", shared_store, *words), 2)


def test_a_sweep_varies_intervals(run: Run, shared_store: Path) -> None:
    words = ("--write-policy", "deadline,copy-back", "--volatile", "1M", "--nonvolatile", "0")
    done = run("nonvolatile", shared_store, *words, "--sweep", "interval=1ms,5s", "-f", "json")
    rows = [(row["write_policy"], row["interval_ns"]) for row in json.loads(done.stdout)]
    assert rows == [("deadline", 10**6), ("copy-back", None), ("deadline", 5 * 10**9), ("copy-back", None)]


def test_subcaches_that_move_stand_beside_those_that_do_not(run: Run, shared_store: Path) -> None:
    words = ("--adaptive", "-t", "64K,1M", "--period", "1", "-f", "json")
    for row in json.loads(run("attribute", shared_store, *words).stdout):
        assert row["best_cost"] <= row["scheme_cost"]
        assert row["first_configuration"].count(",") == row["mean_sizes"].count(",")
    result = run("attribute", shared_store, "--adaptive", "-t", "64K").stdout.decode()
    assert "to the scheme" in result


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (["--split"], "--adaptive cannot be combined with --split: it shows counts"),
        (["--space", "?/4K General"], "--adaptive cannot be combined with --space: its subcaches"),
        (["--reclassify"], "--adaptive cannot be combined with --reclassify: files keep their class"),
        (["--plot", "a.svg"], "--plot cannot be combined with --adaptive"),
    ],
)
def test_refusals_of_adapting(run: Run, shared_store: Path, words: list[str], result: str) -> None:
    assert result in refused(run("attribute", shared_store, "--adaptive", *words), 2)
