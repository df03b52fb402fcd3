"""What recording adds to a program: BPF programs, strace, perf, bpftrace, in turn.

A loop makes one kind of call, without work between, and with about 4 µs of it (recording.c; needs cc). Each recorder
has its turn in each round; the numbers are the loop's own processor time a call, the median of all rounds, and by how
much the total of loop and recorder exceeds that of the loop alone. Then the same loop while another process is
recorded; cold reads of a file on a loop device, whose image is in memory (as root); and a loop at full speed, whose
calls are counted. Recorders that are not here, or not allowed, are left out.

    python tests/benchmarks/recording.py
    python tests/benchmarks/recording.py --rounds 9 --calls 100000
"""

import argparse
import contextlib
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
COLD = {
    "cold sequential reads of 128 KB": ("sequential", 2 << 13),
    "cold random reads of 4 KB": ("random", 50_000),
}
"""Kind of read and number of calls; the first reads the whole file."""
COLD_BYTES = 2 << 30
FULL_SPEED_CALLS = 3_000_000
BPFTRACE = """
tracepoint:raw_syscalls:sys_enter /comm == "loop"/ { @began[tid] = nsecs; }
tracepoint:raw_syscalls:sys_exit /comm == "loop" && @began[tid]/ {
    printf("%d %d %lld %lld %d\\n", pid, tid, @began[tid], nsecs, args->ret); delete(@began[tid]);
}
"""


@dataclass(frozen=True)
class Run:
    """Of a run of the loop."""

    used_ns: float
    """The loop's own processor time a call."""
    took_ns: float
    """The elapsed time a call."""
    total_s: float
    """The processor time of loop and recorder."""
    peak_mb: float
    """The largest resident memory of a process."""


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
        found["strace, iotrace's flags"] = ["strace", *tracing.flags(), "-o", "FILE", "--"]
        found["the same with --seccomp-bpf"] = [
            "strace",
            *tracing.flags(),
            "--seccomp-bpf",
            "-o",
            "FILE",
            "--",
        ]
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
    if shutil.which("bpftrace"):
        found["bpftrace, a line a call"] = ["bpftrace", "-q", "-o", "FILE", "-e", BPFTRACE, "-c"]
    return found


def measured(words: Sequence[str], loop: Sequence[str], folder: Path) -> Run:
    """Run a loop below a recorder, whose words stand before the command."""
    output = folder / "output"
    output.unlink(missing_ok=True)
    command = [str(output) if word == "FILE" else word for word in words]
    # bpftrace takes the command as one word
    command += [" ".join(loop)] if command[-1:] == ["-c"] else loop
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        said.seek(0)
        text = said.read()
    numbers = [re.search(rf"^{word} ([\d.]+)$", text, re.MULTILINE) for word in ("used", "took")]
    used, took = (float(number[1]) if number else None for number in numbers)
    if used is None or took is None:
        raise RuntimeError(text.strip()[-200:])
    return Run(used, took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def work_rounds(loop: Path, file: Path, folder: Path) -> int:
    """Return how many rounds of the inner loop take the time of the work."""
    rounds = 1_000
    with_work = measured([], [str(loop), "pread", str(file), "200000", str(rounds)], folder)
    without = measured([], [str(loop), "pread", str(file), "200000", "0"], folder)
    return max(1, round(rounds * WORK_NS / (with_work.used_ns - without.used_ns)))


def in_turn(
    rounds: int, tried: dict[str, list[str]], loop: Sequence[str], folder: Path
) -> dict[str, list[Run]]:
    """Run a loop below each recorder, round after round; those that fail are left out."""
    found: dict[str, list[Run]] = {}
    for _ in range(rounds):
        for recorder, before in list(tried.items()):
            try:
                found.setdefault(recorder, []).append(measured(before, loop, folder))
            except RuntimeError as error:
                print(f"{recorder}: left out: {error}")
                del tried[recorder]
    return {recorder: runs for recorder, runs in found.items() if runs}


def print_table(title: str, found: dict[str, list[Run]], calls: int) -> None:
    """Print the medians of a loop, with the least and the largest ratio to the loop alone in the same round."""
    print(
        f"\n| {title} | ns a call | times the loop alone | ns added, with the recorder's | elapsed, times |"
        "\n|---|--:|---|--:|---|"
    )
    alone = found["none"]
    for recorder, runs in found.items():
        pairs = list(zip(runs, alone, strict=False))
        added = statistics.median(1e9 * (run.total_s - base.total_s) / calls for run, base in pairs)
        print(
            f"| {recorder} | {statistics.median(run.used_ns for run in runs):,.0f}"
            f" | {spread([run.used_ns / base.used_ns for run, base in pairs])} | {added:,.0f}"
            f" | {spread([run.took_ns / base.took_ns for run, base in pairs])} |",
            flush=True,
        )


def spread(ratios: Sequence[float]) -> str:
    """The median, the least and the largest."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def outside(rounds: int, loop: Sequence[str], calls: int, folder: Path) -> None:
    """Print what a process pays while another one is recorded."""
    found: dict[str, list[Run]] = {}
    for _ in range(rounds):
        for recorder, before in recorders().items():
            if recorder not in ("none", "bpf", "bpf, --off-cpu", "bpf, --kernel"):
                continue
            output = folder / "other"
            output.unlink(missing_ok=True)
            command = [str(output) if word == "FILE" else word for word in before]
            with subprocess.Popen([*command, "sleep", "60"]) as other:
                until_attached = output if before else folder
                while not until_attached.exists() or (before and output.stat().st_size == 0):
                    pass
                found.setdefault(recorder, []).append(measured([], loop, folder))
                other.terminate()
    print_table("pread of 4 KB by a process that is not recorded", found, calls)


@contextlib.contextmanager
def cold_file(folder: Path) -> Iterator[Path]:
    """A file of COLD_BYTES in an ext4 on a loop device, whose image is in memory."""
    image, mount = Path("/dev/shm/iotrace-recording-benchmark"), folder / "disk"
    mount.mkdir()
    try:
        with image.open("wb") as file:
            file.truncate(COLD_BYTES + (256 << 20))
        subprocess.run(["mkfs.ext4", "-q", image], check=True)
        subprocess.run(["mount", "-o", "loop", image, mount], check=True)
        try:
            with (mount / "file").open("wb") as file:
                for _ in range(COLD_BYTES >> 20):
                    file.write(os.urandom(1 << 20))
                os.fsync(file.fileno())
            yield mount / "file"
        finally:
            subprocess.run(["umount", mount], check=True)
    finally:
        image.unlink()


def cold(rounds: int, loop: Path, folder: Path) -> None:
    """Print what cold reads cost, and how many events are recorded of them."""
    if os.geteuid() != 0 or capture.refusal() is not None:
        print("\ncold reads: left out: they need root")
        return
    with cold_file(folder) as file:
        for title, (kind, calls) in COLD.items():
            words = [str(loop), kind, str(file), str(calls), "0"]
            found: dict[str, list[Run]] = {}
            events = []
            measured([], words, folder)
            for _ in range(rounds):
                for recorder, before in recorders().items():
                    if recorder not in ("none", "bpf", "bpf, --kernel", "strace, iotrace's flags"):
                        continue
                    if recorder == "bpf, --kernel":
                        (folder / "result").unlink(missing_ok=True)
                        before = [*before[:-1], "--result", str(folder / "result"), "--"]
                    os.sync()
                    Path("/proc/sys/vm/drop_caches").write_text("3")
                    found.setdefault(recorder, []).append(measured(before, words, folder))
                    if recorder == "bpf, --kernel":
                        result = json.loads((folder / "result").read_text())
                        events.append(1e9 * result["records"] / result["recorded_ns"])
                        lost = result["lost_calls"] + result["lost_events"]
                        if lost:
                            print(f"--kernel lost {lost:,} records of {title}")
            print_table(title, found, calls)
            print(f"\n--kernel recorded {statistics.median(events):,.0f} records a second.")


def full_speed(loop: Path, file: Path, folder: Path) -> None:
    """Print how many calls a second are recorded of a loop without work, and how many are lost."""
    if capture.refusal() is not None:
        return
    result = folder / "full"
    words = [str(capture.find()), "-o", "FILE", "--ring-mb", "64", "--result", str(result), "--"]
    run = measured(words, [str(loop), "pread", str(file), str(FULL_SPEED_CALLS), "0"], folder)
    found = json.loads(result.read_text())
    print(
        f"\nAt full speed: {1e9 / run.took_ns:,.0f} preads a second, {found['calls']:,} calls recorded of "
        f"{FULL_SPEED_CALLS:,} and those of the start, {found['lost_calls']:,} lost with a ring of 64 MB; "
        f"{run.peak_mb:,.0f} MB at the peak; "
        f"{found['contents_bytes'] / found['calls']:.1f} bytes a call before compression, "
        f"{found['stored_bytes'] / found['calls']:.1f} stored."
    )


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
            print_table(title, in_turn(asked.rounds, recorders(), words, folder), asked.calls)
        outside(asked.rounds, [str(loop), "pread", str(file), "1000000", "0"], 1_000_000, folder)
        cold(asked.rounds, loop, folder)
        full_speed(loop, file, folder)


if __name__ == "__main__":
    main()
