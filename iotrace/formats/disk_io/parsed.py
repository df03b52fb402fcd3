"""Requests in their usual form, which the engine reads many millions a second, and all others for the slower readers.

What is in its usual form and makes sense gives the same row either way. What is not, or does not, is never judged by
the engine: it is read, checked and counted as the rest of this package does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.checks import TEXT
from iotrace.formats.disk_io.requests import FIELDS
from iotrace.formats.reading.batches import Batch
from iotrace.libraries import pl

if TYPE_CHECKING:
    from iotrace.engine.native import BlockRows


@dataclass(frozen=True)
class UsualLine:
    """What a line of a format usually looks like, in the engine's words (``block_trace::form`` there).

    ``fields`` has a word for each field of a line, ``device`` the template of a device's name, with {} for each field
    name or host, and ``operations`` what words mean.
    """

    fields: str
    device: str
    operations: Mapping[str, str]

    def form(self, separator: str) -> str:
        """Return it as the engine takes it."""
        return json.dumps(
            {
                "is_blank_separated": separator == " ",
                "fields": self.fields.split(),
                "device": self.device,
                "operations": list(self.operations.items()),
            }
        )


@dataclass(frozen=True)
class UsualRequests:
    """The requests of a block of a trace that are in the usual form, and those that are not.

    ``others`` is None where there are none. ``first`` is the number of the block's first record, and ``excerpt`` shows
    any record of the block.
    """

    rows: BlockRows
    first: int
    others: Batch | None
    excerpt: Callable[[int], str]

    def frame(self) -> pl.DataFrame:
        """Return those in the usual form as `checks.checked` returns requests."""
        frame = pl.DataFrame(pl.from_arrow(self.rows.requests(self.first)))
        return frame.select(
            *(
                (pl.col(name) if name in frame.columns else pl.lit(None))
                .cast(pl.String if name in TEXT else pl.Int64)
                .alias(name)
                for name in FIELDS
            ),
            pl.col("unaligned"),
        )
