"""The report's figures as data: figures.toml lists its sections and, one entry each, its figures."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from iotrace.reports.pages.figures import Figure, Section

from iotrace.analysis.lines.line import read_lines
from iotrace.papers.richardson import cache_figures


@cache
def sections() -> tuple[Section, ...]:
    """Return the sections of figures.toml with their figures, in order."""
    raw = tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("figures.toml").read_text("utf-8"))
    found = [_figure(entry) for entry in raw["figure"]]
    return tuple(
        Section(**entry, figures=tuple(figure for figure in found if figure.section == entry["id"]))
        for entry in raw["section"]
    )


def sections_of(family: str) -> list[Section]:
    """Return the sections that have figures for a family of traces, with those."""
    chosen = [
        replace(section, figures=tuple(one for one in section.figures if family in one.families))
        for section in sections()
    ]
    return [section for section in chosen if section.figures]


def figures(family: str = "syscall") -> list[Figure]:
    """Return the figures for a family of traces, in the order of the page."""
    return [figure for section in sections_of(family) for figure in section.figures]


def _figure(entry: dict[str, Any]) -> Figure:
    """Read a figure; `lines_of` takes the lines of a figure of chapter 4, those alone that `only` names.

    `names` are what the lines are called instead.
    """
    lines = [line for raw in entry.pop("line", ()) for line in read_lines(raw)]
    if number := entry.pop("lines_of", None):
        theirs = {line.label: line for line in cache_figures.figures()[number].lines}
        lines += [theirs[label] for label in entry.pop("only", theirs)]
    if names := entry.pop("names", None):
        lines = [replace(line, label=name) for line, name in zip(lines, names, strict=True)]
    if families := entry.pop("families", None):
        entry["families"] = tuple(families)
    return Figure(lines=tuple(lines), **entry)
