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

from iotrace.formats.parallel_io.accesses import whole
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.parsed_lines import ParsedLines
from iotrace.formats.parallel_io.umd import CUT_LISTS, NAMES, Seen, announced

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows

COUNTS = re.compile(r"\s*(\d{1,10})\s+(\d{1,10})\s+(\d{1,10})\s*$")
RECORD = re.compile(r"\s*(\d{1,3}|[A-Za-z_]+)(\s+-?\d+){3}\s+\S+\s+\S+(\s+-?\d+){2}\s*$")
MOST_LOOKED_AT = 200


class UmdTextSource(ParsedLines):
    """Lines of either dialect."""

    def __init__(self, paths: Sequence[Path]) -> None:
        from iotrace.engine import native

        super().__init__(paths)
        self._text = native.UmdText()

    def next(self) -> Any:
        """Return the calls of the next lines."""
        batch: Any = super().next()
        if batch is None:
            self._finish()
        return batch

    def begin(self) -> None:
        """Expect another header."""
        self._finish()

    def rows(self, block: bytes) -> CallRows:
        """Return what the engine reads of the next lines."""
        return self._text.read(block)

    def _finish(self) -> None:
        """Report how the file before, if any, differs from what its header announced."""
        file = self._text.end()
        self.notes.remark(CUT_LISTS, file["cut_lists"])
        if file["announced"] is None:
            return
        processes, files, records = file["announced"]
        announced(self.notes, "files", files, file["names"])
        announced(self.notes, "records", records, file["records"])
        seen = Seen()
        seen.processes.update(file["processes"])
        seen.unnamed(dict(file["unnamed"]))
        seen.end(self.notes, processes, file["names"])


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
