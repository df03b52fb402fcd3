"""Recordings of calls that follow each other: each call is in one of them, and each knows the files that are open."""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest
from program import Run, refused

from iotrace.ingest import capture

PROGRAM = """
import os, sys, threading, time
file = os.open("data", os.O_RDWR | os.O_CREAT)
kept = os.dup(file)
go, told = os.pipe()
print("ready", flush=True)
sys.stdin.readline()
until = time.monotonic() + 4.5
counts = {}
def write(first):
    number = first
    while time.monotonic() < until:
        os.pwrite(file if number % 4 else kept, b"x" * 8, 8 * number)
        number += 2
        if number % 100 < 2:
            time.sleep(0.001)
    return (number - first) // 2
def reopen():
    number = 0
    while time.monotonic() < until:
        other = os.open("other", os.O_RDONLY)
        os.read(other, 10 + number % 7)
        os.close(other)
        number += 1
        time.sleep(0.0005)
    counts["opened"] = number
    os.write(told, b"y")
threads = [threading.Thread(target=reopen), threading.Thread(target=lambda: counts.update(even=write(0)))]
[thread.start() for thread in threads]
time.sleep(1)
child = os.fork()
if child == 0:
    odd = write(1)
    with open("odd", "w") as out:
        out.write(str(odd))
    os._exit(0)
os.read(go, 1)
[thread.join() for thread in threads]
os.waitpid(child, 0)
counts["odd"] = int(open("odd").read())
print(*(counts[name] for name in ("even", "odd", "opened")), flush=True)
"""

NO_BPF = capture.refusal(attaches=True)
pytestmark = pytest.mark.skipif(NO_BPF is not None, reason=f"BPF programs cannot attach here: {NO_BPF}")


def rows(run: Run, store: Path, statement: str) -> list[dict[str, object]]:
    done = run("sql", store, statement, "-f", "json")
    assert done.returncode == 0, done.stderr.decode()
    return list(json.loads(done.stdout))


def test_each_call_is_in_one_recording_and_each_knows_its_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(bytes(100))
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=tmp_path, stdin=pipe, stdout=pipe) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stdout.readline() == b"ready\n"
        words = ["-p", program.pid, "--rotate", "1s", "--max-size", "500M"]
        with run.start("record", "--backend", "bpf", *words, "-o", tmp_path / "calls") as recorder:
            while not (tmp_path / "calls" / "calls.partial").exists():
                assert recorder.poll() is None
            while not (tmp_path / "calls" / "calls.partial").stat().st_size > 1000:
                assert recorder.poll() is None
            program.stdin.write(b"\n")
            program.stdin.flush()
            even, odd, opened = map(int, program.stdout.readline().split())
            _, said = recorder.communicate()
        assert recorder.returncode == 0, said
    stores = sorted((tmp_path / "calls").iterdir())
    assert all(store.suffix == ".iotrace" for store in stores), (stores, said)
    assert len(stores) >= 4, said
    assert said.decode().count(", none lost: ") == len(stores)
    for store in stores:
        counted = json.loads(run("info", store, "-f", "json").stdout)["calls"]
        assert f"recorded {counted:,} calls in " in said.decode(), store
    offsets: list[object] = []
    starts: list[int] = []
    opens = reads = returned = 0
    for number, store in enumerate(stores):
        found = rows(
            run,
            store,
            "select \"offset\", path from reference join file using (file) where operation = 'write'"
            f" and path like '{tmp_path}/data'",
        )
        offsets += [row["offset"] for row in found]
        of_call = "select call, count(*) as calls from syscall where result is not null and result >= 0 group by call"
        calls = {row["call"]: row["calls"] for row in rows(run, store, of_call)}
        assert calls.get("pwrite64", 0) == len(found)
        opens += int(str(calls.get("openat", 0)))
        (waits,) = rows(
            run,
            store,
            "select count(*) filter (result is null) as under_way, count(*) filter (result = 1) as returned"
            " from syscall where call = 'read' and (result is null or count = 1)",
        )
        reads += int(str(waits["under_way"]))
        returned += int(str(waits["returned"]))
        (inherited,) = rows(run, store, "select count(*) as files from file where path like 'fd:%'")
        assert inherited["files"] == 0, number
        starts.append(json.loads((store / "manifest.json").read_text())["times"]["first_ns"])
    expected = [16 * number for number in range(even)] + [8 + 16 * number for number in range(odd)]
    assert sorted(map(int, map(str, offsets))) == sorted(expected)
    assert opens >= opened
    # what began earlier begins with the recording
    assert all(later - start > 0.9e9 for start, later in itertools.pairwise(starts))
    of_other = [
        rows(run, store, "select count(*) as reads from reference join file using (file) where length > 0"
             f" and operation = 'read' and path = '{tmp_path}/other' and type = 'datafile'")[0]["reads"]
        for store in stores
    ]  # fmt: skip
    assert sum(map(int, map(str, of_other))) == opened
    # the read of the pipe is under way at each change, and returns once
    assert returned == 1
    assert len(stores) - 3 <= reads <= len(stores)
    catalogue = json.loads(run("catalogue", tmp_path / "calls", "-f", "json").stdout)
    assert len(catalogue["catalogue"] if isinstance(catalogue, dict) else catalogue) == len(stores)


def test_what_cannot_rotate_is_refused(run: Run, tmp_path: Path) -> None:
    words = ["record", "--rotate", "1h", "-o", tmp_path / "calls"]
    assert "command" in refused(run(*words, "--", "true"), 2)
    assert "--kernel" in refused(run(*words, "--system", "--kernel"), 2)
    assert "--rotate" in refused(run(*words, "--system", "--backend", "strace"), 2)
    (tmp_path / "calls").write_text("")
    assert "folder of stores" in refused(run(*words, "--system"), 2)
