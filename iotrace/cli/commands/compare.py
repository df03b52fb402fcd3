"""``iotrace compare``: what changed between traces, and what of it is noise."""

import typer

from iotrace.cli.inputs import RawTrace
from iotrace.cli.options.compare import Places, Question, TracesArgument, sides
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.output import ForceOption
from iotrace.cli.pages import write_comparison
from iotrace.cli.tables.compare import emit_comparison, emit_time_changes, warn_of_failures

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

[b]Verdicts[/b]

One run of a program against one: counts and bytes are stated, times cannot be told; three runs of each are enough for a
verdict. With those, times are better or worse, counts and loads (calls, requests, bytes) more or less, and the rest
different. One period of a disk against another, or two parts of one trace, are different or not different beyond the
variation within each: the cause cannot be told.

[b]Noise[/b]

A change is significant outside low to high, the band that noise alone explains. All metrics of one comparison
together are wrongly called changed once in 100 comparisons: each has a level of its own, and the levels add up to 1
%. With repeated traces, the band is a t test of their means, whose standard deviation is taken to be at least 5 % of
times, 1 µs of latencies, half an event of counts, and 1 % of all else. With periods, it is a block bootstrap: of 50
windows of each trace's time, blocks of 10 in a row are resampled 2,000 times with a fixed seed. What windows cannot
show (wall time, working set, cache misses; fewer than 25 windows with events) is not judged, nor are percentiles with
fewer than 10 values above them in a trace.

Exit status: 3 where a condition of --fail-if holds.
"""
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
