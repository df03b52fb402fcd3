"""How long a report takes, and in how much memory.

    python tests/benchmarks/report.py [--trace NAME ...] [--requests 1000000] [--rounds 1] [--folder FOLDER]
                                      [--iotrace PROGRAM] [--sections] [-- OPTIONS]

Traces: `oracle`, reads with Zipf 0.9 over 8 million blocks of 4 KB and 30 % scans; `vscsi`, the same with 40 % writes;
`dxt`, 400,000 writes of 64 KB by 64 ranks; or a trace of system calls of IOTRACE_TRACES, such as `kernel-build`. They
are made from seeds and ingested before the clock runs, and kept in the folder, if one is given. Each report is made in
a separate process; options after -- are given to it. Prints elapsed and processor seconds and peak memory, of several
rounds the median and the spread; with --sections also when each step began.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import report_traces

MODULE = [sys.executable, "-P", "-c", "from iotrace.cli import main; main()"]
STEPS = """
import sys, time, resource
import iotrace
from iotrace.reports.report import page
began = time.perf_counter()
def step(words, part=None, speed=""):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    times = f"{time.perf_counter() - began:8.1f} s {time.process_time():8.1f} s of processors"
    if part is None:
        print(f"{times} {peak:7.0f} MB  {words}", flush=True)
page.report(iotrace.open(sys.argv[1]), step)
step("done")
"""


@dataclass(frozen=True)
class Cost:
    """What a process took."""

    elapsed_s: float
    processor_s: float
    peak_mb: float


def store_of(name: str, folder: Path, requests: int, program: list[str]) -> Path:
    """Make a trace and its store, unless the folder has it; return the store's place."""
    scale = f"-{requests}" if name in ("oracle", "vscsi") else ""
    place = folder / f"{name}{scale}.iotrace"
    if place.exists():
        return place
    raw = folder / f"{name}{scale}{ {'oracle': '.oracleGeneral.bin', 'dxt': '.dxt.txt'}.get(name, '.trace') }"
    named = ["--trace-format", "oracle-general-blocks"] if name == "oracle" else []
    if name == "oracle":
        report_traces.oracle_general(raw, requests)
    elif name == "vscsi":
        report_traces.vscsi(raw, requests)
    elif name == "dxt":
        report_traces.dxt(raw)
    else:
        raw = Path(os.environ["IOTRACE_TRACES"]) / "strace" / f"{name}.strace.zst"
    cost = measured([*program, "ingest", str(raw), "-o", str(place), *named])
    print(f"{name}: ingested in {cost.elapsed_s:.1f} s, {cost.peak_mb:,.0f} MB")
    if raw.is_relative_to(folder):
        raw.unlink()
    return place


def measured(command: list[str]) -> Cost:
    """Run a command to its end; raises SystemExit if it fails."""
    began = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(running.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: failed")
    return Cost(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def spread(values: list[float], form: str) -> str:
    """Return the median, and the least and most of several."""
    median = format(statistics.median(values), form)
    return median if len(values) == 1 else f"{median} ({min(values):{form}} to {max(values):{form}})"


def main() -> None:
    """Print a line for each trace."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--trace", action="append", default=[])
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--iotrace", help="another version's program, with stores of its own")
    parser.add_argument("--sections", action="store_true")
    parser.add_argument("options", nargs="*")
    given = parser.parse_args()
    program = [given.iotrace] if given.iotrace else MODULE
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        for name in given.trace or ["oracle", "vscsi", "dxt", "kernel-build"]:
            store = store_of(name, folder, given.requests, program)
            if given.sections:
                subprocess.run([sys.executable, "-P", "-c", STEPS, str(store)], check=True)
            command = [
                *program,
                "report",
                str(store),
                "-o",
                f"{temporary}/page.html",
                "--force",
                *given.options,
            ]
            costs = [measured(command) for _ in range(given.rounds)]
            print(
                f"{name}: {spread([cost.elapsed_s for cost in costs], '.1f')} s elapsed,"
                f" {spread([cost.processor_s for cost in costs], '.1f')} s of processors,"
                f" {spread([cost.peak_mb for cost in costs], ',.0f')} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
