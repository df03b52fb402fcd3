"""Parallel traces of lines that the engine reads, all of them or those in their usual form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from iotrace.formats.parallel_io.accesses import LineSource, frame_of
from iotrace.formats.parallel_io.usual import Section, UsualCalls
from iotrace.formats.reading.batches import Batch

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows


class UsualLineSource(LineSource):
    """Lines of which the engine reads those in the usual form, and `call` the others, in their order."""

    usual: str | None = None
    """What the engine calls the format; None to read all lines by `call`."""
    reads_all = False
    """Whether the engine reads all calls, and gives the reason of each line that is none."""

    def read(self, block: bytes) -> Batch | UsualCalls:
        """Return the calls of the next lines."""
        if not self.reads_all and (self.usual is None or self.notes.open_end is not None):
            batch: Batch = super().read(block)
            return batch
        rows, first = self.rows(block), self.line + 1
        self.begin_rows(rows)
        calls, sections = self._followed(rows, first)
        self.line = first - 1 + rows.lines
        self.notes.records += len(rows) + rows.skipped + len(calls)
        excerpt = self.excerpt(block, first)
        return UsualCalls(
            rows=rows,
            first=first,
            required=self.required,
            sections=sections,
            keys=[
                self.key_of(process, rows.hosts[host] if host >= 0 else None)
                for process, host in rows.processes
            ],
            files=self.files_of(rows),
            others=Batch(frame_of(calls), self.required, excerpt) if calls else None,
            excerpt=excerpt,
        )

    def rows(self, block: bytes) -> CallRows:
        """Return what the engine reads of the next lines."""
        from iotrace.engine import native

        assert self.usual is not None
        return native.call_lines(block, self.usual, self.process())

    def _followed(self, rows: CallRows, first: int) -> tuple[list[Mapping[str, Any]], list[Section]]:
        """Read the other lines, and return their calls, and what holds for the sections between them."""
        calls: list[Mapping[str, Any]] = []
        sections: list[Section] = []
        places, lines = rows.others, rows.other_text.split(b"\n")
        ahead = iter([*rows.sections, (len(places), len(rows))])
        before, start = next(ahead)
        remarks = [*reversed(rows.remarks)]
        for number, (place, line) in enumerate(zip(places, lines, strict=False)):
            self._remark(remarks, number)
            if number == before and start < len(rows):
                (before, end), begun = next(ahead), start
                sections.append(self.section(rows, begun, end))
                start = end
            self.line = first + place
            call = self.call(line.decode("utf-8", "replace").rstrip("\r"))
            if call is not None:
                calls.append({"record": self.line, **call})
        self._remark(remarks, len(places))
        if start < len(rows):
            sections.append(self.section(rows, start, len(rows)))
        return calls, sections

    def _remark(self, remarks: list[tuple[str, int, int]], others: int) -> None:
        """Count the last remarks, which belong before the line after that number of other lines."""
        while remarks and remarks[-1][2] <= others:
            kind, count, _ = remarks.pop()
            self.notes.remark(kind, count)

    def process(self) -> int:
        """Return the process of all calls of a file, in formats whose lines do not say it."""
        return 0

    def begin_rows(self, rows: CallRows) -> None:
        """Expect further calls in the usual form."""

    def section(self, rows: CallRows, first: int, end: int) -> Section:
        """Return what holds for the calls from one row to another, which stand between two other lines."""
        return Section()

    def key_of(self, process: int, host: str | None) -> str:
        """Return what distinguishes a process, at the machine that its calls name."""
        return str(process)

    def files_of(self, rows: CallRows) -> list[str | None]:
        """Return the names of files."""
        return [name for name, _ in rows.files]
