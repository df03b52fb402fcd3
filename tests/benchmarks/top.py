"""What `iotrace top` takes of a processor: the recorder and Python together, its screen included.

A program makes a number of calls a second on files (pread, and open and close of other ones), in a burst each 10 ms,
while `iotrace top` shows the system on a pseudo-terminal of 100 by 30. The processor's time of both of its processes is
that of /proc, over the seconds after the first three. Needs the rights that `iotrace record --backend bpf` needs.

    python tests/benchmarks/top.py
    python tests/benchmarks/top.py --calls 50000 --files 1000 --seconds 30
    python tests/benchmarks/top.py -- --record -o /tmp/it.iotrace
"""

import argparse
import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
START_SECONDS = 3
LOAD = """
import os, sys, time
folder, calls, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
names = [f"{folder}/{number}" for number in range(files)]
for name in names:
    with open(name, "wb") as file:
        file.write(bytes(4096))
file, at, made = os.open(names[0], os.O_RDONLY), 0, 0
begin = time.monotonic()
print("ready", flush=True)
while True:
    while made < calls * (time.monotonic() - begin):
        for _ in range(17):
            os.pread(file, 512, 0)
        opened = os.open(names[at % files], os.O_RDONLY)
        os.read(opened, 512)
        os.close(opened)
        at += 1
        made += 20
    time.sleep(0.01)
"""


def used_s(process: int) -> float:
    """Return the processor's time of a process that runs."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the share of each process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=50_000, help="calls a second")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("options", nargs="*", help="further options of iotrace top, after --")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", LOAD, folder, str(asked.calls), str(asked.files)]
        load = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert load.stdout is not None
        load.stdout.readline()
        terminal, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        words = [PROGRAM, "top", *asked.options]
        top = subprocess.Popen(words, stdin=inner, stdout=inner, start_new_session=True)
        threading.Thread(target=_read_all, args=(terminal,), daemon=True).start()
        time.sleep(START_SECONDS)
        (recorder,) = Path(f"/proc/{top.pid}/task/{top.pid}/children").read_text().split()
        processes = {"Python": top.pid, "recorder": int(recorder)}
        before = {name: used_s(process) for name, process in processes.items()}
        began = time.monotonic()
        time.sleep(asked.seconds)
        elapsed_s = time.monotonic() - began
        shares = {name: (used_s(process) - before[name]) / elapsed_s for name, process in processes.items()}
        os.write(terminal, b"q")
        top.wait()
        load.kill()
        load.wait()
    for name, share in (*shares.items(), ("together", sum(shares.values()))):
        print(f"{name}: {100 * share:.2f} % of a processor at {asked.calls:,} calls a second")


def _read_all(terminal: int) -> None:
    while os.read(terminal, 1 << 16):
        pass


if __name__ == "__main__":
    main()
