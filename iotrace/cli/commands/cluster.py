"""``iotrace cluster``: what two levels of caches on a cluster would hit, and when to bypass them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import TraceFormatOption
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.settings import SweepOption, named_fields, takes
from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    emit_remarked,
    refuse_to_overwrite,
)
from iotrace.cli.progress import progress_of_runs
from iotrace.cli.workloads import program_of
from iotrace.errors import UsageError
from iotrace.option import refuse_without_effect
from iotrace.simulate.cluster.settings import By, Settings
from iotrace.simulate.programs.reading import Reading
from iotrace.simulate.sweep import swept_fields

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


@takes(Settings)
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
    *,
    settings: Settings,
    bypass: Annotated[
        Path | None,
        typer.Option("--bypass", help="Bypass bits, CSV or Parquet: a row of its own.", show_default=False),
    ] = None,
    reading: Reading,
    metadata: Annotated[
        bool,
        typer.Option(
            "--metadata/--no-metadata", help="A trace's opens and closes go to the metadata server."
        ),
    ] = True,
    sweep: SweepOption = None,
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
    """Simulate a cluster's local and global caches: what each hits, and what bypassing them saves."""
    refuse_to_overwrite(output, force)
    from iotrace.cli.tables.cluster import for_reading, remarks_of
    from iotrace.simulate.cluster import bits, comparison
    from iotrace.simulate.cluster.cases import Bypass, compared
    from iotrace.simulate.cluster.recommendation import recommend

    named = named_fields(context, Settings) | swept_fields(Settings, sweep or [])
    if advice and (sweep or by or bypass or settings.count_only):
        raise UsageError(
            "--advice simulates what it needs: not with --sweep, --discipline, --by, --bypass, --count-only"
        )
    all_settings = [settings] if advice else compared(settings, sweep or [], bypass is not None)
    refuse_without_effect(named, all_settings)
    program = program_of(traces, reading, trace_format, metadata)
    tally = [sentence.rstrip(".") for sentence in program.tally.sentences(reading.think)]
    if advice:
        found = recommend(program, settings, budget)
        emit_remarked(found.tables(form is not Format.TABLE), [*found.remarks, *tally], form, output)
        return
    bypassed = Bypass(bypass.name, bits.read(bypass, program.files)) if bypass else None
    with progress_of_runs(len(all_settings)) as progress:
        table = comparison.run(
            program,
            all_settings,
            bypassed,
            by=by,
            budget_blocks=budget,
            progress=progress,
        )
    shown, remarks = for_reading(table, by) if form is Format.TABLE else (table, remarks_of(table))
    emit_remarked({"": shown}, [*tally, *remarks], form, output)
