"""Block traces that are records of one width, as a C program writes its structs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.formats.disk_io.parsed import ParsedRequests
from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.libraries import np, pl

BATCH_RECORDS = 1 << 17


def parsed_requests(block: bytes, kind: str, first: int, excerpt: Callable[[int], str]) -> ParsedRequests:
    """Return the requests of records of block traces that the engine reads."""
    from iotrace.engine import native

    return ParsedRequests(native.block_records(block, kind), first, excerpt)


@dataclass(frozen=True)
class Records:
    """The records of a file: their fields, their requests, and the bytes of header before them.

    ``requests`` are a batch's columns of some records, or the engine's word for such records, where it reads them.
    """

    dtype: Any
    """An argument of `numpy.dtype`."""
    requests: Callable[[np.ndarray], Mapping[str, Any]] | str
    required: Sequence[str] = ()
    header_bytes: int = 0
    parsed: Callable[[bytes, str, int, Callable[[int], str]], Any] = parsed_requests
    """A block that the engine has read, as the run takes it, from its word, the first record's number and excerpts."""
    refused: Callable[[np.ndarray], tuple[int, str] | None] = lambda records: None
    """The place of the first record of a batch that shows that the trace is none of this kind, and the reason."""


class RecordSource:
    """Files of records being read; `layout` finds their form from a file's first bytes, None if it cannot."""

    def __init__(
        self,
        paths: Sequence[Path],
        layout: Callable[[bytes], Records | None],
        name: str,
        base: str = "relative",
    ) -> None:
        self.name = name
        self.layout = layout
        self.notes = SourceNotes(base=base)
        self.reading = Reading(paths, self.notes)
        self._records: Records | None = None
        self._number = 0

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.reading.progress()

    def next(self) -> Any:
        """Return the requests of the next records; raises IotraceError for a file that is not of the format."""
        width = np.dtype(self._records.dtype).itemsize if self._records is not None else 0
        block, is_first = self.reading.read(BATCH_RECORDS * (width or 1 << 5))
        if not block:
            return None
        if is_first:
            self._records, self._number = self.layout(block), 0
            block = block[self._records.header_bytes if self._records else 0 :]
        if self._records is None:
            raise IotraceError(f"{self.reading.path}: is not in format {self.name}")
        dtype = np.dtype(self._records.dtype)
        if is_first and (missing := -len(block) % dtype.itemsize):
            block += self.reading.read_on(missing)
        whole, cut = divmod(len(block), dtype.itemsize)
        records = np.frombuffer(block, dtype, whole)
        first = self._number + 1
        self._number += whole
        self.notes.records += whole
        if refusal := self._records.refused(records):
            index, reason = refusal
            raise IotraceError(f"{self.reading.path}: record {first + index}: {reason}")
        if cut:
            self.notes.records += 1

        def excerpt(record: int) -> str:
            return _shown(block, record - first, dtype.itemsize)

        if isinstance(self._records.requests, str):
            return self._records.parsed(block, self._records.requests, first, excerpt)
        frame = pl.DataFrame(
            {
                "record": np.arange(first, first + whole, dtype=np.int64),
                **self._records.requests(records),
            }
        )
        if cut:
            last = pl.DataFrame({"record": [first + whole], "reason": ["cut short"]})
            frame = pl.concat([frame, last], how="diagonal")
        return Batch(frame, self._records.required, excerpt)


def _shown(block: bytes, index: int, width: int) -> str:
    return block[index * width : (index + 1) * width].hex(" ", 4)


def first_records(head: bytes, fields: Any, most: int) -> np.ndarray:
    """Return the complete records at the beginning of some bytes, at most ``most``."""
    dtype = np.dtype(fields)
    count = min(most, len(head) // dtype.itemsize)
    return np.frombuffer(head[: count * dtype.itemsize], dtype) if count else np.empty(0, dtype)


def words(places: np.ndarray, meanings: Mapping[int, str | None]) -> pl.Series:
    """Return what small numbers mean, null for those without a meaning."""
    numbers = pl.Series(places.astype("int64"))
    return numbers.replace_strict(dict(meanings), default=None, return_dtype=pl.String)
