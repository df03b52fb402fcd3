"""The program of a store that was made of pattern text (docs/historic.md 1.3): as the text has it."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.errors import IotraceError
from iotrace.simulate.programs import names
from iotrace.simulate.programs.columns import COMPUTE, flags, integers, operations, program_table
from iotrace.simulate.programs.program import Program, Tally
from iotrace.simulate.programs.reading import Think
from iotrace.store.store import Store

PATTERN = "pattern"
"""The format's name."""
COLUMNS = ("process", "node", "operation", "flags", "file", "offset", "length", "compute_ns")


def of_pattern(store: Store, think: Think, files: Sequence[str]) -> Program:
    """Return a pattern's program, as `iotrace.simulate.programs.of_store` documents."""
    table = store.arrow("parallel_io", COLUMNS)
    if files:
        is_chosen = pc.is_in(table["file"], names.matching(store, files))
        table = table.filter(pc.or_(is_chosen, table["file"].is_null()))
    operation = operations(table)
    computes = operation == COMPUTE
    is_known = flags(pc.and_(table["offset"].is_valid(), table["length"].is_valid()))
    is_empty = integers(table["length"], -1) == 0
    accesses = (operation >= 0) & ~computes & is_known & ~is_empty
    is_counted = accesses | (computes & (think == "traced"))
    if not accesses.any():
        raise IotraceError(f"{store.name}: has no records to run")
    tally = Tally(
        references=table.num_rows,
        records=int(accesses.sum()),
        no_data=int((operation < 0).sum()),
        unknown_extent=int(((operation >= 0) & ~computes & ~is_known).sum()),
        empty=int(((operation >= 0) & ~computes & is_empty & is_known).sum()),
    )
    taken, operation = table.filter(pa.array(is_counted)), operation[is_counted]
    process, count = names.processes(store, integers(taken["process"], -1))
    # self-scheduled ones after all others, in their order
    order = np.argsort(np.where(process < 0, count, process), kind="stable")
    taken, operation, process = taken.take(pa.array(order)), operation[order], process[order]
    file, paths = names.files(store, integers(taken["file"].filter(pa.array(operation != COMPUTE)), -1))
    of_row = np.zeros(len(operation), np.int64)
    of_row[operation != COMPUTE] = file
    is_none = operation == COMPUTE
    columns = {
        "application": np.zeros(len(process), np.int64),
        "process": pa.array(process, mask=process < 0),
        "node": taken["node"],
        "operation": operation,
        "file": pa.array(of_row, mask=is_none),
        "offset": pa.array(integers(taken["offset"], 0), mask=is_none),
        "length": pa.array(integers(taken["length"], 0), mask=is_none),
        "compute_ns": integers(taken["compute_ns"], 0) * (think == "traced"),
    }
    return Program(program_table(columns, len(process)), (count,), (names.application(store),), paths, tally)
