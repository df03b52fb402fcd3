"""Requests for keys that the engine has read from records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iotrace.formats.reading.batches import Batch
from iotrace.libraries import pl

if TYPE_CHECKING:
    from iotrace.engine.native import KeyRows


@dataclass(frozen=True)
class ParsedKeys:
    """The requests of a block of a trace, whose last record may be cut short.

    ``operation_name`` is what a number of an operation means, None for none. ``first`` is the number of the block's
    first record, and ``excerpt`` shows any record.
    """

    rows: KeyRows
    operation_name: Callable[[int], str | None]
    first: int
    excerpt: Callable[[int], str]

    def operations(self) -> dict[int, str]:
        """Return the names of operations by their numbers, in the order of first sight."""
        names = {code: self.operation_name(code) for code in self.rows.operations}
        return {code: name for code, name in names.items() if name is not None}

    def tenants(self) -> dict[int, str]:
        """Return the names of tenants likewise."""
        return {code: str(code) for code in self.rows.tenants}

    def skipped(self) -> pl.DataFrame:
        """Return the record that is cut short, with the reason; none if all are whole."""
        cut = [self.first + len(self.rows)] if self.rows.is_cut else []
        return pl.DataFrame({"record": pl.Series(cut, dtype=pl.Int64), "reason": ["cut short"] * len(cut)})

    def batch(self) -> Batch:
        """Return all records."""
        frame = pl.DataFrame(pl.from_arrow(self.rows.requests(self.first)))
        names = {"operation": self.operations(), "tenant": self.tenants()}
        named = [
            pl.col(name).replace_strict(of, default=None, return_dtype=pl.String)
            for name, of in names.items()
            if name in frame.columns
        ]
        return Batch(pl.concat([frame.with_columns(named), self.skipped()], how="diagonal"), (), self.excerpt)
