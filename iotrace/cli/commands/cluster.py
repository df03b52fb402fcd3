"""``iotrace cluster``: what two levels of caches on a cluster would hit, and when to go round them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from iotrace import units
from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import TraceFormatOption, open_trace
from iotrace.cli.options.block_budget import BudgetOption, block_budget
from iotrace.cli.options.given import was_given
from iotrace.cli.options.settings import takes
from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    emit,
    emit_many,
    refuse_to_overwrite,
)
from iotrace.cli.progress import progress_of_runs
from iotrace.cli.tables.cluster import By, counts_for_reading, counts_of, for_reading
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError, UsageError
from iotrace.files.names import local_name
from iotrace.simulate.programs.reading import Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.simulate.cluster import Discipline, Machine, Outcome
    from iotrace.simulate.cluster.costs import Components
    from iotrace.simulate.programs.program import Program

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace cluster ranks.iotrace --nodes 4 --iods 3 --local 500 --global 10000
                              all disciplines side by side: what each hits and takes
 iotrace cluster ranks.iotrace --advice            which files or segments should go through the global cache
 iotrace cluster one.iotrace two.iotrace --think none      two applications at the same time, their files shared by name
 iotrace cluster nests.parquet --discipline local+global,run-time --threshold 3,20,50 --segment 8
 iotrace cluster ranks.iotrace --sweep global=1000,5000,20000 --sweep nodes=2,4,8 --discipline none,local+global
 iotrace cluster ranks.iotrace --bypass bits.csv --by file          a table of bypass bits; counts by file
 iotrace cluster ranks.iotrace --count-only        no clock: only counts, requests one after the other

[b]Sizes[/b] of caches are in blocks (500), bytes (2M), or inf. [b]Bypass bits[/b] are CSV or Parquet with the columns
phase, operation, level, file, first_segment, segments, through (iotrace schema cluster_bits); file is a number, or a
name as --by file has it. A trace may also be a Parquet file with table program (iotrace generate nests -o
NAME.parquet).
"""
}


class Network(StrEnum):
    """How nodes are wired."""

    HUB = "hub"
    SWITCH = "switch"


class FirstAccess(StrEnum):
    """What is never checked."""

    BLOCK = "block"
    SEGMENT = "segment"


class Decision(StrEnum):
    """For whom the run-time scheme decides."""

    CLUSTER = "cluster"
    NODE = "node"


BLOCK_BYTES = 4096
KNOBS = ("nodes", "iods", "local", "global", "segment", "network")


@takes(Reading, "reading", without=("files", "types"))
def cluster(
    context: typer.Context,
    traces: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE...",
            help="Stores, raw traces (- for standard input), or Parquet files of programs; several run together.",
            show_default=False,
        ),
    ],
    nodes: Annotated[int, typer.Option("--nodes", "-n", help="Nodes, each with a local cache.")] = 4,
    iods: Annotated[int, typer.Option("--iods", "-d", help="I/O daemons over which files are striped.")] = 3,
    local: Annotated[
        str, typer.Option("--local", help="Each node's cache: blocks, bytes (2M), inf.", metavar="SIZE")
    ] = "500",
    global_: Annotated[
        str,
        typer.Option(
            "--global", help="The global cache, likewise; the total over all files.", metavar="SIZE"
        ),
    ] = "10000",
    global_per_file: Annotated[
        bool, typer.Option("--global-per-file", help="Each file has a global cache of that size.")
    ] = False,
    global_servers: Annotated[
        int,
        typer.Option("--global-servers", help="Queues at the global cache, shared by files; 0: one a file."),
    ] = 1,
    segment: Annotated[
        int, typer.Option("--segment", help="Blocks that share bypass bits and a counter.")
    ] = 4,
    network: Annotated[
        Network, typer.Option("--network", help="One medium for all, or a link for each node.")
    ] = Network.HUB,
    discipline: Annotated[
        list[str] | None,
        typer.Option(
            "--discipline",
            help="Only these (repeatable, or a list): none, local, global, local+global, run-time, adaptive, tinylfu,"
            " demote, coarse, fine, oracle.",
            metavar="NAME,...",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        str, typer.Option("--threshold", help="The run-time scheme's, one row each.", metavar="N,...")
    ] = "3,20",
    first_access: Annotated[
        FirstAccess,
        typer.Option(
            "--first-access", help="Never checked: a block's first fill, or a segment's first request."
        ),
    ] = FirstAccess.BLOCK,
    decision: Annotated[
        Decision, typer.Option("--decision", help="The run-time scheme decides for the cluster or each node.")
    ] = Decision.CLUSTER,
    no_aging: Annotated[
        bool, typer.Option("--no-aging", help="Sweeps of the harvester do not halve segments' counters.")
    ] = False,
    bypass: Annotated[
        Path | None,
        typer.Option("--bypass", help="Bypass bits, CSV or Parquet: a row of its own.", show_default=False),
    ] = None,
    bypass_default: Annotated[
        bool,
        typer.Option(
            "--bypass-default/--through-default",
            help="What --bypass does not name goes round the global cache, or through it.",
        ),
    ] = False,
    costs: Annotated[
        str, typer.Option("--costs", help="What requests take: vilayannur, or a file NAME.toml.")
    ] = "vilayannur",
    flush: Annotated[
        str, typer.Option("--flush", help="The flusher's period (assumed).", metavar="TIME")
    ] = "5s",
    water: Annotated[
        str,
        typer.Option("--water", help="The harvester's marks, percent free (assumed).", metavar="LOW,HIGH"),
    ] = "2,5",
    *,
    reading: Reading,
    metadata: Annotated[
        bool,
        typer.Option(
            "--metadata/--no-metadata", help="A trace's opens and closes go to the metadata server."
        ),
    ] = True,
    count_only: Annotated[
        bool,
        typer.Option(
            "--count-only",
            help="No clock: each request is answered before the next begins; flushed each 1,000.",
        ),
    ] = False,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=VALUE,...",
            help=f"Vary a setting (repeatable, all combinations): {', '.join(KNOBS)}.",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        By | None,
        typer.Option("--by", help="The counts of each of these in the place of totals.", show_default=False),
    ] = None,
    advice: Annotated[
        bool,
        typer.Option(
            "--advice",
            help="What should go through the global cache, and what that saves."
            " Forms other than a table have its bypass bits, too; an oracle's phases are visits.",
        ),
    ] = False,
    budget: BudgetOption = Budget.CLUSTER.value,
    trace_format: TraceFormatOption = None,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Simulate a cluster's local and global caches: what each hits, what going round them saves."""
    refuse_to_overwrite(output, force)
    from iotrace.simulate.cluster import Machine
    from iotrace.simulate.cluster.costs import components

    low, high = _marks(water)
    machine = Machine(
        nodes=nodes,
        iods=iods,
        local_blocks=_blocks(local),
        global_blocks=_blocks(global_),
        global_per_file=global_per_file,
        global_servers=global_servers,
        segment_blocks=segment,
        network=network.value,
        low_water_percent=low,
        high_water_percent=high,
        flusher_period_ns=units.time_ns(flush),
    )
    machines = _swept(machine, sweep or [])
    paid = components(costs)
    names = list(dict.fromkeys(name.strip() for one in discipline or [] for name in one.split(",")))
    if advice and (sweep or names or by or bypass or count_only):
        raise UsageError(
            "--advice simulates what it needs: not with --sweep, --discipline, --by, --bypass, --count-only"
        )
    _refuse_without_effect(context, advice or bool((names or bypass) and "run-time" not in names), bypass)
    if count_only:
        _refuse_times(context, sweep or [])
    options = {
        "thresholds": list(dict.fromkeys(_threshold(word) for word in threshold.split(","))),
        "first_access": first_access.value,
        "scope": decision.value,
        "ages": not no_aging,
    }
    records, files, said = _program(traces, reading, trace_format, metadata)
    block_budget(budget, BLOCK_BYTES, has_block_option=False).spend(records["length"].drop_null())
    if advice:
        _advise(records, files, machine, paid, said, form, output)
        return
    runs: list[tuple[Machine, Outcome]] = []
    for one in machines:
        cases, more = _cases(names, records, files, one, paid, options, bypass, bypass_default)
        found, remarks = _run(cases, one, paid, clock=not count_only)
        runs += [(one, outcome) for outcome in found]
        said += [sentence for sentence in more + remarks if sentence not in said]
    _tell(runs, files, by, said, form, output)


def _refuse_without_effect(context: typer.Context, lacks_run_time: bool, bypass: Path | None) -> None:
    """Raise UsageError for options given that could not change anything."""
    if bypass is None and was_given(context, "bypass_default"):
        raise UsageError(
            "--bypass-default and --through-default say what --bypass does not name: give --bypass"
        )
    for name in ("threshold", "first_access", "decision", "no_aging"):
        if lacks_run_time and was_given(context, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is about the run-time scheme: have it run, as with --discipline run-time"
            )


def _refuse_times(context: typer.Context, sweeps: list[str]) -> None:
    """Raise UsageError for options given that only a clock could tell of."""
    for name in ("flush", "network", "global_servers"):
        if was_given(context, name) or any(sweep.partition("=")[0].strip() == name for sweep in sweeps):
            raise UsageError(
                f"--count-only has no clock: {name.replace('_', '-')} changes nothing"
                " (dirty blocks are flushed after each 1,000 requests)"
            )


def _blocks(text: str) -> int | None:
    """Read a cache's size in blocks of 4096 bytes; None for inf."""

    word = text.strip().lower()
    if word in ("inf", "infinite"):
        return None
    if units.is_whole(word):
        return int(word)
    try:
        size = units.size_bytes(text)
    except UsageError:
        raise UsageError(f"{text!r} is not a size: blocks (500), bytes with a unit (2M), or inf") from None
    if 0 < size < BLOCK_BYTES:
        raise UsageError(f"{text.strip()} is less than a block of {BLOCK_BYTES} bytes")
    return size // BLOCK_BYTES


def _threshold(word: str) -> int:
    try:
        return units.whole(word)
    except UsageError as error:
        raise UsageError(f"--threshold: {error} from 0 on") from None


def _marks(text: str) -> tuple[float, float]:
    low, comma, high = text.partition(",")
    try:
        return float(low), float(high) if comma else float(low)
    except ValueError:
        raise UsageError(f"--water: {text!r} is not LOW,HIGH in percent") from None


def _swept(machine: Machine, sweeps: list[str]) -> list[Machine]:
    from dataclasses import replace

    fields: dict[str, tuple[str, Callable[[str], Any]]] = {
        "nodes": ("nodes", _whole),
        "iods": ("iods", _whole),
        "local": ("local_blocks", _blocks),
        "global": ("global_blocks", _blocks),
        "segment": ("segment_blocks", _whole),
        "network": ("network", str.strip),
    }
    found, seen = [machine], set[str]()
    for sweep in sweeps:
        name, equals, values = sweep.partition("=")
        if name.strip() in seen:
            raise UsageError(f"--sweep: {name.strip()} is there twice; give its values in one list")
        seen.add(name.strip())
        if name.strip() not in fields or not equals:
            raise UsageError(f"--sweep: {sweep!r} is not NAME=VALUE,... with one of {', '.join(KNOBS)}")
        field, read = fields[name.strip()]
        found = [replace(one, **{field: read(value)}) for one in found for value in values.split(",")]
    return found


def _whole(text: str) -> int:
    try:
        return units.whole(text)
    except UsageError as error:
        raise UsageError(f"--sweep: {error}") from None


def _program(
    traces: list[Path], reading: Reading, trace_format: str | None, metadata: bool
) -> tuple[pa.Table, tuple[str, ...], list[str]]:
    """Return the records of all traces together, their files' names, and what should be known of them."""
    from iotrace.simulate.programs.program import combined

    found = [_one_program(trace, reading, trace_format, metadata) for trace in traces]
    together = combined(found) if len(found) > 1 else found[0]
    said = [sentence.rstrip(".") for sentence in together.tally.sentences(reading.think)]
    return together.records, together.files, said


def _one_program(trace: Path, reading: Reading, trace_format: str | None, metadata: bool) -> Program:
    from iotrace.simulate.cluster import program_files
    from iotrace.simulate.programs.stores import of_store

    if trace.suffix == ".parquet":
        if trace_format is not None:
            raise UsageError(f"{trace}: is a program, not a trace: --trace-format says nothing about it")
        return program_files.read(trace)
    return of_store(open_trace(trace, form=trace_format), think=reading.think, metadata=metadata)


def _cases(
    names: list[str],
    records: pa.Table,
    files: tuple[str, ...],
    machine: Machine,
    costs: Components,
    options: dict[str, Any],
    bypass: Path | None,
    bypass_default: bool,
) -> tuple[list[tuple[Discipline, pa.Table]], list[str]]:
    from iotrace.simulate.cluster import Discipline, comparison

    said = []
    wanted = names or ([] if bypass else list(comparison.NAMES))
    bits = None if bypass is None else _numbered(_bits(bypass), files)
    if {"fine", "oracle"} & set(wanted) or _names_phases(bits):
        records, remark = comparison.with_phases(records)
        said += [remark] if remark else []
    cases, more = comparison.disciplines(wanted, records, machine, costs, **options)
    if bypass is not None and bits is not None:
        cases.append((Discipline.planned(bits, not bypass_default, name=bypass.name), records))
        said += _unknown(bits, records, "file") + _unknown(bits, records, "phase")
    return cases, said + more


def _bits(path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.csv as csv
    import pyarrow.parquet as pq

    empty_is_null = csv.ConvertOptions(strings_can_be_null=True)
    try:
        if path.suffix == ".parquet":
            return pq.read_table(local_name(path))
        return csv.read_csv(local_name(path), convert_options=empty_is_null)
    except FileNotFoundError:
        raise IotraceError(f"{path}: no such file") from None
    except (pa.ArrowException, OSError) as error:
        raise IotraceError(f"{path}: {str(error).splitlines()[0]}") from None


def _numbered(bits: pa.Table, files: tuple[str, ...]) -> pa.Table:
    """Return bits whose files are numbers where they are named; a word that is neither stays, to be refused."""
    import pyarrow as pa

    if "file" not in bits.column_names or not pa.types.is_string(bits["file"].type):
        return bits
    number_of = {name: number for number, name in enumerate(files)}
    found = [
        number_of.get(word, int(word) if word and units.is_whole(word) else None)
        for word in bits["file"].to_pylist()
    ]
    for row, (word, number) in enumerate(zip(bits["file"].to_pylist(), found, strict=True)):
        if number is None:
            raise UsageError(
                f"row {row} of the bypass bits: {word!r} is no file's number, and no file's name"
            )
    return bits.set_column(bits.column_names.index("file"), "file", pa.array(found, pa.int64()))


def _names_phases(bits: pa.Table | None) -> bool:
    return bits is not None and "phase" in bits.column_names and bits["phase"].null_count < bits.num_rows


def _unknown(bits: pa.Table, records: pa.Table, what: Literal["file", "phase"]) -> list[str]:
    """Say which files or phases bits name that the program lacks; what is no table of bits is refused elsewhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if what not in bits.column_names or not pa.types.is_integer(bits[what].type):
        return []
    known = set(pc.unique(records[what]).to_pylist()) | {None}
    unknown = [str(number) for number in sorted(set(bits[what].to_pylist()) - known)]
    if not unknown:
        return []
    listed = ", ".join(unknown[:5]) + (f" and {len(unknown) - 5} more" if len(unknown) > 5 else "")
    return [f"warning: the bypass bits name {what}s that the program lacks: {listed}"]


def _run(
    cases: list[tuple[Discipline, pa.Table]], machine: Machine, costs: Components, clock: bool
) -> tuple[list[Outcome], list[str]]:
    from iotrace.simulate.cluster import comparison

    with progress_of_runs(len(cases)) as progress:
        return comparison.run(cases, machine, costs, clock=clock, progress=progress)


def _tell(
    runs: list[tuple[Machine, Outcome]],
    files: tuple[str, ...],
    by: By | None,
    said: list[str],
    form: Format,
    output: Path | None,
) -> None:
    from iotrace.simulate.cluster import comparison

    if by is not None:
        counts = counts_of(runs, by, files)
        shown = counts_for_reading(counts, by) if form is Format.TABLE else counts
        emit(shown, form, output, note=_note(said, form))
        return
    table = comparison.table(runs)
    if form is Format.TABLE:
        said = [*said, *comparison.readings(table)]
    shown = for_reading(table, runs) if form is Format.TABLE else table
    emit(shown, form, output, note=_note(said, form))


def _advise(
    records: pa.Table,
    files: tuple[str, ...],
    machine: Machine,
    costs: Components,
    said: list[str],
    form: Format,
    output: Path | None,
) -> None:
    from iotrace.simulate.cluster import Discipline, comparison, simulate
    from iotrace.simulate.cluster.advice import advise
    from iotrace.simulate.cluster.oracle import Weights
    from iotrace.simulate.cluster.rows import file_sizes, rows_of

    records, remark = comparison.with_phases(records)
    rows = rows_of(records, machine.nodes)
    prepared = {id(records): rows}
    kept = [records]
    stale: dict[int, int] = {}

    def timing(program: pa.Table, plan: pa.Table) -> int:
        if id(program) not in prepared:
            kept.append(program)  # so that its id stays its own
            prepared[id(program)] = rows_of(program, machine.nodes)
        outcome = simulate(prepared[id(program)], machine, Discipline.planned(plan), costs)
        stale[id(plan)] = outcome.totals.get("stale_reads", 0)
        return outcome.execution_ns or 0

    mean = max(1, rows.read_bytes // max(1, rows.reads))
    found = advise(
        records,
        comparison.room_of(machine),
        timing,
        Weights.of(costs, mean, machine.iods),
        names=files,
        without_caches_ns=simulate(rows, machine, Discipline.none(), costs).execution_ns,
        local_blocks=machine.local_blocks or 0,
    )
    known = comparison.remarks(rows, machine, file_sizes(rows).tolist())
    if older := stale.get(id(found.best.plan)):
        known.append(f"with it {older:,} reads are stale: {comparison.STALE}")
    known.append(comparison.SIZES)
    sentences = [found.sentence, *([remark] if remark else []), *known, *said]
    tables = {"candidates": found.candidates, "advice": found.files}
    if form is not Format.TABLE and found.best.name != "no caching":
        tables["bits"] = found.best.plan
    emit_many(tables, form, output, note=_note(sentences, form))


def _note(said: list[str], form: Format) -> str | None:
    """Return sentences as they stand beneath a table, a line each; None where there are none.

    In a form without room for them they are told on standard error.
    """
    if form is not Format.TABLE:
        for sentence in said:
            print(f"iotrace: {sentence}", file=sys.stderr)
        return None
    return "\n".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in said) or None
