"""The parts of a page: sections that each ask a question, and figures that answer it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from iotrace.analysis.lines.line import Line
from iotrace.families import FAMILIES


@dataclass(frozen=True)
class Figure:
    """One figure: what it says, where it comes from, and the function that draws it."""

    id: str
    section: str
    title: str
    caption: str
    draw: str
    """The name of a chart (`charts.registry`); or table, facts or capture, which are written."""
    query: str | None = None
    """The statistic that it shows; one of `iotrace.queries`."""
    table: str | None = None
    """Instead of a statistic: the name of a table that whoever composes the page makes."""
    producer: str | None = None
    """The name of who makes that table, or the lines' points, where a page has several."""
    lines: tuple[Line, ...] = ()
    """Instead of a statistic: lines over the size of a cache, as chapter 4 of the dissertation draws them."""
    source: str | None = None
    """Where the idea comes from, if the statistic does not say it."""
    wide: bool = False
    families: tuple[str, ...] = tuple(name for name, family in FAMILIES.items() if family.answers("accesses"))
    """The families of traces of which it shows something; if not said, those that are made of accesses."""
    is_of_paper: bool = False
    """Whether it is shown only where comparisons with papers are asked for."""
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Note:
    """A note on one figure, for these tables only, after its caption."""

    text: str
    is_not_computed: bool = False
    """Whether it says why the figure was not computed."""
    is_failure: bool = False
    """Whether that is a failure, not something that the trace lacks or a limit."""
    needs_memory: bool = False
    """Whether it takes more than --memory allows."""


@dataclass(frozen=True)
class Section:
    """A question that a user asks, and the figures that answer it."""

    id: str
    question: str
    lead: str
    figures: tuple[Figure, ...]
    is_optional: bool = False
    """Whether it is left out where none of its figures has a row, and not listed among what is left out."""
    how: str = ""
    """More about how its figures are made, behind the lead, which folds away."""
    command: str = ""
    """The command that says the same on the terminal; TRACE stands for the trace."""
    answers: str = ""
    """The answer of the first screen that it explains: time or cache."""
    on_request_for: tuple[str, ...] = ()
    """The families of traces whose pages have it only if it is asked for."""
