"""How many blocks a simulation may touch: a few records of huge length must not take all memory, or hours.

The work and memory of a simulator follow the blocks that requests touch. `BLOCKS_PER_REQUEST` of each request are
free, so that a trace of many requests is never refused for its length; what its requests touch beyond them is limited
by a budget, which every simulator states when it refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from threading import Lock

from iotrace.errors import IotraceError
from iotrace.libraries import np, pa

BLOCKS_PER_REQUEST = 64
"""Blocks of each request that are not counted."""
MOVES = ("read", "write", "update", "sync_write")
_COUNTING = Lock()
"""Held while counts change: slices of a trace may be counted at the same time."""


class Budget(IntEnum):
    """Blocks that the requests of a simulation may touch by default, beyond `BLOCKS_PER_REQUEST` of each.

    Each is chosen by what a simulator keeps for a block and how long it takes for one.
    """

    CLUSTER = 1 << 20
    PARALLEL = 1 << 22
    NONVOLATILE = 1 << 21
    CURVE = 12 << 20
    ATTRIBUTE = 1 << 23
    PATTERNS = 1 << 24
    WRITE_CACHE = 1 << 24


@dataclass(frozen=True)
class Spent:
    """Blocks that consecutive requests touched; sums of neighbours are exact."""

    requests: int
    touched: float
    peak: float
    """The most blocks touched at any time beyond `BLOCKS_PER_REQUEST` of each request so far."""

    def __add__(self, right: Spent) -> Spent:
        """Return what these touched and those that follow."""
        before = self.touched - BLOCKS_PER_REQUEST * self.requests
        peak = max(self.peak, before + right.peak)
        return Spent(self.requests + right.requests, self.touched + right.touched, peak)


@dataclass
class BlockBudget:
    """Counts the blocks that requests touch, and refuses those beyond a budget."""

    blocks: int
    """The most blocks, beyond `BLOCKS_PER_REQUEST` of each request."""
    block_bytes: int
    advice: str
    """How to touch fewer blocks or allow more, in a sentence after a colon."""
    rows_before: int = 0
    """Of a slice: how many rows precede it, whose requests may have touched fewer blocks than they were free to."""
    requests: int = field(default=0, init=False)
    touched: float = field(default=0.0, init=False)
    _peak: float = field(default=0.0, init=False)

    @property
    def spent(self) -> Spent:
        """Blocks that the requests so far touched."""
        return Spent(self.requests, self.touched, self._peak)

    def of_slice(self, rows_before: int) -> BlockBudget:
        """Return the budget of a slice, which never refuses what the whole may touch; see `refuse_beyond`."""
        return BlockBudget(self.blocks, self.block_bytes, self.advice, rows_before)

    def refuse_beyond(self, spent: Spent) -> None:
        """Raise IotraceError, which states the budget, where slices together touched more blocks."""
        if spent.peak > self.blocks:
            raise self._refusal(spent)

    def spend(self, lengths: pa.Array | pa.ChunkedArray) -> None:
        """Count requests of these lengths in bytes (whole or not); a null length counts as none.

        Raises IotraceError, which states the budget, where the requests so far touch more blocks.
        """
        import pyarrow.compute as pc

        # whole numbers would overflow
        self.spend_bytes(pc.fill_null(lengths, 0).to_numpy().astype(np.float64))

    def spend_bytes(self, bytes_: np.ndarray) -> None:
        """Count requests of these lengths in bytes; see `spend`."""
        self._spend(len(bytes_), float(np.ceil(bytes_ / self.block_bytes).sum()))

    def _spend(self, requests: int, touched: float) -> None:
        with _COUNTING:
            self.requests += requests
            self.touched += touched
            beyond = self.touched - BLOCKS_PER_REQUEST * self.requests
            self._peak = max(self._peak, beyond)
        if beyond > self.blocks + BLOCKS_PER_REQUEST * self.rows_before:
            raise self._refusal(self.spent)

    def _refusal(self, spent: Spent) -> IotraceError:
        return IotraceError(
            f"{spent.requests:,} requests touch {spent.touched:,.0f} blocks of {self.block_bytes:,} bytes;"
            f" the budget is {self.blocks:,} blocks and {BLOCKS_PER_REQUEST} more for each request: {self.advice}"
        )

    def watched(self, references: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give references on, batch by batch, and count the blocks that their reads and writes touch.

        A read or write of unknown length reaches to the file's end, where that is known.
        """
        for batch in references:
            self.count(batch)
            yield batch

    def count(self, references: pa.RecordBatch) -> None:
        """Count the blocks that reads and writes touch, as `watched` does."""
        from iotrace.analysis.curves.stream import names
        from iotrace.engine.native import touched_blocks

        columns = {"operation": names(references["operation"])}
        for name in ("length", "offset", "file_size"):
            if name in references.schema.names:
                columns[name] = references[name]
        requests, touched = touched_blocks(pa.record_batch(columns), self.block_bytes)
        self._spend(requests, float(touched))


def moving(references: pa.RecordBatch) -> pa.BooleanArray:
    """Return which references are reads and writes."""
    import pyarrow.compute as pc

    operation = references["operation"]
    if not pa.types.is_dictionary(operation.type):
        return pc.is_in(operation, pa.array(MOVES, operation.type))
    names = operation.dictionary
    return pc.fill_null(pc.is_in(names, pa.array(MOVES, names.type)).take(operation.indices), False)


def lengths_of(requests: pa.RecordBatch) -> pa.Array:
    """Return the lengths in bytes of reads and writes; see `moved`."""
    import pyarrow.compute as pc

    lengths = requests["length"]
    if lengths.null_count and {"file_size", "offset"} <= set(requests.schema.names):
        to_end = _difference(requests["file_size"], pc.fill_null(requests["offset"], 0))
        lengths = pc.coalesce(lengths.cast("float64", safe=False), pc.max_element_wise(0.0, to_end))
    return lengths


def _difference(ends: pa.Array, starts: pa.Array) -> pa.Array:
    """Return lengths as floating-point numbers, which do not overflow."""
    import pyarrow.compute as pc

    return pc.subtract(ends.cast("float64", safe=False), starts.cast("float64", safe=False))
