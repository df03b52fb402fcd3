"""Calls that the engine has read and checked, some millions a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iotrace.formats.parallel_io.accesses import NUMBERS, TEXTS
from iotrace.formats.reading.batches import Batch
from iotrace.libraries import pl

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows


@dataclass(frozen=True)
class ParsedCalls:
    """The calls of a block of a trace, and why its other lines are none.

    ``first`` is the number of the block's first line, ``keys`` are what distinguishes the processes of `rows`, and
    ``excerpt`` shows any line.
    """

    rows: CallRows
    first: int
    keys: Sequence[str]
    excerpt: Callable[[int], str]

    def batch(self) -> Batch:
        """Return all lines in their order, as `accesses.frame_of` returns calls."""
        frame = pl.concat([self._frame(), self.skipped()], how="diagonal").sort("record")
        return Batch(frame, (), self.excerpt)

    def skipped(self) -> pl.DataFrame:
        """Return the lines that are not calls, each with the reason."""
        return pl.DataFrame(pl.from_arrow(self.rows.skips(self.first))).with_columns(
            pl.col("reason").cast(pl.String)
        )

    def _frame(self) -> pl.DataFrame:
        calls = pl.DataFrame(pl.from_arrow(self.rows.calls(self.first)))
        calls = calls.with_columns(
            file=_taken(self.rows.files, calls["file"]),
            host=_taken(self.rows.hosts, calls["host"]),
            process_key=_taken(self.keys, calls["key"]),
        )
        return calls.select(
            (pl.col(name) if name in calls.columns else pl.lit(None))
            .cast(pl.String if name in TEXTS else pl.Int64)
            .alias(name)
            for name in (*NUMBERS, *TEXTS)
        )


def _taken(names: Sequence[str], places: pl.Series) -> pl.Series:
    return pl.Series(names, dtype=pl.String).gather(places.set(places < 0, None))
