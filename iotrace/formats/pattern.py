"""Parallel access patterns as text, read and written: what each process does, record by record, without times.

``# iotrace pattern 1``, a line of column names, then ``proc,seq,op,record,offset_bytes,length_bytes,compute_us``.
``proc`` is ``*`` for a record that any free process takes next. Rows are in the order in which a process
(or, of ``*``, all of them together) takes them. ``op`` is read, write, sync_write or compute (which moves nothing).
Further lines that begin with # are remarks; ``# file NAME`` gives the file of the rows that follow.
``seq`` ascends within a process and ``record`` is the offset in records; other lines are counted and reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.files import atomic_write
from iotrace.formats.parallel_io.accesses import LineSource, nanoseconds, skipped, whole
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.clock import NS_PER_US, trace_limits
from iotrace.libraries import pa

MAGIC = "# iotrace pattern 1"
COLUMNS = ("proc", "seq", "op", "record", "offset_bytes", "length_bytes", "compute_us")
ANY_PROCESS = "*"
FILE = "# file "
UNNAMED = "pattern"
"""The name of the file of a pattern that names none."""
BATCH_ROWS = 1 << 16
COMPUTE = "compute"
NOT_ASCENDING = (
    "lines have a seq that does not ascend within their process; the order of the lines is trusted"
)
ELSEWHERE = "lines have a record that is not offset_bytes / length_bytes; the offset is trusted"
OPERATIONS = {"read": "read", "write": "write", "sync_write": "write", COMPUTE: COMPUTE}


class PatternSource(LineSource):
    """Lines of a pattern."""

    base = "none"
    required: Sequence[str] = ("operation", "file", "offset", "length")

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(paths)
        self._contradictions = Counter[str]()

    def next(self) -> Batch | None:
        """Return the accesses of the next lines."""
        batch: Batch | None = super().next()
        if batch is None:
            self.notes.warnings += [f"{count:,} {fault}" for fault, count in self._contradictions.items()]
            self._contradictions.clear()
        return batch

    def begin(self) -> None:
        """Forget the file that was named, and how far each process came."""
        self.file = UNNAMED
        self._last: dict[int | None, int] = {}

    def call(self, line: str) -> Mapping[str, Any] | None:
        """Return a line's access."""
        if line.startswith(("#", f"{COLUMNS[0]},")) or not line.strip():
            if line.startswith(FILE):
                self.file = line.removeprefix(FILE)
            return None
        fields = line.split(",")
        if len(fields) != len(COLUMNS):
            return skipped("no record of seven fields")
        row = dict(zip(COLUMNS, fields, strict=True))
        process = whole(row["proc"])
        if process is None and row["proc"] != ANY_PROCESS:
            return skipped("no process that can be read")
        compute_ns = nanoseconds(row["compute_us"], NS_PER_US) if row["compute_us"] else None
        if row["compute_us"] and compute_ns is None:
            return skipped("no computation that can be read")
        if compute_ns is not None and not 0 <= compute_ns <= trace_limits()["duration_ns"]:
            return skipped("computation out of range")
        offset, length = whole(row["offset_bytes"]), whole(row["length_bytes"])
        self._hold_against(process, row, offset, length)
        return {
            "process": process,
            "operation": OPERATIONS.get(row["op"]),
            "flags": "synchronous" if row["op"] == "sync_write" else None,
            "file": None if row["op"] == COMPUTE else self.file,
            "offset": offset,
            "length": length,
            "compute_ns": compute_ns,
        }

    def _hold_against(
        self, process: int | None, row: Mapping[str, str], offset: int | None, length: int | None
    ) -> None:
        """Count a line whose columns seq and record, which say nothing new, contradict the others."""
        seq, last = whole(row["seq"]), self._last.get(process)
        if seq is None or (last is not None and seq <= last):
            self._contradictions[NOT_ASCENDING] += 1
        else:
            self._last[process] = seq
        if row["record"] and offset is not None and length and whole(row["record"]) != offset // length:
            self._contradictions[ELSEWHERE] += 1


def text(records: Iterable[Mapping[str, Any]], files: Sequence[str] = ()) -> Iterator[str]:
    """Give the text of a pattern, from records that are rows of table program, and the names of files by number.

    A record's number is its place among those of its file, counted in its own length; that of a compute row is
    empty. Times of computation are written in microseconds, to the nanosecond.
    """
    yield f"{MAGIC}\n{','.join(COLUMNS)}\n"
    current = UNNAMED
    taken: dict[int | None, int] = {}
    for row in records:
        process, file = row["process"], row["file"]
        if file is not None:
            name = files[file] if file < len(files) else (f"{UNNAMED} {file}" if file else UNNAMED)
            if name != current:
                current = name
                yield f"{FILE}{name}\n"
        seq = taken.get(process, 0)
        taken[process] = seq + 1
        yield _line(row, seq)


def _line(row: Mapping[str, Any], seq: int) -> str:
    offset, length = row["offset"], row["length"]
    record = "" if not length else offset // length
    whole_us, part_ns = divmod(row["compute_ns"] or 0, NS_PER_US)
    compute = f"{whole_us}.{part_ns:03d}" if part_ns else str(whole_us)
    fields = (
        ANY_PROCESS if row["process"] is None else row["process"],
        seq,
        row["operation"],
        record,
        "" if offset is None else offset,
        "" if length is None else length,
        compute,
    )
    return ",".join(map(str, fields)) + "\n"


def write(path: Path, program: pa.Table, files: Sequence[str] = ()) -> None:
    """Write table program of one application as a pattern; raises OSError if the file cannot be written."""
    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as out:
        rows = (row for batch in program.to_batches(max_chunksize=BATCH_ROWS) for row in batch.to_pylist())
        out.writelines(text(rows, files))


FORMAT = parallel_format(
    name="pattern",
    description="Parallel access patterns: process (or *), operation, offset, length, computation; read and written.",
    endings=".csv .pattern",
    recognises=lambda head: head.startswith(MAGIC.encode()),
    source=lambda members, paths: PatternSource(paths),
)
