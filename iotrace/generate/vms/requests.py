"""All aspects together: a seeded table of requests to one disk."""

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


def generate(load: Load, parameters: Parameters, seed: int = 1) -> pa.Table:
    """Return table disk_io of one device: the load's counts exactly, its mean sizes, requests sorted by time.

    time_ns counts from the start of the load's duration, in steps of 100 ns. The same seed, load and parameters give
    the same table with the same version of NumPy (PCG64). Order, sizes, locations and times are drawn from streams of
    their own, so that a parameter of one leaves the others as they are. Raises IotraceError where the mean sizes
    cannot be met.
    """
    ordering, sizing, locating, timing = np.random.default_rng(seed).spawn(4)
    order = sequence(load.reads, load.writes, parameters, ordering)
    blocks = sizes(order, load, parameters.size_spread, sizing)
    lbn = locations(blocks, order.writes[order.first], load, parameters, locating)
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
