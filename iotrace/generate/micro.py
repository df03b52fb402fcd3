"""The micro-benchmark of Vilayannur et al., section 3.3: reads and writes at random places near a file's start.

Each operation is a read or a write with equal probability, has 1 to s blocks and starts 0 to o blocks into the file; a
small o has good locality. The paper says s = 2 and o = 10, 600 and 25000 (figures 3 and 4), on one node and on two. It
does not say how many operations, nor whether nodes share the file: here they do, and each process makes as many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from iotrace.generate import program
from iotrace.generate.parameters import check, described
from iotrace.generate.program import Operation, Rows


@dataclass(frozen=True)
class Micro:
    """The parameters of the micro-benchmark; raises UsageError for what is out of bounds."""

    largest_blocks: int = described(2, 1, 1 << 20, "s: the most blocks of an operation (paper: 2)")
    largest_offset_blocks: int = described(
        600, 0, 1 << 40, "o: the last block at which one starts (paper: 10, 600, 25000)"
    )
    operations: int = described(20_000, 1, program.MOST_ROWS, "operations of each process (assumed)")
    nodes: int = described(1, 1, 1 << 16, "nodes (paper: 1 in figure 3, 2 in figure 4)")
    processes_per_node: int = described(1, 1, 1 << 10, "processes on each node (assumed)")
    block_bytes: int = described(4096, 1, 1 << 30, "bytes of a block (paper)")
    compute_ns: int = described(0, 0, 10**15, "nanoseconds of computation after each operation (assumed)")

    def __post_init__(self) -> None:
        check(self)

    def program(self, seed: int = 1) -> pa.Table:
        """Return table program: one application, one file, one phase; processes take turns row by row.

        The same parameters and seed give the same table with the same version of NumPy (PCG64). Raises IotraceError
        beyond ``program.MOST_ROWS`` rows.
        """
        processes = self.nodes * self.processes_per_node
        count = self.operations * processes
        program.refuse_too_many(count)
        random = np.random.default_rng(seed)
        writes = random.integers(0, 2, count)
        blocks = random.integers(1, self.largest_blocks, count, endpoint=True)
        first = random.integers(0, self.largest_offset_blocks, count, endpoint=True)
        process = np.tile(np.arange(processes), self.operations)
        none = np.zeros(count, np.int64)
        rows = Rows(
            process=process,
            node=process // self.processes_per_node,
            phase=none,
            operation=np.where(writes == 1, Operation.WRITE, Operation.READ),
            file=none,
            offset=first * self.block_bytes,
            length=blocks * self.block_bytes,
            compute_ns=np.full(count, self.compute_ns),
        )
        return program.table([rows])
