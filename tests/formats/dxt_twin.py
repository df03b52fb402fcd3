"""A slow twin of the engine's reader of Darshan's extended tracing as text: one expression for each kind of line."""

import re
from collections.abc import Mapping
from typing import Any

from iotrace.formats.darshan_dxt import file_key
from iotrace.formats.parallel_io.accesses import LineSource, nanoseconds, skipped, whole
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.formats.reading.durations import between_ns

FILE = re.compile(r"# DXT, file_id: ([0-9]+), file_name: ?(.*)$")
RANK = re.compile(r"# DXT, rank: (-?[0-9]+), hostname: ?(.*)$")
START = re.compile(r"# start_time: ([0-9]+)\s*$")
ROW = re.compile(
    r"\s*X_(?P<layer>[A-Z]+)\s+(?P<rank>-?[0-9]+)\s+(?P<operation>[a-z]+)\s+(?P<segment>[0-9]+)"
    r"\s+(?P<offset>-?[0-9]+)\s+(?P<length>-?[0-9]+)\s+(?P<start>\S+)\s+(?P<end>\S+)"
    r"(?P<osts>(?:\s*\[\s*-?[0-9]+\])*)\s*(?P<thread>\S+)?\s*$"
)
INCOMPLETE = re.compile(r"# \*?(ERROR|WARNING).*(incomplete|partial)", re.IGNORECASE)
LAYERS = {"POSIX": "posix", "MPIIO": "mpiio", "STDIO": "stdio"}


class DxtTwin(LineSource):
    """Lines of the parser's output."""

    base = "epoch"
    by_access = True
    required = ("process", "operation", "time_ns", "length", "file")

    def begin(self) -> None:
        """Start another log."""
        self.log = getattr(self, "log", -1) + 1
        self.start_s: int | None = None
        self.file: str | None = None
        self.host: str | None = None

    def call(self, line: str) -> Mapping[str, Any] | None:
        """Return a row's access."""
        if line.startswith("#"):
            self._header(line)
            return None
        if not line.strip():
            return None
        row = ROW.match(line)
        if row is None:
            return skipped("no row of eight columns or more")
        start_ns, end_ns = _ns(row["start"]), _ns(row["end"])
        rank, offset = whole(row["rank"]), whole(row["offset"])
        return {
            "time_ns": None if start_ns is None else (self.start_s or 0) * NS_PER_S + start_ns,
            "duration_ns": between_ns(start_ns, end_ns),
            "process": rank,
            "process_key": f"{self.log}:{rank}" if self.log else str(rank),
            "host": self.host,
            "layer": LAYERS.get(row["layer"]),
            "operation": row["operation"] if row["operation"] in ("read", "write") else None,
            "file": self.file,
            "offset": None if offset == -1 else offset,
            "length": whole(row["length"]),
            "thread": whole(row["thread"] or ""),
        }

    def _header(self, line: str) -> None:
        if file := FILE.match(line):
            number = whole(file[1])
            self.file = None if number is None else file_key(number, file[2])
        elif rank := RANK.match(line):
            self.host = rank[2].strip() or None
        elif start := START.match(line):
            self.start_s = whole(start[1])
        elif INCOMPLETE.match(line):
            self.notes.warnings.append(f"the log says: {line.lstrip('# *').strip()}")


def _ns(text: str) -> int | None:
    return nanoseconds(text) if text.isascii() else None
