"""Bursts of records: many at once, and the computation of all of them after the last."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import schemas


def in_bursts(records: pa.Table, burst: int) -> pa.Table:
    """Return a program in which the computation of a number of records of a list comes after the last of them."""
    owner = pc.fill_null(records["process"], -1).to_numpy()
    rows = np.arange(len(owner))
    is_new = np.append(True, owner[1:] != owner[:-1])
    position = rows - np.maximum.accumulate(np.where(is_new, rows, 0))
    starts = np.flatnonzero(position % burst == 0)
    computing = np.zeros(len(owner), np.int64)
    computing[np.append(starts[1:], len(owner)) - 1] = np.add.reduceat(
        records["compute_ns"].to_numpy(), starts
    )
    column = records.schema.get_field_index("compute_ns")
    return records.set_column(column, records.schema.field(column), pa.array(computing))


def in_shared_bursts(records: pa.Table, burst: int, processes: int) -> pa.Table:
    """Return a self-scheduled program in which processes take a burst of records for each, then share its computation.

    After ``burst`` records for each process come as many rows of computation as there are processes (or records, if
    they are fewer), also self-scheduled: who has no record left takes one. Row i holds the computation of the burst's
    records i, i + processes, and so on, so that the whole is what it was.
    """
    count, together = records.num_rows, burst * processes
    number = np.arange(count)
    share = number // together * processes + number % together % processes
    computing = np.zeros(share.max(initial=-1) + 1, np.int64)
    np.add.at(computing, share, records["compute_ns"].to_numpy())
    schema = schemas.schema("program")
    rows = len(computing)
    shares = pa.table(
        {
            name: pa.nulls(rows, schema.field(name).type)
            for name in schema.names
            if name not in ("application", "operation", "compute_ns")
        }
        | {
            "application": pa.array(np.zeros(rows, np.int32)),
            "operation": pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), ["compute"]),
            "compute_ns": pa.array(computing),
        }
    ).select(schema.names)
    column = schema.get_field_index("compute_ns")
    records = records.set_column(column, schema.field(column), pa.array(np.zeros(count, np.int64)))
    after = np.append(number // together, np.arange(rows) // processes)
    is_share = np.arange(count + rows) >= count
    both = pa.concat_tables([records, shares.cast(schema)]).unify_dictionaries().combine_chunks()
    return both.take(pa.array(np.lexsort((is_share, after))))
