"""A program as the engine takes it: who runs where, and rows without a doubt."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import units
from iotrace.engine import native
from iotrace.errors import IotraceError
from iotrace.simulate.programs.columns import (
    COMPUTE,
    OPERATIONS,
    READ,
    SYNC_WRITE,
    Flags,
    Integers,
    codes,
    integers,
)

BATCH_ROWS = 1 << 18
LIMITS = native.cluster_limits()
"""The longest request that is simulated, and the largest offset, in bytes."""
LONGEST_NS = 1 << 60
MOST_NS = 3.2e18


@dataclass(frozen=True)
class Rows:
    """The rows of a program, the processes that run them, and what a reader of the outcome should know."""

    table: pa.Table
    warm: pa.Table
    """The rows before these, which only warm the caches."""
    processes: list[tuple[int, int]]
    """Application and node of each process."""
    has_sync_writes: bool
    read_bytes: int
    """Of all reads together; their mean size is what weights are computed for."""
    reads: int
    remarks: list[str]

    @cached_property
    def order(self) -> Integers:
        """The places of the rows, interleaved."""
        return _by_computing(self.table, len(self.processes))

    def warming(self) -> list[pa.RecordBatch]:
        """Return the rows that warm the caches, interleaved, since they take no time."""
        order = _by_computing(self.warm, len(self.processes))
        batches: list[pa.RecordBatch] = (
            self.warm.take(pa.array(order)).combine_chunks().to_batches(BATCH_ROWS)
        )
        return batches

    def batches(self, interleaved: bool) -> list[pa.RecordBatch]:
        """Return the rows in their order, or, ``interleaved``, by what each process has computed before them.

        Without a clock requests take no time, so that this is when they would come; among equals the n-th of each
        process come together.
        """
        table = self.table.take(pa.array(self.order)) if interleaved else self.table
        batches: list[pa.RecordBatch] = table.combine_chunks().to_batches(BATCH_ROWS)
        return batches


def rows_of(records: pa.Table, nodes: int, warm: pa.Table | None = None) -> Rows:
    """Return a program's rows (table program) for a cluster of ``nodes`` nodes, and those that ``warm`` the caches.

    Where the program has phases, bypass bits count the rows that warm in the first of them.
    A process runs on the node that its rows name, or, where none does, on the node of its number, modulo ``nodes``
    both. Self-scheduled rows are taken by the processes of their application; one that has none gets one a node.
    Raises IotraceError, naming the row, for an invalid one.
    """
    warm = records.slice(0, 0) if warm is None else _in_first_phase(warm, records)
    program = pa.concat_tables([warm.cast(records.schema), records])
    operation = _operations(program)
    application = integers(program["application"], 0)
    process = integers(program["process"], -1)
    numbers = np.unique(process[process >= 0])
    dense = np.where(process >= 0, np.searchsorted(numbers, process), -1)
    processes, remarks = _processes(program, application, dense, len(numbers), nodes)
    processes, more = _for_shared(application, dense, processes, nodes)
    is_access = operation < COMPUTE
    for name in ("file", "offset", "length"):
        _refuse(is_access & (integers(program[name], -1) < 0), f"an access without {name}, or below 0")
    is_metadata = operation > COMPUTE
    _refuse(is_metadata & (integers(program["file"], -1) < 0), "an open or a close without file, or below 0")
    length = np.where(is_access, integers(program["length"], 0), 0)
    _refuse(length > LIMITS["length"], f"more than {LIMITS['length']:,} bytes in one access")
    is_far = integers(program["offset"], 0) > LIMITS["offset"]
    _refuse(is_access & is_far, f"an access beyond the first {LIMITS['offset']:,} bytes")
    compute_ns = integers(program["compute_ns"], 0)
    _refuse((compute_ns < 0) | (compute_ns > LONGEST_NS), f"{LONGEST_NS:,} ns of computing is the most")
    if float(compute_ns.sum(dtype=np.float64)) > MOST_NS:
        raise IotraceError("the program computes for more than a century in all")
    table = pa.table(
        {
            "application": pa.array(application.astype(np.uint32)),
            "process": pa.array(dense.astype(np.int32), mask=dense < 0),
            "phase": program["phase"].cast(pa.int32()),
            "operation": pa.array(operation.astype(np.uint8)),
            "file": pa.array(integers(program["file"], 0).clip(min=0).astype(np.uint32)),
            "offset": pa.array(integers(program["offset"], 0).clip(min=0).astype(np.uint64)),
            "length": pa.array(length.astype(np.uint64)),
            "compute_ns": pa.array(compute_ns),
        }
    )
    is_read = (operation == READ) & (np.arange(len(operation)) >= warm.num_rows)
    return Rows(
        table.slice(warm.num_rows),
        table.slice(0, warm.num_rows),
        processes,
        bool((operation == SYNC_WRITE).any()),
        int(length[is_read].sum()),
        int(is_read.sum()),
        remarks + more,
    )


def _in_first_phase(warm: pa.Table, records: pa.Table) -> pa.Table:
    phases = pa.repeat(pc.min(records["phase"]), warm.num_rows)
    return warm.set_column(warm.schema.get_field_index("phase"), records.schema.field("phase"), phases)


def file_sizes(rows: Rows) -> Integers:
    """Return where each file ends at the latest: the largest byte that is read or written."""
    files = rows.table["file"].to_numpy().astype(np.int64)
    ends = (rows.table["offset"].to_numpy() + rows.table["length"].to_numpy()).astype(np.int64)
    sizes = np.zeros(int(files.max(initial=-1)) + 1, np.int64)
    np.maximum.at(sizes, files, ends)
    return sizes


def _operations(program: pa.Table) -> Integers:
    operations = codes(program["operation"], OPERATIONS)
    _refuse(operations < 0, f"its operation is none of {', '.join(OPERATIONS)}")
    return operations


def _refuse(is_wrong: Flags, why: str) -> None:
    if is_wrong.any():
        raise IotraceError(f"row {int(is_wrong.argmax())} of the program: {why}")


def _processes(
    program: pa.Table, application: Integers, process: Integers, count: int, nodes: int
) -> tuple[list[tuple[int, int]], list[str]]:
    """Return application and node of each process that has rows."""
    node = integers(program["node"], -1)
    node_of, of_application = np.full(count, -1, np.int64), np.zeros(count, np.int64)
    is_own = process >= 0
    of_application[process[is_own]] = application[is_own]
    is_of_two = is_own & (application != np.where(is_own, of_application[process] if count else 0, 0))
    _refuse(is_of_two, "its process is of another application, too")
    is_placed = is_own & (node >= 0)
    node_of[process[is_placed][::-1]] = node[is_placed][::-1]  # the first one stays
    remarks, is_unknown = [], node_of < 0
    if is_unknown.any():
        some = units.plural(int(is_unknown.sum()), "process does not", "processes do not")
        which = "the trace does not record nodes" if is_unknown.all() else f"{some} have a node"
        remarks.append(f"{which}: process number modulo {nodes} is the node (ranks become nodes)")
        node_of = np.where(is_unknown, np.arange(count), node_of)
    known = node_of[~is_unknown]
    if (known >= nodes).any():
        remarks.append(f"the program's nodes go up to {known.max()}: node numbers are taken modulo {nodes}")
    return [(int(a), int(n)) for a, n in zip(of_application, node_of % nodes, strict=True)], remarks


def _for_shared(
    application: Integers, process: Integers, processes: list[tuple[int, int]], nodes: int
) -> tuple[list[tuple[int, int]], list[str]]:
    shared = np.unique(application[process < 0])
    lacking = [int(number) for number in shared if number not in {a for a, _ in processes}]
    if not lacking:
        return processes, []
    added = [(number, node) for number in lacking for node in range(nodes)]
    return processes + added, ["records that name no process are taken by one process on each node"]


def _by_computing(table: pa.Table, processes: int) -> Integers:
    process = pc.fill_null(table["process"], processes).to_numpy().astype(np.int64)
    compute = table["compute_ns"].to_numpy()
    order = np.argsort(process, kind="stable")
    sums = np.cumsum(compute[order]) - compute[order]
    is_first = np.append(True, np.diff(process[order]) != 0)[: len(order)]
    starts = np.flatnonzero(is_first)
    lengths = np.diff(np.append(starts, len(order)))
    before = sums - np.repeat(sums[starts], lengths)
    # opens and closes do not count, so that requests come in the same order with them and without
    requests = table["operation"].to_numpy()[order] <= COMPUTE
    earlier = np.cumsum(requests) - requests
    ordinal = earlier - np.repeat(earlier[starts], lengths)
    interleaved: Integers = order[np.lexsort((process[order], ordinal, before))]
    return interleaved
