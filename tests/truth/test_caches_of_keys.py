"""Traces of keys: caches of their objects are of bytes, and what simulates blocks of files refuses them."""

import json
import random
from pathlib import Path

import pytest
from program import Done, Run

COLUMNS = ("--columns", "time=1:s,key=2,size=3")


def error(done: Done) -> str:
    """Return the last line, which is the error."""
    assert done.returncode == 1, done.stderr
    return done.stderr.decode().splitlines()[-1].removeprefix("iotrace: ")


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, int]:
    """A trace of 20,000 requests for objects of 100 bytes, 500 KB in all, and how many objects there are."""
    drawn = random.Random(1)
    asked = [drawn.randrange(5_000) for _ in range(20_000)]
    rows = "".join(f"{second},key-{key},100\n" for second, key in enumerate(asked))
    (tmp_path / "keys.csv").write_text(rows)
    return tmp_path / "keys.csv", len(set(asked))


def test_a_cache_that_holds_all_objects_misses_each_once(run: Run, keys: tuple[Path, int]) -> None:
    trace, objects = keys
    found = json.loads(run("compare", trace, trace, *COLUMNS, "--format", "json").stdout)
    misses = {row["metric"]: row["a"] for row in found if row["metric"].startswith("misses_")}
    assert misses == dict.fromkeys(("misses_1m", "misses_16m", "misses_256m"), objects)


def test_without_sizes_caches_of_bytes_are_not_simulated(run: Run, keys: tuple[Path, int]) -> None:
    columns = ("--columns", "time=1:s,key=2")
    found = json.loads(run("compare", keys[0], keys[0], *columns, "--format", "json").stdout)
    assert {row["a"] for row in found if row["metric"].startswith("misses_")} == {None}


@pytest.mark.parametrize(
    "words",
    [("nonvolatile", "--volatile", "1M", "--nonvolatile", "0"), ("cluster",), ("attribute",), ("parallel",)],
)
def test_simulations_of_files_refuse_traces_of_keys(
    run: Run, keys: tuple[Path, int], words: tuple[str, ...]
) -> None:
    command, *options = words
    said = error(run(command, keys[0], *options, *COLUMNS))
    assert (
        said.startswith(f"{keys[0]}: is made of requests for the objects of a cache, and ")
        and "iotrace curve" in said
    )


def test_where_time_is_not_known_advice_is_not_promised(run: Run, keys: tuple[Path, int]) -> None:
    said = error(run("time", keys[0], *COLUMNS))
    assert said.startswith(f"{keys[0]}: is made of requests") and "advice" not in said
