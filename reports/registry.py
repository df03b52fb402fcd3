"""The figures as data: figures.toml lists the sections of the report and, one entry each, its figures."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

WritePolicy = Literal["allocate", "no-allocate", "data-overwrite"]


@dataclass(frozen=True)
class Run:
    """One pass of the stack-distance engine: which references, in what cache.

    Figures that want the same run share it.
    """

    where: str = "true"
    """An SQL condition on table reference; deletions and truncations always pass."""
    block_bytes: int = 4096
    write_policy: WritePolicy = "allocate"
    inodes_per_block: int | None = None


@dataclass(frozen=True)
class Line:
    """One line of a figure of curves: a run, and what is drawn of it."""

    label: str
    run: Run
    measure: str = ""
    """An SQL expression over the columns of table curve, the macros of iotrace.queries and a store's views."""
    color: str = "ink"
    dash: str = "solid"


@dataclass(frozen=True)
class Figure:
    """One figure: what it says, where it comes from, and the function that draws it."""

    id: str
    section: str
    title: str
    caption: str
    draw: str
    """The name of a function of `iotrace.reports.drawings`."""
    query: str | None = None
    """The statistic that it shows; one of `iotrace.queries`."""
    table: str | None = None
    """Instead of a statistic: a table that `iotrace.reports.evidence` makes."""
    lines: tuple[Line, ...] = ()
    """Instead of a statistic: curves."""
    source: str | None = None
    """Where the idea comes from, if the statistic does not say it."""
    wide: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A question that a user asks, and the figures that answer it."""

    id: str
    question: str
    lead: str
    figures: tuple[Figure, ...]


@cache
def sections() -> tuple[Section, ...]:
    """Return the sections of figures.toml with their figures, in order."""
    raw = tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("figures.toml").read_text("utf-8"))
    figures = [_figure(entry) for entry in raw["figure"]]
    return tuple(
        Section(**entry, figures=tuple(figure for figure in figures if figure.section == entry["id"]))
        for entry in raw["section"]
    )


def figures() -> list[Figure]:
    """Return all figures, in the order of the page."""
    return [figure for section in sections() for figure in section.figures]


def _figure(entry: dict[str, Any]) -> Figure:
    shared = entry.pop("each", {})
    lines = tuple(_line({**shared, **line}) for line in entry.pop("line", ()))
    return Figure(lines=lines, **entry)


def _line(entry: dict[str, Any]) -> Line:
    own = {name: entry.pop(name) for name in ("label", "measure", "color", "dash") if name in entry}
    return Line(run=Run(**entry), **own)
