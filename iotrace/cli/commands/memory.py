"""``iotrace memory``: what more or less memory would do to reads."""

from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.page_cache import PageCacheOptions
from iotrace.cli.output import Output
from iotrace.cli.terminal import print

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace record --kernel -- make                 measures memory and the device's waits, too
 iotrace memory make.iotrace                     limits around the recording's own
 iotrace memory make.iotrace --limits 256M,512M,1G
 iotrace memory strace.log --limits 1G --other 300M
 iotrace memory strace.log --readahead 8M
 iotrace memory make.iotrace --limits 1G --format csv
"""
}


@grouped
def memory(trace: TraceArgument, *, asked: PageCacheOptions, output: Output, raw: RawTrace) -> None:
    """Predict the pages that Linux reads from the device if a container or machine had more or less memory.

    The model has the kernel's two lists, read-ahead windows and dirty pages. Reads are a range, since programs and the
    kernel's objects take their part of the limit.
    """
    from iotrace.analysis.memory.prediction import check
    from iotrace.analysis.memory.prediction import memory as predicted
    from iotrace.analysis.memory.sentences import sentences

    limits, readahead, other = asked.limits_bytes, asked.readahead_bytes, asked.other_bytes
    check(limits, readahead)
    prediction = predicted(raw.open(trace), limits, readahead_bytes=readahead, other_bytes=other)
    said = sentences(prediction)
    if output.is_interactive:
        print(said[0], end="\n\n")
    output.emit(prediction.rows, note="\n".join(said[1:] if output.is_interactive else said))
