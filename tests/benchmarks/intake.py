"""How fast strace text becomes tables, and in how much memory.

    python tests/benchmarks/intake.py [LOG]          (default: kernel-build of the folder IOTRACE_TRACES)

Runs the scanner alone, the whole way to a Parquet store (file table included), and a yardstick that does nothing but
count lines in Python, interleaved, each on one core, and prints megabytes of text per second with their spread and
the ratios to the yardstick of the same round. Then the peak memory for the log repeated 1, 4 and 16 times.
Needs cargo (for the scanner alone) and util-linux's taskset.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "iotrace" / "engine"
INGEST = [sys.executable, "-P", "-c", "from iotrace.cli import main; main()", "ingest"]
COUNT_LINES = "import sys\nwith open(sys.argv[1], 'rb') as log: print(sum(1 for line in log))"


def main() -> None:
    """Print both tables."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("log", nargs="?", type=Path, help="a strace log, compressed or not")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--skip-memory", action="store_true")
    options = arguments.parse_args()
    log = options.log or default_log()
    with tempfile.TemporaryDirectory() as folder:
        text = decompressed(log, Path(folder))
        print_speeds(text, Path(folder), options.rounds)
        if not options.skip_memory:
            print_memory(text, Path(folder))


def default_log() -> Path:
    """Return the biggest log of the trace folder; leaves with a word where there is none."""
    traces = os.environ.get("IOTRACE_TRACES")
    if not traces:
        raise SystemExit("name a log, or set IOTRACE_TRACES to the folder of traces")
    return Path(traces) / "strace" / "kernel-build.strace.zst"


def decompressed(log: Path, folder: Path) -> Path:
    """Return the log as plain text, so that decompression is not measured."""
    if log.suffix != ".zst":
        return log
    text = folder / log.stem
    subprocess.run(["zstd", "-dqc", str(log)], stdout=text.open("wb"), check=True)
    return text


def print_speeds(text: Path, folder: Path, rounds: int) -> None:
    """Interleave the contenders and print megabytes a second: least, median, most, and the median ratio."""
    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "-p", "iotrace-core", "--example", "scan"],
        cwd=ENGINE,
        check=True,
    )
    scan = ENGINE / "target" / "release" / "examples" / "scan"
    store = folder / "store.iotrace"
    contenders: dict[str, Callable[[], list[str]]] = {
        "count lines in Python": lambda: [sys.executable, "-c", COUNT_LINES, str(text)],
        "scanner alone": lambda: [str(scan), str(text)],
        "text to Parquet store": lambda: [*INGEST, str(text), "-o", str(store)],
    }
    megabytes = text.stat().st_size / 1e6
    speeds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, command in contenders.items():
            shutil.rmtree(store, ignore_errors=True)
            speeds[name].append(megabytes / seconds(command()))
    yardstick = speeds["count lines in Python"]
    print(f"{text.name}: {megabytes:.0f} MB, one core, {rounds} interleaved rounds")
    print(f"{'':24}{'MB/s least':>12}{'median':>10}{'most':>10}{'ratio':>10}")
    for name, values in speeds.items():
        ratio = statistics.median(value / base for value, base in zip(values, yardstick, strict=True))
        print(
            f"{name:24}{min(values):12.0f}{statistics.median(values):10.0f}{max(values):10.0f}{ratio:10.2f}"
        )


def seconds(command: list[str]) -> float:
    """Run a command on one core and return the wall-clock time."""
    pinned = ["taskset", "-c", "0", *command] if shutil.which("taskset") else command
    started = time.perf_counter()
    subprocess.run(pinned, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def print_memory(text: Path, folder: Path) -> None:
    """Print the peak memory of ingesting the log 1, 4 and 16 times over."""
    print(f"\n{'repeated':>10}{'peak MB':>10}{'files':>10}")
    for times in (1, 4, 16):
        store = folder / f"{times}.iotrace"
        peak, said = peak_memory([*INGEST, "-", "-o", str(store)], repeated(text, times))
        files = re.search(r"([\d,]+) files", said)
        print(f"{times:>10}{peak:>10.0f}{files.group(1) if files else '?':>10}")
        shutil.rmtree(store)


def repeated(text: Path, times: int) -> Iterator[bytes]:
    """Give the log's bytes several times over."""
    for _ in range(times):
        with text.open("rb") as log:
            while block := log.read(1 << 20):
                yield block


def peak_memory(command: list[str], text: Iterator[bytes]) -> tuple[float, str]:
    """Run a command on this input; return its peak resident megabytes and what it printed."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=subprocess.DEVNULL)
        assert process.stdin is not None
        for block in text:
            process.stdin.write(block)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(command)} failed")
        said.seek(0)
        return usage.ru_maxrss / 1024, said.read().decode()


if __name__ == "__main__":
    main()
