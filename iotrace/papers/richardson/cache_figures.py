"""Figures 4.1 to 4.15 of the dissertation for a store's references (Richardson 1994, chapter 4).

Which references, caches and ratios a figure shows is data: ``data/cache_figures.toml``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.lines.library import lines_of
from iotrace.analysis.lines.line import Line, parts
from iotrace.analysis.lines.runs import Run, RunMemo
from iotrace.errors import UsageError
from iotrace.papers import data


@dataclass(frozen=True)
class CacheFigure:
    """A figure: what it shows, where it is in the dissertation, whether sizes are in blocks or bytes, its
    lines."""

    id: str
    title: str
    section: str
    sentence: str
    size_unit: str
    lines: tuple[Line, ...]

    @property
    def runs(self) -> list[Run]:
        """All runs that it needs."""
        return [run for line in self.lines for run in (line.run, *line.population)]


@cache
def figures() -> dict[str, CacheFigure]:
    """Return all figures by their number in the dissertation."""
    raw = data.entries("richardson", "cache_figures", "figure", text="sentence")
    return {figure["id"]: _figure(figure) for figure in raw}


def needed(ids: Sequence[str] = ()) -> list[Run]:
    """Return the runs of figures, all unless `ids` are given."""
    return [run for id_ in ids or figures() for run in figures()[id_].runs]


def figure_tables(memo: RunMemo, ids: list[str] | None = None) -> pa.Table:
    """Return the lines of figures, all unless `ids` are given: table cache_figures.

    Sizes double from one block to the first that holds every block of the run. Raises UsageError for a figure
    that chapter 4 has not.
    """
    known = figures()
    if unknown := [id_ for id_ in ids or [] if id_ not in known]:
        raise UsageError(f"chapter 4 has no figure {', '.join(unknown)}; it has {', '.join(known)}")
    chosen = [known[id_] for id_ in (ids or known)]
    memo.prepare(needed(ids or ()))
    rows = [row for figure in chosen for line in figure.lines for row in _rows(memo, figure, line)]
    return queries.result_table("cache_figures", rows)


def _figure(raw: dict[str, Any]) -> CacheFigure:
    texts = {name: raw[name] for name in ("id", "title", "section", "sentence", "size_unit")}
    return CacheFigure(**texts, lines=lines_of(raw))


def _rows(memo: RunMemo, figure: CacheFigure, line: Line) -> Iterator[dict[str, Any]]:
    counts = memo.counts(line.run)
    sizes = counts.doublings
    counted, whole = parts(memo, line, sizes)
    for size, part, of in zip(sizes, counted, whole, strict=True):
        yield {
            "figure": figure.id,
            "line": line.label,
            "measure": line.measure,
            "size_blocks": int(size),
            "size_bytes": int(size) * counts.block_bytes,
            "value": part / of if of else None,
            "counted": int(part),
            "of": int(of),
        }
