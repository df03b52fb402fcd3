"""A table's Parquet file as it is written: the engine encodes row groups, and this writes their bytes."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from iotrace.engine import native
from iotrace.errors import IotraceError

MAGIC = b"PAR1"
LENGTH_BYTES = 4
Form = tuple[str, str, bool]
"""How a column is stored: its codec, "lz4" or "zstd"; its encoding, "plain", "differences" or "dictionary"; and whether
row groups have its least and largest value."""


class StoredGroups:
    """A Parquet file that `TableFile` wrote, whose row groups are to be taken over."""

    def __init__(self, path: Path) -> None:
        """Read the file's footer; raises OSError, and IotraceError where it is none of a table of a store."""
        self._path = path
        self._file = path.open("rb")
        try:
            self.layout = native.ParquetLayout(self._footer())
        except ValueError as error:
            self.close()
            raise IotraceError(f"{path}: {error}") from None
        self._groups = self.layout.groups()

    def _footer(self) -> bytes:
        ending = LENGTH_BYTES + len(MAGIC)
        size = self._file.seek(0, 2)
        self._file.seek(max(0, size - ending))
        end = self._file.read()
        footer_bytes = int.from_bytes(end[:LENGTH_BYTES], "little")
        if end[LENGTH_BYTES:] != MAGIC or footer_bytes > size - ending:
            raise ValueError("the file is not Parquet")
        self._file.seek(size - ending - footer_bytes)
        return self._file.read(footer_bytes)

    def __len__(self) -> int:
        return len(self._groups)

    def rows(self, number: int) -> int:
        """Return the number of a row group's rows."""
        return self._groups[number][2]

    def read(self, number: int) -> bytes:
        """Return a row group as it is stored; raises IotraceError where the file ends before it."""
        start, size, _ = self._groups[number]
        self._file.seek(start)
        stored = self._file.read(size)
        if len(stored) < size:
            raise IotraceError(f"{self._path}: the file ends within a row group")
        return stored

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class TableFile:
    """Writes one Parquet file; raises OSError where that fails."""

    def __init__(self, path: Path, schema: pa.Schema, forms: Sequence[Form]) -> None:
        metadata = {**(schema.metadata or {}), b"ARROW:schema": base64.b64encode(schema.serialize())}
        self._encoder = native.ParquetEncoder(schema, list(forms), list(metadata.items()))
        self._file = path.open("wb")

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a batch as one row group."""
        self._file.write(self._encoder.row_group(batch))

    def copy(self, stored: StoredGroups, number: int, newer: pa.RecordBatch | None = None) -> None:
        """Write a row group of another file, with the columns of a batch in place of its own."""
        group = self._encoder.amended_group(stored.layout, number, stored.read(number), newer)
        self._file.write(group)

    def close(self) -> None:
        """Write what ends the file, and close it, unless it is closed."""
        if self._file.closed:
            return
        with self._file:
            self._file.write(self._encoder.end())
