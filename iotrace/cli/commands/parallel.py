"""``iotrace parallel``: how long parallel processes take on a parallel file system, and where the time goes."""

from collections.abc import Callable
from dataclasses import replace

import typer

from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import AlignClocksOption, TraceFormat
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.parallel import HELP, NoCacheOption, Show, ShowOption, WhatArgument
from iotrace.cli.options.settings import SweepOption, named_fields, takes
from iotrace.cli.options.workers import Runners
from iotrace.cli.output import Output
from iotrace.cli.progress import progress_of_runs
from iotrace.cli.tables.parallel import emit_parallel
from iotrace.cli.workloads import NAMES, pattern_of, traced
from iotrace.generate.patterns import settings as patterns
from iotrace.option import check_rules
from iotrace.option.rules import Given, Runs
from iotrace.simulate.parallel_fs.settings import Settings, Trials, swept_fields, varied
from iotrace.simulate.programs.reading import Reading

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace parallel ranks.iotrace                        what the processes of a trace did
 iotrace parallel gw --policy WriteBack --record 0.25   20 processes write quarter-block records
 iotrace parallel lfp --no-cache --overheads rapid-transit          a read pattern, without a cache
 iotrace parallel gw --compute 30ms --sweep buffers=20:200,policy=all          figure 1 of the paper
 iotrace parallel ranks.iotrace --think none --file '*.dat' --disk sata-7200 --show processes
 iotrace parallel one.iotrace two.iotrace --sweep buffers=64,256    two programs at the same time
"""
    + HELP
}


@takes(Reading, "reading")
@takes(Trials, "trials")
@takes(patterns.Settings, "pattern", without=("block_bytes", "seed"))
@takes(Settings)
@grouped
def parallel(
    context: typer.Context,
    given: Given,
    what: WhatArgument,
    *,
    settings: Settings,
    no_cache: NoCacheOption = False,
    pattern: Callable[..., patterns.Settings],
    reading: Reading,
    trials: Trials,
    sweep: SweepOption = None,
    show: ShowOption = Show.TOTALS,
    budget: BudgetOption = Budget.PARALLEL.value,
    align_clocks: AlignClocksOption = False,
    form: TraceFormat,
    runners: Runners,
    output: Output,
) -> None:
    """Simulate parallel processes on a parallel file system. Shows their execution time, and where it goes."""
    from iotrace.simulate.parallel_fs.simulation import run

    settings = replace(settings, buffers=0) if no_cache else settings
    named = named_fields(context, Settings) | swept_fields(sweep or [])
    work = Runs.PATTERN if what[0] in NAMES else Runs.TRACE
    given.refuse_others(what[0], work)
    pattern_settings = pattern_of(what, pattern, settings.block_bytes, writes="policy" in named)
    workload = traced(context, what, reading, align_clocks, form) if pattern_settings is None else None
    swept = varied(replace(settings, pattern=pattern_settings), sweep or [])
    check_rules(swept, named, given, work)
    with runners.started() as on, progress_of_runs(trials.trials * len(swept)) as done:
        table = run(workload, swept, trials, show=show.value, budget_blocks=budget, workers=on, progress=done)
    if show is Show.TOTALS:
        emit_parallel(table, workload, swept, output)
    else:
        output.emit(table)
