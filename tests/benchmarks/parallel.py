"""How fast the parallel file system is simulated: both tables of the paper, events a second, and a large machine.

The tables are the 44 cells of Kotz and Ellis (1991, 4.3), five trials each, with the overheads of the preset; their
times are those of the clock, on two threads, and of the processor, making the programs included. The others run on one
thread, and their time is that of the processor: the best of the rounds. An event is the end of a delay or of a disk
operation, or a process that is woken; clock events are those without the latter.

    python tests/benchmarks/parallel.py
    python tests/benchmarks/parallel.py --large        1,000 processes, 1,000 disks, 10 million records: 2 GB
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from iotrace.engine.native import ParallelProgram
from iotrace.generate.patterns.program import program
from iotrace.generate.patterns.settings import Operation, Pattern, Settings

CALIBRATED = {
    "read_management_ns": 1_000_000,
    "write_management_ns": 3_270_000,
    "disk_request_ns": 1_250_000,
    "write_start_ns": 550_000,
    "copy_ns_per_kbyte": 250_000,
}
OVERHEADS: Mapping[str, Mapping[str, int]] = {"zero": {}, "calibrated": CALIBRATED}
READ = ("lfp", "lrp", "lw", "seg", "gfp", "grp", "gw", "rnd")
WRITTEN = ("lw1", "seg", "gw")
TRIALS = 5


def made(
    name: str,
    operation: Operation,
    record_blocks: float,
    processes: int = 20,
    blocks: int = 200,
    seed: int = 1,
) -> ParallelProgram:
    """Return a pattern of section 3.2 with `blocks` blocks per process."""
    pattern = Settings(
        Pattern(name),
        operation,
        processes=processes,
        record_blocks=record_blocks,
        blocks_per_process=blocks,
        seed=seed,
    )
    return ParallelProgram(program(pattern), [0] * processes)


def run(
    parallel: ParallelProgram, settings: Sequence[Mapping[str, Any]], threads: int = 1
) -> list[dict[str, Any]]:
    totals, *_ = parallel.run(json.dumps(settings), threads=threads)
    return list(pa.record_batch(totals).to_pylist())


def tables() -> None:
    """Print how long both tables take."""
    cells = [(name, Operation.READ) for name in READ] + [(name, Operation.WRITE) for name in WRITTEN]
    start, processor, runs, events = time.perf_counter(), time.process_time(), 0, 0
    for name, operation in cells:
        for record_blocks in (1.0, 0.25):
            for seed in range(1, TRIALS + 1):
                settings = [
                    {"buffers": buffers, "seed": seed, "overheads": CALIBRATED} for buffers in (0, 80)
                ]
                rows = run(made(name, operation, record_blocks, seed=seed), settings, threads=2)
                runs, events = runs + len(rows), events + sum(row["events"] for row in rows)
    took, worked = time.perf_counter() - start, time.process_time() - processor
    print(
        f"both tables, {TRIALS} trials: {runs} runs, {events / 1e6:.1f} M events,"
        f" {took:.2f} s, {worked:.2f} s of the processor"
    )


def speed(parallel: ParallelProgram, name: str, settings: Mapping[str, Any], rounds: int) -> None:
    """Print the speed of one run."""
    least = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        (row,) = run(parallel, [settings])
        least = min(least, time.process_time() - start)
    print(
        f"{name:44}{row['execution_ns'] / 1e9:10.2f} s simulated{least:8.2f} s"
        f"{row['events'] / 1e6:8.1f} M events{row['events'] / least / 1e6:7.2f} M/s"
        f"{row['clock_events'] / least / 1e6:7.2f} M clock events/s"
    )


def speeds(processes: int, blocks: int, rounds: int) -> None:
    """Print the speed of some patterns on as many disks as processes."""
    for name, operation, record_blocks in (
        ("gw", Operation.READ, 1.0),
        ("seg", Operation.READ, 1.0),
        ("gw", Operation.WRITE, 1.0),
        ("seg", Operation.WRITE, 1.0),
        ("gw", Operation.WRITE, 0.25),
    ):
        parallel = made(name, operation, record_blocks, processes, round(blocks * min(record_blocks, 1)))
        for buffers in (0, 4 * processes):
            for overheads, means in OVERHEADS.items():
                words = f"{name} {operation.value} {record_blocks} {'cache' if buffers else 'no cache'} {overheads}"
                settings = {"disks": processes, "buffers": buffers, "overheads": means}
                speed(parallel, words, settings, rounds)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="the large machine too")
    given = parser.parse_args()
    tables()
    speeds(processes=20, blocks=50_000, rounds=given.rounds)
    if given.large:
        speeds(processes=1000, blocks=10_000, rounds=1)


if __name__ == "__main__":
    main()
