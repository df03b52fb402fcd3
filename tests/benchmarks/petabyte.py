"""The cost of a petabyte of requests to disks on a cluster, worked out: the tables of docs/scale.md, in Markdown.

Slices, merges and memory are those of `iotrace curve --workers` (`iotrace.analysis.curves.cost_of_slices`); rates are
those measured by `scale.py` and `merge.py` on one core (BENCHMARKS.md). Each reference is taken to go to any block with
the same probability, which is the worst case for slices: traces whose blocks are used again soon have smaller states.

    python tests/benchmarks/petabyte.py
    python tests/benchmarks/petabyte.py --workers 100 --bytes 1e14
"""

import argparse
import math

from iotrace import units
from iotrace.analysis.curves.cost_of_slices import SliceCosts, estimated
from iotrace.analysis.curves.slices import MOST_ROWS, PARTS_PER_SLOT

PETABYTE = 1e15
LINE_BYTES = 52
"""A line of CSV of requests to disks."""
REQUESTS_PER_S = 550_000
"""Requests to disks that one core ingests of CSV."""
STORED_BYTES = 10.3
"""A request to a disk in a store."""
BLOCK_BYTES = 4096
HOUR_S = 3600
REUSES = (10, 1_000, 100_000)
"""References for each block of the whole trace."""


def distinct(references: float, blocks: float) -> int:
    """Return how many blocks references touch that go to each of some blocks with the same probability."""
    return round(-blocks * math.expm1(-references / blocks))


def costs(references: int, blocks: int, workers: int) -> SliceCosts:
    """Return the costs of a curve in the slices that a cluster is given."""
    parts = max(PARTS_PER_SLOT * workers, -(-references // MOST_ROWS))
    return estimated(references, blocks, distinct(references / parts, blocks), parts, workers)


def hours(seconds: float) -> str:
    """Return a time in hours, with two digits."""
    value = seconds / HOUR_S
    return f"{round(value, 1 - math.floor(math.log10(value))):,.10g}"


def tables(total_bytes: float, workers: int) -> str:
    """Return both tables."""
    references = round(total_bytes / LINE_BYTES)
    made = {reuse: costs(references, references // reuse, workers) for reuse in REUSES}
    rows = {
        "references for each block": [f"{reuse:,}" for reuse in REUSES],
        "blocks of 4 KB": [units.size(references // reuse * BLOCK_BYTES) for reuse in REUSES],
        "one process: hours": [hours(one.pass_s) for one in made.values()],
        "one process: memory": [units.size(one.pass_bytes) for one in made.values()],
        "slices": [f"{one.parts:,}" for one in made.values()],
        f"{workers:,} workers: core-hours": [hours(one.slices_s) for one in made.values()],
        f"{workers:,} workers: hours": [hours(one.elapsed_s) for one in made.values()],
        "memory of the worker with the last merge": [units.size(one.slice_bytes) for one in made.values()],
    }
    (first, heads), *others = rows.items()
    lines = [f"| {first} | {' | '.join(heads)} |", "|---|" + "--:|" * len(heads)]
    lines += [f"| {name} | {' | '.join(values)} |" for name, values in others]
    ingest_s = references / REQUESTS_PER_S
    before = [
        "| | |",
        "|---|--:|",
        f"| references | {references / 1e12:.0f} × 10¹² |",
        f"| the store | {units.size(references * STORED_BYTES)} |",
        f"| ingest, core-hours | {hours(ingest_s)} |",
        f"| ingest, hours on {workers:,} workers | {hours(ingest_s / workers)} |",
    ]
    return "\n".join([*before, "", *lines])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bytes", type=float, default=PETABYTE, help="of CSV (1e15)")
    parser.add_argument("--workers", type=int, default=1000, help="of one core each (1000)")
    options = parser.parse_args()
    print(tables(options.bytes, options.workers))


if __name__ == "__main__":
    main()
