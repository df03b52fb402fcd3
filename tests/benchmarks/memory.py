"""What `--memory` holds: commands on large traces under limits, as a table in Markdown.

Makes the traces from seeds, and their stores under the first limit: `disks`, requests of 4 KB of which 60 % go to 8
million blocks (Zipf, 0.9), the others to blocks that follow each other, each once, and a third write; `keys`, the same
of objects in Twitter's format; `calls`, kernel-build of IOTRACE_TRACES, several times with other processes and later
times; `files`, 20 CSV files in Cambridge's format, of 5 volumes and 4 periods, whose requests are out of the order of
time, given out of order and a fifth of them compressed. Each command runs in a separate process. Status, elapsed and
processor seconds, and the largest resident memory as the kernel counts it.

    python tests/benchmarks/memory.py --folder FOLDER
    python tests/benchmarks/memory.py --folder FOLDER --part 0.25 --limit 1G --trace disks
"""

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from report_traces import BLOCK_BYTES, PIECE, SECTORS, SPREAD, VSCSI

OURS = [sys.executable, "-P", "-m", "iotrace"]
DISK_REQUESTS, KEY_REQUESTS, CALL_BYTES, FILE_REQUESTS = 100_000_000, 50_000_000, 2_000_000_000, 1_200_000
VOLUMES, PERIODS = 5, 4
FIRST_TICK = 128166372003061629
"""Of Cambridge traces: units of 100 ns since 1601."""
HOT = 8_000_000
NEW_BLOCKS, NEW_KEYS = 0.4, 0.0235
"""Requests for what no other asks for: of 50 million requests for keys, 7.3 million are for different ones."""
KERNEL_BUILD = "strace/kernel-build.strace.zst"
LINE = re.compile(rb"^(\d+) +(\d+)(\.\d+ )", re.M)
"""The process and the second of a line of strace -f -ttt."""
LATER_PROCESSES, LATER_S = 100_000, 1_000
BY_BLOCK = "select count(*) from (select lbn, count(*) as requests from disk_io group by lbn)"
ALL_SIZES = ("curve", "-f", "csv", "-o", "{rows}", "--force")
COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "disks": (
        ("report", "-o", "{page}", "--force"),
        ("characterize",),
        ("characterize", "--all"),
        ("characterize", "top_files"),
        ("sql", BY_BLOCK),
        ("advice",),
        ALL_SIZES,
        (*ALL_SIZES, "--sample", "1%"),
        ("curve", "--sizes", "64M,1G,16G", "-f", "csv"),
        ("curve", "--largest", "64M", "--sizes", "64M", "-f", "csv"),
        ("compare", "{store}"),
    ),
    "keys": (
        ("report", "-o", "{page}", "--force"),
        ("characterize",),
        ("advice",),
        ALL_SIZES,
    ),
    "calls": (
        ("report", "-o", "{page}", "--force"),
        ("characterize",),
        ("time", "--by", "call"),
        ("advice",),
        ("curve", "--sizes", "64M,1G", "-f", "csv"),
    ),
    "files": (
        ("report", "-o", "{page}", "--force"),
        ("characterize",),
        ("advice",),
        ("curve", "--sizes", "64M,1G", "-f", "csv"),
    ),
}


@dataclass(frozen=True)
class Cost:
    """What a process took, how it ended, and the last line that it said."""

    status: int
    elapsed_s: float
    processor_s: float
    peak_mb: float
    said: str


def cost(command: list[str]) -> Cost:
    """Run a command to its end."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = process.stderr.read().strip().splitlines()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.perf_counter() - began
    last = said[-1].split("\r")[-1] if said else ""
    return Cost(process.returncode, elapsed, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, last)


def numbers(requests: int, seed: int, new_part: float) -> Iterator[np.ndarray]:
    """Give block numbers, piece by piece."""
    chance, next_new = np.random.default_rng(seed), HOT
    weights = np.cumsum(np.arange(1, HOT + 1, dtype=np.float64) ** -0.9)
    for first in range(0, requests, PIECE):
        count = min(PIECE, requests - first)
        ranks = np.searchsorted(weights, chance.random(count) * weights[-1])
        blocks = ranks * SPREAD % HOT
        is_new = chance.random(count) >= 1 - new_part
        new = int(is_new.sum())
        blocks[is_new] = np.arange(next_new, next_new + new)
        next_new += new
        yield blocks


def write_disks(place: Path, part: float) -> None:
    """Write requests to disks in version 2 of the vscsi format."""
    chance, first = np.random.default_rng(8), 0
    with place.open("wb") as file:
        for blocks in numbers(int(DISK_REQUESTS * part), 7, NEW_BLOCKS):
            records = np.zeros(len(blocks), VSCSI)
            records["bytes"], records["entries"], records["version"] = BLOCK_BYTES, 1, 0x100
            records["command"] = np.where(chance.random(len(blocks)) < 2 / 3, 0x28, 0x2A)
            records["lbn"], records["us"] = blocks * SECTORS, (first + np.arange(len(blocks))) * 100
            file.write(records.tobytes())
            first += len(blocks)


def write_keys(place: Path, part: float) -> None:
    """Write requests for objects in Twitter's format."""
    first = 0
    with place.open("w") as file:
        for objects in numbers(int(KEY_REQUESTS * part), 9, NEW_KEYS):
            rows = zip(range(first, first + len(objects)), objects.tolist(), strict=True)
            file.writelines(
                f"{number // 100_000},k{object_},9,{100 + object_ % 4000},1,get,0\n"
                for number, object_ in rows
            )
            first += len(objects)


def write_calls(place: Path, part: float) -> None:
    """Write kernel-build several times, each with other processes and later."""
    source = Path(os.environ["IOTRACE_TRACES"]) / KERNEL_BUILD
    log = subprocess.run(["zstd", "-dc", source], stdout=subprocess.PIPE, check=True).stdout
    with place.open("wb") as file:
        for copy in range(max(1, round(CALL_BYTES * part / len(log)))):
            file.write(LINE.sub(lambda line, copy=copy: moved(line, copy), log))


def moved(line: re.Match[bytes], copy: int) -> bytes:
    """Return the beginning of a line of a later copy."""
    process, second = int(line[1]) + copy * LATER_PROCESSES, int(line[2]) + copy * LATER_S
    return b"%d %d%s" % (process, second, line[3])


def write_files(place: Path, part: float) -> None:
    """Write requests to disks in a folder of files, in Cambridge's format: one for each volume and period."""
    place.mkdir()
    chance = np.random.default_rng(10)
    count = round(FILE_REQUESTS * part / VOLUMES / PERIODS)
    for number in chance.permutation(VOLUMES * PERIODS):
        volume, period = divmod(int(number), PERIODS)
        ticks = FIRST_TICK + (period * count + np.arange(count) + chance.integers(0, 50, count)) * 1000
        blocks = chance.zipf(1.2, count) % HOT
        kinds = np.where(chance.random(count) < 2 / 3, "Read", "Write")
        rows = zip(ticks.tolist(), kinds.tolist(), (blocks * BLOCK_BYTES).tolist(), strict=True)
        text = "".join(
            f"{tick},web{volume},0,{kind},{offset},{BLOCK_BYTES},700\n" for tick, kind, offset in rows
        )
        packed = number % VOLUMES == 0
        file = place / f"vol{volume}_p{period}.csv{'.gz' if packed else ''}"
        file.write_bytes(gzip.compress(text.encode(), 1) if packed else text.encode())


def raw_files(raw: Path) -> list[str]:
    """Return the files of a raw trace, those of a folder out of the order of time."""
    return sorted(map(str, raw.iterdir()), key=lambda name: name[::-1]) if raw.is_dir() else [str(raw)]


WRITERS: dict[str, Callable[[Path, float], None]] = {
    "disks": write_disks,
    "keys": write_keys,
    "calls": write_calls,
    "files": write_files,
}


def show(trace: str, limit: str, command: str, cost: Cost) -> None:
    """Print a row."""
    said = cost.said if cost.status or "warning" in cost.said else ""
    print(
        f"| {trace} | {limit} | {command} | {cost.status} | {cost.elapsed_s:.0f} | {cost.processor_s:.0f} |"
        f" {cost.peak_mb:,.0f} | {said[:160]} |",
        flush=True,
    )


def main() -> None:
    """Make the traces, run the commands, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True, help="where traces and stores are kept")
    parser.add_argument("--trace", choices=WRITERS, nargs="+", default=list(WRITERS))
    parser.add_argument("--limit", nargs="+", default=["2G"])
    parser.add_argument("--part", type=float, default=1.0, help="how much of each trace (1)")
    parser.add_argument("--command", nargs="+", help="only these commands")
    options = parser.parse_args()
    print("| trace | --memory | command | status | seconds | processor s | peak MB | last words |")
    print("|---|---|---|--:|--:|--:|--:|---|")
    for trace in options.trace:
        store = options.folder / f"{trace}-{options.part:g}.iotrace"
        if not store.exists():
            raw = store.with_suffix(".trace")
            if not raw.exists():
                WRITERS[trace](raw, options.part)
            ingested = [*OURS, "ingest", *raw_files(raw), "-o", str(store), "--memory", options.limit[0]]
            show(trace, options.limit[0], "ingest", cost(ingested))
            shutil.rmtree(raw) if raw.is_dir() else raw.unlink()
        filled = {
            "store": str(store),
            "page": str(store.with_suffix(".html")),
            "rows": str(store.with_suffix(".csv")),
        }
        for limit in options.limit:
            for name, *further in COMMANDS[trace]:
                if options.command and name not in options.command:
                    continue
                arguments = [each.format(**filled) for each in further]
                limited = [] if limit == "none" else ["--memory", limit]
                run = cost([*OURS, name, str(store), *arguments, *limited])
                show(trace, limit, " ".join([name, *further]).replace(" -o {page} --force", ""), run)


if __name__ == "__main__":
    main()
