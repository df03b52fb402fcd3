"""``iotrace compare``: what changed between two traces, better or worse, and what of it is noise."""

import typer

from iotrace.cli.inputs import RawTrace
from iotrace.cli.options.compare import Places, Question, TracesArgument, sides
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.output import ForceOption
from iotrace.cli.tables.compare import emit_comparison, emit_time_changes, warn_of_failures, write_page

FAILED = 3
"""The exit status where a condition of --fail-if holds."""
SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace compare before.strace after.strace        better or worse, then all metrics, the largest change first
 iotrace compare before*.iotrace vs after*.iotrace repeated traces: the noise is how they differ
 iotrace compare A.iotrace B.iotrace -o page.html  curves, times and tables side by side
 iotrace compare A.iotrace B.iotrace --format json --fail-if 'read_latency_p99 > 1.2x'
 iotrace compare A.iotrace B.iotrace --by file     how the time in storage calls changed, file by file
 iotrace compare A.iotrace B.iotrace --program cc1  the same part of each

[b]Noise[/b]

A ratio is significant outside low to high, the 99 % band that noise alone explains, for each metric on its own: of 100
metrics that did not change, about one is called significant. With one trace of each, the band is a block bootstrap: of
50 windows of each trace's time, blocks of 5 in a row are resampled 2,000 times with a fixed seed. What windows cannot
show (wall time, working set, cache misses; fewer than 25 windows with events; fewer than 10 values above a percentile)
is not judged. What goes on for longer than a tenth of a trace can look like a change: repeat the runs. With repeated
traces, the band is Welch's t test of their means; two or more on one side suffice. (A rank or permutation test of three
and three could not go under p = 0.1.)

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
    """Compare traces before and after a change. Better or worse, by how much, and what of it is noise."""
    before, after = sides(traces)
    asked, groupings = question.conditions(), question.groupings()
    page, output = places.page(force), places.table(force)
    from iotrace.analysis.compare import compare as compared
    from iotrace.analysis.compare.conditions import check

    is_to_read = page is None and output.is_to_read
    a, b = ([part.of(raw.open(trace), is_to_read, trace.name) for trace in side] for side in (before, after))
    check(asked, a[0].family)
    if question.by is not None and page is None and not asked:
        emit_time_changes(a, b, groupings, output)
        return
    found = compared(a, b)
    if page is not None:
        write_page(found, a, b, groupings, page)
    elif question.by is not None:
        emit_time_changes(a, b, groupings, output)
    else:
        emit_comparison(found, a, b, groupings, output)
    if warn_of_failures(found, asked):
        raise typer.Exit(FAILED)
