"""Figures 5.4 to 5.20 of the dissertation, for one trace or for several and their mean (Richardson 1994, chapter 5).

Which schemes and measures a figure shows is data: ``data/attribute_figures.toml``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.errors import UsageError
from iotrace.papers import data
from iotrace.simulate.attribute.comparison import grid
from iotrace.simulate.attribute.curves import PLACE
from iotrace.simulate.attribute.outcome import MEASURES, Outcome, outcome, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import Scheme, schemes
from iotrace.simulate.attribute.settings import CUT_OFF_BYTES

RATIOS = (
    "read_request_miss_ratio",
    "write_expulsion_ratio",
    "read_byte_transfer_ratio",
    "write_byte_transfer_ratio",
)
_BLOCK = 4096


@dataclass(frozen=True)
class Line:
    """One line of a figure: a scheme's measure, or its ratio to that of the scheme `beside`."""

    label: str
    scheme: Scheme
    measure: str
    beside: Scheme | None = None

    @property
    def schemes(self) -> list[Scheme]:
        """The schemes that it needs."""
        return [self.scheme, *([self.beside] if self.beside else [])]

    def without_block(self, total_bytes: int) -> list[str]:
        """Return the classes that have a subcache without a block at a total, in any of its schemes."""
        return list(
            dict.fromkeys(name for scheme in self.schemes for name in scheme.without_block(total_bytes))
        )


@dataclass(frozen=True)
class AttributeFigure:
    """A figure: what it shows, where it is in the dissertation, and its lines."""

    id: str
    title: str
    section: str
    sentence: str
    lines: tuple[Line, ...]
    to_bytes: int

    @property
    def is_relative(self) -> bool:
        """Whether its values are quotients of two schemes."""
        return self.lines[0].beside is not None


Points = Mapping[tuple[str, int, int], float]
"""A trace's values by figure, the place of a line in it, and total size in bytes."""


@cache
def figures() -> dict[str, AttributeFigure]:
    """Return all figures by their number in the dissertation."""
    raw = data.entries("richardson", "attribute_figures", "figure", text="sentence")
    return {figure["id"]: _figure(figure) for figure in raw}


def points(memo: PassMemo, ids: Sequence[str] | None = None) -> Points:
    """Return a trace's values on the lines of figures, all unless `ids` are given.

    Raises UsageError for a figure that chapter 5 has not, or that shows no measurement.
    """
    prepare(memo, needed(ids))
    return {
        (figure.id, index, total): number
        for figure in known(ids)
        for index, line in enumerate(figure.lines)
        for total in _totals(figure, line)
        if (number := value(memo, line, total)) is not None
    }


def figure_table(points_of: Mapping[str, Points], ids: Sequence[str] | None = None) -> pa.Table:
    """Return the lines of figures, all unless `ids` are given, for each trace and in the mean over traces.

    Table attribute_figures of the traces' `points`; the mean at a total is over the traces that have a value there, and
    there is none for one trace.
    """
    rows = [
        row
        for figure in known(ids)
        for index in range(len(figure.lines))
        for row in _rows(points_of, figure, index)
    ]
    return queries.result_table("attribute_figures", rows)


def needed(ids: Sequence[str] | None = None) -> list[Scheme]:
    """Return the schemes of figures, all unless `ids` are given, and the variable one."""
    of_lines = {scheme for figure in known(ids) for line in figure.lines for scheme in line.schemes}
    return [*sorted(of_lines, key=lambda scheme: scheme.id), schemes()["variable"]]


def known(ids: Sequence[str] | None = None) -> list[AttributeFigure]:
    """Return figures, all unless `ids` are given; raises UsageError for one that shows no measurement."""
    if unknown := [id_ for id_ in ids or () if id_ not in figures()]:
        raise UsageError(
            f"no figure {', '.join(unknown)} of chapter 5 shows a measurement; {', '.join(figures())} do"
        )
    return [figures()[id_] for id_ in ids or figures()]


def value(memo: PassMemo, line: Line, total_bytes: int) -> float | None:
    """Return what a line shows of a trace at a total; None where there is no configuration, or nothing to divide by."""
    mine = outcome(memo, line.scheme, total_bytes)
    if mine is None:
        return None
    if line.beside is not None:
        other = outcome(memo, line.beside, total_bytes)
        whole = other.sum(MEASURES[line.measure]) if other else 0
        return mine.sum(MEASURES[line.measure]) / whole if whole else None
    if line.measure in ("read_request_miss_ratio", "write_expulsion_ratio"):
        ratio: float | None = getattr(mine, line.measure)
        return ratio
    return _byte_transfer_ratio(memo, mine, line.measure)


def _byte_transfer_ratio(memo: PassMemo, mine: Outcome, measure: str) -> float | None:
    """Bytes moved over those of the blocks referenced (2.6.4): 128 bytes for inodes and directories, else 4 KB."""
    small, large = memo.assigned(schemes()["16K-general-4K"].rows[0].configuration).passes[:2]
    whole = sum(
        int(part.rows[0][PLACE["block_references"]]) * block
        for run, block in ((small, 128), (large, _BLOCK))
        for part in memo.curve(run).parts
    )
    direction = measure.partition("_")[0]
    return mine.sum([f"{direction}_bytes_estimated"]) / whole if whole else None


def _figure(raw: dict[str, Any]) -> AttributeFigure:
    lines = raw.get("line") or [{"scheme": scheme, "measure": raw["measure"]} for scheme in raw["schemes"]]
    return AttributeFigure(
        raw["id"],
        raw["title"],
        raw["section"],
        raw["sentence"],
        tuple(_line(line) for line in lines),
        raw.get("to_bytes", 2**30),
    )


def _line(raw: dict[str, Any]) -> Line:
    cut_off = raw.get("cut_off_bytes", CUT_OFF_BYTES)
    scheme = schemes()[raw["scheme"]].with_cut_off(cut_off)
    divisor = schemes()[raw["beside"]] if "beside" in raw else None
    return Line(raw.get("label", scheme.label), scheme, raw["measure"], divisor)


def _totals(figure: AttributeFigure, line: Line) -> list[int]:
    """Return the sizes in bytes at which a line of a figure is drawn."""
    return [size for size in sorted({*grid(), *line.scheme.printed_bytes}) if size <= figure.to_bytes]


def _rows(points_of: Mapping[str, Points], figure: AttributeFigure, index: int) -> Iterator[dict[str, Any]]:
    line = figure.lines[index]
    for total in _totals(figure, line):
        point = figure.id, index, total
        values = {name: points[point] for name, points in points_of.items() if point in points}
        shown: list[tuple[str | None, float]] = list(values.items())
        if values and len(points_of) > 1:
            shown.append((None, sum(values.values()) / len(values)))
        for name, number in shown:
            yield {
                "figure": figure.id,
                "line": line.label,
                "trace": name,
                "measure": line.measure,
                "total_bytes": total,
                "printed": total in line.scheme.printed_bytes,
                "uncached": ", ".join(line.without_block(total)) or None,
                "value": number,
                "traces": len(values) if name is None else 1,
            }
