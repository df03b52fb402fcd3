"""Text of the University of Maryland's traces (mambo), both dialects.

A line ``processes files records``; a line ``length name`` for each file, or only its name; a line ``op numRecords pid
fileId wallClock processClock offset length`` for each record, where op is a number, or a word of any case. The count of
records is often wrong, and so may be those of processes and files; the records are trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace.formats.parallel_io.accesses import OPERATIONS, nanoseconds, skipped, whole
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.umd import (
    FIELDS,
    LIST_IO,
    NAMES,
    WORDS,
    Lists,
    Seen,
    announced,
    file_name,
    one_list,
)
from iotrace.formats.parallel_io.usual import Section
from iotrace.formats.parallel_io.usual_lines import UsualLineSource
from iotrace.libraries import np

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows

COUNTS = re.compile(r"\s*(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s*$")
RECORD = re.compile(r"\s*(\d{1,3}|[A-Za-z_]+)(\s+-?\d+){3}\s+\S+\s+\S+(\s+-?\d+){2}\s*$")
MOST_LOOKED_AT = 200


class UmdTextSource(UsualLineSource):
    """Lines of either dialect."""

    usual = "umd-ascii"

    required = ("process", "operation", "time_ns")

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(paths)
        self.lists = Lists(self.notes)
        self._said: int | None = None
        self._found = 0
        self._files = 0
        self._processes = 0
        self._seen = Seen()
        self.names: list[str] = []
        self._has_lists = False
        self._list_calls: np.ndarray | None = None

    def next(self) -> Any:
        """Return the calls of the next lines."""
        batch: Any = super().next()
        if batch is None:
            self._finish()
        return batch

    def begin_rows(self, rows: CallRows) -> None:
        """Expect further records in the usual form."""
        self._has_lists, self._list_calls = rows.has_lists, None
        self._seen.processes.update(process for process, _ in rows.processes)

    def section(self, rows: CallRows, first: int, end: int) -> Section:
        """Count records that follow each other, and look which are of list-I/O calls."""
        self._found += end - first
        if self._has_lists or not self.lists.is_idle:
            if self._list_calls is None:
                self._list_calls = np.full(len(rows), -1, np.int64)
            records = rows.lists(first, end)
            operation, parts, process = (
                records[name].to_numpy() for name in ("operation", "parts", "process")
            )
            operation = np.where(operation == OPERATIONS.index("list_io"), LIST_IO, operation)
            self._list_calls[first:end] = self.lists.of(operation, parts, process)
        return Section()

    def list_calls(self) -> np.ndarray | None:
        """Return the list-I/O call of which each record is a part."""
        return self._list_calls

    def files_of(self, rows: CallRows) -> list[str | None]:
        """Return the names of files, which the records give by their numbers."""
        names: list[str | None] = []
        for number, records in rows.files:
            is_named = int(number) < len(self.names)
            if not is_named:
                self._seen.unnamed({int(number): records})
            names.append(self.names[int(number)] if is_named else f"file {number}")
        return names

    def begin(self) -> None:
        """Expect another header."""
        self._finish()
        self.names = []
        self._files = 0

    def _finish(self) -> None:
        self.lists.end()
        if self._said is not None:
            announced(self.notes, "files", self._files, len(self.names))
            announced(self.notes, "records", self._said, self._found)
            self._seen.end(self.notes, self._processes, len(self.names))
        self._said, self._found = None, 0

    def call(self, line: str) -> Mapping[str, Any] | None:
        """Return a line's call; names end with the first record, regardless of the header's count."""
        if self._said is None and (counts := COUNTS.match(line)):
            self._processes, self._files, self._said = (int(count) for count in counts.groups())
            return None
        if not line.strip() or line.startswith("#"):
            return None
        is_record = RECORD.match(line) is not None
        is_expected = len(self.names) < self._files or _name(line) != line.strip()
        if not is_record and not self._found and is_expected:
            self.names.append(_name(line))
            return None
        self._found += 1
        return self._record(line) if is_record else skipped("no record of eight fields")

    def _record(self, line: str) -> Mapping[str, Any]:
        fields = dict(zip(FIELDS, line.split(), strict=True))
        word = fields["op"].lower()
        operation = dict(enumerate(NAMES)).get(int(word)) if word.isdigit() else WORDS.get(word)
        process, count, file = whole(fields["pid"]), whole(fields["count"]), whole(fields["file"])
        offset, length = whole(fields["offset"]), whole(fields["length"])
        call = {
            "time_ns": nanoseconds(fields["wall"]),
            "process": process,
            "operation": operation,
            "file": file_name(-1 if file is None else file, self.names),
            "offset": offset if operation in ("read", "write", "seek", "list_io") else None,
            "length": length if operation in ("read", "write", "list_io") else None,
            "count": min(count or 0, 2**31),
        }
        if file is None or not 0 <= file < len(self.names):
            self._seen.unnamed([-1 if file is None else file])
            call["file"] = f"file {fields['file']}"
        if process is not None:
            self._seen.processes.add(process)
        if operation is not None and process is not None and abs(process) < 2**31:
            call["list_call"] = one_list(self.lists, call)
        return call


def _name(line: str) -> str:
    """Return a file's name, without the length before it."""
    length, _, name = line.strip().partition(" ")
    return name if name and whole(length) == len(name.encode()) else line.strip()


def recognises(head: bytes) -> bool:
    """Return whether text begins with a line of counts, names, and then records."""
    lines = head.decode("utf-8", "replace").split("\n")
    counts = COUNTS.match(lines[0])
    if counts is None:
        return False
    # the last line may have been cut, and the count of files may lie
    names_end = 1 + int(counts[2])
    first = next((at for at, line in enumerate(lines[1:names_end], 1) if RECORD.match(line)), names_end)
    if first >= len(lines):
        # the names go on beyond what is looked at: those with their lengths show what they are
        names = lines[1:-1][:MOST_LOOKED_AT]
        return bool(names) and all(_name(line) != line.strip() for line in names)
    records = lines[first:-1][:MOST_LOOKED_AT]
    return bool(records) and 2 * sum(RECORD.match(line) is not None for line in records) >= len(records)


def text(
    calls: Iterable[Mapping[str, Any]], names: Sequence[str], processes: int, records: int
) -> Iterator[str]:
    """Give a trace's text in the official dialect.

    ``calls`` have operation (a word of `NAMES`), process, file (a number), time_ns, offset and length (0 for None), and
    count, the parts of a list-I/O call, 1 for others.
    """
    yield f"{processes} {len(names)} {records}\n"
    yield from (f"{len(name.encode())} {name}\n" for name in names)
    for call in calls:
        seconds, part_ns = divmod(call["time_ns"] or 0, 10**9)
        yield (
            f"{NAMES.index(call['operation'])} {call.get('count', 1)} {call['process']} {call['file']}"
            f" {seconds}.{part_ns:09d} 0 {call['offset'] or 0} {call['length'] or 0}\n"
        )


FORMAT = parallel_format(
    name="umd-ascii",
    description="UMD traces (mambo), text: both dialects, list-I/O groups; written too.",
    endings=".asc .txt",
    recognises=recognises,
    source=lambda members, paths: UmdTextSource(paths),
)
