"""Requests that the engine has read and checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.checks import TEXT
from iotrace.formats.disk_io.requests import FIELDS
from iotrace.libraries import pa, pl

if TYPE_CHECKING:
    from iotrace.engine.native import BlockRows


@dataclass(frozen=True)
class ParsedRequests:
    """The requests of a block of a trace, and why its other records are none.

    ``first`` is the number of the block's first record, and ``excerpt`` shows any record of the block.
    """

    rows: BlockRows
    first: int
    excerpt: Callable[[int], str]

    @cached_property
    def _skips(self) -> pa.RecordBatch:
        return self.rows.skipped(self.first)

    @property
    def has_skips(self) -> bool:
        """Whether there are records that are not requests; few traces have any, and need polars for them."""
        return bool(self._skips.num_rows)

    def skipped(self) -> pl.DataFrame:
        """Return the records that are not requests, each with the reason."""
        return pl.DataFrame(pl.from_arrow(self._skips)).with_columns(pl.col("reason").cast(pl.String))

    def frame(self) -> pl.DataFrame:
        """Return all records as `checks.checked` returns requests."""
        requests = pl.DataFrame(pl.from_arrow(self.rows.requests(self.first)))
        frame = pl.concat([requests, self.skipped()], how="diagonal").sort("record")
        return frame.select(
            *(
                (pl.col(name) if name in frame.columns else pl.lit(None))
                .cast(pl.String if name in TEXT else pl.Int64)
                .alias(name)
                for name in FIELDS
            ),
            pl.col("unaligned").fill_null(False),
        )
