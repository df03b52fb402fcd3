"""How fast strace text becomes tables, and in how much memory.

    python tests/benchmarks/intake.py [LOG...]          (default: two logs of the folder IOTRACE_TRACES)

Runs the scanner alone, the whole way to a Parquet store (file table included), and a yardstick that does nothing but
count lines in Python, interleaved, each on one core, and prints megabytes of text per second with their spread and
the ratios to the yardstick of the same round. The way to a store is given with and without the time in which Python
and its libraries start, which is that of the log's first hundred lines. Then the peak memory for logs repeated 1, 4
and 16 times, and its growth for each file that repetition adds. Other logs can be named than the default ones:
kernel-build, whose every repetition makes its files and processes anew, and parallel-io, which works on the same
few files.
Needs cargo (for the scanner alone) and util-linux's taskset.
"""

import argparse
import itertools
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
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
    arguments.add_argument("logs", nargs="*", type=Path, help="strace logs, compressed with zstd or not")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--skip-memory", action="store_true")
    options = arguments.parse_args()
    logs = options.logs or default_logs()
    with tempfile.TemporaryDirectory() as folder:
        texts = [decompressed(log, Path(folder)) for log in logs]
        print_speeds(texts[0], Path(folder), options.rounds)
        for text in [] if options.skip_memory else texts:
            print_memory(text, Path(folder))


def default_logs() -> list[Path]:
    """Return the biggest log of the trace folder, and one over few files; leaves with a word without a folder."""
    traces = os.environ.get("IOTRACE_TRACES")
    if not traces:
        raise SystemExit("name a log, or set IOTRACE_TRACES to the folder of traces")
    return [Path(traces) / "strace" / f"{name}.strace.zst" for name in ("kernel-build", "parallel-io")]


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
    few = folder / "few.strace"
    with text.open("rb") as log:
        few.write_bytes(b"".join(itertools.islice(log, 100)))
    contenders: dict[str, list[str]] = {
        "count lines in Python": [sys.executable, "-c", COUNT_LINES, str(text)],
        "scanner alone": [str(scan), str(text)],
        "text to Parquet store": [*INGEST, str(text), "-o", str(store)],
        "start": [*INGEST, str(few), "-o", str(store)],
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, command in contenders.items():
            shutil.rmtree(store, ignore_errors=True)
            times[name].append(seconds(command))
    starts = times.pop("start")
    times["... without its start"] = [
        whole - start for whole, start in zip(times["text to Parquet store"], starts, strict=True)
    ]
    megabytes = text.stat().st_size / 1e6
    yardstick = times["count lines in Python"]
    print(f"{text.name}: {megabytes:.0f} MB, one core, {rounds} interleaved rounds")
    print(f"{'':24}{'MB/s least':>12}{'median':>10}{'most':>10}{'ratio':>10}")
    for name, values in times.items():
        ratio = statistics.median(base / value for value, base in zip(values, yardstick, strict=True))
        least, median, most = (
            megabytes / value for value in (max(values), statistics.median(values), min(values))
        )
        print(f"{name:24}{least:12.0f}{median:10.0f}{most:10.0f}{ratio:10.2f}")
    print(f"start of Python and its libraries: {statistics.median(starts):.2f} s")


def seconds(command: list[str]) -> float:
    """Run a command on one core and return the wall-clock time."""
    pinned = ["taskset", "-c", "0", *command] if shutil.which("taskset") else command
    started = time.perf_counter()
    subprocess.run(pinned, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def print_memory(text: Path, folder: Path) -> None:
    """Print the peak memory of ingesting the log 1, 4 and 16 times over."""
    print(f"\n{text.name}\n{'repeated':>10}{'peak MB':>10}{'files':>10}{'processes':>11}")
    seen = []
    for times in (1, 4, 16):
        store = folder / f"{times}.iotrace"
        peak, said = peak_memory([*INGEST, "-", "-o", str(store)], repeated(text, times))
        found = re.search(r"([\d,]+) files, ([\d,]+) processes", said)
        files, processes = (int(number.replace(",", "")) for number in found.groups()) if found else (0, 0)
        print(f"{times:>10}{peak:>10.0f}{files:>10,}{processes:>11,}")
        seen.append((peak, files))
        shutil.rmtree(store)
    (peak, files), (last_peak, last_files) = seen[0], seen[-1]
    if last_files > files:
        growth = (last_peak - peak) * 2**20 / (last_files - files)
        print(f"{growth:,.0f} bytes for each further file, the processes of its repetition included")


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
