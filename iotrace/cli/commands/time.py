"""``iotrace time``: where the time of a trace of system calls goes."""

from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.options.time import Question
from iotrace.cli.output import OutputWithBars
from iotrace.cli.tables.time import emit_jobs, emit_times
from iotrace.families import counts_jobs

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace time strace.log                        how the wall clock's time divides; the slowest calls and files
 iotrace time build.iotrace --by program,process --waiting include
 iotrace time build.iotrace --by directory --top 30
 iotrace time build.iotrace --last 30s --program cc1
 iotrace time build.iotrace --format json       a row for each call, file, directory, program and process
 iotrace time job.darshan                       the time of a job's ranks by layer
 iotrace time job.darshan --by file,rank,uid
 iotrace characterize build.iotrace slowest_calls wall_time_by_process
"""
}


@grouped
def time(
    trace: TraceArgument, *, question: Question, part: PartWithWhere, output: OutputWithBars, raw: RawTrace
) -> None:
    """Show where the time goes: storage, waiting or no recorded call; by call, file, directory, program and process."""
    from iotrace.analysis.times import times
    from iotrace.analysis.verdict import unseen_calls
    from iotrace.store.skipped import cautions

    store = part.of(raw.open(trace), output.is_interactive)
    if counts_jobs(store.tables):
        emit_jobs(store, question.groupings_of_jobs(store), question.rows(output.is_table), output)
        return
    groupings = question.groupings(output.is_table)
    has_waiting = question.has_waiting(output.is_table)
    spent = times(store, groupings, has_waiting, question.rows(output.is_table))
    doubts: tuple[str, ...] = ()
    if output.is_interactive:
        with store.queried() as connection:
            doubts = (*cautions(store.manifest), *unseen_calls(connection))
    emit_times(spent, groupings, has_waiting, output, doubts)
