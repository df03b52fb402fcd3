"""From a pattern to a program: every record of every process."""

from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.generate.patterns.bursts import in_bursts, in_shared_bursts
from iotrace.generate.patterns.portions import Integers, Portions, portions
from iotrace.generate.patterns.record_boundaries import boundaries, records_within
from iotrace.generate.patterns.settings import Computation, Pattern, Settings


def program(settings: Settings) -> pa.Table:
    """Return table program: the rows of process 0, then of process 1, and so on, each in its order.

    Self-scheduled records have no process and are in the order in which they are taken. There is one application, one
    file, no phase and no node. The same settings give the same table with the same version of NumPy (PCG64); lengths
    of portions, places and computation are drawn from separate streams.
    """
    lengths, places, computing = np.random.default_rng(settings.seed).spawn(3)
    accessed = portions(settings, lengths, places)
    if settings.pattern is Pattern.RND:  # each portion is a record
        process, offset, length = accessed.owner, accessed.start, accessed.length
    else:
        process, offset, length = records(accessed, settings.exact_record_bytes)
    compute_ns = _computation(settings, len(offset), computing)
    table = _table(settings, process, offset, length, compute_ns)
    if settings.burst == 1:
        return table
    if settings.pattern.is_global:
        return in_shared_bursts(table, settings.burst, settings.processes)
    return in_bursts(table, settings.burst)


def records(of: Portions, record_bytes: float) -> tuple[Integers, Integers, Integers]:
    """Cut portions into records, the last of each shorter where need be; return owner, offset and length of each."""
    counts = records_within(of.length, record_bytes)
    portion = np.repeat(np.arange(len(counts)), counts)
    position = np.arange(len(portion)) - np.repeat(np.cumsum(counts) - counts, counts)
    past = boundaries(position, record_bytes)
    ends = np.minimum(boundaries(position + 1, record_bytes), of.length[portion])
    return of.owner[portion], of.start[portion] + past, ends - past


def _computation(settings: Settings, count: int, rng: np.random.Generator) -> Integers:
    if settings.computation is not Computation.EXPONENTIAL:
        return np.full(count, settings.compute_mean_ns, np.int64)
    drawn: Integers = np.rint(rng.exponential(settings.compute_mean_ns, count)).astype(np.int64)
    return drawn


def _table(
    settings: Settings, process: Integers, offset: Integers, length: Integers, compute_ns: Integers
) -> pa.Table:
    count = len(offset)
    schema = schemas.schema("program")
    operation = pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), [settings.does.value])
    known: dict[str, Any] = {
        "application": pa.array(np.zeros(count, np.int32)),
        "operation": operation,
        "file": pa.array(np.zeros(count, np.int32)),
        "offset": pa.array(offset),
        "length": pa.array(length),
        "compute_ns": pa.array(compute_ns),
    }
    if not settings.pattern.is_global:
        known["process"] = pa.array(process.astype(np.int32))
    columns = [known[field.name] if field.name in known else pa.nulls(count, field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)
