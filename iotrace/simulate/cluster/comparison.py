"""Disciplines side by side: what each hits, moves and takes, a row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.cluster.costs import Components
from iotrace.simulate.cluster.oracle import Weights, oracle
from iotrace.simulate.cluster.planning import coarse, find_phases, fine
from iotrace.simulate.cluster.rows import Rows, file_sizes, rows_of
from iotrace.simulate.cluster.settings import Discipline, FirstAccess, Machine, Scope
from iotrace.simulate.cluster.simulation import Outcome, simulate_all
from iotrace.simulate.cluster.touches import Room

NAMES = (
    "none",
    "local",
    "global",
    "local+global",
    "run-time",
    "adaptive",
    "tinylfu",
    "demote",
    "coarse",
    "fine",
    "oracle",
)
"""The disciplines by their names; the default compares them all."""
THRESHOLDS = (3, 20)
"""Low and high in figure 8."""


def room_of(machine: Machine) -> Room:
    """Return what a machine's global cache has room for, for plans: what its harvester does not keep free.

    An unbounded one has room for everything.
    """
    blocks = machine.global_blocks if machine.global_blocks is not None else 1 << 40
    return Room(
        blocks,
        machine.global_per_file,
        machine.segment_blocks,
        machine.block_bytes,
        free_percent=machine.high_water_percent,
    )


def with_phases(program: pa.Table) -> tuple[pa.Table, str | None]:
    """Return a program that has phases, found by quiet gaps or equal parts where it has none, and what was done."""
    if program["phase"].null_count < program.num_rows or not program.num_rows:
        return program, None
    if program["process"].null_count:
        return program, "self-scheduled records have no phases: fine and oracle see one"
    found = find_phases(program)
    count = pc.count_distinct(found["phase"]).as_py()
    return found, f"the program has no phases: {count} were found by quiet gaps of a second, or equal parts"


def disciplines(
    names: Sequence[str],
    program: pa.Table,
    machine: Machine,
    costs: Components,
    *,
    thresholds: Sequence[int] = THRESHOLDS,
    first_access: FirstAccess = "block",
    scope: Scope = "cluster",
    ages: bool = True,
) -> tuple[list[tuple[Discipline, pa.Table]], list[str]]:
    """Return the disciplines named, each with the program that it runs on, and what could not be made.

    Plans are made by a first pass over the program, which plays the compiler. Raises UsageError for an unknown name.
    """
    simple = {
        "none": Discipline.none(),
        "local": Discipline.local(),
        "global": Discipline.global_only(),
        "local+global": Discipline.local_global(),
        "adaptive": Discipline.adaptive(),
        "tinylfu": Discipline.tinylfu(),
        "demote": Discipline.demote(),
    }
    found: list[tuple[Discipline, pa.Table]] = []
    said: list[str] = []
    room = room_of(machine)
    for name in names:
        if name in simple:
            found.append((simple[name], program))
        elif name == "run-time":
            found += [
                (Discipline.counters(one, first_access=first_access, scope=scope, ages=ages), program)
                for one in thresholds
            ]
        elif name == "coarse":
            found.append((Discipline.planned(coarse(program, room), name=name), program))
        elif name == "fine":
            # what local caches serve does not count for segments
            beyond = replace(room, local_blocks=machine.local_blocks or 0)
            found.append((Discipline.planned(fine(program, beyond), name=name), program))
        elif name == "oracle":
            try:
                best = oracle(program, room, _weights(program, machine, costs))
            except IotraceError as error:
                said.append(f"no oracle: {error}")
            else:
                found.append((Discipline.planned(best.plan, name=name), best.program))
        else:
            raise UsageError(f"{name!r} is no discipline; there are {', '.join(NAMES)}")
    return found, said


def _weights(program: pa.Table, machine: Machine, costs: Components) -> Weights:
    lengths = program["length"].filter(pc.equal(program["operation"].cast(pa.string()), "read"))
    mean = np.mean(lengths.to_numpy()) if len(lengths) else machine.block_bytes
    return Weights.of(costs, max(1, int(mean)), machine.iods)


def run(
    cases: Sequence[tuple[Discipline, pa.Table]],
    machine: Machine,
    costs: Components,
    *,
    clock: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Outcome], list[str]]:
    """Return the outcomes of disciplines, each on its program, and what somebody who reads them should know.

    Those with the same program run at the same time. ``progress`` is told how many have ended, and of how many.
    """
    prepared: dict[int, Rows] = {}
    for _, records in cases:
        if id(records) not in prepared:
            prepared[id(records)] = rows_of(records, machine.nodes)
    outcomes: dict[int, Outcome] = {}
    said: list[str] = []
    for key, rows in prepared.items():
        mine = [number for number, (_, records) in enumerate(cases) if id(records) == key]
        said = said or remarks(rows, machine, file_sizes(rows).tolist())
        runs = [(machine, cases[number][0]) for number in mine]
        told = None if progress is None else _after(progress, len(outcomes), len(cases))
        outcomes.update(zip(mine, simulate_all(runs, rows, costs, clock=clock, done=told), strict=True))
    return [outcomes[number] for number in range(len(cases))], said


def _after(progress: Callable[[int, int], None], before: int, total: int) -> Callable[[int, int], None]:
    return lambda ended, _: progress(before + ended, total)


def table(runs: Sequence[tuple[Machine, Outcome]]) -> pa.Table:
    """Return the result cluster (queries/results.toml): a row for each run, in their order.

    Savings are over the run of ``local+global`` on the same machine, where there is one.
    """
    indiscriminate = {
        machine: outcome.execution_ns
        for machine, outcome in runs
        if outcome.discipline.name == "local+global"
    }
    rows = [_row(machine, outcome, indiscriminate.get(machine)) for machine, outcome in runs]
    schema = queries.table_schema("cluster")
    columns = [pa.array([row[name] for row in rows], schema.field(name).type) for name in schema.names]
    return pa.table(columns, schema=schema)


def _row(machine: Machine, outcome: Outcome, indiscriminate_ns: int | None) -> dict[str, object]:
    counted = outcome.totals
    execution_ns = outcome.execution_ns
    saved = None if execution_ns is None or not indiscriminate_ns else indiscriminate_ns - execution_ns
    used = outcome.discipline
    return {
        "discipline": used.name,
        "nodes": machine.nodes,
        "iods": machine.iods,
        "local_blocks": machine.local_blocks if used.uses_local else 0,
        "global_blocks": machine.global_blocks if used.uses_global else 0,
        "global_per_file": machine.global_per_file,
        "segment_blocks": machine.segment_blocks,
        "network": machine.network,
        "execution_ns": execution_ns,
        "saving_percent": _percent(saved, indiscriminate_ns),
        "drained_ns": outcome.drained_ns,
        **ratios(counted),
        "medium_percent": outcome.busy_percent("medium" if machine.network == "hub" else "node link"),
        "global_server_percent": outcome.busy_percent("global server"),
        "daemon_percent": outcome.busy_percent("daemon"),
        "disk_percent": outcome.busy_percent("disk"),
        "threshold_at_end": None if outcome.thresholds is None else outcome.thresholds[1],
        **{name: counted[name] for name in COUNTED},
    }


def ratios(counted: Mapping[str, int]) -> dict[str, float | None]:
    """Return what counters make of requests and look-ups; None for a ratio to nothing, or times without a clock."""
    lacked = counted["global_look_ups"] + counted["global_bypassed"] + counted["global_told"]
    requests = counted["reads"] + counted["writes"] + counted["sync_writes"]
    return {
        "request_ms": counted["io_ns"] / requests / 1e6 if requests and counted["io_ns"] else None,
        "local_hit_percent": _percent(counted["local_hits"], counted["local_look_ups"]),
        "global_hit_percent": _percent(counted["global_hits"], counted["global_look_ups"]),
        "round_percent": _percent(counted["global_bypassed"] + counted["global_told"], lacked),
        "local_shared_percent": _percent(counted["local_hits_of_others"], counted["local_hits"]),
        "global_shared_percent": _percent(counted["global_hits_of_others"], counted["global_hits"]),
    }


SIZES = "programs tell no sizes of files: each is taken to end with the last byte that is read or written"
STALE = (
    "blocks read that are older than a write which had returned: another node's, or one that went round the global"
    " cache while that had a copy; only a sync_write prevents them (section 3.2)"
)
COUNTED = (
    "reads",
    "writes",
    "sync_writes",
    "read_bytes",
    "written_bytes",
    "local_look_ups",
    "local_hits",
    "local_delayed_hits",
    "local_bypassed",
    "buffered_writes",
    "unbuffered_writes",
    "global_look_ups",
    "global_hits",
    "global_delayed_hits",
    "global_bypassed",
    "global_told",
    "global_placed",
    "global_not_placed",
    "demoted_blocks",
    "daemon_reads",
    "daemon_reads_without_disk",
    "daemon_writes",
    "daemon_read_bytes",
    "daemon_written_bytes",
    "stale_reads",
    "invalidations",
    "invalidated_copies",
    "dropped_dirty",
    "metadata_requests",
)


def _percent(part: float | None, whole: float | None) -> float | None:
    return 100 * part / whole if part is not None and whole else None


def readings(table: pa.Table) -> list[str]:
    """Return how some things in the result cluster are to be read, where it has them."""
    said = []
    if table["saving_percent"].null_count < table.num_rows:
        said.append("saving %: how much less time than with local+global on the same machine")
    if remark := disk_remark(table):
        said.append(remark)
    if "coarse" in table["discipline"].to_pylist():
        said.append(f"coarse: {SIZES}")
    if "oracle" in table["discipline"].to_pylist():
        said.append(
            "oracle: the plan with the best hits at the global cache under a model without local caches, eviction by"
            " chance and queues; it can lose to simpler plans"
        )
    if pc.any(pc.greater(table["stale_reads"], 0)).as_py():
        said.append(f"stale: {STALE}")
    return said


def disk_remark(table: pa.Table) -> str | None:
    """Say how many reads cost no disk time; None where all do, or nothing is known of disks."""
    timed = table.filter(pc.is_valid(table["disk_percent"]))
    reads, without = (
        pc.sum(timed[name]).as_py() or 0 for name in ("daemon_reads", "daemon_reads_without_disk")
    )
    if not without:
        return None
    return (
        f"disk %: {100 * without / reads:.3g} % of the reads at daemons cost no disk time, being of 4 KB at most:"
        " the costs take a daemon to have read its first block ahead, as in the paper's sequential runs;"
        " where reads are random, disks are busier than this says, and the program takes longer"
    )


def remarks(rows: Rows, machine: Machine, sizes: Sequence[int]) -> list[str]:
    """Return what somebody who reads the table should know of the program on this machine."""
    said = list(rows.said)
    busy = len({node for _, node in rows.processes})
    if busy < machine.nodes:
        said.append(f"only {busy:,} of the {machine.nodes:,} nodes run processes of the program")
    segment_bytes = machine.segment_blocks * machine.block_bytes
    smaller = sum(0 < size < segment_bytes for size in sizes)
    if smaller:
        files = sum(size > 0 for size in sizes)
        said.append(
            f"a segment ({machine.segment_blocks} blocks) is larger than {smaller:,} of {files:,} files:"
            " each of those is one segment"
        )
    return said
