"""Predictions of what more memory would do, for the rules of advice that ask."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from iotrace.analysis.memory.prediction import memory
from iotrace.errors import IotraceError
from iotrace.queries.rules import Rule
from iotrace.store.store import Store

VIEW = "predicted_limits"
MOST_PAGES = 1_000_000
"""Requests that touch more pages are left to ``iotrace memory``."""
QUARTERS = (4, 5, 6, 8, 16)
"""The limits that are tried, in quarters of the recording's own."""


def fill(connection: duckdb.DuckDBPyConnection, store: Store, rules: Sequence[Rule]) -> None:
    """Fill view predicted_limits where a rule asks for it and the recording has a limit and times of reads."""
    if not any(VIEW in rule.needs for rule in rules) or "memory_sample" not in store.tables:
        return
    ((limit_bytes,),) = connection.execute("select max(limit_bytes) from memory_sample").fetchall()
    if limit_bytes is None:
        return
    limits = [limit_bytes * quarters // 4 for quarters in QUARTERS]
    try:
        rows = memory(store, limits, most_pages=MOST_PAGES).rows
    except IotraceError:  # nothing is known: the view stays empty
        return
    if rows["wait_s"].null_count:
        return
    recorded = pa.array([limit == limit_bytes for limit in rows["limit_bytes"].to_pylist()])
    connection.register("predicted_memory", rows.append_column("is_recorded", recorded))
    connection.execute(
        f"create or replace temp view {VIEW} as select limit_bytes, page_reads_linux, page_reads_low, page_reads_high,"
        " wait_s, is_recorded from predicted_memory"
    )
