"""Requests a second through the model of a drive, compared with DiskSim's, on the same trace of measured requests.

Serves the trace in a closed loop by our drive, and, where `--disksim` names that program and its parameter file, by
DiskSim, in turn. Ours is timed over requests in memory, and as a whole `iotrace disk validate`; DiskSim's as a process
that reads the trace as text and writes its statistics.

    python tests/benchmarks/disk.py dec_rz26.trace --disk rz26
    python tests/benchmarks/disk.py dec_rz26.trace --disk dec_rz26.parv --disksim ./disksim dec_rz26.parv
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from engine import spread

from iotrace.simulate.disk import drive, read_measured


def seconds(run: Callable[[], object]) -> float:
    """The time that it takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    """Run the rounds, print the rates."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trace", type=Path, help="in the VALIDATE format, not compressed")
    parser.add_argument("--disk", required=True, help="a drive of the library, or a file")
    parser.add_argument("--disksim", nargs=2, metavar=("PROGRAM", "PARV"), help="DiskSim and its parameters")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()

    measured, native = read_measured(given.trace), drive(given.disk).native
    requests = (
        pa.array(measured.lbn, pa.uint64()),
        pa.array(measured.blocks, pa.uint64()),
        pa.array(measured.write, pa.bool_()),
        pa.array(measured.after_ns, pa.int64()),
    )
    runs: dict[str, Callable[[], object]] = {"the model alone": lambda: native.closed_loop(*requests)}
    iotrace = str(Path(sys.executable).with_name("iotrace"))
    words = [iotrace, "disk", "validate", str(given.trace), "--disk", given.disk]
    runs["iotrace disk validate"] = lambda: subprocess.run(words, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        if given.disksim:
            program, parameters = (Path(name).resolve() for name in given.disksim)
            other = [program, parameters.name, f"{folder}/out", "validate", given.trace.resolve(), "0"]
            runs["DiskSim"] = lambda: subprocess.run(
                other, check=True, capture_output=True, cwd=parameters.parent
            )
        times: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(given.rounds):
            for name, run in runs.items():
                times[name].append(seconds(run))
    print(f"{len(measured.lbn):,} requests; thousands a second, median (least to most)")
    for name, values in times.items():
        print(f"{name:24}{spread([len(measured.lbn) / value / 1000 for value in values])}")


if __name__ == "__main__":
    main()
