"""Parallel traces of lines that the engine reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iotrace.formats.parallel_io.accesses import LineSource
from iotrace.formats.parallel_io.parsed import ParsedCalls

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows


class ParsedLines(LineSource):
    """Lines being read by the engine, which gives the reason of each that is not a call."""

    def read(self, block: bytes) -> ParsedCalls:
        """Return the calls of complete lines."""
        return self.calls(block, self.rows(block))

    def calls(self, block: bytes, rows: CallRows) -> ParsedCalls:
        """Return the calls of complete lines, which the engine read."""
        first = self.line + 1
        self.line += rows.lines
        self.notes.records += len(rows) + rows.skipped
        for kind, count in rows.remarks:
            self.notes.remark(kind, count)
        self.notes.warnings += [f"the log says: {warning}" for warning in rows.warnings]
        hosts = rows.hosts
        keys = [self.key_of(process, hosts[host] if host >= 0 else None) for process, host in rows.processes]
        return ParsedCalls(rows, first, keys, self.excerpt(block, first))

    def rows(self, block: bytes) -> CallRows:
        """Return what the engine reads of complete lines."""
        raise NotImplementedError

    def key_of(self, process: int, host: str | None) -> str:
        """Return what distinguishes a process, at the machine that its calls name."""
        return str(process)
