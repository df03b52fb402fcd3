"""``iotrace cluster``: hit ratios of two levels of caches on a cluster, and when to bypass them."""

import typer

from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import TraceFormat
from iotrace.cli.options import cluster as options
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import SimulatedPart
from iotrace.cli.options.settings import SweepOption, named_fields, takes
from iotrace.cli.options.workers import Runners
from iotrace.cli.output import Output
from iotrace.cli.progress import progress_of_runs
from iotrace.cli.tables.cluster import emit_cluster
from iotrace.cli.workloads import program_of
from iotrace.option import check_rules
from iotrace.option.rules import Given
from iotrace.simulate.cluster.settings import Settings
from iotrace.simulate.programs.reading import Reading
from iotrace.simulate.sweep import swept_fields

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace cluster ranks.iotrace                     all disciplines compared: hit ratios and execution times
 iotrace cluster ranks.iotrace --nodes 4 --iods 3 --local 500 --global 10000
 iotrace cluster ranks.iotrace --advice            which files or segments should go through the global cache
 iotrace cluster one.iotrace two.iotrace --think none      two applications at the same time, their files shared by name
 iotrace cluster nests.parquet --discipline local+global,run-time --threshold 3,20,50 --segment 8
 iotrace cluster ranks.iotrace --sweep global=1000,5000,20000 --sweep nodes=2,4,8 --discipline none
 iotrace cluster ranks.iotrace --bypass bits.csv --by file          a table of bypass bits; counts by file

[b]Sizes[/b] of caches are in blocks (500), bytes (2M), or inf. [b]Bypass bits[/b] are CSV or Parquet with the
columns of iotrace schema cluster_bits; file is a number, or a name as in --by file. A trace may also
be a Parquet file with table program (iotrace generate nests -o NAME.parquet).
"""
}


@takes(Settings)
@takes(Reading, "reading", without=("files", "types"))
@grouped
def cluster(
    context: typer.Context,
    given: Given,
    traces: options.TracesArgument,
    *,
    settings: Settings,
    bypass: options.BypassOption = None,
    reading: Reading,
    metadata: options.MetadataOption = True,
    sweep: SweepOption = None,
    by: options.ByOption = None,
    advice: options.AdviceOption = False,
    budget: BudgetOption = Budget.CLUSTER.value,
    form: TraceFormat,
    part: SimulatedPart,
    runners: Runners,
    output: Output,
) -> None:
    """Simulate the local and global caches of a cluster. Shows hit ratios, and what bypassing caches saves."""
    from iotrace.simulate.cluster import cases
    from iotrace.simulate.cluster.recommendation import recommend
    from iotrace.simulate.cluster.simulation import run

    named = named_fields(context, Settings) | swept_fields(Settings, sweep or [])
    all_settings = [settings] if advice else cases.compared(settings, sweep or [], bypass is not None)
    check_rules(all_settings, named, given)
    program = program_of(traces, reading, form, metadata, part, output.is_interactive)
    tally = [sentence.rstrip(".") for sentence in program.tally.sentences(reading.think)]
    if advice:
        recommendation = recommend(program, settings, budget)
        output.emit_remarked(recommendation.tables(not output.is_table), [*recommendation.remarks, *tally])
        return
    bits = cases.Bypass.read(bypass, program) if bypass else None
    with runners.started() as on, progress_of_runs(len(all_settings)) as done:
        table = run(program, all_settings, bits, by=by, budget_blocks=budget, workers=on, progress=done)
    emit_cluster(table, by, tally, output)
