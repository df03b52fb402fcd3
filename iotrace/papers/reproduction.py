"""Requests for a paper's reproduction, and its results: tables, and a page of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from iotrace.files.remote import Place
from iotrace.libraries import pa
from iotrace.papers.options import Options

if TYPE_CHECKING:
    from iotrace.store.store import Store


class Progress(Protocol):
    """Called with a few words on what is being done, and which part of all is done where that is known."""

    def __call__(self, task: str, part: float | None = None, /) -> None:
        """Show it."""


def silent(task: str, part: float | None = None, /) -> None:
    """Show nothing."""


class PaperPart(StrEnum):
    """The requested output: the page with all tables, or the cells of the paper's tables, or the findings, alone."""

    PAGE = "page"
    CELLS = "cells"
    FINDINGS = "findings"


@dataclass(frozen=True)
class PaperRequest:
    """A reproduction as it is asked for: of which traces, by their names, and with which options."""

    part: PaperPart
    traces: Mapping[str, Place]
    open: Callable[[Place, list[str] | None], Store]
    """Opens a trace by a model of the file system, the usual one for None."""
    warn: Callable[[str], None]
    model: list[str] | None = None
    to_read: bool = False
    """Whether tables are for a terminal, which does not fit all columns."""
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class PaperResult:
    """The tables by name, for the page its HTML, and what a terminal says of them."""

    tables: Mapping[str, pa.Table]
    html: str = ""
    text: str = ""


Work = Callable[[Progress], PaperResult]
"""The work that remains once the traces are open: all that takes long."""
