"""Where the descriptors of a process stand to which record attaches."""

import subprocess
import sys
import time
from pathlib import Path

from program import Run
from strace_program import needs_strace

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
        with run.start("record", "-p", process.pid, "-o", store) as recording:
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
