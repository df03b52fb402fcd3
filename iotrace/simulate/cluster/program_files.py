"""Programs in Parquet files: table program with its nodes and phases, which no trace records."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import schemas
from iotrace.engine import native
from iotrace.errors import IotraceError
from iotrace.files.parquet import read_table
from iotrace.files.remote import Place
from iotrace.simulate.programs.program import Program, Tally

MOST_NUMBERS = native.parallel_limits()["files"]
"""Applications, files: identifiers are dense."""
MOST_BYTES = (1 << 63) - 1
NEEDS = {
    "read": ("file", "offset", "length"),
    "write": ("file", "offset", "length"),
    "sync_write": ("file", "offset", "length"),
    "open": ("file",),
    "close": ("file",),
    "compute": (),
}
"""The columns that are not null in records of each operation."""


def read(path: Place) -> Program:
    """Return the program of a Parquet file with the columns of table program.

    Processes are renumbered, one application after the other. Files are named by the path and their numbers, so
    that programs of several files share none. Raises IotraceError for a file that is none.
    """
    schema = schemas.schema("program")
    try:
        table = read_table(path)
        records = table.select(schema.names).cast(schema)
    except FileNotFoundError:
        raise IotraceError(f"{path}: no such file") from None
    except (pa.ArrowException, KeyError, OSError, ValueError) as error:
        raise IotraceError(f"{path}: is not a table program: {str(error).splitlines()[0]}") from None
    _check(path, records)
    applications, files = _count(path, records, "application"), _count(path, records, "file")
    records, each = _renumbered(records, applications)
    return Program(
        records,
        each,
        tuple(f"{path}:{number}" for number in range(applications)),
        tuple(f"{path}:{number}" for number in range(files)),
        Tally(references=records.num_rows, records=records.num_rows),
    )


def _check(path: Place, records: pa.Table) -> None:
    """Raise IotraceError for a record that lacks what its operation needs, or has a number that none can have."""
    operations = records["operation"].cast(pa.string())
    if unknown := [word for word in pc.unique(operations).to_pylist() if word not in NEEDS]:
        raise IotraceError(f"{path}: operation {unknown[0]!r} is none of {', '.join(NEEDS)}")
    for name in ("file", "offset", "length"):
        needing = pa.array([operation for operation, columns in NEEDS.items() if name in columns])
        lacks = pc.and_(pc.is_in(operations, needing), pc.is_null(records[name]))
        if (row := pc.index(lacks, True).as_py()) >= 0:
            raise IotraceError(f"{path}: row {row}: a {operations[row].as_py()} has no {name}")
    for name in ("offset", "length", "compute_ns"):
        if (row := pc.index(pc.less(records[name], 0), True).as_py()) >= 0:
            raise IotraceError(f"{path}: row {row}: {name} is {records[name][row].as_py()}, below 0")
    beyond = pc.greater(records["offset"], pc.subtract(pa.scalar(MOST_BYTES), records["length"]))
    if (row := pc.index(beyond, True).as_py()) >= 0:
        raise IotraceError(f"{path}: row {row}: offset and length end beyond 63 bits")


def _count(path: Place, records: pa.Table, name: str) -> int:
    least, most = pc.min_max(records[name]).as_py().values()
    if most is None:
        return 0
    if least < 0 or most >= MOST_NUMBERS:
        raise IotraceError(f"{path}: column {name} is not dense from 0: {least} to {most}")
    return int(most) + 1


def _renumbered(records: pa.Table, applications: int) -> tuple[pa.Table, tuple[int, ...]]:
    """Return records whose processes are dense by application, and how many each application has."""
    process = pc.fill_null(records["process"], -1).to_numpy().astype(np.int64)
    keys = records["application"].to_numpy().astype(np.int64) * (1 << 32) + process
    is_own = process >= 0
    known = np.unique(keys[is_own])
    numbers = np.searchsorted(known, keys).astype(np.int32)
    index = records.schema.get_field_index("process")
    column = pa.array(numbers, mask=~is_own)
    each = np.bincount(known >> 32, minlength=applications)
    return records.set_column(index, records.schema.field("process"), column), tuple(int(n) for n in each)
