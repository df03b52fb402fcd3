"""The engine in a process whose first native call is made by a thread that ends."""

import subprocess
import sys
from pathlib import Path

RUNS = 3
PROGRAM = """
import pathlib, sys, threading

def refuse_traces():
    from iotrace.errors import IotraceError
    from iotrace.ingest.pipeline import ingest

    folder = pathlib.Path(sys.argv[1])
    trace = folder / "no-trace.csv"
    trace.write_bytes(b"garbage\\0\\n" * 2000)
    for _ in range(5):
        try:
            ingest([trace], folder / "o.iotrace", format="msr-cambridge")
        except IotraceError:
            pass

for _ in range(2):
    thread = threading.Thread(target=refuse_traces)
    thread.start()
    thread.join()
"""


def test_the_thread_that_loads_the_engine_may_end(tmp_path: Path) -> None:
    for _ in range(RUNS):
        words = [sys.executable, "-P", "-c", PROGRAM, str(tmp_path)]
        done = subprocess.run(words, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
