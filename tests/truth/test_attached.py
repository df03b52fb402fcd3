"""Where the descriptors of a process stand to which record attaches."""

import json
import subprocess
import sys
import time
from pathlib import Path

from program import Run
from recorders import needs_strace

PROGRAM = """
import os, sys, threading, time
read = os.open("read", os.O_RDONLY)
idle = os.open("idle", os.O_RDONLY)
one = os.open("twice", os.O_RDONLY); other = os.dup(one)
append = os.open("append", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
by_threads = os.open("threads", os.O_RDONLY)
os.read(idle, 3000); os.read(one, 700)
for _ in range(50):
    os.read(read, 100); os.read(by_threads, 10)
def go(name):
    while not os.path.exists(name):
        time.sleep(0.05)
def help():
    go("now")
    time.sleep(0.3)
    os.read(by_threads, 20)
helper = threading.Thread(target=help); helper.start()
print("ready", flush=True)
go("now")
for _ in range(5):
    os.read(read, 100)
os.read(by_threads, 10)
helper.join()
os.read(by_threads, 30)
os.read(idle, 50)
os.read(one, 10); os.read(other, 10)
os.write(append, b"x")
"""


@needs_strace
def test_offsets_are_those_of_the_process_where_it_stands_still(run: Run, tmp_path: Path) -> None:
    for name in ("read", "idle", "twice", "threads"):
        (tmp_path / name).write_bytes(b"x" * 10_000)
    store = tmp_path / "run.iotrace"
    with subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        with run.start("record", "--backend", "strace", "-p", process.pid, "-o", store) as recording:
            while "TracerPid:\t0" in Path(f"/proc/{process.pid}/status").read_text():
                assert recording.poll() is None
            time.sleep(0.5)
            (tmp_path / "now").touch()
            _, said = recording.communicate()
        assert recording.returncode == 0, said
    statement = (
        'select parse_filename(path), offset_source, reference."offset", length from reference'
        " join file using (file) where type = 'datafile' and operation = 'read' and length > 0"
        f" and path like '{tmp_path}/%' order by seq"
    )
    done = run("sql", store, statement, "-f", "csv")
    found = done.stdout.decode().splitlines()[1:]

    def of(name: str) -> list[str]:
        return [row.removeprefix(f"{name},") for row in found if row.startswith(f"{name},")]

    assert of("read") == [f"tracked,{5000 + 100 * place},100" for place in range(5)]
    assert of("idle") == ["tracked,3000,50"]
    assert of("threads") == ["tracked,500,10", "tracked,510,20", "tracked,530,30"]
    # two descriptors of one file may share a position: it is not guessed
    assert [row.partition(",")[0] for row in of("twice")] == ["relative", "relative"]


@needs_strace
def test_time_after_the_last_call_is_said_to_be_unknown(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "run.iotrace"
    program = "input()\nwhile True: pass"
    words = [sys.executable, "-c", program]
    with subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        with run.start(
            "record", "--backend", "strace", "-p", process.pid, "--seconds", "4", "-o", store
        ) as recording:
            while "TracerPid:\t0" in Path(f"/proc/{process.pid}/status").read_text():
                assert recording.poll() is None
            time.sleep(0.5)
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
            _, said = recording.communicate()
        process.kill()
    assert recording.returncode == 0, said
    attached_ns = json.loads((store / "manifest.json").read_text())["attached_ns"]
    assert 3.5e9 < attached_ns < 6e9
    first = run("time", store).stdout.decode()
    assert "The recorder was attached for" in first
    assert "before their first call and after their last is not known" in " ".join(first.split())


@needs_strace
def test_a_process_without_calls_says_how_long_it_was_traced(run: Run, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True)\nwhile True: pass"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        done = run(
            "record",
            "--backend",
            "strace",
            "-p",
            process.pid,
            "--seconds",
            "1",
            "-o",
            tmp_path / "run.iotrace",
        )
        process.kill()
    assert done.returncode == 1
    assert b"made no traced call in 1" in done.stderr
