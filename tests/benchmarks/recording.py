"""What recording adds to a program: BPF programs, strace, perf, in turn.

A loop makes one kind of call, without work between, and with about 4 µs of it (recording.c; needs cc). Each recorder
has its turn in each round; the numbers are the loop's own processor time a call, the median of all rounds, and by how
much the total of loop and recorder exceeds that of the loop alone. Recorders that are not here, or not allowed, are
left out.

    python tests/benchmarks/recording.py
    python tests/benchmarks/recording.py --rounds 9 --calls 100000
"""

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from iotrace.ingest import capture, tracing

LOOPS = {
    "pread of 4 KB": ("pread", False),
    "pwrite of 4 KB": ("pwrite", False),
    "open and close": ("open", False),
    "pread, 4 µs of work between": ("pread", True),
}
WORK_NS = 3_400
"""Between two calls of the loop with work, so that it makes some 245,000 a second."""


def recorders() -> dict[str, list[str]]:
    """Return the words that go before a command, by recorder; FILE stands for the output."""
    found = {"none": []}
    if capture.refusal() is None:
        program = [str(capture.find()), "-o", "FILE"]
        found["bpf"] = [*program, "--"]
        found["bpf, without durations"] = [*program, "--no-durations", "--"]
        found["bpf, --off-cpu"] = [*program, "--off-cpu", "--"]
        found["bpf, --kernel"] = [*program, "--kernel", "--"]
    if shutil.which("strace"):
        found["strace, iotrace's flags"] = ["strace", *tracing.flags(), "--seccomp-bpf", "-o", "FILE", "--"]
        found["strace -f"] = ["strace", "-f", "-o", "FILE", "--"]
    if shutil.which("perf"):
        found["perf record raw_syscalls"] = [
            "perf",
            "record",
            "-q",
            "-e",
            "raw_syscalls:*",
            "-o",
            "FILE",
            "--",
        ]
        found["perf trace"] = ["perf", "trace", "-o", "FILE", "--"]
    return found


def measured(words: Sequence[str], loop: Sequence[str], folder: Path) -> tuple[float, float]:
    """Return the loop's processor time a call in ns, and that of everything in seconds."""
    output = folder / "output"
    output.unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(output) if word == "FILE" else word for word in words]
    done = subprocess.run([*command, *loop], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = re.search(r"^used ([\d.]+)$", done.stderr, re.MULTILINE)
    if used is None:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()[-200:]}")
    total = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(used[1]), total


def work_rounds(loop: Path, file: Path, folder: Path) -> int:
    """Return how many rounds of the inner loop take the time of the work."""
    rounds = 10_000
    with_work, _ = measured([], [str(loop), "pread", str(file), "2000", str(rounds)], folder)
    without, _ = measured([], [str(loop), "pread", str(file), "2000", "0"], folder)
    return max(1, round(rounds * WORK_NS / (with_work - without)))


def main() -> None:
    """Print a table for each loop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=50_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loop, file = folder / "loop", folder / "file"
        subprocess.run(["cc", "-O1", "-o", loop, Path(__file__).with_suffix(".c")], check=True)
        file.write_bytes(os.urandom(1 << 20))
        work = work_rounds(loop, file, folder)
        for title, (kind, has_work) in LOOPS.items():
            words = [str(loop), kind, str(file), str(asked.calls), str(work if has_work else 0)]
            found: dict[str, list[tuple[float, float]]] = {}
            for _ in range(asked.rounds):
                for recorder, before in recorders().items():
                    try:
                        found.setdefault(recorder, []).append(measured(before, words, folder))
                    except RuntimeError as error:
                        print(f"{recorder}: left out: {error}")
            print_table(title, found, asked.calls)


def print_table(title: str, found: dict[str, list[tuple[float, float]]], calls: int) -> None:
    """Print the medians of a loop, with the least and the largest ratio to the loop alone in the same round."""
    print(
        f"\n| {title} | ns a call | times the loop alone | ns added, with the recorder's |\n|---|---|---|---|"
    )
    alone = found["none"]
    for recorder, rounds in found.items():
        ratios = [own / base for (own, _), (base, _) in zip(rounds, alone, strict=False)]
        added = [
            1e9 * (all_s - base_s) / calls for (_, all_s), (_, base_s) in zip(rounds, alone, strict=False)
        ]
        own = statistics.median(own for own, _ in rounds)
        spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        print(f"| {recorder} | {own:,.0f} | {spread} | {statistics.median(added):,.0f} |")


if __name__ == "__main__":
    main()
