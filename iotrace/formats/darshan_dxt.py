"""Darshan's extended tracing as text, which ``darshan-dxt-parser`` prints: every read and write, not opens and closes.

A header of ``# key: value``, then for each file and rank ``# DXT, file_id: N, file_name: S``, ``# DXT, rank: N,
hostname: H`` and more, and rows ``X_POSIX rank write|read segment offset length start end [ost] [ost]...``; newer
versions have a ``Pthread-ID`` at the end of each row. Times are seconds since the job's start, to 0.1 ms. A name is
the rest of its line, perhaps ``(null)``: then the file is called by its number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace.formats.parallel_io.accesses import nanoseconds, skipped, whole
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.jobs import Job, grouped
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.usual import Section
from iotrace.formats.parallel_io.usual_lines import UsualLineSource
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.formats.reading.durations import between_ns
from iotrace.formats.reading.files import first_bytes

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows

FILE = re.compile(r"# DXT, file_id: (\d+), file_name: ?(.*)$")
RANK = re.compile(r"# DXT, rank: (-?\d+), hostname: ?(.*)$")
START = re.compile(r"# start_time: (\d+)\s*$")
INCOMPLETE = re.compile(r"# \*?(ERROR|WARNING).*(incomplete|partial)", re.IGNORECASE)
ROW = re.compile(
    r"\s*X_(?P<layer>[A-Z]+)\s+(?P<rank>-?\d+)\s+(?P<operation>[a-z]+)\s+(?P<segment>\d+)\s+(?P<offset>-?\d+)"
    r"\s+(?P<length>-?\d+)\s+(?P<start>\S+)\s+(?P<end>\S+)(?P<osts>(?:\s*\[\s*-?\d+\])*)\s*(?P<thread>\S+)?\s*$"
)
LAYERS = {"POSIX": "posix", "MPIIO": "mpiio", "STDIO": "stdio"}
NO_NAME = "(null)"


def file_key(number: int, name: str | None) -> str:
    """Return what a file is called, of which the log may give only the number."""
    return name if name and name != NO_NAME else f"file_id {number}"


def known_offset(offset: int | None) -> int | None:
    """Return an offset, null for the -1 that logs before version 2 of module DXT_MPIIO have for all of them."""
    return None if offset == -1 else offset


class DxtSource(UsualLineSource):
    """Lines of the parser's output."""

    usual = "darshan-dxt"

    base = "epoch"
    by_access = True
    required = ("process", "operation", "time_ns", "length")

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
        start_ns, end_ns = nanoseconds(row["start"]), nanoseconds(row["end"])
        zero_ns = (self.start_s or 0) * NS_PER_S
        rank = whole(row["rank"])
        thread = whole(row["thread"] or "")
        return {
            "time_ns": None if start_ns is None else zero_ns + start_ns,
            "duration_ns": between_ns(start_ns, end_ns),
            "process": rank,
            "process_key": self.key_of(rank),
            "host": self.host,
            "layer": LAYERS.get(row["layer"]),
            "operation": row["operation"] if row["operation"] in ("read", "write") else None,
            "file": self.file,
            "offset": known_offset(whole(row["offset"])),
            "length": whole(row["length"]),
            "thread": thread,
        }

    def section(self, rows: CallRows, first: int, end: int) -> Section:
        """Return what the header says."""
        return Section((self.start_s or 0) * NS_PER_S, file=self.file, host=self.host)

    def key_of(self, process: int | None, host: str | None = None) -> str:
        """Return what distinguishes a rank from others, and from those of other logs."""
        return f"{self.log}:{process}" if self.log else str(process)

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


def recognises(head: bytes) -> bool:
    """Return whether text is the parser's: Darshan's header, or rows."""
    return re.search(rb"^# DXT, file_id: \d+", head, re.MULTILINE) is not None or (
        head.startswith(b"# darshan log version:") and b"DXT" in head
    )


JOB = re.compile(rb"^# jobid: (\d+)", re.MULTILINE)


def jobs(members: Members, paths: Sequence[Path]) -> list[Job]:
    """Return the jobs that the headers name; all files are of one where a header names none."""
    matches = [JOB.search(first_bytes(path)) for path in paths]
    if not all(matches):
        return []
    names = [match[1].decode() for match in matches if match]
    return grouped(paths, names, {name: f"job {name}" for name in names})


FORMAT = parallel_format(
    name="darshan-dxt",
    sentence="Darshan DXT as text (darshan-dxt-parser), with or without OSTs and thread numbers.",
    endings=".txt",
    recognises=recognises,
    source=lambda members, paths: DxtSource(paths),
    jobs=jobs,
)
