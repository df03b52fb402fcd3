"""Items that another thread makes: it ends before the program does, unless it waits for what may never come."""

import subprocess
import sys
import time

import pytest

SCRIPT = """
import atexit, sys, threading, time

atexit.register(lambda: print(sum(thread.name == "reader" for thread in threading.enumerate())))

from iotrace.store.writer import ahead


def items():
    threading.current_thread().name = "reader"
    for number in range(10_000):
        yield number
        time.sleep({seconds})


made = ahead(items(), 4)
print(next(made))
raise SystemExit(3)
"""


@pytest.mark.parametrize(("seconds", "left"), [(0.01, 0), (60, 1)], ids=["working", "waiting"])
def test_the_thread_ends_before_the_program(seconds: float, left: int) -> None:
    began_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT.format(seconds=seconds)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout.split()) == (3, ["0", str(left)]), done.stderr
    assert time.monotonic() - began_s < 30
