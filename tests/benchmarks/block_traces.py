"""How fast block traces become stores, and in how much memory.

    python tests/benchmarks/block_traces.py [--records 1000000] [--rounds 3]

Generates traces of that many records in five formats (seeded; no input files), ingests each in a separate process,
interleaved, and prints records a second of processor time, the start of Python and its libraries included,
with their spread, and peak memory. `unsorted` is the Cambridge trace with times at random.
"""

import argparse
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

INGEST = [sys.executable, "-P", "-c", "from iotrace.cli import main; main()", "ingest", "--force"]


def requests(records: int) -> Iterator[tuple[int, bool, int, int]]:
    """Give microseconds, whether it reads, block and blocks of requests to a disk of 256 GB."""
    chance = random.Random(1993)
    for number in range(records):
        yield number * 100, chance.random() < 0.6, chance.randrange(2**29), chance.randrange(1, 129)


def traces(folder: Path, records: int) -> dict[str, Path]:
    """Write the traces, piece by piece so that this process stays small; return their places by name."""
    contents = {
        "msr-cambridge": cambridge(requests(records)),
        "unsorted": cambridge(requests(records), random.Random(1)),
        "disksim": (
            f"{us / 1000:.6f} 0 {lbn} {blocks} {reads:d}\n".encode()
            for us, reads, lbn, blocks in requests(records)
        ),
        "vscsi": (
            struct.pack("<IIIHHQQ", 0, blocks * 512, 1, 0x28 if reads else 0x2A, 0x100, lbn, us)
            for us, reads, lbn, blocks in requests(records)
        ),
        "blktrace": events(records),
    }
    for name, content in contents.items():
        with (folder / name).open("wb") as file:
            file.writelines(content)
    return {name: folder / name for name in contents}


def cambridge(
    asked: Iterator[tuple[int, bool, int, int]], disorder: random.Random | None = None
) -> Iterator[bytes]:
    """Give lines of a Cambridge trace, with times at random where there is disorder."""
    for us, reads, lbn, blocks in asked:
        at = 128_166_372_003_061_629 + (disorder.randrange(10**12) if disorder else us * 10)
        yield f"{at},web,0,{'Read' if reads else 'Write'},{lbn * 512},{blocks * 512},700\n".encode()


def events(records: int) -> Iterator[bytes]:
    """Give records of blktrace: each request is queued, dispatched and completed."""
    for us, reads, lbn, blocks in requests(records // 3):
        for code, after_ns in ((1, 0), (7, 2_000), (8, 90_000)):
            action = (1 << 8 | (1 if reads else 2)) << 16 | code
            fields = (0x65617407, 0, us * 1000 + after_ns, lbn, blocks * 512, action, 7, 8 << 20, 0, 0, 0)
            yield struct.pack("<IIQQIIIIIHH", *fields)


def measured(trace: Path, store: Path) -> tuple[float, int]:
    """Return the processor's seconds that an ingest takes, and the kilobytes of its peak memory."""
    running = subprocess.Popen(
        [*INGEST, str(trace), "-o", str(store)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(running.pid, 0)
    if status:
        raise SystemExit(f"{trace}: the ingest failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main() -> None:
    """Print a line for each trace."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--records", type=int, default=1_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        places = traces(Path(folder), options.records)
        found: dict[str, list[tuple[float, int]]] = {name: [] for name in places}
        for _ in range(options.rounds):
            for name, place in places.items():
                found[name].append(measured(place, Path(folder) / "a.iotrace"))
    print(f"{'trace':14} {'records/s':>12} {'least':>12} {'most':>12} {'peak MB':>8}")
    for name, rounds in found.items():
        rates = sorted(options.records / seconds for seconds, _ in rounds)
        peak = max(kilobytes for _, kilobytes in rounds) / 1024
        print(
            f"{name:14} {statistics.median(rates):12,.0f} {rates[0]:12,.0f} {rates[-1]:12,.0f} {peak:8,.0f}"
        )


if __name__ == "__main__":
    main()
