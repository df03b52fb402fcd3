"""The tables of ``iotrace cluster`` as a person reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from iotrace.cli.output import Output
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.simulate.cluster.settings import By


SHOWN = {
    "discipline": "discipline",
    "execution_ns": "execution_s",
    "saving_percent": "saving %",
    "request_ms": "request_ms",
    "local_hit_percent": "local hit %",
    "global_hit_percent": "global hit %",
    "local_shared_percent": "local of others %",
    "global_shared_percent": "global of others %",
    "round_percent": "round %",
    "medium_percent": "medium %",
    "global_server_percent": "server %",
    "disk_percent": "disk %",
    "daemon_read_bytes": "daemons read MB",
    "daemon_written_bytes": "written MB",
    "stale_reads": "stale",
}
OF_SEVERAL = ("local_shared_percent", "global_shared_percent")
"""Shown where an application hit what another one had fetched: those hits, of all hits."""


def remarks_of(table: pa.Table) -> list[str]:
    """Return what somebody who reads a table of runs should know."""
    remarks: list[str] = json.loads(table.schema.metadata[b"remarks"])
    return remarks


def emit_cluster(table: pa.Table, by: By | None, tally: Sequence[str], output: Output) -> None:
    """Write a table of runs, or of counts: for a terminal what fits it; with what to say of the program and of them."""
    from iotrace.simulate.cluster import simulation

    remarks = [*tally, *remarks_of(table)]
    if output.is_table and by is None:
        remarks += simulation.readings(table)
    if output.is_table:
        table = _totals(table) if by is None else _counts(table, by)
    output.emit_remarked({"": table}, remarks)


def _totals(table: pa.Table) -> pa.Table:
    """Return of the table of runs what distinguishes them, and what fits a terminal."""
    rows = table.to_pylist()
    swept = {"swept": table["swept"]} if any(row["swept"] for row in rows) else {}
    return pa.table(swept | _measures(rows))


def _counts(counts: pa.Table, by: By) -> pa.Table:
    """Return of counts what the table of totals shows of runs; the other forms have every counter."""
    from iotrace.simulate.cluster import simulation

    rows = [row | simulation.ratios(row) for row in counts.to_pylist()]
    *apart, discipline = counts.column_names[: counts.column_names.index("discipline") + 1]
    own = {name: [row[name] for row in rows] for name in (*apart, discipline, by, "reads", "writes")}
    return pa.table(own | {name: values for name, values in _measures(rows).items() if name != "discipline"})


def _measures(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns shown of runs or counts, by title, without those that are missing or empty."""
    measures: dict[str, list[Any]] = {}
    for name, title in SHOWN.items():
        values = [row.get(name) for row in rows]
        if not (any(values) if name in OF_SEVERAL else any(value is not None for value in values)):
            continue
        unit = 1e9 if name == "execution_ns" else float(1 << 20) if title.endswith("MB") else None
        measures[title] = (
            values if unit is None else [None if value is None else value / unit for value in values]
        )
    return measures
