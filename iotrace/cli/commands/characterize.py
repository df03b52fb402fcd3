"""``iotrace characterize``: the workload's statistics."""

from typing import Annotated

import typer

from iotrace.cli.inputs import OptionalTraceArgument, RawTrace
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.options.statistics import Choice, Parameters
from iotrace.cli.output import Output
from iotrace.cli.tables.statistics import emit_list, emit_sql, emit_statistics
from iotrace.cli.terminal import warn_of
from iotrace.errors import UsageError

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace characterize strace.log                      the verdict, and the main tables
 iotrace characterize build.iotrace runs_by_length    one statistic; --list names them all
 iotrace characterize build.iotrace top_files         the files for which most bytes move
 iotrace characterize build.iotrace runs_by_length --sql
 iotrace characterize build.iotrace --all --format json -o all.json
 iotrace paper richardson strace.log --chapter 3      compared with Richardson 1994, its claims judged
"""
}


@grouped
def characterize(
    trace: OptionalTraceArgument = None,
    names: Annotated[
        list[str] | None,
        typer.Argument(help="The statistics to show; --list names them.", show_default=False),
    ] = None,
    *,
    choice: Choice,
    parameters: Parameters,
    part: PartWithWhere,
    output: Output,
    raw: RawTrace,
) -> None:
    """Print a workload's statistics. They cover objects, references, reuse, runs, sizes, times and programs."""
    from iotrace.analysis.overview import (
        overview,
        sentences_of_left_out,
        shown,
        statistics,
        without_effect,
    )

    if choice.listing:
        emit_list(output)
        return
    if trace is None:
        raise UsageError("give a trace: a store or a raw log (or --list)")
    if choice.sql:
        emit_sql(names or [], output)
        return
    whole = raw.open(trace)
    store = part.of_partitions(whole, names or [], parameters.values(), output.is_interactive)
    store = part.of(whole, output.is_interactive) if store is None else store
    for sentence in without_effect(store, names or []):
        warn_of(sentence)
    left_out: dict[str, str] = {}
    with choice.started(names or shown(store, choice.everything), store.family.name) as workers:
        if names:
            tables = statistics(store, names, parameters.values(), workers=workers)
        else:
            tables = overview(store, parameters.values(), left_out, choice.everything, workers)
    for sentence in sentences_of_left_out(
        store, left_out, names or shown(store, choice.everything), part.last
    ):
        warn_of(sentence)
    emit_statistics(tables, output)
