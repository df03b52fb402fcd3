"""The tables of ``iotrace time``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.analysis.grouping import Grouping
from iotrace.cli.output import Output
from iotrace.cli.terminal import print
from iotrace.libraries import pc
from iotrace.queries.shown import shown

if TYPE_CHECKING:
    from iotrace.analysis.times import Times

ADDED_UP = (
    "Times by call, file and the like add up those of all processes, which can be more than the clock's."
)

FINE_NS = 1000
"""Stamps to the microsecond, as strace's own by default, need no note."""


def emit_times(
    found: Times, groupings: Sequence[Grouping], has_waiting: bool, output: Output, doubts: Sequence[str]
) -> None:
    """Write the rows as they are; or, for a person, doubts, the headline, the clock's split, a table by grouping."""
    if not output.is_table:
        output.emit(found.rows)
        return
    from iotrace.analysis.times import headline

    if output.is_to_read:
        print(*doubts, *headline(found), sep="\n")
    which = "calls" if has_waiting else "storage calls"
    tables = {"wall clock": shown(found.wall_clock(), meaning=found.meanings())}
    for grouping in groupings:
        rows = found.rows.filter(pc.equal(found.rows["by"], grouping.value))
        tables[f"{which} by {grouping.value}"] = shown(
            rows, has_waiting=has_waiting, has_untimed=found.timed < found.calls
        )
    output.emit_many(tables, "\n".join(_notes(found, has_waiting)))


def _notes(found: Times, has_waiting: bool) -> list[str]:
    notes = [ADDED_UP, *([found.lengthened] if found.lengthened else [])]
    if found.timed < found.calls:
        notes.append(
            f"{found.calls - found.timed:,} of {found.calls:,} calls have no recorded time (strace -T), and no part in"
            " any total."
        )
    if found.resolution_ns > FINE_NS:
        notes.append(
            f"The log's time stamps are to {units.duration(found.resolution_ns)}: the wall clock's division, and times"
            " of calls that strace -T does not give, are no finer."
        )
    if not has_waiting:
        notes.append("Calls that wait, and others that are not on storage: --waiting include.")
    return notes
