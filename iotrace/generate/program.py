"""The rows of a program, and their table: what every generator of parallel programs returns."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.errors import IotraceError

MOST_ROWS = 20_000_000
"""The most rows that are made in memory; larger programs come in batches."""
NONE = -1
"""Stands for null in the columns of ``Rows``."""


class Operation(IntEnum):
    """The operation of a record; the names are those of table program."""

    READ = 0
    WRITE = 1
    SYNC_WRITE = 2
    COMPUTE = 3


@dataclass(frozen=True)
class Rows:
    """Rows of table program as equally long arrays of whole numbers, -1 for null (``NONE``)."""

    process: np.ndarray
    node: np.ndarray
    phase: np.ndarray
    operation: np.ndarray
    """Numbers of ``Operation``."""
    file: np.ndarray
    offset: np.ndarray
    """Bytes."""
    length: np.ndarray
    """Bytes."""
    compute_ns: np.ndarray

    def __len__(self) -> int:
        return len(self.process)


def refuse_too_many(rows: int) -> None:
    """Raise IotraceError for more rows than are made in memory."""
    if rows > MOST_ROWS:
        raise IotraceError(f"the program has more than {MOST_ROWS:,} records: too many to make in memory")


def batch(rows: Rows, application: int = 0) -> pa.RecordBatch:
    """Return rows as a batch of table program, all of one application."""
    nullable = {
        name: pa.array(values, mask=values == NONE)
        for name in ("process", "node", "phase", "file", "offset", "length")
        if (values := getattr(rows, name)) is not None
    }
    names = [operation.name.lower() for operation in Operation]
    known = {
        **nullable,
        "application": pa.array(np.full(len(rows), application)),
        "operation": pa.DictionaryArray.from_arrays(pa.array(rows.operation.astype(np.int32)), names),
        "compute_ns": pa.array(rows.compute_ns),
    }
    schema = schemas.schema("program")
    return pa.RecordBatch.from_arrays([known[field.name].cast(field.type) for field in schema], schema=schema)


def table(parts: Iterable[Rows], application: int = 0) -> pa.Table:
    """Return all rows as table program; raises IotraceError beyond MOST_ROWS."""
    batches, rows = [], 0
    for part in parts:
        rows += len(part)
        refuse_too_many(rows)
        batches.append(batch(part, application))
    return pa.Table.from_batches(batches, schema=schemas.schema("program"))
