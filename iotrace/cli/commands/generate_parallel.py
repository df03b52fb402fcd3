"""``iotrace generate parallel``: the parallel access patterns of Kotz and Ellis (1991)."""

from __future__ import annotations

from typing import Annotated

import typer

from iotrace import units
from iotrace.cli.options.generated import OutputOption, SeedOption, command_line, hand_out, refuse
from iotrace.cli.options.names import named_by_options
from iotrace.cli.output import ForceOption
from iotrace.errors import UsageError

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace generate parallel gw -o gw.csv                           the paper's base case: 4,000 self-scheduled records
 iotrace generate parallel seg --operation write --record 1/4 -o seg.csv
 iotrace generate parallel lrp --processes 64 --record 1.5 --per-process 300 --seed 7 -o lrp.csv
 iotrace generate parallel gw --compute exponential:30ms --timed -o gw.asc
 iotrace generate parallel gfp --timed -o gfp.iotrace             a store; then: iotrace patterns gfp.iotrace

[b]Patterns[/b]

 lw   every process the whole file        gw   all together the whole file, self-scheduled
 lfp  portions of one length for each     gfp  portions of one length, self-scheduled
 lrp  portions of random length           grp  portions of random length, self-scheduled
 seg  a segment for each process          rnd  random records
 lw1  process 0 alone writes the whole file

Pattern text holds no times, and * for records that whichever process is free takes. With --timed, processes have taken
them, as on a file system that takes --access for each, whatever else happens; the text is UMD's.
"""
}
OPTIONS = {
    "processes": "processes",
    "block_bytes": "block",
    "record_blocks": "record",
    "blocks_per_process": "per-process",
    "file_blocks": "file-blocks",
    "portion_blocks": "portion",
    "gap_blocks": "gap",
    "least_portion_blocks": "least-portion",
    "compute_mean_ns": "compute",
    "access_ns": "access",
    "seed": "seed",
}
"""The option of each setting."""
ABOUT_PORTIONS = "in blocks; the default is the one that the paper's tables imply"


def parallel(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="lw, lfp, lrp, seg, gw, gfp, grp, rnd or lw1.")
    ],
    output: OutputOption,
    operation: Annotated[
        str | None,
        typer.Option("--operation", help="read or write; lw1 writes, the others read.", show_default=False),
    ] = None,
    processes: Annotated[int, typer.Option("--processes", "-p", help="Processes.")] = 20,
    block: Annotated[str, typer.Option("--block", "-b", help="The block's size.")] = "1K",
    record: Annotated[
        str,
        typer.Option(
            "--record", help="A record's length in blocks: 1, 1/4, 3.7; it ends at the nearest byte."
        ),
    ] = "1",
    per_process: Annotated[
        int,
        typer.Option(
            "--per-process", "--blocks-per-process", help="Blocks that each process accesses, in the mean."
        ),
    ] = 200,
    file_blocks: Annotated[
        int | None,
        typer.Option("--file-blocks", help="The file's length; as the pattern needs.", show_default=False),
    ] = None,
    portion: Annotated[
        int | None,
        typer.Option(
            "--portion", help=f"Length of portions, or its mean, {ABOUT_PORTIONS}.", show_default=False
        ),
    ] = None,
    gap: Annotated[
        int | None,
        typer.Option("--gap", help=f"Between fixed portions, {ABOUT_PORTIONS}.", show_default=False),
    ] = None,
    least_portion: Annotated[int, typer.Option("--least-portion", help="The shortest random portion.")] = 1,
    compute: Annotated[
        str,
        typer.Option("--compute", help="After each record: none, constant:30ms or exponential:30ms (mean)."),
    ] = "none",
    seed: SeedOption = 1,
    timed: Annotated[
        bool, typer.Option("--timed", help="With times and processes, as a trace of it would have.")
    ] = False,
    access: Annotated[
        str | None,
        typer.Option("--access", help="With --timed: how long an access takes; 30ms.", show_default=False),
    ] = None,
    jitter: Annotated[
        float | None,
        typer.Option("--jitter", help="And how much that varies, as a share; 0.5.", show_default=False),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Make a parallel access pattern of Kotz and Ellis (1991, section 3.2), or a timed trace of it."""
    from iotrace.generate.patterns import Operation, Pattern, Schedule, Settings, computation
    from iotrace.generate.patterns.generated import generated

    if not timed and (access is not None or jitter is not None):
        raise UsageError("--access and --jitter say when accesses are made: give --timed, too")
    refuse(output, force)
    how, mean_ns = computation(compute)
    with named_by_options(OPTIONS):
        settings = Settings(
            Pattern(_one_of(pattern, tuple(Pattern), "PATTERN")),
            None if operation is None else Operation(_one_of(operation, tuple(Operation), "--operation")),
            processes=processes,
            block_bytes=units.size_bytes(block),
            record_blocks=units.blocks(record),
            blocks_per_process=per_process,
            file_blocks=file_blocks,
            portion_blocks=portion,
            gap_blocks=gap,
            least_portion_blocks=least_portion,
            computation=how,
            compute_mean_ns=mean_ns,
            seed=seed,
        )
    schedule = None
    if timed:
        access_ns = units.time_ns("30ms" if access is None else access)
        with named_by_options(OPTIONS):
            schedule = Schedule(processes, access_ns, 0.5 if jitter is None else jitter, seed)
    hand_out(generated(settings, schedule, command_line()), output, force)


def _one_of(word: str, known: tuple[str, ...], option: str) -> str:
    if word not in known:
        raise UsageError(f"{option}: {word!r} is not one of {', '.join(known)}")
    return word
