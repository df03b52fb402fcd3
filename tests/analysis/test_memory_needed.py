"""Estimates of memory: blocks counted from ranges, and what passes need compared with what the kernel counts.

The bounds were written before the first run: estimates are at least 0.8 of a measured peak, and at most 3 times it. The
traces are not those that the bytes were measured on: the largest requests, other blocks, other shares of writes.
"""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from iotrace import queries
from iotrace.analysis import memory_needed
from iotrace.analysis.characterize import characterize_store, why_left_out
from iotrace.analysis.curves.object_requests import curve_of_store, policies_of_store
from iotrace.errors import MemoryLimitError
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
    why = left_out["read_after_write"]
    command = f"iotrace characterize {store.path} read_after_write --memory 1394M"
    assert why_left_out(store, "read_after_write", why) == (
        f"it needs more than the 1,000 MB of --memory; with more: {command}"
    )
    monkeypatch.setattr(memory, "_STATE", {"limit": 1400 << 20})
    assert why_left_out(store, "read_after_write", why) == (
        f"the 1,400 MB of --memory leave too little for it here; alone it fits: {command}"
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


@pytest.mark.parametrize(("taken", "named"), [(200 << 20, True), (300 << 20, False)])
def test_a_curve_of_objects_that_cannot_fit_is_not_begun(
    taken: int, named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit that is named suffices; none is where the process has done something else.

    A part of the trace has no more objects than requests.
    """
    raw = tmp_path / "keys.csv"
    raw.write_text("".join(f"{second},k{second % 40},2,9,1,get,0\n" for second in range(100)))
    store = ingest([raw], tmp_path / "keys.iotrace")
    counts = store.manifest["counts"]
    assert (counts["keys"], counts["references"]) == (40, 100)
    many = replace(store, manifest=store.manifest | {"counts": counts | {"keys": 10**7, "references": 10**7}})
    expected = curve_of_store(store)
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    monkeypatch.setattr(memory, "_resident_bytes", lambda: taken)
    part = replace(store, manifest=store.manifest | {"counts": counts | {"keys": 10**9}})
    assert curve_of_store(part).equals(expected)
    with pytest.raises(MemoryLimitError) as raised:
        curve_of_store(many)
    assert raised.value.limit_bytes == (memory_needed.limit_for(76 * 10**7) if named else None)
    with pytest.raises(MemoryLimitError, match="give more"):
        policies_of_store(many, ["LRU"], "objects", None)
    monkeypatch.setattr(memory, "_STATE", {"limit": memory_needed.limit_for(76 * 10**7)})
    assert curve_of_store(many).equals(expected)
    monkeypatch.setattr(memory, "_STATE", {"limit": memory.LEAST_BYTES})
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 220 << 20)
    assert curve_of_store(store).equals(expected)


def test_runs_of_many_files_that_cannot_fit_are_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(200, spread, BLOCK, tmp_path)
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 879 << 20)
    with store.queried() as connection:
        assert memory_needed.beyond(connection, ["run_length", "block_age"]) == {}
        monkeypatch.setattr(
            memory_needed, "counted", lambda *_: {"keys": 7_340_622, "blocks": 0, "places": 1 << 24}
        )
        beyond = memory_needed.beyond(connection, ["run_length", "request_interval"])
    assert beyond == {"run_length": memory_needed.limit_for(194 << 24)}


@pytest.mark.parametrize("entries", [0, 1, 6, 7, 8, 447, 448, 449, 7_340_032, 7_340_033])
def test_places_are_those_of_a_table_that_doubles(entries: int) -> None:
    places = 1
    while entries * 8 > places * 7:
        places *= 2
    assert places <= memory_needed.places(entries) <= 2 * places


def test_caches_that_cannot_fit_are_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """2,000 blocks, or 8,000 of a quarter of the size, that are new in each part of the trace."""
    store = store_of(2_000, lambda number: number * BLOCK, BLOCK, tmp_path)
    with store.queried() as connection:
        assert [memory_needed.blocks(connection, size) for size in (BLOCK, BLOCK // 4)] == [2_000, 8_000]
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    monkeypatch.setattr(memory, "left_bytes", lambda: 8_000 * 18)
    memory_needed.refuse_blocks(store, [BLOCK // 4])
    with pytest.raises(MemoryLimitError):
        memory_needed.refuse_blocks(store, [BLOCK, BLOCK // 4])
