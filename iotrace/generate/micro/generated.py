"""The micro-benchmark of Vilayannur et al., section 3.3: reads and writes at random places near a file's start.

Each operation is a read or, as likely, a write; it has 1 to s blocks and starts 0 to o blocks into the file; a
small o has good locality. The paper says s = 2 and o = 10, 600 and 25000 (figures 3 and 4), on one node and on two. It
does not say how many operations, nor whether nodes share the file: here they do, and each process makes as many.
"""

import numpy as np
import pyarrow as pa

from iotrace.generate import program
from iotrace.generate.generated import GeneratedTrace
from iotrace.generate.micro.settings import Micro
from iotrace.generate.program import Operation, Rows
from iotrace.generate.program_trace import with_parameters
from iotrace.generate.settings import Seed


def generated(micro: Micro, seed: Seed, *, command: str) -> GeneratedTrace:
    """Return the micro-benchmark as a program that is written; `command` makes it."""
    return with_parameters("micro", micro, program_of(micro, seed.seed), command)


def program_of(micro: Micro, seed: int = 1) -> pa.Table:
    """Return table program: one application, one file, one phase; processes take turns row by row.

    The same parameters and seed give the same table with the same version of NumPy (PCG64). Raises IotraceError
    beyond ``program.MOST_ROWS`` rows.
    """
    processes = micro.nodes * micro.processes_per_node
    count = micro.operations * processes
    program.refuse_too_many(count)
    rng = np.random.default_rng(seed)
    writes = rng.integers(0, 2, count)
    blocks = rng.integers(1, micro.largest_blocks, count, endpoint=True)
    first = rng.integers(0, micro.largest_offset_blocks, count, endpoint=True)
    process = np.tile(np.arange(processes), micro.operations)
    none = np.zeros(count, np.int64)
    rows = Rows(
        process=process,
        node=process // micro.processes_per_node,
        phase=none,
        operation=np.where(writes == 1, Operation.WRITE, Operation.READ),
        file=none,
        offset=first * micro.block_bytes,
        length=blocks * micro.block_bytes,
        compute_ns=np.full(count, micro.compute_ns),
    )
    return program.table([rows])
