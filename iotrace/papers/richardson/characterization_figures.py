"""Figures 3.1 to 3.10 of the dissertation for a trace (Richardson 1994, chapter 3).

Which statistic a figure shows is data: ``data/characterization_figures.toml``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import queries
from iotrace.analysis.characterize import result
from iotrace.papers import data

Row = Mapping[str, Any]
TYPES = ("inode", "directory", "executable", "datafile")
SMALLEST_BYTES, LARGEST_BYTES = 2**4, 2**22
"""From where on sizes are drawn, and to where at least."""


@dataclass(frozen=True)
class Line:
    """One line of a figure: a column, in percent, of the statistic's rows that have these values."""

    label: str
    column: str
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CharacterizationFigure:
    """A figure: what it shows, where it is in the dissertation, its statistic and its lines.

    With `size`, the statistic's column of sizes, its values are sums up to each size; otherwise they are of types.
    """

    id: str
    title: str
    section: str
    sentence: str
    query: str
    axis: str
    lines: tuple[Line, ...]
    groups: tuple[str, ...] = ()
    size: str | None = None
    across: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """The types, and groups of them, of which it shows something; none where it is over sizes."""
        return () if self.size else (*TYPES, *self.groups)


@cache
def figures() -> dict[str, CharacterizationFigure]:
    """Return all figures by their number in the dissertation."""
    raw = data.entries("richardson", "characterization_figures", "figure", text="sentence")
    return {figure["id"]: _figure(figure) for figure in raw}


def statistics(ids: Sequence[str] = ()) -> set[str]:
    """Return the statistics that figures, all unless `ids` are given, are drawn from."""
    return {figures()[id_].query for id_ in ids or figures()}


def figure_table(connection: duckdb.DuckDBPyConnection, ids: Sequence[str] = ()) -> pa.Table:
    """Return the lines of figures, all unless `ids` are given: table characterization_figures.

    `connection` is prepared for their statistics.
    """
    chosen = [figures()[id_] for id_ in ids or figures()]
    results = {name: result(connection, name).to_pylist() for name in statistics(ids)}
    rows = [row for figure in chosen for row in _rows(figure, results[figure.query])]
    return queries.result_table("characterization_figures", rows)


def _figure(raw: dict[str, Any]) -> CharacterizationFigure:
    lines = tuple(Line(**line) for line in raw.pop("line"))
    groups = tuple(raw.pop("groups", ()))
    return CharacterizationFigure(**raw, lines=lines, groups=groups)


def _rows(figure: CharacterizationFigure, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for line in figure.lines:
        rows_of_line = [row for row in rows if all(row[name] == value for name, value in line.where.items())]
        points = (
            _up_to_sizes(figure.size, line, rows_of_line, rows)
            if figure.size
            else _of_types(figure, line, rows_of_line)
        )
        for place, size, percent in points if rows else ():
            yield {
                "figure": figure.id,
                "line": line.label,
                "place": place,
                "size_bytes": size,
                "value": percent / 100,
            }


def _of_types(
    figure: CharacterizationFigure, line: Line, rows_of_line: Sequence[Row]
) -> Iterator[tuple[str, None, float]]:
    """Yield a line's value for each type and group; a type that the trace has not counts as 0."""
    groups: dict[str, list[str]] = data.described("richardson", "characterization_figures")["groups"]
    for place in figure.places:
        kinds = groups.get(place, [place])
        yield place, None, sum(row[line.column] or 0.0 for row in rows_of_line if row["type"] in kinds)


def _up_to_sizes(
    size: str, line: Line, rows_of_line: Sequence[Row], rows: Sequence[Row]
) -> Iterator[tuple[None, int, float]]:
    """Yield a line's sum up to each power of two; nothing where it counts nothing."""
    largest = max([LARGEST_BYTES, *(row[size] for row in rows if row[line.column])])
    bound = SMALLEST_BYTES
    while rows_of_line and bound <= largest:
        yield None, bound, sum(row[line.column] or 0.0 for row in rows_of_line if row[size] <= bound)
        bound *= 2
