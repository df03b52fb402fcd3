"""What the report tells of caches on a cluster: the disciplines of Vilayannur et al. side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from iotrace import queries, units
from iotrace.errors import IotraceError
from iotrace.simulate import programs
from iotrace.simulate.cluster import Machine, comparison
from iotrace.simulate.cluster.costs import components
from iotrace.simulate.cluster.rows import rows_of

if TYPE_CHECKING:
    from iotrace.store import Store

MOST_REQUESTS = 200_000
MOST_BLOCKS = 1_000_000
"""What is simulated of a trace at most, so that a report does not take minutes."""
TABLES = {
    "cluster_hits": ("discipline", "local_hit_percent", "global_hit_percent"),
    "cluster_times": ("discipline", "execution_ns"),
    "cluster_disciplines": (
        "discipline",
        "execution_ns",
        "saving_percent",
        "request_ms",
        "local_hit_percent",
        "global_hit_percent",
        "round_percent",
        "medium_percent",
        "global_server_percent",
        "daemon_read_bytes",
        "daemon_written_bytes",
        "stale_reads",
    ),
}
"""The tables of the section, each some columns of result cluster."""


def tables(store: Store, progress: Callable[[str], None]) -> tuple[dict[str, pa.Table], dict[str, str]]:
    """Return the tables of the report's section on clusters, and what to say of them, by figure.

    They are what ``iotrace cluster`` compares by default, on the first part of a long trace. Without rows where the
    trace tells neither nodes nor processes, or has nothing that can be run.
    """
    found, notes = queries.table_schema("cluster").empty_table(), dict[str, str]()
    if _tells_processes(store):
        progress("simulating a cluster")
        try:
            found, notes = _compared(store)
        except IotraceError as error:
            notes = dict.fromkeys(TABLES, f"Not simulated: {error}.")
    return {name: found.select(list(columns)) for name, columns in TABLES.items()}, notes


def _tells_processes(store: Store) -> bool:
    """Tell whether a trace says on which node, or at least by which process, anything was done."""
    told = store.arrow("reference", ["process", "node"])
    return any(column.null_count < told.num_rows for column in told.columns)


def _compared(store: Store) -> tuple[pa.Table, dict[str, str]]:
    machine, costs = Machine(), components()
    program = programs.of_store(store, metadata=True)
    records, first = first_part(program.records, machine)
    records, phases = comparison.with_phases(records)
    cases, lacking = comparison.disciplines(comparison.NAMES, records, machine, costs)
    outcomes, remarks = comparison.run(cases, machine, costs)
    # that it is not the whole trace is said of each figure, the rest once
    notes = dict.fromkeys(TABLES, _sentences([first])) if first else {}
    if said := _sentences([first, *program.tally.sentences(), phases, *lacking, *remarks]):
        notes["cluster_disciplines"] = said
    return comparison.table([(machine, outcome) for outcome in outcomes]), notes


def _sentences(said: Sequence[str | None]) -> str:
    return " ".join(f"{one[0].upper()}{one[1:].removesuffix('.')}." for one in said if one)


def first_part(
    records: pa.Table, machine: Machine, requests: int = MOST_REQUESTS, blocks: int = MOST_BLOCKS
) -> tuple[pa.Table, str | None]:
    """Return the first rows of a program by when they come, and, where that is not all, how many they are.

    They are at most so many requests, and touch at most so many blocks. Raises IotraceError where that is none.
    """
    rows = rows_of(records, machine.nodes)
    table = rows.table.take(pa.array(rows.order))
    start, length = (table[name].to_numpy().astype(np.int64) for name in ("offset", "length"))
    is_access = length > 0
    size = machine.block_bytes
    touched = np.where(is_access, (start + length - 1) // size - start // size + 1, 0)
    fits = (np.cumsum(is_access) <= requests) & (np.cumsum(touched) <= blocks)
    if fits.all():
        return records, None
    kept = np.sort(rows.order[fits])
    count = int((is_access & fits).sum())
    if not count:
        raise IotraceError(f"the first request alone is for more than {units.count(blocks)} blocks")
    whole = f"the first {count:,} of {int(is_access.sum()):,} requests, by when they come, were simulated"
    return records.take(pa.array(kept)), f"{whole}; iotrace cluster simulates all"
