"""Marks of printed values in a figure: a diamond for a value, a bar between bounds, an arrow at a single bound."""

from collections.abc import Callable

from iotrace.reports.pages.charts.plot import Row, Rows, color, plotted, text

NAME = "the dissertation"
RANGE = "line-ew"
KINDS = {"diamond": "", RANGE: ", between", "triangle-up": ", at least", "triangle-down": ", at most"}
"""The words of the legend for each symbol."""
_ALONG = 24
"""How many points a horizontal mark has, so that its text shows wherever it is pointed at."""


def of_paper(rows: Rows) -> Rows:
    """Return the rows that are the paper's: those with `words`."""
    return [row for row in rows if row.get("words")]


def drawn(marks: Rows, shade_of: Callable[[Row], Row], ends_of: Callable[[Row], tuple[float, float]]) -> Rows:
    """Draw marks with `value`, or `low` and `high`, in parts of one.

    `shade_of` gives the colour of a mark's line, `ends_of` where it begins and ends across.
    """
    symbols = [_symbol(mark) for mark in marks]
    return [
        _mark(mark, shade_of(mark), ends_of(mark), symbol, symbol not in symbols[:index])
        for index, (mark, symbol) in enumerate(zip(marks, symbols, strict=True))
    ]


def levels(mark: Row) -> list[float]:
    """Return the percentages at which a mark is drawn."""
    return [100 * mark[name] for name in ("value", "low", "high") if mark[name] is not None]


def _mark(mark: Row, shade: Row, ends: tuple[float, float], symbol: str, is_first: bool) -> Row:
    first, last = ends
    across = (
        [first * (last / first) ** (step / _ALONG) for step in range(_ALONG + 1)] if last > first else [first]
    )
    heights = levels(mark)
    x: list[float | None] = []
    y: list[float | None] = []
    for height in heights:
        x += [*across, *([None] if last > first else [])]
        y += [height] * len(across) + ([None] if last > first else [])
    marker = {
        "size": [9 if value in (first, last) else 0 for value in x],
        "symbol": symbol,
        "color": shade,
        "line": {"width": 1.5, "color": color("ink")},
    }
    line = {"width": 2, "dash": "dot", "color": color("ink")}
    return {
        **plotted("scatter", x, y, [text(mark["words"])] * len(x), f"{NAME}, %{{customdata}}"),
        "mode": "lines+markers" if len(x) > 1 else "markers",
        "name": NAME + KINDS[symbol],
        "legendgroup": symbol,
        "showlegend": is_first,
        "marker": marker,
        "line": line,
    }


def _symbol(mark: Row) -> str:
    if mark["value"] is not None:
        return "diamond"
    if None not in (mark["low"], mark["high"]):
        return RANGE
    return "triangle-up" if mark["high"] is None else "triangle-down"
