"""The report's section on limited non-volatile memory: blocks written to the disk, and the cost of a crash."""

from typing import Any

import pyarrow as pa
from iotrace.reports.pages.figures import Note
from iotrace.reports.pages.schemas import table_schema
from iotrace.reports.report.first_part import FirstPart

from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.references import of_population
from iotrace.analysis.population import Population
from iotrace.simulate.nonvolatile.settings import WRITE_POLICIES, Settings, possible
from iotrace.simulate.nonvolatile.simulation import run
from iotrace.store.store import Store

BLOCK_BYTES = 4096
VOLATILE_BYTES = 16 * 2**20
NONVOLATILE_BYTES = (0, 2**18, 2**20)


MOST_REQUESTS = 200_000
MOST_BLOCKS = 1_000_000
"""The most requests and blocks of a trace that are simulated: a cache keeps a record of each block it has seen."""


def tables(store: Store | None) -> tuple[dict[str, pa.Table], dict[str, Note]]:
    """Return table crash, and what to say of it: each write policy with no, a little and some non-volatile memory.

    It has no rows without writes, or without a store, where its requests touch too many blocks. Of a long trace the
    first part is simulated.
    """
    if store is None:
        return {"crash": table_schema("crash").empty_table()}, {}
    rows: list[dict[str, Any]] = []
    first = FirstPart(MOST_REQUESTS, MOST_BLOCKS, BLOCK_BYTES)
    references = list(first.of(of_population(store, Population.DATA, "time_ns", "flags")))
    for write_policy in WRITE_POLICIES:  # one after the other, so that few caches are in memory
        settings = [Settings(write_policy, VOLATILE_BYTES, size) for size in NONVOLATILE_BYTES]
        if not (timed := possible(settings, store.manifest["times"])):
            continue
        simulated = run(iter(references), timed, Cache(BLOCK_BYTES, warm_up_ns=store.counted_from_ns))
        rows += [_row(row) for row in simulated.to_pylist() if row["write_block_references"]]
    sentence = first.sentence("iotrace nonvolatile")
    crash = pa.Table.from_pylist(rows, schema=table_schema("crash"))
    return {"crash": crash}, {"crash": Note(sentence)} if sentence else {}


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
