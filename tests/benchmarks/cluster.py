"""Block look-ups a second through a cluster's two levels of caches, counting only and with the clock, on one core.

Makes 4-KB reads (and, with ``--writes``, writes) of four processes on four nodes over a file of a million blocks: half
of them by a zipf law, half in sequence. Simulates the paper's machine (500 and 10,000 blocks, three daemons) under each
discipline on rows already laid out, and prints requests a second of processor time, the best of the rounds.

    python tests/benchmarks/cluster.py
    python tests/benchmarks/cluster.py --requests 4000000 --writes
"""

import argparse
import time

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.simulate.cluster import simulation
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.rows import rows_of
from iotrace.simulate.cluster.settings import Machine

NODES, BLOCKS, BLOCK_BYTES = 4, 1_000_000, 4096
DISCIPLINES = (
    Discipline.of("none"),
    Discipline.of("local"),
    Discipline.of("global"),
    Discipline.of("local+global"),
    Discipline.counters(20),
    Discipline.of("adaptive"),
    Discipline.of("tinylfu"),
    Discipline.of("demote"),
)


def program(count: int, writes: bool) -> pa.Table:
    """Return table `program` with `count` requests of one block each."""
    pick = np.random.default_rng(1)
    popular = np.minimum(pick.zipf(1.2, count), BLOCKS) - 1
    block = np.where(pick.random(count) < 0.5, popular, np.arange(count) % BLOCKS)
    operation = np.where(pick.random(count) < 0.5, "write", "read") if writes else np.full(count, "read")
    process = np.arange(count, dtype=np.int32) % NODES
    zero = np.zeros(count, np.int64)
    columns = {
        "application": zero,
        "process": process,
        "node": process,
        "phase": zero,
        "operation": operation,
        "file": zero,
        "offset": block * BLOCK_BYTES,
        "length": zero + BLOCK_BYTES,
        "compute_ns": zero,
    }
    schema = schemas.schema("program")
    return pa.table(
        [
            pa.array(columns[field.name]).cast(
                pa.string() if field.name == "operation" else field.type, safe=False
            )
            for field in schema
        ],
        names=schema.names,
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--writes", action="store_true")
    given = parser.parse_args()
    machine = Machine(nodes=NODES)
    rows = rows_of(program(given.requests, given.writes), NODES)
    for clock in (False, True):
        for discipline in DISCIPLINES:
            least = float("inf")
            for _ in range(given.rounds):
                start = time.process_time()
                outcome = simulate(rows, machine, discipline, clock=clock)
                least = min(least, time.process_time() - start)
            hits = simulation.ratios(outcome.totals)
            print(
                f"{'clock' if clock else 'count only':12}{discipline.name:16}"
                f"{given.requests / least / 1e6:7.2f} M requests/s   local hits"
                f" {hits['local_hit_percent'] or 0:5.1f} %   global hits"
                f" {hits['global_hit_percent'] or 0:5.1f} %"
            )


if __name__ == "__main__":
    main()
