"""The tables of ``iotrace time``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.analysis.grouping import Grouping
from iotrace.cli.output import Output
from iotrace.cli.terminal import print
from iotrace.libraries import pa, pc

if TYPE_CHECKING:
    from iotrace.analysis.times import Times

SHOWN = (
    "name",
    "calls",
    "timed",
    "total_s",
    "net_s",
    "mean_us",
    "p50_us",
    "p95_us",
    "p99_us",
    "max_us",
    "class",
)
ADDED_UP = (
    "Times by call, file and the like add up those of all processes, which can be more than the clock's."
)

FINE_NS = 1000
"""Stamps to the microsecond, as strace's own by default, need no note."""


def emit_times(
    found: Times, groupings: Sequence[Grouping], has_waiting: bool, output: Output, doubts: Sequence[str]
) -> None:
    """Write the rows as they are; or, for a person, doubts, headline, the clock's split, and a table by grouping."""
    if not output.is_table:
        output.emit(found.rows)
        return
    from iotrace.analysis.times import headline

    if output.is_to_read:
        print(*doubts, *headline(found), sep="\n")
    tables = {"wall clock": _split(found)}
    left_out = [*([] if has_waiting else ["class"]), *(["timed"] if found.timed == found.calls else [])]
    if found.rows["net_s"].null_count == len(found.rows):
        left_out.append("net_s")
    for grouping in groupings:
        rows = found.rows.filter(pc.equal(found.rows["by"], grouping.value))
        shown = rows.select([name for name in SHOWN if name not in left_out])
        title = f"calls by {grouping.value}" if has_waiting else f"storage calls by {grouping.value}"
        tables[title] = shown.rename_columns([grouping.value, *shown.column_names[1:]])
    output.emit_many(tables, "\n".join(_notes(found, has_waiting)))


def _split(found: Times) -> pa.Table:
    from iotrace.analysis.times import STATES

    states = list(found.split)
    return pa.table(
        {
            "state": states,
            "wall_s": [found.split[state] / 1e9 for state in states],
            "percent": [100 * found.split[state] / (found.wall_ns or 1) for state in states],
            "meaning": [
                f"{STATES[state]}: {found.not_recorded}" if state == "not_recorded" else STATES[state]
                for state in states
            ],
        }
    )


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
