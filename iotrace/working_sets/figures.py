"""Figures 4.1 to 4.15 of the dissertation for a store's references (Richardson 1994, chapter 4).

Which references, caches and ratios a figure shows is data: ``queries/paper/cache_figures.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from iotrace import queries, units
from iotrace.errors import UsageError
from iotrace.working_sets.counts import Numbers
from iotrace.working_sets.ratios import BYTES, RATIOS
from iotrace.working_sets.study import Run, Study

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Line:
    """One line of a figure: a ratio of a run, over its own requests or bytes or over those of
    `population`."""

    label: str
    measure: str
    run: Run
    population: tuple[Run, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A figure: what it shows, where it is in the dissertation, whether size is told in blocks or bytes, its
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
def figures() -> dict[str, Figure]:
    """Return all figures by their number in the dissertation."""
    raw = tomllib.loads(files("iotrace.queries").joinpath("paper", "cache_figures.toml").read_text("utf-8"))
    return {one["id"]: _figure(one) for one in raw["figure"]}


def figure_tables(study: Study, ids: list[str] | None = None) -> pa.Table:
    """Return the lines of figures, all unless `ids` are given: table cache_figures.

    Sizes double from one block to the first that holds every block of the run. Raises UsageError for a figure
    that chapter 4 has not.
    """
    import pyarrow as pa

    known = figures()
    if unknown := [one for one in ids or [] if one not in known]:
        raise UsageError(f"chapter 4 has no figure {', '.join(unknown)}; it has {', '.join(known)}")
    wanted = [known[one] for one in (ids or known)]
    study.prepare(run for figure in wanted for run in figure.runs)
    rows = [row for figure in wanted for line in figure.lines for row in _rows(study, figure, line)]
    return pa.Table.from_pylist(rows, schema=queries.table_schema("cache_figures"))


def _figure(raw: dict[str, Any]) -> Figure:
    lines = tuple(line for one in raw["line"] for line in read_lines(one))
    return Figure(raw["id"], raw["title"], raw["section"], raw["sentence"], raw["size_unit"], lines)


def read_lines(raw: dict[str, Any]) -> Iterator[Line]:
    """Read a line; one with several `blocks` or `inodes_per_block` stands for one line each."""
    run = Run.read(raw["run"])
    population = tuple(Run.read(one) for one in raw.get("population", ()))
    for block_bytes in raw.get("blocks", [run.block_bytes]):
        for inodes in raw.get("inodes_per_block", [run.inodes_per_block]):
            one = replace(run, block_bytes=block_bytes, inodes_per_block=inodes)
            label = raw["label"].format(block=units.size(block_bytes), inodes=inodes)
            yield Line(label, raw["measure"], one, population)


def _rows(study: Study, figure: Figure, line: Line) -> Iterator[dict[str, Any]]:
    counts = study.counts(line.run)
    sizes = counts.doublings
    counted, whole = parts(study, line, sizes)
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


def parts(study: Study, line: Line, sizes: Numbers) -> tuple[Numbers, Numbers]:
    """Return what a line counts at each size in blocks, and what it is a part of."""
    counts = study.counts(line.run)
    populations = [study.counts(run) for run in line.population]
    if line.measure in BYTES:
        whole = sum(
            float(one.of_directions(("read", "write"), "blocks", sizes[:1])[0]) * one.block_bytes
            for one in populations
        )
        return BYTES[line.measure](counts, sizes), np.full(len(sizes), whole)
    ratio = RATIOS[line.measure]
    own = populations if populations else [counts]
    return ratio.counted(counts, sizes), np.sum([ratio.whole(one, sizes) for one in own], axis=0)
