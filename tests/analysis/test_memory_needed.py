"""Estimates of memory: blocks counted from ranges, and what passes need compared with what the kernel counts.

The bounds were written before the first run: estimates are at least 0.8 of a measured peak, and at most 3 times it. The
traces are not those that the bytes were measured on: the largest requests, other blocks, other shares of writes.
"""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from iotrace import queries
from iotrace.analysis import memory_needed
from iotrace.analysis.characterize import characterize_store, why_left_out
from iotrace.files import memory
from iotrace.ingest.pipeline import ingest
from iotrace.store import streamed
from iotrace.store.store import Store

BLOCK = 4096
LEAST, MOST = 0.8, 3.0
FIRST_TICK = 128166372003061629


def store_of(requests: int, place_of: Callable[[int], int], length: int, folder: Path) -> Store:
    raw = folder / "requests.csv"
    with raw.open("w") as file:
        for number in range(requests):
            kind = "Write" if number % 2 else "Read"
            file.write(f"{FIRST_TICK + 10 * number},web,0,{kind},{place_of(number)},{length},7\n")
    return ingest([raw], folder / "requests.iotrace")


def spread(number: int) -> int:
    """Give a place of its own to each request, in no order."""
    return number * 2_654_435_761 % (1 << 30) * (64 << 10)


@pytest.mark.parametrize("pattern", ["scan", "hot", "loop", "half", "long"])
def test_blocks_are_not_fewer_than_they_are(pattern: str, tmp_path: Path) -> None:
    chance = random.Random(3)
    requests, length = 20_000, 64 << 10 if pattern == "long" else BLOCK
    places: dict[str, Callable[[int], int]] = {
        "scan": lambda number: number * BLOCK,
        "hot": lambda number: chance.randrange(50) * BLOCK,
        "loop": lambda number: number % 500 * BLOCK,
        "half": lambda number: (number if number % 2 else chance.randrange(2_000)) * BLOCK,
        "long": spread,
    }
    store = store_of(requests, places[pattern], length, tmp_path)
    with store.queried() as connection:
        estimated = memory_needed.blocks(connection, BLOCK)
        ((first,),) = connection.execute(
            f'select count(distinct "offset" // {BLOCK}) * {length // BLOCK} from reference'
        ).fetchall()
    assert LEAST * first <= estimated <= MOST * first


def test_a_pass_that_cannot_fit_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its statistic is left out with the memory that gives it; others are as without a limit."""
    store = store_of(2_000, spread, BLOCK, tmp_path)
    names = ["read_after_write", "requests_by_size"]
    expected = characterize_store(store, names)
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 879 << 20)
    monkeypatch.setattr(memory_needed, "counted", lambda *_: {"keys": 0, "blocks": 10_000_000})
    left_out: dict[str, str] = {}
    results = characterize_store(store, names, {}, left_out)
    assert list(left_out) == ["read_after_write"]
    assert results["requests_by_size"].equals(expected["requests_by_size"])
    assert why_left_out(store, "read_after_write", left_out["read_after_write"]) == (
        "it needs more than the 1,000 MB of --memory; with more: iotrace characterize"
        f" {store.path} read_after_write --memory 1394M"
    )


@pytest.mark.parametrize("fits", [True, False])
def test_sizes_of_disks_are_known_where_a_pass_may_not_fit(
    fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are those without a limit, of the pass or of SQL."""
    store = store_of(2_000, spread, BLOCK, tmp_path)
    names = ["totals", "requests_by_disk", "top_files"]
    expected = characterize_store(store, names)
    assert expected["totals"]["static_bytes"].to_pylist() == [2_000 * BLOCK]
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 879 << 20)
    monkeypatch.setattr(memory_needed, "counted", lambda *_: {"keys": 0, "blocks": 10_000_000})
    if not fits:
        monkeypatch.setattr(streamed, "streamed", Mock(side_effect=memory.shortage()))
    left_out: dict[str, str] = {}
    assert characterize_store(store, names, {}, left_out) == expected
    assert left_out == {}


def test_what_follows_blocks_is_left_out_where_they_cannot_be_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(200, spread, BLOCK, tmp_path)
    expected = characterize_store(store, ["totals"])
    defined = queries.definition

    def definition(query: queries.Query) -> str:
        return "from not_there" if query.name == "touched_blocks" else defined(query)

    monkeypatch.setattr(queries, "definition", definition)
    left_out: dict[str, str] = {}
    found = characterize_store(store, ["totals", "written_data_lifetimes"], {}, left_out)
    assert found["totals"] == expected["totals"]
    assert list(left_out) == ["written_data_lifetimes"] and "not_there" in left_out["written_data_lifetimes"]


def peak_bytes(command: list[str]) -> tuple[int, str]:
    """Return the largest resident memory of a command that ends well, and what it said."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    return used.ru_maxrss << 10, said


@pytest.mark.nightly
@pytest.mark.parametrize("statistic", ["read_after_write", "written_data_lifetimes", "working_set_by_window"])
def test_the_memory_named_gives_the_statistic(statistic: str, tmp_path: Path) -> None:
    """A trace of 3.2 million blocks, of requests of 64 KB, within the memory that is named for it."""
    store = store_of(200_000, spread, 64 << 10, tmp_path)
    streams = {
        "read_after_write": "block_read",
        "written_data_lifetimes": "block_fate",
        "working_set_by_window": "window_footprint",
    }
    with store.queried() as connection:
        counts = memory_needed.counted(connection, BLOCK)
    named = memory_needed.limit_for(memory_needed.needed_bytes([streams[statistic]], counts))
    command = [sys.executable, "-P", "-m", "iotrace", "characterize", str(store.path), statistic]
    free, _ = peak_bytes(command)
    held, said = peak_bytes([*command, "--memory", memory.megabytes(named)])
    assert "left out" not in said
    for peak in (free, held):
        assert LEAST * peak <= named <= MOST * peak
