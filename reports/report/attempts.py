"""Parts of a report that are made one by one: one that fails costs its figures, never the page."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pyarrow as pa
from iotrace.reports.pages.figures import Figure, Note

from iotrace.errors import UnusableStoreError, reason

Made = TypeVar("Made")
INTERRUPTIONS = ("InterruptException",)
"""What DuckDB raises where the user interrupts a query: it ends the program."""


@dataclass
class Attempts:
    """The tables and notes of figures, as far as they could be made."""

    tables: dict[str, pa.Table] = field(default_factory=dict)
    """By what figures call them."""
    notes: dict[str, Note] = field(default_factory=dict)
    """By figure."""
    _failed: list[tuple[Callable[[Figure], bool], Note]] = field(default_factory=list)

    def add(self, shown_in: Callable[[Figure], bool], make: Callable[[], Mapping[str, pa.Table]]) -> None:
        """Make some tables; where that fails, say why of each figure that shows them."""
        self.add_noted(shown_in, lambda: (make(), {}))

    def add_noted(
        self,
        shown_in: Callable[[Figure], bool],
        make: Callable[[], tuple[Mapping[str, pa.Table], Mapping[str, Note]]],
    ) -> None:
        """Make some tables, and notes on the figures that show them."""
        made, why = attempted(make)
        if made is not None:
            self.tables |= made[0]
            self.notes |= made[1]
        if why:
            self._failed.append((shown_in, Note(f"Not computed: {why}.", is_not_computed=True)))

    def table(self, figure: Figure, name: str) -> pa.Table:
        """Return a figure's table by name, without rows where it could not be made; raises KeyError if unknown."""
        if name not in self.tables and self.failures([figure]):
            return pa.table({})
        return self.tables[name]

    def failures(self, figures: Sequence[Figure]) -> dict[str, Note]:
        """Return why figures could not be made, by their ids."""
        return {figure.id: note for shown_in, note in self._failed for figure in figures if shown_in(figure)}


def attempted(make: Callable[[], Made]) -> tuple[Made | None, str | None]:
    """Return what is made, or None and why it could not be, in one line.

    Raises UnusableStoreError; and what goes wrong with IOTRACE_TRACEBACK in the environment, as everywhere.
    """
    try:
        return make(), None
    except UnusableStoreError:
        raise
    except Exception as error:
        if type(error).__name__ in INTERRUPTIONS or os.environ.get("IOTRACE_TRACEBACK"):
            raise
        return None, sentence(error)


def sentence(error: Exception) -> str:
    """Return what went wrong in one line, without a full stop."""
    words: Any = reason(error).strip() or type(error).__name__
    return str(words.splitlines()[0]).removesuffix(".")
