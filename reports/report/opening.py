"""The first screen on a page: a headline, three answers, six figures and a strip over time, without a script."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from iotrace.reports.pages import drawings
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Section
from iotrace.reports.pages.first_screen import Picture
from iotrace.reports.pages.tables import csv_text
from iotrace.reports.pages.templates import template
from markupsafe import Markup

from iotrace import units
from iotrace.analysis.answers.screen import Cache, FirstScreen, Time

COLORS = {
    "not_recorded": "neutral", "flush": "both", "discard": "disk", "metadata": "directory", "sync": "executable",
    "elsewhere": "neutral",
}  # fmt: skip
"""The colours of the parts of time by their keys, where they are not called as the keys are."""
OVER_TIME = (
    "rank_time_over_time", "rank_bytes_over_time", "calls_over_time", "disk_load_over_time", "addresses_over_time",
    "requests_over_time",
)  # fmt: skip
"""The statistics that are drawn over time."""
MOST_PARTS = 5
"""Parts of time that the legend names."""
LABEL = 3
"""The longest number that has its word beside a map of ranks."""
PATH = 26
"""The most characters of a name in a card."""


def opening(
    screen: FirstScreen,
    sections: Sequence[Section],
    tables: Mapping[str, pa.Table],
    length_ns: int | None = None,
) -> Markup:
    """Return the first screen; `sections` are those that it links to, `tables` those of what is drawn over time.

    `length_ns` is how long the trace is, where that is known.
    """
    shown = [
        section
        for section in sections
        if any(figure.id in tables and tables[figure.id].num_rows for figure in section.figures)
    ]
    links = {section.answers: section.id for section in reversed(shown) if section.answers}
    return Markup(
        template("opening.html", "iotrace.reports.report").render(
            screen=screen,
            headline=printable(screen.headline.sentence),
            cautions=[printable(caution) for caution in screen.cautions],
            time=_time(screen.time) if screen.time and screen.time.amounts else None,
            changes=[
                (amount.name, printable(amount.found), amount.shown, amount.key)
                for amount in (screen.change.amounts if screen.change else ())
            ],
            curve=_curve(screen.cache) if screen.cache and len(screen.cache.points) > 1 else None,
            links=links,
            pictures=pictures(tables, length_ns),
            printable=printable,
        )
    )


def _time(time: Time) -> dict[str, Any]:
    parts = [
        {"name": amount.name, "shown": amount.shown, "color": COLORS.get(amount.key, amount.key)}
        for amount in time.amounts
    ]
    drawn = [(part["color"], amount.value or 0) for part, amount in zip(parts, time.amounts, strict=True)]
    leaders = [
        (leader.kind, printable(units.shortened(leader.name, PATH)), leader.shown) for leader in time.leaders
    ]
    numbers = pa.table(
        {"part": [amount.name for amount in time.amounts], "seconds": [value for _, value in drawn]}
    )
    return {
        "bar": drawings.bar(drawn, printable(time.sentence)),
        "csv": csv_text(numbers),
        "named": parts[:MOST_PARTS],
        "leaders": leaders,
    }


def _curve(cache: Cache) -> dict[str, Any]:
    sizes, shares = zip(*cache.points, strict=True)
    across = "limit_bytes" if cache.is_of_memory else "size_bytes" if cache.is_in_bytes else "size_objects"
    up = "reads_percent" if cache.is_of_memory else "misses_percent"
    return {
        "drawing": drawings.curve(cache.points, _mark(cache), cache.is_in_bytes, cache.sentence),
        "csv": csv_text(pa.table({across: sizes, up: shares})),
    }


def _mark(cache: Cache) -> tuple[int, str] | None:
    """Return the size that is marked: the knee, or the memory that the recording measured."""
    if cache.today is not None:
        return cache.today, f"{units.size(cache.today)} today"
    if cache.knee is None:
        return None
    return cache.knee, units.size(cache.knee) if cache.is_in_bytes else units.count(cache.knee)


def pictures(tables: Mapping[str, pa.Table], length_ns: int | None = None) -> list[Picture]:
    """Return the pictures over time of what a trace has: ranks, bytes and calls, addresses of a disk."""

    def rows_of(name: str) -> list[dict[str, Any]]:
        return _ended(_rows(tables, name), length_ns)

    draw: list[Callable[[int], Picture]] = []
    if ranks := rows_of("rank_time_over_time"):
        draw.append(
            lambda room: _picture("rank_time_over_time", tables, "I/O by rank over time", _ranks(ranks, room))
        )
    if moved := rows_of("rank_bytes_over_time"):
        draw.append(
            lambda room: _picture(
                "rank_bytes_over_time",
                tables,
                f"Bytes by rank over time at {moved[0]['layer']}",
                _moved(moved, room),
            )
        )
    if calls := rows_of("calls_over_time"):
        phases = rows_of("phases")
        draw.append(lambda room: _strip("calls_over_time", tables, calls, phases, room))
    elif load := [_all_requests(row) for row in rows_of("disk_load_over_time")]:
        draw.append(lambda room: _strip("disk_load_over_time", tables, load, [], room))
    elif not draw and (requests := _all_types(rows_of("requests_over_time"))):
        draw.append(lambda room: _strip("requests_over_time", tables, requests, [], room))
    if places := rows_of("addresses_over_time"):
        draw.append(
            lambda room: _picture(
                "addresses_over_time", tables, "Addresses over time", _addresses(places, room)
            )
        )
    return [picture(drawings.STRIP_WIDTH if len(draw) == 1 else drawings.NARROW) for picture in draw]


def _picture(name: str, tables: Mapping[str, pa.Table], title: str, drawing: Markup) -> Picture:
    return Picture(f"first-{name}", title, drawing, tables[name])


def _all_requests(row: dict[str, Any]) -> dict[str, Any]:
    """Return a window of disk_load_over_time with all its requests; what has no direction is drawn as read."""
    return {
        **row,
        "requests": row["reads"] + row["writes"] + row["others"],
        "bytes_read": row["bytes_read"] + row["bytes_of_others"],
    }


def _rows(tables: Mapping[str, pa.Table], name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables[name].to_pylist() if name in tables else []
    return rows


def _ended(rows: list[dict[str, Any]], length_ns: int | None) -> list[dict[str, Any]]:
    """Return windows of which the last ends with the trace; all are equally long, so that it often goes on."""
    if not rows or length_ns is None:
        return rows
    last_ns, end_ns = max(row["end_ns"] for row in rows), min(row["start_ns"] for row in rows) + length_ns
    if any(row["start_ns"] >= end_ns for row in rows):
        return rows
    return [{**row, "end_ns": end_ns} if row["end_ns"] == last_ns > end_ns else row for row in rows]


def _strip(
    name: str,
    tables: Mapping[str, pa.Table],
    rows: list[dict[str, Any]],
    phases: list[dict[str, Any]],
    room: int,
) -> Picture:
    count = ("storage_calls", "calls") if name == "calls_over_time" else ("requests", "requests")
    phases = [{**phase, "title": printable(phase["title"])} for phase in phases]
    read, written = (units.size(sum(row[name] for row in rows)) for name in ("bytes_read", "bytes_written"))
    title = "Bytes and calls over time" if count[1] == "calls" else "Bytes and requests over time"
    title += f", in {len(phases)} phases" if len(phases) > 1 else ""
    description = f"{title}: {read} read, {written} written."
    return _picture(name, tables, title, drawings.strip(rows, phases, count, description, room))


def _all_types(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return windows whose rows by type are added up."""
    windows: dict[int, dict[str, Any]] = {}
    for row in rows:
        whole = windows.setdefault(
            row["window"],
            {
                "start_ns": row["start_ns"],
                "end_ns": row["end_ns"],
                "bytes_read": 0,
                "bytes_written": 0,
                "requests": 0,
            },
        )
        for name in ("bytes_read", "bytes_written", "requests"):
            whole[name] += row[name]
    return list(windows.values())


def _addresses(rows: list[dict[str, Any]], room: int) -> Markup:
    first, end = min(row["first_bytes"] for row in rows), max(row["end_bytes"] for row in rows)
    most = max(row["requests"] for row in rows)
    span = max(end - first, 1)
    return drawings.cells(
        rows,
        lambda row: (1 - (row["end_bytes"] - first) / span, 1 - (row["first_bytes"] - first) / span),
        lambda row: _logarithm(row["requests"], most),
        f"{units.size(end)}\n{units.size(first)}",
        f"Requests by time and address between {units.size(first)} and {units.size(end)}.",
        room,
    )


def _logarithm(number: int, most: int) -> float:
    return 0.15 + 0.85 * (number.bit_length() / max(most.bit_length(), 1))


def _ranks(rows: list[dict[str, Any]], room: int) -> Markup:
    lines = 1 + max(row["row"] for row in rows)
    first = min(rows, key=lambda row: row["row"])["first_rank"]
    last = max(rows, key=lambda row: row["row"])["last_rank"]
    return drawings.cells(
        rows,
        lambda row: (row["row"] / lines, (row["row"] + 1) / lines),
        lambda row: row["busy"],
        f"{_labelled(first)}\n{_labelled(last)}",
        f"The share of time that ranks {_rank(first)} to {_rank(last)} spend in I/O, over time.",
        room,
    )


def _moved(rows: list[dict[str, Any]], room: int) -> Markup:
    lines = 1 + max(row["row"] for row in rows)
    moved = [row["bytes_read"] + row["bytes_written"] for row in rows]
    first, last = min(row["first_rank"] for row in rows), max(row["last_rank"] for row in rows)
    return drawings.cells(
        rows,
        lambda row: (row["row"] / lines, (row["row"] + 1) / lines),
        lambda row: _logarithm(row["bytes_read"] + row["bytes_written"], max(moved)),
        f"{_labelled(str(first))}\n{_labelled(str(last))}",
        f"What ranks {first} to {last} read and write, over time: the stronger the more, by the logarithm of bytes.",
        room,
    )


def _labelled(name: str) -> str:
    """Return a rank's number with its word, where both fit."""
    number = _rank(name)
    return f"rank {number}" if len(number) <= LABEL else number


def _rank(name: str) -> str:
    """Return a rank's number."""
    number = printable(name.removeprefix("process ").partition(" ")[0])
    return number if len(number) <= 6 else f"…{number[-5:]}"
