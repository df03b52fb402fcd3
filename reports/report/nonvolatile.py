"""The report's section on limited non-volatile memory: blocks written to the disk, and the cost of a crash."""

from typing import Any

import pyarrow as pa
from iotrace.reports.pages.schemas import table_schema

from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.references import of_population
from iotrace.analysis.population import Population
from iotrace.simulate.nonvolatile.settings import WRITE_POLICIES, Settings, possible
from iotrace.simulate.nonvolatile.simulation import run
from iotrace.store.store import Store

BLOCK_BYTES = 4096
VOLATILE_BYTES = 16 * 2**20
NONVOLATILE_BYTES = (0, 2**18, 2**20)


def table(store: Store | None) -> pa.Table:
    """Return table crash: each write policy with no, a little and some non-volatile memory.

    It has no rows without writes, or without a store, where its requests touch too many blocks.
    """
    if store is None:
        return table_schema("crash").empty_table()
    settings = [
        Settings(write_policy, VOLATILE_BYTES, size)
        for write_policy in WRITE_POLICIES
        for size in NONVOLATILE_BYTES
    ]
    simulated = run(
        of_population(store, Population.DATA, "flags"),
        possible(settings, store.manifest["times"]),
        Cache(BLOCK_BYTES, warm_up_ns=store.counted_from_ns),
    )
    rows = [_row(row) for row in simulated.to_pylist() if row["write_block_references"]]
    return pa.Table.from_pylist(rows, schema=table_schema("crash"))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    mean = row["mean_at_risk"]
    return {
        "write_policy": row["write_policy"],
        "nonvolatile_bytes": row["nonvolatile_bytes"],
        "written_percent": 100 * row["blocks_written"] / row["write_block_references"],
        "flushed": row["blocks_flushed"],
        "synced": row["blocks_synced"],
        "mean_at_risk_bytes": None if mean is None else mean * BLOCK_BYTES,
        "most_at_risk_bytes": row["most_at_risk"] * BLOCK_BYTES,
        "longest_at_risk_ns": row["longest_at_risk_ns"],
    }
