"""Parts of a report that are made one by one: one that fails costs its figures, never the page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from iotrace.reports.pages.attempted import Failure, attempted
from iotrace.reports.pages.figures import Figure, Note


@dataclass
class SectionResults:
    """The tables and notes of figures that could be made."""

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
        results, why = attempted(make)
        if results is not None:
            self.tables |= results[0]
            self.notes |= results[1]
        if why:
            note = Note(f"Not computed: {why}.", is_not_computed=True, is_failure=isinstance(why, Failure))
            self._failed.append((shown_in, note))

    def table(self, figure: Figure, name: str) -> pa.Table:
        """Return a figure's table by name, without rows where it could not be made; raises KeyError if unknown."""
        if name not in self.tables and self.failures([figure]):
            return pa.table({})
        return self.tables[name]

    def failures(self, figures: Sequence[Figure]) -> dict[str, Note]:
        """Return why figures could not be made, by their ids."""
        return {figure.id: note for shown_in, note in self._failed for figure in figures if shown_in(figure)}
