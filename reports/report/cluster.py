"""The report's section on caches of a cluster: the disciplines of Vilayannur et al. compared."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from iotrace.reports.pages.figures import Note

from iotrace import queries, units
from iotrace.errors import IotraceError
from iotrace.simulate.cluster import simulation
from iotrace.simulate.cluster.cases import cases, compared, with_phases
from iotrace.simulate.cluster.rows import rows_of
from iotrace.simulate.cluster.settings import Machine, Settings
from iotrace.simulate.programs.stores import of_store
from iotrace.store.store import Store

MOST_REQUESTS = 200_000
MOST_BLOCKS = 40_000
"""The most requests and blocks of a trace that are simulated, so that a report does not take minutes."""
TABLES = {
    "cluster_hits": ("discipline", "local_hit_percent", "global_hit_percent"),
    "cluster_times": ("discipline", "execution_ns"),
    "cluster_disciplines": (
        "discipline",
        "local_hit_percent",
        "global_hit_percent",
        "bypass_percent",
        "daemon_read_bytes",
        "daemon_written_bytes",
        "stale_reads",
    ),
    "cluster_machine": (
        "discipline",
        "execution_ns",
        "saving_percent",
        "request_ms",
        "medium_percent",
        "global_server_percent",
    ),
}
"""The tables of the section, each some columns of result cluster."""
OF_TIMES = ("cluster_times", "cluster_machine")
"""Those of the paper's machine, which say nothing of others."""


def tables(store: Store, progress: Callable[[str], None]) -> tuple[dict[str, pa.Table], dict[str, Note]]:
    """Return the tables of the report's section on clusters, and what to say of them, by figure.

    They are what ``iotrace cluster`` compares by default, on as many nodes as the trace names, and on the first part
    of a long trace, of which no execution times are given. Without rows, and with the reason, where the trace does not
    name the node of each process, or has nothing that can be run.
    """
    progress("simulating a cluster")
    try:
        table, notes = _compared(store)
    except IotraceError as error:
        table = queries.table_schema("cluster").empty_table()
        why = Note(f"Not simulated: {str(error).removesuffix('.')}.", is_not_computed=True)
        notes = dict.fromkeys(TABLES, why)
    results = {name: table.select(list(columns)) for name, columns in TABLES.items()}
    for name in OF_TIMES:
        results[name] = results[name].filter(pc.is_valid(results[name]["execution_ns"]))
    return results, notes


def on_own_nodes(records: pa.Table) -> tuple[pa.Table, int]:
    """Return a program whose nodes are numbered from 0 without gaps, and how many they are.

    Raises IotraceError where a process that does anything has no node: which node's cache it uses is not known.
    """
    process, node = (records[name] for name in ("process", "node"))
    is_placed = pc.and_(process.is_valid(), node.is_valid())
    placed = pc.count_distinct(process.filter(is_placed)).as_py()
    known = pc.count_distinct(process).as_py()
    if not known or placed < known or process.null_count:
        which = f"{known - placed:,} of {known:,} processes" if placed else "its processes"
        raise IotraceError(
            f"the trace does not name the nodes of {which} (iotrace cluster --nodes N spreads ranks over N nodes)"
        )
    numbers = pc.unique(node.drop_null()).sort()
    column = records.schema.get_field_index("node")
    dense = pc.index_in(node, numbers).cast(records.schema.field(column).type)
    return records.set_column(column, records.schema.field(column), dense), len(numbers)


def _compared(store: Store) -> tuple[pa.Table, dict[str, Note]]:
    program = of_store(store, metadata=True)
    records, nodes = on_own_nodes(program.records)
    settings = Settings(nodes=nodes)
    records, first = first_part(records, settings)
    records, phases = with_phases(records)
    compared_cases = cases(compared(settings), records)
    runs, remarks = simulation.outcomes_of(compared_cases)
    # that it is not the whole trace is said of each figure, the rest once
    table = simulation.table(runs)
    notes = dict.fromkeys(TABLES, _sentences([first])) if first else {}
    notes |= dict.fromkeys(OF_TIMES, _sentences([first, _on_time(store, cut=first is not None)]))
    opening = [f"the trace names {nodes:,} node{'s' * (nodes != 1)}, each with a separate cache", first]
    notes["cluster_disciplines"] = _sentences(
        [*opening, *program.tally.sentences(), phases, *remarks, simulation.disk_remark(table)]
    )
    if first:
        # a part of a program does not take the program's time
        column = table.schema.get_field_index("execution_ns")
        table = table.set_column(column, table.schema.field(column), pa.nulls(table.num_rows, pa.int64()))
    return table, notes


def _on_time(store: Store, cut: bool) -> str:
    """Say how long the trace itself took, and what the times of the section are of."""
    times = store.arrow("reference", ["time_ns", "duration_ns"])
    ends = pc.add(times["time_ns"], pc.fill_null(times["duration_ns"], 0))
    first, last = pc.min(times["time_ns"]).as_py(), pc.max(ends).as_py()
    lasted = "" if first is None else f"the trace itself lasted {units.duration(last - first)}; "
    if cut:
        return f"{lasted}no execution times are given, since only a part of it was simulated"
    return f"{lasted}these times are of the paper's machine, and compare disciplines, not machines"


def _sentences(opening: Sequence[str | None]) -> Note:
    return Note(
        " ".join(
            f"{sentence[0].upper()}{sentence[1:].removesuffix('.')}." for sentence in opening if sentence
        )
    )


def first_part(
    records: pa.Table, machine: Machine, requests: int = MOST_REQUESTS, blocks: int = MOST_BLOCKS
) -> tuple[pa.Table, str | None]:
    """Return the first rows of a program by when they come, and, where that is not all, how many they are.

    They are at most `requests` requests, which touch at most `blocks` blocks. Raises IotraceError if there are none.
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
    taken = np.sort(rows.order[fits])
    count = int((is_access & fits).sum())
    if not count:
        raise IotraceError(f"the first request alone is for more than {units.count(blocks)} blocks")
    whole = f"the first {count:,} of {int(is_access.sum()):,} requests, by when they come, were simulated"
    return records.take(pa.array(taken)), f"{whole}; iotrace cluster simulates all"
