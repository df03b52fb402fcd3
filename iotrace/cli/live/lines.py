"""An interval as lines of text that fit into a width."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from iotrace import units
from iotrace.cli.terminal import visible
from iotrace.ingest.live import STORAGE, By, Interval, Sort, TotalsRow

CUT = "..."
LEAST_NAME = 16
"""Cells that a name has at least, and a third of those there are."""


@dataclass(frozen=True)
class Column:
    """A column of numbers."""

    title: str
    width: int
    text: Callable[[TotalsRow], str]
    sort: Sort | None = None
    """The order that it shows."""


def _time(nanoseconds: int) -> str:
    return units.duration(nanoseconds) if nanoseconds else "0"


def _size(number: int) -> str:
    return f"{number} B" if number < 1024 else units.size(number)


def _mean(row: TotalsRow) -> str:
    return _time(row.time_ns // row.timed) if row.timed else "-"


TIME = Column("time", 7, lambda row: _time(row.time_ns), Sort.TIME)
CALLS = Column("calls", 9, lambda row: units.count(row.calls), Sort.CALLS)
READ = Column("read", 7, lambda row: _size(row.read_bytes), Sort.BYTES)
WRITTEN = Column("written", 7, lambda row: _size(row.written_bytes), Sort.BYTES)
MISSES = Column("misses", 9, lambda row: units.count(row.missed_pages), Sort.MISSES)
MEAN = Column("mean", 7, _mean)
P99 = Column("p99", 7, lambda row: _time(row.p99_ns) if row.timed else "-", Sort.LATENCY)
WAITING = Column("waiting", 7, lambda row: _time(row.waiting_ns))
CLASS = Column("class", 7, lambda row: row.detail)
PID = Column("pid", 7, lambda row: row.detail)
COLUMNS = {
    By.FILES: (TIME, CALLS, READ, WRITTEN, MISSES, MEAN, P99),
    By.PROCESSES: (TIME, CALLS, READ, WRITTEN, MISSES, MEAN, P99, WAITING, PID),
    By.CALLS: (TIME, CALLS, READ, WRITTEN, MEAN, P99, CLASS),
}
NAMES = {By.FILES: "file", By.PROCESSES: "program", By.CALLS: "call"}
FIRST = (TIME, PID, CLASS, CALLS, READ, WRITTEN, P99, MEAN, MISSES, WAITING)
"""The columns that a narrow table keeps, after those by which it is sorted."""


def columns(by: By, sort: Sort, width: int) -> list[Column]:
    """Return the columns of a table that leave room for names."""
    there = COLUMNS[by]
    listed = [column for column in there if column.sort is sort]
    listed += [column for column in FIRST if column in there and column not in listed]
    room, chosen = width - max(LEAST_NAME, width // 3), list[Column]()
    for column in listed:
        room -= column.width + 1
        if room < 0:
            break
        chosen.append(column)
    return [column for column in there if column in chosen]


def header(interval: Interval, subject: str, width: int) -> list[str]:
    """Return what all calls of an interval did, on as many lines as it needs."""
    parts = [f"{subject}, {units.duration(interval.duration_ns)}"]
    for name, rows in _by_class(interval):
        calls, time_ns = sum(row.calls for row in rows), sum(row.time_ns for row in rows)
        parts.append(f"{name} {units.plural(calls, 'call', 'calls')}, {_time(time_ns)}")
        if name == STORAGE:
            moved = [sum(row.read_bytes for row in rows), sum(row.written_bytes for row in rows)]
            parts.append(f"read {_size(moved[0])}, written {_size(moved[1])}")
    if interval.lost_calls:
        lost = units.plural(interval.lost_calls, "call was", "calls were")
        parts.append(f"totals are at least these, as {lost} lost")
    if interval.narrow_calls:
        narrow = units.plural(interval.narrow_calls, "call", "calls")
        parts.append(f"without {narrow} of 32-bit programs")
    text = visible("; ".join(parts))
    return [fitted(line, width) for line in textwrap.wrap(text, width)]


def _by_class(interval: Interval) -> list[tuple[str, list[TotalsRow]]]:
    """Return the rows of calls on storage; of those that wait, and that may be on storage, if there are any."""
    by_class = {name: [row for row in interval.call_rows if row.detail == name] for name in CLASSES_SHOWN}
    return [(name, rows) for name, rows in by_class.items() if rows or name == STORAGE]


CLASSES_SHOWN = (STORAGE, "waiting", "unknown")


def table(interval: Interval, by: By, sort: Sort, width: int, most_rows: int) -> list[str]:
    """Return a title, the headings, and at most this number of rows."""
    rows = [row for row in interval.rows(by, sort) if row.calls or row.missed_pages][:most_rows]
    shown, count = columns(by, sort, width), interval.count(by)
    of = f"{units.count(len(rows))} of " if len(rows) < count else ""
    title = f"{of}{units.count(count)} {by}, by {_order(by, sort)}"
    heads = [f"{column.title:>{column.width}}" for column in shown]
    lines = [title, " ".join([*heads, NAMES[by]])]
    room = width - sum(column.width + 1 for column in shown)
    for row in rows:
        cells = [f"{column.text(row):>{column.width}}" for column in shown]
        lines.append(" ".join([*cells, _end_of(visible(row.name), room)]))
    return [fitted(line, width) for line in lines]


def _order(by: By, sort: Sort) -> str:
    """Say by what rows are sorted."""
    if by is By.CALLS:
        return f"{sort}, storage first" if sort is not Sort.MISSES else "time, storage first"
    return "time in storage calls" if sort is Sort.TIME else sort


def _end_of(name: str, width: int) -> str:
    """Return a name, or its end, as that tells paths apart."""
    if cell_len(name) <= width:
        return name
    kept = name
    while kept and cell_len(kept) > width - len(CUT):
        kept = kept[max(1, (cell_len(kept) - width) // 2) :]
    return f"{CUT}{kept}"


def fitted(line: str, width: int) -> str:
    """Return a line of at most this width."""
    return set_cell_size(line, width).rstrip() if cell_len(line) > width else line


def keys(width: int) -> str:
    """Return the line that says the keys."""
    forms: Sequence[str] = (
        "t time  b bytes  m misses  l latency  c calls | f files  p processes  s calls  Tab next | q quit",
        "sort: t b m l c | f files p processes s calls | q quit",
        "sort t,b,m,l,c  show f,p,s  quit q",
        "q quit",
    )
    return next((form for form in forms if len(form) <= width), "")
