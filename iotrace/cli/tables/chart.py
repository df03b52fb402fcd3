"""Charts of rows on a terminal: bars, lines of Braille dots, and maps of shades."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size

from iotrace import units
from iotrace.cli.tables.bars import bar
from iotrace.cli.terminal import visible
from iotrace.errors import UsageError
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.reports.pages.query_chart import Series, Wanted

LINES = 16
"""The height of a line's chart."""
MOST_LABEL = 40
SHADES = " ░▒▓█"
PLAIN_SHADES = " .:*#"
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a Braille sign, by line and column."""
MARKS = "*+xo#@%="
"""The signs of lines where there are no Braille dots, or several lines."""


def drawn(rows: pa.Table, chart: Wanted, width: int, is_unicode: bool) -> str:
    """Return rows as a chart of text as wide as a terminal; raises UsageError as `query_chart.series`."""
    from iotrace.reports.pages import query_chart

    parts = query_chart.series(rows, chart)
    if not rows.num_rows:
        return "no rows\n"
    if chart.kind == query_chart.BAR:
        return _bars(parts, chart, width, is_unicode)
    if chart.kind == query_chart.LINE:
        return _lines(parts, chart, width, is_unicode)
    return _cells(parts[0], chart, width, is_unicode)


def _bars(parts: Sequence[Series], chart: Wanted, width: int, is_unicode: bool) -> str:
    from iotrace.reports.pages.query_chart import name_of

    bars = [(name_of(x), one.name, y) for one in parts for x, y in zip(one.x, one.y, strict=True)]
    if several := len(parts) > 1:
        places = {name: number for number, name in enumerate(dict.fromkeys(name for name, _, _ in bars))}
        bars.sort(key=lambda item: places[item[0]])
    if any(y is not None and y < 0 for _, _, y in bars):
        raise UsageError(f"--chart: bars of {chart.y} begin at 0, and some are below: draw a line")
    labels = [_fitting(visible(f"{name} {part}" if several else name)) for name, part, _ in bars]
    numbers = ["" if y is None else _number(y) for _, _, y in bars]
    left, middle = max(map(cell_len, labels)), max(map(len, numbers))
    room = max(width - left - middle - 3, 5)
    most = max((y for _, _, y in bars if y is not None), default=0) or 1
    lines = []
    for label, number, (_, _, y) in zip(labels, numbers, bars, strict=True):
        part = (y or 0) / most
        mark = bar(part, room) if is_unicode else "#" * max(round(room * part), 1 if part else 0)
        lines.append(f"{set_cell_size(label, left)} {number:>{middle}} {mark}".rstrip())
    return "\n".join([f"{visible(chart.y)} by {visible(chart.x)}", *lines]) + "\n"


def _lines(parts: Sequence[Series], chart: Wanted, width: int, is_unicode: bool) -> str:
    from iotrace.reports.pages.query_chart import name_of

    known = [
        (x, y, number)
        for number, one in enumerate(parts)
        for x, y in zip(one.x, one.y, strict=True)
        if y is not None
    ]
    if not known:
        return "no values\n"
    places = _places([x for x, _, _ in known])
    heights = [y for _, y, _ in known]
    least, most = min([0.0, *heights]), max(heights)
    top, bottom = _number(most), _number(least)
    margin = max(len(top), len(bottom)) + 1
    room = max(width - margin - 1, 20)
    uses_dots = is_unicode and len(parts) == 1
    across, up = (2, 4) if uses_dots else (1, 1)
    points: list[tuple[int, int, int]] = []
    for number in range(len(parts)):
        of_part = [
            (
                round(place * (room * across - 1)),
                round((y - least) / ((most - least) or 1) * (LINES * up - 1)),
            )
            for place, (_, y, part) in zip(places, known, strict=True)
            if part == number
        ]
        points += [(x, y, number) for x, y in _connected(sorted(of_part))]
    signs = [[0 if uses_dots else ord(" ")] * room for _ in range(LINES)]
    for x, y, number in points:
        line, column = LINES - 1 - y // up, x // across
        if uses_dots:
            signs[line][column] |= DOTS[3 - y % up][x % across]
        else:
            signs[line][column] = ord(MARKS[number])
    border = "│" if is_unicode else "|"
    rows = ["".join(chr(0x2800 + sign if uses_dots else sign) for sign in line).rstrip() for line in signs]
    labels = [top, *[""] * (LINES - 2), bottom]
    lines = [f"{label:>{margin}}{border}{row}" for label, row in zip(labels, rows, strict=True)]
    ordered = sorted(zip(places, known, strict=True), key=lambda one: one[0])
    first, last = (visible(name_of(one[1][0])) for one in (ordered[0], ordered[-1]))
    lines.append(f"{'':>{margin + 1}}{first}{last:>{max(room - cell_len(first), 1)}}")
    if len(parts) > 1:
        lines.append("  ".join(f"{MARKS[number]} {visible(one.name)}" for number, one in enumerate(parts)))
    return "\n".join([f"{visible(chart.y)} by {visible(chart.x)}", *lines]) + "\n"


def _cells(cells: Series, chart: Wanted, width: int, is_unicode: bool) -> str:
    from iotrace.reports.pages.query_chart import grid, name_of

    across, up, values = grid(cells)
    labels = [_fitting(visible(name_of(value))) for value in up]
    left = max(map(cell_len, labels))
    if len(across) > width - left - 2:
        raise UsageError(
            f"--chart: {len(across):,} columns of cells do not fit a terminal of {width}: group them, or write a"
            " picture with -o NAME.png"
        )
    most = max((value for row in values for value in row if value is not None), default=0) or 1
    wide = max(min((width - left - 2) // len(across), 6), 1)
    shades = SHADES if is_unicode else PLAIN_SHADES
    lines = [
        f"{set_cell_size(label, left)} "
        + "".join(shades[_shade(value, most)] * wide for value in row).rstrip()
        for label, row in reversed(list(zip(labels, values, strict=True)))
    ]
    first, last = visible(name_of(across[0])), visible(name_of(across[-1]))
    ends = f"{'':>{left + 1}}{first}" + (
        f"{last:>{max(wide * len(across) - cell_len(first), 1)}}" if len(across) > 1 else ""
    )
    scale = f"{shades[-1]} is {_number(most)}"
    return (
        "\n".join(
            [f"{visible(str(chart.by))} by {visible(chart.x)} and {visible(chart.y)}; {scale}", *lines, ends]
        )
        + "\n"
    )


def _shade(value: float | None, most: float) -> int:
    return 0 if not value or value < 0 else min(1 + int(value / most * (len(SHADES) - 1)), len(SHADES) - 1)


def _connected(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return points with those on the straight lines between them."""
    found = list(points[:1])
    for (x, y), (after_x, after_y) in itertools.pairwise(points):
        steps = max(abs(after_x - x), abs(after_y - y), 1)
        found += [
            (x + round(step * (after_x - x) / steps), y + round(step * (after_y - y) / steps))
            for step in range(1, steps + 1)
        ]
    return found


def _places(values: Sequence[Any]) -> list[float]:
    """Return where values lie across, from 0 to 1: by their size, or names one after the other."""
    ranks = [_rank(value) for value in values]
    if any(isinstance(rank, str) for rank in ranks):
        order = {rank: number for number, rank in enumerate(dict.fromkeys(ranks))}
        return [order[rank] / max(len(order) - 1, 1) for rank in ranks]
    least, most = min(ranks), max(ranks)
    return [(rank - least) / ((most - least) or 1) for rank in ranks]


def _rank(value: Any) -> Any:
    """Return a value as a number where it has a size: a number or a moment."""
    from datetime import UTC, date, datetime, timedelta

    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, date):
        return float(value.toordinal())
    if isinstance(value, timedelta):
        return value.total_seconds()
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def _fitting(label: str) -> str:
    return (
        label
        if cell_len(label) <= MOST_LABEL
        else f"{label[: MOST_LABEL // 3]}…{label[-2 * MOST_LABEL // 3 :]}"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() else units.number(value)
