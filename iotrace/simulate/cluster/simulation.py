"""Disciplines compared: what each hits, moves and takes, a row each."""

import json
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.simulate.cluster import bits
from iotrace.simulate.cluster.cases import Bypass, cases, needs_phases, with_phases
from iotrace.simulate.cluster.counts import Run, counts
from iotrace.simulate.cluster.outcome import Outcome
from iotrace.simulate.cluster.rows import Rows, file_sizes
from iotrace.simulate.cluster.running import (
    Case,
    Progress,
    by_place,
    outcomes_here,
    programs_of,
    remote_outcomes,
)
from iotrace.simulate.cluster.settings import BLOCK_BYTES, By, Machine, Settings
from iotrace.simulate.in_parts import threads_of
from iotrace.simulate.programs.program import Program
from iotrace.simulate.ratios import percent
from iotrace.workers import Workers

ADVICE = "raise it with --budget BLOCKS"


def run(
    program: Program,
    all_settings: Sequence[Settings],
    bypass: Bypass | None = None,
    *,
    by: By | None = None,
    budget_blocks: int = Budget.CLUSTER,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> pa.Table:
    """Return what a program does with each of the settings: result cluster, or its counts ``by`` something.

    Runs are spread over ``workers``, by default all cores.

    Its metadata has ``remarks``, a list of sentences in JSON: what a reader of it should know. A program whose
    records touch more blocks than ``budget_blocks``, and 64 more for each record, is refused.

    Raises UsageError for invalid settings, IotraceError for a program that cannot run.
    """
    spend(program, budget_blocks)
    records, remark = program.records, None
    if needs_phases(all_settings, bypass):
        records, remark = with_phases(records)
    all_cases = cases(all_settings, records, bypass)
    sentences = [*([remark] if remark else []), *(bits.unknown(bypass.bits, records) if bypass else [])]
    if workers is not None and workers.is_remote:
        outcomes = remote_outcomes(all_cases, program.warm, workers)
    else:
        outcomes = outcomes_here(all_cases, program.warm, threads_of(workers), progress)
    runs = [(case[0], outcome) for case, outcome in zip(all_cases, outcomes, strict=True)]
    sentences += [
        sentence for of_place in by_place(all_cases) for sentence in _remarks_of(of_place, program.warm)
    ]
    result = table(runs) if by is None else counts(runs, by, program.files)
    remarks = json.dumps(list(dict.fromkeys(sentences)))
    return result.replace_schema_metadata({**(result.schema.metadata or {}), b"remarks": remarks})


def outcomes_of(cases: Sequence[Case]) -> tuple[list[Run], list[str]]:
    """Return the outcomes of disciplines in one place, each on its program, and what readers of them should know."""
    outcomes = outcomes_here(cases, None, None, None)
    return [(case[0], outcome) for case, outcome in zip(cases, outcomes, strict=True)], _remarks_of(
        cases, None
    )


def spend(program: Program, budget_blocks: int) -> None:
    """Raise IotraceError for a program that touches more blocks than are allowed."""
    budget = BlockBudget(budget_blocks, BLOCK_BYTES, ADVICE)
    for records in (program.records, program.warm):
        if records is not None:
            budget.spend(records["length"].drop_null())


def _remarks_of(cases: Sequence[Case], warm: pa.Table | None) -> list[str]:
    """Return what readers should know of the first program in one place of which there is something to know."""
    texts: list[str] = []
    for key, rows in programs_of(cases, warm).items():
        settings = next(settings for settings, _, records in cases if id(records) == key)
        texts = texts or remarks(rows, settings, file_sizes(rows).tolist())
    return texts


def table(runs: Sequence[Run]) -> pa.Table:
    """Return the result cluster (queries/results.toml): a row for each run, in their order.

    Savings are over the run of ``local+global`` on the same machine, where there is one.
    """
    indiscriminate = {
        settings.place: outcome.execution_ns
        for settings, outcome in runs
        if outcome.discipline.name == "local+global"
    }
    rows = [_row(settings, outcome, indiscriminate.get(settings.place)) for settings, outcome in runs]
    return queries.result_table("cluster", rows)


def _row(machine: Settings, outcome: Outcome, indiscriminate_ns: int | None) -> dict[str, object]:
    counted = outcome.totals
    execution_ns = outcome.execution_ns
    whole_ns = indiscriminate_ns or 0
    used = outcome.discipline
    return {
        "discipline": used.name,
        "swept": machine.swept,
        "nodes": machine.nodes,
        "iods": machine.iods,
        "local_blocks": machine.local_blocks if used.uses_local else 0,
        "global_blocks": machine.global_blocks if used.uses_global else 0,
        "global_per_file": machine.global_per_file,
        "segment_blocks": machine.segment_blocks,
        "network": machine.network,
        "execution_ns": execution_ns,
        "saving_percent": None if execution_ns is None else percent(whole_ns - execution_ns, whole_ns),
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
        "local_hit_percent": percent(counted["local_hits"], counted["local_look_ups"]),
        "global_hit_percent": percent(counted["global_hits"], counted["global_look_ups"]),
        "bypass_percent": percent(counted["global_bypassed"] + counted["global_told"], lacked),
        "local_shared_percent": percent(counted["local_hits_of_others"], counted["local_hits"]),
        "global_shared_percent": percent(counted["global_hits_of_others"], counted["global_hits"]),
    }


def measures(counts: pa.Table, by: By) -> pa.Table:
    """Return counters as rows of the result cluster, after the part that each is of; what is of whole runs is null."""
    schema = queries.table_schema("cluster")
    rows = counts.to_pylist()
    apart = counts.column_names[: counts.column_names.index("discipline")]
    for row in rows:
        row |= ratios(row) | {"swept": ", ".join(f"{name}={row.pop(name)}" for name in apart) or None}
    return pa.Table.from_pylist(rows, schema=schema).add_column(0, by.value, counts[by.value])


SIZES = "programs have no file sizes: each file is taken to end with the last byte that is read or written"
STALE = (
    "blocks read that are older than a write which had returned: another node's, or one that bypassed the global"
    " cache while that had a copy; only a sync_write prevents them (section 3.2)"
)
COUNTED = (
    "reads", "writes", "sync_writes", "read_bytes", "written_bytes", "local_look_ups", "local_hits",
    "local_delayed_hits", "local_bypassed", "buffered_writes", "unbuffered_writes", "global_look_ups",
    "global_hits", "global_delayed_hits", "global_bypassed", "global_told", "global_placed",
    "global_not_placed", "demoted_blocks", "daemon_reads", "daemon_reads_without_disk", "daemon_writes",
    "daemon_read_bytes", "daemon_written_bytes", "stale_reads", "invalidations", "invalidated_copies",
    "dropped_dirty", "metadata_requests",
)  # fmt: skip


def readings(table: pa.Table) -> list[str]:
    """Return how some things in the result cluster are to be read, where it has them."""
    sentences = []
    if table["saving_percent"].null_count < table.num_rows:
        sentences.append("saving: how much less time than with local+global on the same machine")
    if remark := disk_remark(table):
        sentences.append(remark)
    if "coarse" in table["discipline"].to_pylist():
        sentences.append(f"coarse: {SIZES}")
    if pc.any(pc.greater(table["stale_reads"], 0)).as_py():
        sentences.append(f"stale reads: {STALE}")
    return sentences


def disk_remark(table: pa.Table) -> str | None:
    """Say how many reads cost no disk time; None where all do, or nothing is known of disks."""
    timed = table.filter(pc.is_valid(table["disk_percent"]))
    reads, without = (
        pc.sum(timed[name]).as_py() or 0 for name in ("daemon_reads", "daemon_reads_without_disk")
    )
    if not without:
        return None
    return (
        f"disk: {100 * without / reads:.3g} % of the reads at daemons cost no disk time, being of 4 KB at most:"
        " the costs take a daemon to have read its first block ahead, as in the paper's sequential runs;"
        " where reads are random, disks are busier than this says, and the program takes longer"
    )


def remarks(rows: Rows, machine: Machine, sizes: Sequence[int]) -> list[str]:
    """Return what a reader of the table should know of the program on this machine."""
    sentences = list(rows.remarks)
    busy = len({node for _, node in rows.processes})
    if busy < machine.nodes:
        sentences.append(f"only {busy:,} of the {machine.nodes:,} nodes run processes of the program")
    segment_bytes = machine.segment_blocks * machine.block_bytes
    smaller = sum(0 < size < segment_bytes for size in sizes)
    if smaller:
        files = sum(size > 0 for size in sizes)
        sentences.append(
            f"a segment ({machine.segment_blocks} blocks) is larger than {smaller:,} of {files:,} files:"
            " each of those is one segment"
        )
    return sentences
