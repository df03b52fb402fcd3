"""``iotrace compare``: what changed between traces, and what of it is noise."""

import typer

from iotrace.cli.inputs import RawTrace
from iotrace.cli.options.compare import VERDICTS, Places, Question, TracesArgument, one, sides
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.output import ForceOption
from iotrace.cli.pages import write_comparison
from iotrace.cli.tables.compare import emit_comparison, emit_fleet, emit_time_changes, warn_of_failures

FAILED = 3
"""The exit status where a condition of --fail-if holds."""
SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace compare before.strace after.strace          all metrics, the largest change first
 iotrace compare before*.iotrace vs after*.iotrace   three of each or more: better or worse
 iotrace compare A.iotrace B.iotrace -o page.html    curves, times and tables side by side
 iotrace compare A.iotrace B.iotrace --format json --fail-if 'read_latency_p99 > 1.2x'
 iotrace compare A.iotrace B.iotrace --by file       how the time in storage calls changed, file by file
 iotrace compare A.iotrace --against traces/         its place among the stores of its family
"""
    + VERDICTS
}


@grouped
def compare(
    traces: TracesArgument,
    *,
    question: Question,
    part: PartWithWhere,
    places: Places,
    force: ForceOption = False,
    raw: RawTrace,
) -> None:
    """Compare traces before and after a change. What changed, by how much, and what of it is noise."""
    if question.against is not None:
        store = part.of(raw.open(one(traces)), places.output is None)
        emit_fleet(store, question.against, places.table(force))
        return
    before, after = sides(traces)
    conditions, groupings = question.conditions(), question.groupings()
    page, output = places.page(force), places.table(force)
    from iotrace.analysis.compare import compare as compared
    from iotrace.analysis.compare.conditions import check

    is_interactive = page is None and output.is_interactive
    a, b = (
        [part.of(raw.open(trace), is_interactive, trace.name) for trace in side] for side in (before, after)
    )
    check(conditions, a[0].family)
    if question.by is not None and page is None and not conditions:
        emit_time_changes(a, b, groupings, output)
        return
    comparison = compared(a, b)
    if page is not None:
        write_comparison(comparison, a, b, groupings, page)
    elif question.by is not None:
        emit_time_changes(a, b, groupings, output)
    else:
        emit_comparison(comparison, a, b, groupings, output)
    if warn_of_failures(comparison, conditions):
        raise typer.Exit(FAILED)
