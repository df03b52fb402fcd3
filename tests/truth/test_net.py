"""Calls whose own time is known, under strace: what the tracer adds is not a part of what is at stake."""

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from program import Run

from iotrace.cli.recording import slowed_down
from iotrace.store.store import Store

WRITES = 20_000
MOST_WRITES_S = 0.15
"""Untraced, the writes take a third of this, whatever else the machine does."""
SYNCS = 2_000
SYNC_NS = 3_000_000
LEAST_KEPT = 0.95
LOADS = (0, 10)
WRITER = f"""
import os, sys
file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
for _ in range({WRITES}):
    os.write(file, b"123456789\\n")
"""
BUSY_SECONDS = 60

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@contextmanager
def load(loops: int) -> Iterator[None]:
    """Keep the processors busy with this number of loops."""
    busy = f"import time\nend = time.monotonic() + {BUSY_SECONDS}\nwhile time.monotonic() < end: pass"
    running = [subprocess.Popen([sys.executable, "-I", "-S", "-c", busy]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.fixture(scope="module", params=LOADS)
def recorded(run: Run, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """The writes, recorded while the machine is otherwise idle and while it is busy."""
    folder = tmp_path_factory.mktemp("writes")
    with load(request.param):
        words = (sys.executable, "-I", "-S", "-c", WRITER, folder / "file")
        done = run("record", "--backend", "strace", "-o", folder / "it.iotrace", "--", *words)
    assert done.returncode == 0, done.stderr
    return folder / "it.iotrace"


def times_of(run: Run, trace: Path, call: str) -> dict[str, float | None]:
    """What the storage calls of a name take, net and as recorded, in seconds."""
    done = run("time", trace, "--by", "call", "-f", "csv")
    assert done.returncode == 0, done.stderr
    rows = csv.DictReader(io.StringIO(done.stdout.decode()))
    (row,) = (row for row in rows if row["name"] == call and row["class"] == "storage")
    return {name: float(row[name]) if row[name] else None for name in ("net_s", "total_s")}


def stakes(run: Run, trace: Path) -> dict[str, float | None]:
    """What each rule has at stake, in seconds."""
    done = run("advice", trace, "--all", "-f", "json")
    assert done.returncode == 0, done.stderr
    return {row["rule"]: row["at_stake_s"] for row in json.loads(done.stdout)}


def test_quick_writes_are_worth_what_they_take_untraced(run: Run, recorded: Path) -> None:
    net_s = times_of(run, recorded, "write")["net_s"]
    assert net_s is not None and net_s <= MOST_WRITES_S
    assert (stakes(run, recorded)["small_sequential_writes"] or 0) <= MOST_WRITES_S


def test_the_tracer_is_a_state_of_the_clock(run: Run, recorded: Path) -> None:
    done = run("characterize", recorded, "wall_time_by_state", "-f", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(done.stdout.decode())) if row["scope"] == "clock"]
    found = {row["state"]: int(row["wall_ns"]) for row in rows}
    # each of the writes holds the program for more than a microsecond of strace's
    assert found["tracer"] > 1_000 * WRITES
    assert found.get("storage", 0) <= 1e9 * 2 * MOST_WRITES_S
    done = run("characterize", recorded, "wall_time_by_process", "-f", "csv")
    for process in csv.DictReader(io.StringIO(done.stdout.decode())):
        spent = {name: int(ns or 0) for name, ns in process.items() if name not in ("process", "wall_ns")}
        assert sum(spent.values()) == int(process["wall_ns"]), process
        assert spent["tracer_ns"] > 1_000 * WRITES


def test_first_screens_do_not_count_the_tracer(run: Run, recorded: Path) -> None:
    said = run("time", recorded).stdout.decode().splitlines()
    assert "without what strace adds" in said[1], said[1]
    assert not re.search(r"are storage:", said[0]), said[0]


IDLE = {"inside_ns": 30_000, "inside_p99_ns": 80_000, "tail_ns": 300, "tail_deviation_ns": 20_000}
BUSY = {"inside_ns": 36_000, "inside_p99_ns": 3_900_000, "tail_ns": 22_000, "tail_deviation_ns": 540_000}
"""What was measured on an idle machine, and on one with ten busy loops on two processors."""


def sync_store(run: Run, folder: Path, measured: dict[str, int] | None) -> Path:
    """Make a store of syncs, each with the 30 µs that strace adds, with this calibration."""
    log = folder / "syncs.strace"
    lines = ['7 1700000000.000000 openat(AT_FDCWD, "/data/file", O_WRONLY) = 3</data/file> <0.000040>']
    for number in range(SYNCS):
        whole, rest = divmod(1000 + number * 3_100, 1_000_000)
        took_s = (SYNC_NS + 30_000) / 1e9
        lines.append(f"7 {1700000000 + whole}.{rest:06} fsync(3</data/file>) = 0 <{took_s:.6f}>")
    log.write_text("\n".join([*lines, "7 1700000007.000000 +++ exited with 0 +++"]) + "\n")
    store = folder / "syncs.iotrace"
    done = run("ingest", log, "-o", store)
    assert done.returncode == 0, done.stderr
    if measured is not None:
        manifest = json.loads((store / "manifest.json").read_text())
        others = {"traced_ns": 60_000, "others_ns": 0, "outside_ns": 25_000, "measured_calls": 6_000}
        manifest["tracing_overhead"] = {**others, **measured}
        (store / "manifest.json").write_text(json.dumps(manifest))
    return store


@pytest.mark.parametrize("measured", [IDLE, BUSY])
def test_slow_syncs_keep_their_time(run: Run, tmp_path: Path, measured: dict[str, int]) -> None:
    store = sync_store(run, tmp_path, measured)
    whole_s = SYNCS * SYNC_NS / 1e9
    net_s = times_of(run, store, "fsync")["net_s"]
    assert net_s is not None and LEAST_KEPT * whole_s <= net_s <= 1.01 * whole_s
    assert (stakes(run, store)["sync_storm"] or 0) >= LEAST_KEPT * whole_s
    assert " are storage:" in run("time", store).stdout.decode().splitlines()[0]


def test_times_that_hold_an_unknown_part_of_the_tracers_are_upper_bounds(run: Run, tmp_path: Path) -> None:
    store = sync_store(run, tmp_path, None)
    assert times_of(run, store, "fsync")["net_s"] is None
    assert "at most 6.06 s in 2,000 calls of fsync" in run("time", store).stdout.decode()
    assert re.search(r"at stake +at most 6\.06 s of", run("advice", store, "-v").stdout.decode())


def writes_store(
    run: Run, folder: Path, write_us: int, trivial: int, trivial_us: int, measured: dict[str, int]
) -> Path:
    """Make a store of 5,000 writes that follow calls of fcntl, with this calibration."""
    log, time_us = folder / "writes.strace", 1_000
    lines = ['7 1700000000.000000 openat(AT_FDCWD, "/data/file", O_WRONLY) = 3</data/file> <0.000040>']
    calls = [("fcntl(3</data/file>, F_GETFD) = 0", trivial_us)] * trivial
    for call, took_us in [*calls, *[('write(3</data/file>, ""..., 10) = 10', write_us)] * 5_000]:
        lines.append(f"7 {1700000000 + time_us // 10**6}.{time_us % 10**6:06} {call} <0.{took_us:06}>")
        time_us += 100
    log.write_text("\n".join([*lines, "7 1700000002.000000 +++ exited with 0 +++"]) + "\n")
    store = folder / "writes.iotrace"
    assert run("ingest", log, "-o", store).returncode == 0
    manifest = json.loads((store / "manifest.json").read_text())
    others = {"traced_ns": 60_000, "others_ns": 0, "outside_ns": 25_000, "measured_calls": 6_000}
    manifest["tracing_overhead"] = {**others, **measured}
    (store / "manifest.json").write_text(json.dumps(manifest))
    return store


@pytest.mark.parametrize(
    ("write_us", "trivial", "trivial_us", "least_us", "most_us"),
    [
        (45, 300, 44, 0, 2),  # strace was slower than in the measurement after it
        (20, 300, 8, 11, 13),  # and faster
        (60, 40, 44, 15, 17),  # few calls only add to what was measured
        (60, 40, 8, 29, 31),
        (60, 0, 0, 29, 31),
    ],
)
def test_calls_that_take_no_time_show_what_the_tracer_added(
    run: Run, tmp_path: Path, write_us: int, trivial: int, trivial_us: int, least_us: int, most_us: int
) -> None:
    store = writes_store(run, tmp_path, write_us, trivial, trivial_us, IDLE)
    net_s = times_of(run, store, "write")["net_s"]
    assert net_s is not None and 5_000 * least_us <= 1e6 * net_s <= 5_000 * most_us


def test_what_strace_hides_is_not_called_nothing_to_gain(run: Run, tmp_path: Path) -> None:
    said = run("advice", writes_store(run, tmp_path, 30, 300, 30, IDLE)).stdout.decode()
    assert said.startswith(
        "I/O takes between 10 µs and 159 ms of 2 s: strace adds about as much to its calls as they"
    )
    assert "nothing to gain" not in said


def test_strace_never_adds_more_than_the_run_took() -> None:
    """The loop that measures it may run slower than the program did."""
    manifest = {"tracing_overhead": {"traced_ns": 120_000, "others_ns": 10}, "counts": {"calls": 20_000}}
    for run_ns, said in (
        (700_000_000, "shows; to 20,000 calls within 700 ms it added less on average"),
        (3_000_000_000, "shows: 2.4 s to 20,000 calls, more where other programs run"),
    ):
        manifest["counts"]["duration_ns"] = run_ns
        sentence = slowed_down(cast(Store, SimpleNamespace(manifest=manifest)))
        assert sentence is not None and sentence.endswith(said)
