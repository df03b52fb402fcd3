"""The tables of ``iotrace time``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace.analysis.grouping import BY_JOBS, Grouping
from iotrace.cli.output import Output
from iotrace.cli.terminal import print
from iotrace.libraries import pc

if TYPE_CHECKING:
    from iotrace.analysis.times import Times
    from iotrace.store.store import Store


def emit_times(
    times: Times, groupings: Sequence[Grouping], has_waiting: bool, output: Output, doubts: Sequence[str]
) -> None:
    """Write the rows as they are; or, for a person, doubts, the headline, the clock's split, a table by grouping."""
    if not output.is_table:
        output.emit(times.rows)
        return
    from iotrace.analysis.times import headline, notes
    from iotrace.queries.shown import shown

    if output.is_interactive:
        print(*doubts, *headline(times), sep="\n")
    which = "calls" if has_waiting else "storage calls"
    tables = {"wall clock": shown(times.wall_clock(), meaning=times.meanings())}
    for grouping in groupings:
        rows = times.rows.filter(pc.equal(times.rows["by"], grouping.value))
        tables[f"{which} by {grouping.value}"] = shown(
            rows, has_waiting=has_waiting, has_untimed=times.timed < times.calls
        )
    output.emit_many(tables, "\n".join(notes(times, has_waiting)))


def emit_jobs(store: Store, groupings: Sequence[str], rows: int | None, output: Output) -> None:
    """Write the time of jobs by groupings; for a person the first sentences on them come before."""
    from iotrace.analysis.jobs import STATISTIC, sentences
    from iotrace.analysis.overview import statistics

    names = {grouping: BY_JOBS[grouping] for grouping in groupings}
    results = statistics(store, list(dict.fromkeys([STATISTIC, *names.values()])), {})
    if output.is_interactive:
        print(*sentences(results[STATISTIC]), sep="\n")
    output.emit_many(
        {f"time by {grouping}": results[name].slice(0, rows) for grouping, name in names.items()}
    )
