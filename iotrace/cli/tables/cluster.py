"""The tables of ``iotrace cluster`` as a person reads them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.simulate.cluster import Machine, Outcome


class By(StrEnum):
    """What counts are told apart by."""

    APPLICATION = "application"
    NODE = "node"
    PHASE = "phase"
    FILE = "file"


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


def counts_of(runs: list[tuple[Machine, Outcome]], by: By, files: tuple[str, ...]) -> pa.Table:
    """Return the counters of each application, node, phase or file, a row for each run and one of them."""
    import pyarrow as pa

    found = []
    apart = _apart(runs)
    for number, (_, outcome) in enumerate(runs):
        table = outcome.by(by.value)
        if by is By.FILE:
            names = [
                files[number] if number < len(files) else str(number) for number in table["file"].to_pylist()
            ]
            table = table.set_column(0, "file", pa.array(names, pa.string()))
        name = pa.array([outcome.discipline.name] * table.num_rows, pa.string())
        table = table.add_column(0, "discipline", name)
        for place, (title, values) in enumerate(apart.items()):
            table = table.add_column(place, title, pa.array([values[number]] * table.num_rows, pa.string()))
        found.append(table)
    return pa.concat_tables(found)


def _apart(runs: list[tuple[Machine, Outcome]]) -> dict[str, list[str]]:
    """Return the settings in which the machines of runs differ, a value for each run."""
    found = {}
    for name in ("nodes", "iods", "local_blocks", "global_blocks", "segment_blocks", "network"):
        values = [getattr(machine, name) for machine, _ in runs]
        if len(set(values)) > 1:
            found[name] = ["inf" if value is None else str(value) for value in values]
    return found


def counts_for_reading(counts: pa.Table, by: By) -> pa.Table:
    """Return of counts what the table of totals shows of runs; the other forms have every counter."""
    import pyarrow as pa

    from iotrace.simulate.cluster import comparison

    rows = [row | comparison.ratios(row) for row in counts.to_pylist()]
    *apart, discipline = counts.column_names[: counts.column_names.index("discipline") + 1]
    shown: dict[str, list[Any]] = {
        name: [row[name] for row in rows] for name in (*apart, discipline, by.value, "reads", "writes")
    }
    for name, title in SHOWN.items():
        if name in shown or not rows or name not in rows[0]:
            continue
        values = [row[name] for row in rows]
        if not _tells(name, values):
            continue
        shown[title] = [value / (1 << 20) for value in values] if title.endswith("MB") else values
    return pa.table(shown)


def _tells(name: str, values: list[Any]) -> bool:
    return any(values) if name in OF_SEVERAL else any(value is not None for value in values)


def for_reading(table: pa.Table, runs: list[tuple[Machine, Outcome]]) -> pa.Table:
    """Return of the table of runs what tells them apart, and what fits a terminal."""
    import pyarrow as pa
    import pyarrow.compute as pc

    shown: dict[str, Any] = dict(_apart(runs))
    for name, title in SHOWN.items():
        column = table[name]
        if not _tells(name, column.to_pylist()):
            continue
        if name == "execution_ns":
            column = pc.divide(column.cast(pa.float64()), 1e9)
        if title.endswith("MB"):
            column = pc.divide(column.cast(pa.float64()), float(1 << 20))
        shown[title] = column
    return pa.table(shown)
