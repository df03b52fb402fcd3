"""Tables that are as wide as a terminal: names broken at underscores, long words shortened, columns left out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

SEPARATION = 3
"""Characters between two columns."""
LEAST_WORD, LEAST_PROSE = 12, 16
"""The least width of a column of long words, and of one of sentences."""


@dataclass
class Column:
    """A column's name and cells as text, and how wide it is drawn."""

    name: str
    cells: list[str]
    is_text: bool
    width: int = 0
    bars_of: str | None = None
    """The unit of the numbers that have bars; None where there are no bars."""
    numbers: list[float | None] = field(default_factory=list)
    """The numbers of its cells, where they have bars."""

    @property
    def natural_width(self) -> int:
        """The width at which no cell is broken or shortened."""
        return max([cell_len(part) for part in _parts(self.name)] + [cell_len(cell) for cell in self.cells])

    @property
    def least_width(self) -> int:
        """The width below which it cannot be read."""
        least = LEAST_PROSE if self.is_prose else LEAST_WORD
        cells = max(map(cell_len, self.cells), default=0)
        parts = max(map(cell_len, _parts(self.name)), default=0)
        return max(parts, min(cells, least) if self.is_text else cells)

    @property
    def is_prose(self) -> bool:
        """Whether its longest cell can be broken between words."""
        return self.is_text and " " in max(self.cells, key=len, default="")

    def broken_name(self) -> str:
        """Return its name on lines of its width, broken after underscores and spaces."""
        lines = [""]
        for part in _parts(self.name):
            if lines[-1] and cell_len(lines[-1] + part) > self.width:
                lines.append("")
            lines[-1] += part
        return "\n".join(line.rstrip() for line in lines)

    def shortened(self, cell: str, mark: str) -> str:
        """Return a cell in its width, with a mark in the middle where it is a long word."""
        if self.is_prose or not self.is_text or cell_len(cell) <= self.width:
            return cell
        shown = max(self.width - len(mark), 2)
        head = shown // 3
        return f"{cell[:head]}{mark}{cell[head - shown :]}"


def _parts(name: str) -> list[str]:
    return re.findall(r"[^_ ]*[_ ]?", name)[:-1] or [""]


def fitted(columns: Sequence[Column], width: int) -> tuple[list[Column], list[str]]:
    """Give columns their widths within a terminal's; return those that have a place, and the names of the others."""
    fitting = list(columns)
    while len(fitting) > 1 and _width([column.least_width for column in fitting]) > width:
        fitting.pop()
    for column in fitting:
        column.width = column.least_width
    spare = width - _width([column.width for column in fitting])
    while spare > 0 and (narrow := [column for column in fitting if column.width < column.natural_width]):
        for column in narrow[:spare]:
            column.width += 1
            spare -= 1
    return fitting, [column.name for column in columns[len(fitting) :]]


def is_fitting(columns: Sequence[Column], width: int) -> bool:
    """Return whether all names and cells have their place on one line each."""
    return _width([max(column.natural_width, cell_len(column.name)) for column in columns]) <= width


def _width(widths: Sequence[int]) -> int:
    return sum(widths) + SEPARATION * len(widths) + 1
