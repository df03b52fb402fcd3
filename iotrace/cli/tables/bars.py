"""Bars behind the numbers of a table, on terminals."""

from collections.abc import Sequence

WIDTH, NARROW = 20, 10
"""Characters of a bar for the whole, and where there is less room."""
EIGHTHS = " ▏▎▍▌▋▊▉"
WHOLES = {"percent": 100.0, "part of one": 1.0, "ratio": 1.0}
"""Units whose numbers are parts of a whole; of others, the largest number is the whole."""


def with_bars(
    cells: Sequence[str], numbers: Sequence[float | None], unit: str, room: int = WIDTH
) -> list[str]:
    """Return each cell of a column with a bar as long as its number, from 0 on."""
    known = [number for number in numbers if number is not None]
    whole = max([WHOLES.get(unit, 0.0), *known])
    bars = [bar(number / whole if number and whole else 0, room) for number in numbers]
    width = max(map(len, cells), default=0)
    return [f"{cell:>{width}} {drawn:<{room}}" for cell, drawn in zip(cells, bars, strict=True)]


def bar(part: float, room: int = WIDTH) -> str:
    """Return a bar for a part of a whole; a part above 0 has one that is seen."""
    eighths = max(round(8 * room * min(part, 1)), 1 if part > 0 else 0)
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()
