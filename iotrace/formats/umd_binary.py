"""Binary traces of the University of Maryland (mambo): C structs as a program of some machine wrote them.

A header (32-bit counts of processes, files and records, and the bytes from its end to the records; then a pointer that
means nothing), for each file the length of its name and a pointer, the names, and records: 32-bit op, numRecords, pid,
fileId, 64-bit wall and process clock, and offset and length as C longs. Of machines with 64-bit longs the parts are 24,
16 and 48 bytes, of those with 32-bit longs 20, 8 and 40; either in either byte order. Which it is, follows from whether
the table of names fits the offset, the first records make sense, and the file's size fits the count of records.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iotrace.errors import IotraceError
from iotrace.formats.parallel_io.accesses import ParallelSource
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.umd import (
    FIELDS,
    LIST_IO,
    NAMES,
    READ,
    WRITE,
    Lists,
    Seen,
    announced,
    file_name,
)
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.files import HEAD_BYTES
from iotrace.libraries import np, pl

BATCH_RECORDS = 1 << 17
READ_BYTES = 1 << 20
LONGEST_NAME = 4096
NAME_STEP = 4
"""Names are padded to a multiple of it."""
LARGEST_NUMBER = 1 << 24
"""A first record with a larger process number is taken for one of another layout."""
LATEST_S = 4e9
COUNTS_BYTES = 16
MOST_FITTING = 3


@dataclass(frozen=True)
class Layout:
    """How a machine lays the structs out."""

    name: str
    order: str
    """As `struct` writes it: < for little-endian, > for big-endian."""
    header_bytes: int
    entry_bytes: int
    long: str
    """As NumPy writes it."""

    @property
    def dtype(self) -> np.dtype[np.void]:
        """The layout of a record."""
        kinds = ("i4", "i4", "i4", "i4", "f8", "f8", self.long, self.long)
        return np.dtype([(name, self.order + kind) for name, kind in zip(FIELDS, kinds, strict=True)])

    def counts(self, head: bytes) -> tuple[int, int, int, int] | None:
        """Return processes, files, records, and the bytes from the header's end to the records."""
        if len(head) < COUNTS_BYTES:
            return None
        processes, files, records, offset = struct.unpack_from(f"{self.order}4i", head)
        return processes, files, records, offset

    def lengths(self, table: bytes) -> list[int]:
        """Return the lengths of names in a table, or in its beginning."""
        count = len(table) // self.entry_bytes
        entry = f"{self.order}i{self.entry_bytes - 4}x"
        return [length for (length,) in struct.iter_unpack(entry, table[: count * self.entry_bytes])]


LAYOUTS = (
    Layout("umd-lp64-le", "<", 24, 16, "i8"),
    Layout("umd-ilp32-be", ">", 20, 8, "i4"),
    Layout("umd-ilp32-le", "<", 20, 8, "i4"),
    Layout("umd-lp64-be", ">", 24, 16, "i8"),
)


def fit(layout: Layout, head: bytes) -> int:
    """Return how well a file's beginning fits a layout: 0 not at all, 3 if everything that can be checked fits."""
    return _judged(layout, head)[0]


def _judged(layout: Layout, head: bytes) -> tuple[int, int]:
    """Return how well a file's beginning fits, and its number of files.

    A count of files that does not fit is not believed where the table's lengths of names reach to the offset. Counts of
    processes and records below 0, as of a trace of more than 2^31 records, are borne where all else fits.
    """
    counts = layout.counts(head)
    if counts is None:
        return 0, 0
    processes, files, records, offset = counts
    if offset < 0:
        return 0, 0
    score = _fit_of(layout, head, files, offset) if files > 0 else 0
    if processes < 0 or records < 0:
        return (2, files) if score == MOST_FITTING else (0, 0)
    if score > 1:
        return score, files
    by_offset = _files_by_offset(layout, head, offset)
    if (
        by_offset is not None
        and by_offset != files
        and _fit_of(layout, head, by_offset, offset) == MOST_FITTING
    ):
        return 2, by_offset
    return score, files


def _fit_of(layout: Layout, head: bytes, files: int, offset: int) -> int:
    """Return how well a file's beginning fits a layout and a number of files."""
    names_at = layout.header_bytes + files * layout.entry_bytes
    lengths = layout.lengths(head[layout.header_bytes : names_at])
    if any(not 1 <= length <= LONGEST_NAME for length in lengths):
        return 0
    names_end = names_at + sum(lengths)
    whole = len(lengths) == files
    if not whole and len(head) >= HEAD_BYTES:
        return _fits_in_part(lengths, files * layout.entry_bytes, files, offset)
    fits_offset = whole and offset == names_end - layout.header_bytes
    names = head[names_at:names_end]
    if any(byte < 32 for byte in names.rstrip(b"\0").replace(b"\0", b"")):
        return 0
    if not whole or len(head) < names_end:
        is_likely = fits_offset or (not whole and _has_room(files, offset - files * layout.entry_bytes))
        return 1 if is_likely and len(head) < HEAD_BYTES else 0
    sane = _are_sane(layout, head[names_end:])
    return (2 if fits_offset else 0) + (1 if sane else 0)


def _has_room(files: int, names_bytes: int) -> bool:
    """Return whether the names of `files` files can take `names_bytes` bytes."""
    return NAME_STEP * files <= names_bytes <= LONGEST_NAME * files


def _files_by_offset(layout: Layout, head: bytes, offset: int) -> int | None:
    """Return after how many files the table and its names end at the offset; None if never."""
    end = 0
    for files, length in enumerate(layout.lengths(head[layout.header_bytes :][:offset]), 1):
        end += layout.entry_bytes + length
        if not 1 <= length <= LONGEST_NAME or end > offset:
            return None
        if end == offset:
            return files
    return None


def _fits_in_part(lengths: list[int], table_bytes: int, files: int, offset: int) -> int:
    """Return how well a table of more files than the beginning shows fits: by its lengths, and by their mean."""
    fits = bool(lengths) and _has_room(files, offset - table_bytes)
    return 2 if fits and all(length % NAME_STEP == 0 for length in lengths) else 0


def _are_sane(layout: Layout, block: bytes) -> bool:
    """Return whether the first records, of which there must be one, look like records."""
    dtype = layout.dtype
    records = np.frombuffer(block, dtype, min(8, len(block) // dtype.itemsize))
    return bool(
        len(records)
        and np.all((records["op"] >= 0) & (records["op"] < len(NAMES)))
        and np.all((records["pid"] >= 0) & (records["pid"] < LARGEST_NUMBER))
        and np.all((records["wall"] >= 0) & (records["wall"] < LATEST_S))
        and np.all((records["offset"] >= 0) & (records["length"] >= 0))
    )


def layout_of(head: bytes) -> Layout | None:
    """Return the layout that a file's beginning fits best; None if it fits none."""
    fits = [(fit(layout, head), -index) for index, layout in enumerate(LAYOUTS)]
    best, index = max(fits)
    return LAYOUTS[-index] if best else None


class UmdSource(ParallelSource):
    """The records of binary traces."""

    def __init__(self, paths: Sequence[Path], forced: Layout | None) -> None:
        super().__init__(paths)
        self.forced = forced
        self.layout = forced or LAYOUTS[0]
        self.names: list[str] = []
        self.lists = Lists(self.notes)
        self._kept = b""
        self._said: int | None = None
        self._number = 0
        self._said_processes = 0
        self._seen = Seen()

    def next(self) -> Batch | None:
        """Return the calls of the next records; raises IotraceError for a file that is no such trace."""
        dtype = self.layout.dtype
        part, is_first = self.reading.read(max(READ_BYTES, BATCH_RECORDS * dtype.itemsize))
        if is_first or not part:
            self._finish()
        if not part:
            return None
        if is_first:
            part = self._begin(part)
            dtype = self.layout.dtype
        block = self._kept + part
        count = len(block) // dtype.itemsize
        self._kept = block[count * dtype.itemsize :]
        records = np.frombuffer(block, dtype, count)
        first = self._number + 1
        self._number += count
        self.notes.records += count
        return Batch(
            self._calls(records, first),
            ("process", "operation", "time_ns", "file"),
            lambda record: block[(record - first) * dtype.itemsize :][: dtype.itemsize].hex(" ", 4),
        )

    def _begin(self, part: bytes) -> bytes:
        """Read header, table and names; return what follows them."""
        layout = self.forced or layout_of(part)
        if layout is None:
            raise IotraceError(
                f"{self.reading.path}: is not a UMD trace: its header fits none of the layouts"
            )
        self.layout, self._number = layout, 0
        counts = layout.counts(part)
        fits, judged = _judged(layout, part)
        if counts is None or (judged if fits else counts[1]) < 0:
            raise IotraceError(f"{self.reading.path}: is not a UMD trace: its header is cut short or invalid")
        self._said_processes, said_files, self._said, offset = counts
        files = judged if fits else said_files
        table_end = layout.header_bytes + files * layout.entry_bytes
        part = self._more(part, table_end)
        lengths = layout.lengths(part[layout.header_bytes : table_end])
        if any(length < 0 for length in lengths):
            raise IotraceError(
                f"{self.reading.path}: is not a UMD trace: a file's name has a negative length"
            )
        names_end = table_end + sum(lengths)
        part = self._more(part, names_end)
        if len(part) < names_end:
            raise IotraceError(f"{self.reading.path}: is cut short in the table of files")
        self.names, at = [], table_end
        for length in lengths:
            self.names.append(part[at : at + length].rstrip(b"\0").decode("utf-8", "replace"))
            at += length
        announced(self.notes, "files", said_files, files)
        if offset != names_end - layout.header_bytes:
            self.notes.warnings.append(
                f"the header says that the records begin at byte {layout.header_bytes + offset:,}, they begin where"
                f" the names end, at byte {names_end:,}"
            )
        return part[names_end:]

    def _more(self, part: bytes, count: int) -> bytes:
        """Return at least ``count`` bytes of the file, if it has them."""
        parts, size = [part], len(part)
        while size < count:
            further = self.reading.read_on(READ_BYTES)
            if not further:
                break
            parts.append(further)
            size += len(further)
        return b"".join(parts)

    def _finish(self) -> None:
        """Report how the file before, if any, differs from what its header announced."""
        self.lists.end()
        if self._kept:
            self.notes.warnings.append(f"the last {len(self._kept)} bytes are a record that was cut short")
        if self._said is not None:
            announced(self.notes, "records", self._said, self._number)
            self._seen.end(self.notes, self._said_processes, len(self.names))
        self._kept, self._said = b"", None

    def _calls(self, records: np.ndarray, first: int) -> pl.DataFrame:
        operation, pid, file = (records[name].astype(np.int64) for name in ("op", "pid", "file"))
        belongs = self.lists.of(operation, records["count"].astype(np.int64), pid)
        with np.errstate(invalid="ignore", over="ignore"):
            is_time = np.isfinite(records["wall"]) & (np.abs(records["wall"]) < 9e9)
            time_ns = np.where(is_time, np.rint(records["wall"] * 1e9), 0).astype(np.int64)
        places = np.isin(operation, (READ, WRITE, NAMES.index("seek"), LIST_IO))
        self._seen.processes.update(np.unique(pid).tolist())
        self._seen.unnamed(file[(file < 0) | (file >= len(self.names))].tolist())
        return pl.DataFrame(
            {
                "record": np.arange(first, first + len(records), dtype=np.int64),
                "time_ns": pl.Series(time_ns).set(pl.Series(~is_time), None),
                "process": pid,
                "operation": _words(operation),
                "file": [file_name(number, self.names) for number in file.tolist()],
                "offset": pl.Series(records["offset"].astype(np.int64)).set(pl.Series(~places), None),
                "length": pl.Series(records["length"].astype(np.int64)).set(
                    pl.Series(~np.isin(operation, (READ, WRITE, LIST_IO))), None
                ),
                "list_call": pl.Series(belongs).set(pl.Series(belongs < 0), None),
            }
        )


def _words(numbers: np.ndarray) -> pl.Series:
    return pl.Series(numbers).replace_strict(dict(enumerate(NAMES)), default=None, return_dtype=pl.String)


FORMAT = parallel_format(
    name="umd",
    description="UMD traces (mambo), binary: any of four layouts, detected; --trace-format forces one.",
    endings=".bin .trace",
    recognises=lambda head: layout_of(head) is not None,
    source=lambda members, paths: UmdSource(paths, None),
)
FORCED = tuple(
    parallel_format(
        name=layout.name,
        description=f"UMD traces, binary, {8 * int(layout.long[1])}-bit longs, "
        f"{'little' if layout.order == '<' else 'big'}-endian (only where it is named).",
        endings=".bin .trace",
        recognises=lambda head: False,
        source=lambda members, paths, layout=layout: UmdSource(paths, layout),  # type: ignore[misc]
    )
    for layout in LAYOUTS
)
