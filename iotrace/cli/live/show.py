"""How intervals are shown: on a screen, as tables, or as JSON."""

from __future__ import annotations

import builtins
import json
import shutil
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from iotrace.cli.live.lines import header, table
from iotrace.cli.terminal import print
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.ingest.live import STORAGE, By, Interval, Intervals, Sort, TotalsRow

if TYPE_CHECKING:
    from iotrace.cli.options.top import Shown
    from iotrace.ingest.subjects import Running

PRINTED_ROWS = 20
"""Rows of each table that is printed, not shown on a screen."""

WHOLE_LINES = 1 << 16
"""The width of what is no terminal, so that names are whole."""


def shower(shown: Shown, subject: Running) -> Callable[[Intervals], None]:
    """Return what shows the intervals of a recording as its options say."""
    from iotrace.cli.live.screen import Screen
    from iotrace.cli.options.top import Form

    if shown.form is Form.JSON:
        return partial(_print_all, write=lambda interval: _print_json(interval, shown.sort))
    if not shown.once and sys.stdin.isatty() and sys.stdout.isatty():
        return Screen(shown.by, shown.sort, subject).show
    first = [shown.by, *(by for by in By if by is not shown.by)]
    return partial(
        _print_all, write=lambda interval: _print_tables(interval, str(subject), first, shown.sort)
    )


def _print_all(intervals: Intervals, write: Callable[[Interval], None]) -> None:
    for interval in intervals:
        write(interval)
        sys.stdout.flush()


def _print_tables(interval: Interval, subject: str, order: list[By], sort: Sort) -> None:
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WHOLE_LINES
    print(*header(interval, subject, width), sep="\n")
    for by in order:
        print("", *table(interval, by, sort, width, PRINTED_ROWS), sep="\n")
    print("")


def _print_json(interval: Interval, sort: Sort) -> None:
    # JSON has escapes of its own for what is not visible
    builtins.print(json.dumps(document(interval, sort)))


def document(interval: Interval, sort: Sort) -> dict[str, Any]:
    """Return an interval as JSON has it: files and processes with the totals of their calls on storage."""
    on_storage = [row for row in interval.call_rows if row.detail in (STORAGE, "unknown")]
    read_bytes = sum(row.read_bytes for row in on_storage)
    written_bytes = sum(row.written_bytes for row in on_storage)
    return {
        "seconds": interval.duration_ns / NS_PER_S,
        "calls": sum(row.calls for row in interval.call_rows),
        "storage_calls": sum(row.calls for row in on_storage),
        "storage_time_s": sum(row.time_ns for row in on_storage) / NS_PER_S,
        "bytes": read_bytes + written_bytes,
        "read_bytes": read_bytes,
        "written_bytes": written_bytes,
        "lost_calls": interval.lost_calls,
        "calls_of_32_bit_programs": interval.narrow_calls,
        "file_count": interval.file_count,
        "process_count": interval.process_count,
        "files": [
            {"file": row.name, **_totals(row), "missed_pages": row.missed_pages}
            for row in interval.rows(By.FILES, sort)
        ],
        "processes": [
            {
                "process": int(row.detail),
                "name": row.name,
                **_totals(row),
                "missed_pages": row.missed_pages,
                "waiting_time_s": row.waiting_ns / NS_PER_S,
            }
            for row in interval.rows(By.PROCESSES, sort)
        ],
        "by_call": [
            {"call": row.name, "class": row.detail, **_totals(row)} for row in interval.rows(By.CALLS, sort)
        ],
    }


def _totals(row: TotalsRow) -> dict[str, Any]:
    return {
        "calls": row.calls,
        "time_s": row.time_ns / NS_PER_S,
        "read_bytes": row.read_bytes,
        "written_bytes": row.written_bytes,
        "mean_latency_s": row.time_ns / row.timed / NS_PER_S if row.timed else None,
        "p99_latency_s": row.p99_ns / NS_PER_S if row.timed else None,
    }
