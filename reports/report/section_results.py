"""Parts of a report that are made one by one: one that fails costs its figures, never the page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from iotrace.reports.pages.attempted import Failure, attempted
from iotrace.reports.pages.figures import Figure, Note

from iotrace.analysis.characterize import Shortage


@dataclass
class SectionResults:
    """The tables and notes of figures that could be made."""

    tables: dict[str, pa.Table] = field(default_factory=dict)
    """By what figures call them."""
    notes: dict[str, Note] = field(default_factory=dict)
    """By figure."""
    failures: dict[str, Note] = field(default_factory=dict)
    """Why figures could not be made, by their ids."""

    def add(
        self,
        figures: Sequence[Figure],
        make: Callable[[], tuple[Mapping[str, pa.Table], Mapping[str, Note]]],
    ) -> None:
        """Make tables, and notes on the figures that show them; where that fails, say why of each figure."""
        results, why = attempted(make)
        if results is not None:
            self.tables |= results[0]
            self.notes |= results[1]
        if why:
            note = Note(
                f"Not computed: {why}.",
                is_not_computed=True,
                is_failure=isinstance(why, Failure),
                needs_memory=isinstance(why, Shortage),
            )
            self.failures |= {figure.id: note for figure in figures}

    def table(self, figure: Figure, name: str) -> pa.Table:
        """Return a figure's table by name, without rows where it could not be made; raises KeyError if unknown."""
        if name not in self.tables and figure.id in self.failures:
            return pa.table({})
        return self.tables[name]
