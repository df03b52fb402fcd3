"""``iotrace parallel``: how long parallel processes take on a parallel file system, and where the time goes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace import units
from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import AlignClocksOption, Think, TraceFormatOption, open_trace
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.given import was_given
from iotrace.cli.options.names import named_by_options
from iotrace.cli.output import ForceOption, Format, FormatOption, OutputOption, emit, refuse_to_overwrite
from iotrace.cli.progress import progress_of_runs
from iotrace.cli.tables.parallel import for_reading, note, one_for_reading
from iotrace.errors import IotraceError, UsageError

if TYPE_CHECKING:
    from iotrace.simulate.parallel_fs import Workload

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace parallel gw --processes 20 --disks 20 --buffers 80 --policy WriteBack --record 0.25
                              a pattern of Kotz and Ellis 1991: 20 processes write a file in quarter-block records
 iotrace parallel lfp --no-cache --overheads rapid-transit          a read pattern, without a cache
 iotrace parallel gw --compute 30ms --sweep buffers=20:200,policy=all          figure 1 of the paper
 iotrace parallel ranks.iotrace --disks 8 --policy WriteFull        what the processes of a trace did
 iotrace parallel ranks.iotrace --think none --file '*.dat' --disk sata-7200 --show processes
 iotrace parallel one.iotrace two.iotrace --sweep buffers=64,256    two programs at the same time

[b]Patterns[/b]: lw, lfp, lrp, seg, gw, gfp, grp, rnd, lw1 (a file of such a name: ./gw). They read, but for lw1, unless
a write policy or --operation says otherwise.

[b]Sweeps[/b] take 20:200 (ten values), 20:200:60 (steps), lists, and policy=all; of buffers, policy, disks, block,
stripe, service, disk, first-disk, replacement, prefetch, overheads, jitter, claim-order; of patterns also of processes,
record, blocks-per-process, file-blocks, portion, gap, compute, burst.
"""
}
PATTERNS = ("lw", "lfp", "lrp", "seg", "gw", "gfp", "grp", "rnd", "lw1")
PATTERN_OPTIONS = (
    "operation",
    "record",
    "blocks_per_process",
    "file_blocks",
    "portion",
    "gap",
    "compute",
    "burst",
)
NOT_TOGETHER = "a pattern runs alone; to run it with others, generate it: iotrace generate parallel"
TRACE_OPTIONS = ("think", "file", "types", "align_clocks", "trace_format")
BUFFERS_PER_PROCESS = 4
"""80 of them for 20 processes, the paper's base (section 4.1)."""

WINDOWS = 50


class Operation(StrEnum):
    """What a pattern does."""

    READ = "read"
    WRITE = "write"


class Replacement(StrEnum):
    """Which buffer is taken."""

    TOSS = "toss"
    LRU = "lru"
    FIFO = "fifo"


class Prefetch(StrEnum):
    """What is read ahead."""

    NONE = "none"
    ONE_BLOCK = "one-block"
    PORTION = "portion"


class FirstDisk(StrEnum):
    """Where files begin."""

    ZERO = "zero"
    FILE = "file"


class WhileWriting(StrEnum):
    """What a write into a buffer that is being written does."""

    WRITE = "write"
    WAIT = "wait"


class ClaimOrder(StrEnum):
    """Who gets a buffer."""

    RANDOM = "random"
    FIFO = "fifo"


class Show(StrEnum):
    """Which table is told."""

    TOTALS = "totals"
    PROCESSES = "processes"
    WINDOWS = "windows"


def parallel(
    context: typer.Context,
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="TRACE_OR_PATTERN...",
            help="A pattern (gw, seg, ...); or a store, a raw trace or pattern text, - for standard input; several of"
            " these run together.",
            show_default=False,
        ),
    ],
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes",
            "-p",
            help="How many processes run a pattern (20), or take a trace's self-scheduled records.",
            show_default=False,
        ),
    ] = None,
    disks: Annotated[
        int, typer.Option("--disks", "-d", help="How many disks files are interleaved over.")
    ] = 20,
    buffers: Annotated[
        int | None,
        typer.Option(
            "--buffers",
            "-b",
            help="One-block buffers of the cache; 4 a process by default.",
            show_default=False,
        ),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="No cache: as --buffers 0.")] = False,
    policy: Annotated[
        str, typer.Option("--policy", help="WriteThru, WriteBack, WriteFree or WriteFull.", metavar="POLICY")
    ] = "WriteBack",
    operation: Annotated[
        Operation | None,
        typer.Option("--operation", help="Whether a pattern reads or writes.", show_default=False),
    ] = None,
    record: Annotated[
        str,
        typer.Option(
            "--record", "-r", help="A record's length in blocks: 1, 0.25, 1/4, 3.7.", metavar="BLOCKS"
        ),
    ] = "1",
    blocks_per_process: Annotated[
        int,
        typer.Option(
            "--blocks-per-process",
            "--per-process",
            help="Blocks of a pattern that each process accesses, in the mean.",
        ),
    ] = 200,
    file_blocks: Annotated[
        int | None,
        typer.Option("--file-blocks", help="The file's length; as the pattern needs.", show_default=False),
    ] = None,
    portion: Annotated[
        int | None,
        typer.Option("--portion", help="The length of portions, or its mean, in blocks.", show_default=False),
    ] = None,
    gap: Annotated[
        int | None, typer.Option("--gap", help="Blocks between fixed portions.", show_default=False)
    ] = None,
    compute: Annotated[
        str,
        typer.Option(
            "--compute",
            help="A pattern's computation after each record: none, constant:TIME, exponential:TIME, or TIME for that.",
            metavar="[KIND:]TIME",
        ),
    ] = "none",
    burst: Annotated[
        int,
        typer.Option(
            "--burst",
            help="So many records of each process follow at once; their computation comes after the last. Of"
            " self-scheduled records so many for each process are taken together, then all compute.",
        ),
    ] = 1,
    think: Annotated[
        Think,
        typer.Option(
            "--think",
            help="Between a trace's requests: the time from one's end to the next one's start, or none.",
        ),
    ] = Think.TRACED,
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file",
            help="Only a trace's files like this (repeatable).",
            metavar="PATTERN",
            show_default=False,
        ),
    ] = None,
    types: Annotated[
        str, typer.Option("--types", help="Which of a trace's references count.", metavar="TYPE,...")
    ] = "datafile,disk",
    block: Annotated[
        str | None,
        typer.Option(
            "--block",
            help="A block's length; 1K for patterns, 4K for traces.",
            metavar="SIZE",
            show_default=False,
        ),
    ] = None,
    stripe: Annotated[
        int, typer.Option("--stripe", help="So many blocks in a row are on one disk.", metavar="BLOCKS")
    ] = 1,
    first_disk: Annotated[
        FirstDisk, typer.Option("--first-disk", help="Where a file begins: disk zero, or that of its number.")
    ] = FirstDisk.ZERO,
    disk: Annotated[
        str,
        typer.Option(
            "--disk", help="constant, or a drive (ra81, hp-97560, ..., NAME.toml): then it seeks and turns."
        ),
    ] = "constant",
    service: Annotated[
        str, typer.Option("--service", help="How long a constant disk takes for a block.", metavar="TIME")
    ] = "30ms",
    replacement: Annotated[
        Replacement, typer.Option("--replacement", help="Which buffer is taken: toss is the paper's.")
    ] = Replacement.TOSS,
    prefetch: Annotated[Prefetch, typer.Option("--prefetch", help="What is read ahead.")] = Prefetch.NONE,
    while_writing: Annotated[
        WhileWriting,
        typer.Option(
            "--while-writing", help="A write into a buffer that is being written: is done, or waits."
        ),
    ] = WhileWriting.WRITE,
    files_exist: Annotated[
        bool, typer.Option("--files-exist", help="Partial writes of a block read it first, from the start.")
    ] = False,
    claim_order: Annotated[
        ClaimOrder, typer.Option("--claim-order", help="Which of those who wait for a buffer gets one.")
    ] = ClaimOrder.RANDOM,
    overheads: Annotated[
        str,
        typer.Option("--overheads", help="zero, rapid-transit (fitted to the paper), or a file NAME.toml."),
    ] = "zero",
    jitter: Annotated[
        str,
        typer.Option(
            "--jitter", help="Passes before each record, ± 50 %: nothing runs in step.", metavar="TIME"
        ),
    ] = "10us",
    trials: Annotated[int, typer.Option("--trials", help="So many runs, each with a seed of its own.")] = 5,
    seed: Annotated[int, typer.Option("--seed", help="The first run's seed.")] = 1,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=VALUES,...",
            show_default=False,
            help="Vary options, all combinations (repeatable): see below.",
        ),
    ] = None,
    show: Annotated[
        Show,
        typer.Option(
            "--show", help="One row a case; or for the first trial each process, or 50 windows of time."
        ),
    ] = Show.TOTALS,
    budget: BudgetOption = Budget.PARALLEL.value,
    align_clocks: AlignClocksOption = False,
    trace_format: TraceFormatOption = None,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Run parallel processes on a parallel file system with a shared cache: execution time, and where it goes."""
    refuse_to_overwrite(output, force)
    from iotrace.simulate.parallel_fs import Settings, notation, simulate

    is_pattern = what[0] in PATTERNS
    if no_cache and buffers:
        raise UsageError("--no-cache and --buffers contradict each other")
    no_cache = no_cache or buffers == 0
    _refuse_without_effect(context, is_pattern, no_cache)
    if is_pattern and len(what) > 1:
        raise UsageError(NOT_TOGETHER)
    swept = notation.axes(sweep or [])
    options = {knob.field: name for name, knob in notation.KNOBS.items()} | {
        name: name for name in ("trials", "seed")
    }
    block_bytes = units.size_bytes(block or ("1K" if is_pattern else "4K"))
    with named_by_options(options):
        settings = Settings(
            disks=disks,
            buffers=0 if no_cache else buffers or BUFFERS_PER_PROCESS,
            policy=notation.policy(policy),
            block_bytes=block_bytes,
            stripe_blocks=stripe,
            first_disk=first_disk.value,
            service_ns=units.time_ns(service),
            drive=None if disk == "constant" else disk,
            replacement=replacement.value,
            prefetch=prefetch.value,
            writes_while_writing=while_writing is WhileWriting.WRITE,
            files_exist=files_exist,
            jitter_ns=units.time_ns(jitter),
            overheads=overheads,
            claim_order=claim_order.value,
        )
        workload: Workload
        if is_pattern:
            names_policy = was_given(context, "policy") or "policy" in swept
            workload = _made(
                what[0],
                operation=(operation or Operation.WRITE).value if operation or names_policy else None,
                processes=20 if processes is None else processes,
                block_bytes=block_bytes,
                record_blocks=units.blocks(record),
                blocks_per_process=blocks_per_process,
                file_blocks=file_blocks,
                portion_blocks=portion,
                gap_blocks=gap,
                compute=compute,
                burst=burst,
            )
        else:
            workload = _traced(
                what, processes, think, types.split(","), file or [], align_clocks, trace_format
            )
        per_process = BUFFERS_PER_PROCESS if buffers is None and not no_cache else None
        cases = notation.varied(workload, settings, sweep or [], per_process)
    with progress_of_runs(trials * len(cases)) as progress, named_by_options(options):
        windows = WINDOWS if show is Show.WINDOWS else 0
        outcome = simulate(
            cases, trials=trials, seed=seed, windows=windows, budget_blocks=budget, progress=progress
        )
    table = getattr(outcome, show.value)
    if form is Format.TABLE and show is Show.TOTALS:
        shown = one_for_reading(table) if len(cases) == 1 else for_reading(table)
        emit(shown, form, output, note=note(cases, table))
    else:
        emit(table, form, output)


def _made(pattern: str, compute: str, burst: int, operation: str | None, **parameters: Any) -> Workload:
    from iotrace.generate import patterns
    from iotrace.simulate.parallel_fs import Made

    computation, mean_ns = patterns.computation(compute)
    return Made(
        patterns.Settings(
            patterns.Pattern(pattern),
            None if operation is None else patterns.Operation(operation),
            computation=computation,
            compute_mean_ns=mean_ns,
            **parameters,
        ),
        burst,
    )


def _traced(
    traces: list[str],
    processes: int | None,
    think: Think,
    types: list[str],
    files: list[str],
    align_clocks: bool,
    trace_format: str | None,
) -> Workload:
    from iotrace.simulate import programs
    from iotrace.simulate.parallel_fs import Traced

    for trace in traces:
        if trace in PATTERNS and not Path(trace).exists():
            raise UsageError(f"{trace}: {NOT_TOGETHER}")
        if trace != "-" and not Path(trace).exists():
            raise IotraceError(
                f"{trace}: no such file or folder, and none of the patterns {', '.join(PATTERNS)}"
            )
    found = [
        programs.of_store(
            open_trace(Path(trace), form=trace_format, align_clocks=align_clocks),
            think=think.value,
            types=[one.strip() for one in types],
            files=files,
        )
        for trace in traces
    ]
    if processes is not None:
        shared = [one for one in found if one.self_scheduled()]
        if not shared:
            raise UsageError(
                f"--processes: a trace has its own processes, {sum(one.processes for one in found):,}"
            )
        found = [one.shared_by(processes) if one in shared else one for one in found]
    return Traced(programs.combined(found), think.value)


def _refuse_without_effect(context: typer.Context, is_pattern: bool, no_cache: bool) -> None:
    """Raise UsageError for options given that could not change anything."""
    others, whose = (TRACE_OPTIONS, "patterns have") if is_pattern else (PATTERN_OPTIONS, "traces have")
    for name in others:
        if was_given(context, name):
            raise UsageError(f"--{name.replace('_', '-')}: {whose} no such option")
    if no_cache:
        for name in ("policy", "replacement", "prefetch", "while_writing", "claim_order"):
            if was_given(context, name):
                raise UsageError(f"--{name.replace('_', '-')} has no effect without a cache")
    if was_given(context, "service") and context.params.get("disk") != "constant":
        raise UsageError("--service has no effect beside --disk: a drive takes what it takes")
