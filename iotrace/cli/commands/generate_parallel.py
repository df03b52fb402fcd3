"""``iotrace generate parallel``: the parallel access patterns of Kotz and Ellis (1991)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from iotrace import units
from iotrace.cli.options.generated import OutputOption, command_line, hand_out, refuse
from iotrace.cli.options.names import named_by_options
from iotrace.cli.options.settings import takes
from iotrace.cli.output import ForceOption
from iotrace.errors import UsageError
from iotrace.generate.patterns.settings import Pattern, Settings

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


@takes(Settings, "pattern_with", without=("burst",))
def parallel(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help="lw, lfp, lrp, seg, gw, gfp, grp, rnd or lw1.")
    ],
    output: OutputOption,
    *,
    pattern_with: Callable[..., Settings],
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
    if not timed and (access is not None or jitter is not None):
        raise UsageError("--access and --jitter say when accesses are made: give --timed, too")
    refuse(output, force)
    from iotrace.generate.patterns.generated import generated
    from iotrace.generate.patterns.schedule import Schedule

    if pattern not in tuple(Pattern):
        raise UsageError(f"PATTERN: {pattern!r} is not one of {', '.join(Pattern)}")
    settings = pattern_with(pattern=Pattern(pattern))
    schedule = None
    if timed:
        access_ns = units.time_ns("30ms" if access is None else access)
        with named_by_options({"access_ns": "access"}):
            schedule = Schedule(
                settings.processes, access_ns, 0.5 if jitter is None else jitter, settings.seed
            )
    hand_out(generated(settings, schedule, command_line()), output, force)
