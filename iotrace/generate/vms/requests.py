"""All aspects together: a seeded table of requests to one disk, or to several."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.generate.vms.arrivals import arrivals
from iotrace.generate.vms.load import Load
from iotrace.generate.vms.locations import locations
from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.sequence import sequence
from iotrace.generate.vms.sizes import sizes

TICK_NS = 100


def generate_all(loads: Sequence[Load], parameters: Parameters, seed: int = 1) -> pa.Table:
    """Return the requests to several disks, each with random numbers of its own, as devices from 0; see `generate`."""
    if len(loads) == 1:
        return generate(loads[0], parameters, seed)
    tables = [
        _of_device(generate(load, parameters, [seed, device]), device) for device, load in enumerate(loads)
    ]
    merged = pa.concat_tables(tables).sort_by([("time_ns", "ascending"), ("device", "ascending")])
    seq = pa.array(np.arange(len(merged)), merged.schema.field("seq").type)
    return merged.set_column(merged.schema.get_field_index("seq"), merged.schema.field("seq"), seq)


def _of_device(table: pa.Table, device: int) -> pa.Table:
    index = table.schema.get_field_index("device")
    kind = table.schema.field("device")
    return table.set_column(index, kind, pa.array(np.full(len(table), device), kind.type))


def generate(load: Load, parameters: Parameters, seed: int | Sequence[int] = 1) -> pa.Table:
    """Return table disk_io of one device: the load's counts exactly, its mean sizes, requests sorted by time.

    time_ns counts from the start of the load's duration, in steps of 100 ns. The same seed, load and parameters give
    the same table with the same version of NumPy (PCG64). Order, sizes, locations and times are drawn from streams of
    their own, so that a parameter of one leaves the others as they are. Raises IotraceError where the mean sizes
    cannot be met.
    """
    ordering, sizing, locating, timing = np.random.default_rng(seed).spawn(4)
    order = sequence(load.reads, load.writes, parameters, ordering)
    blocks = sizes(order, load, parameters.size_spread, sizing)
    lbn = locations(blocks, order, load, parameters, locating)
    ticks = arrivals(order.writes, load.duration_ticks, parameters, timing)
    return _table(ticks * TICK_NS, order.writes, lbn[order.place], blocks[order.place])


def _table(time_ns: np.ndarray, writes: np.ndarray, lbn: np.ndarray, blocks: np.ndarray) -> pa.Table:
    count = len(time_ns)
    known = {
        "seq": pa.array(np.arange(count)),
        "time_ns": pa.array(time_ns),
        "device": pa.array(np.zeros(count, np.int32)),
        "operation": pa.DictionaryArray.from_arrays(pa.array(writes.astype(np.int32)), ["read", "write"]),
        "lbn": pa.array(lbn),
        "blocks": pa.array(blocks),
    }
    schema = schemas.schema("disk_io")
    columns = [known[field.name] if field.name in known else pa.nulls(count, field.type) for field in schema]
    return pa.Table.from_arrays(
        [column.cast(field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )
