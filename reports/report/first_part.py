"""The first part of a long trace, of which simulations that take long are made."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.block_budget import lengths_of, moving


@dataclass
class FirstPart:
    """Takes the first of a stream of references, until they have enough requests, or touch enough blocks."""

    most_requests: int
    most_blocks: int
    block_bytes: int
    requests: int = field(default=0, init=False)
    """How many requests were taken."""
    is_cut: bool = field(default=False, init=False)
    """Whether there are more."""
    _blocks: float = field(default=0.0, init=False)

    def of(self, references: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give the first references, batch by batch; the very first request is taken however large it is."""
        for batch in references:
            moves = moving(batch).to_numpy(zero_copy_only=False)
            bytes_ = pc.fill_null(lengths_of(batch), 0).to_numpy(zero_copy_only=False).astype(np.float64)
            requests = self.requests + np.cumsum(moves)
            blocks = self._blocks + np.cumsum(np.where(moves, np.ceil(bytes_ / self.block_bytes), 0))
            fits = (requests <= self.most_requests) & ((blocks <= self.most_blocks) | (requests <= 1))
            rows = len(fits) if fits.all() else int(np.argmin(fits))
            if rows:
                self.requests, self._blocks = int(requests[rows - 1]), float(blocks[rows - 1])
                yield batch.slice(0, rows)
            if rows < len(fits):
                self.is_cut = True
                return

    def sentence(self, command: str) -> str:
        """Return what to say of the figures; nothing where all was simulated."""
        if not self.is_cut:
            return ""
        return f"The first {self.requests:,} requests were simulated; {command} simulates all."
