"""Darshan's extended tracing as text, which ``darshan-dxt-parser`` prints: every read and write, not opens and closes.

A header of ``# key: value``, then for each file and rank ``# DXT, file_id: N, file_name: S``, ``# DXT, rank: N,
hostname: H`` and more, and rows ``X_POSIX rank write|read segment offset length start end [ost] [ost]...``; newer
versions have a ``Pthread-ID`` at the end of each row. Times are seconds since the job's start, to 0.1 ms. A name is
the rest of its line, perhaps ``(null)``: then the file is called by its number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.jobs import Job, grouped
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.parsed_lines import ParsedLines
from iotrace.formats.reading.files import first_bytes

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows

NO_NAME = "(null)"


def file_key(number: int, name: str | None) -> str:
    """Return what a file is called, of which the log may give only the number."""
    return name if name and name != NO_NAME else f"file_id {number}"


class DxtSource(ParsedLines):
    """Lines of the parser's output."""

    base = "epoch"
    by_access = True

    def begin(self) -> None:
        """Start another log."""
        from iotrace.engine import native

        self.log = getattr(self, "log", -1) + 1
        self._reader = native.DxtLog()

    def rows(self, block: bytes) -> CallRows:
        """Return what the engine reads of the next lines."""
        return self._reader.read(block)

    def key_of(self, process: int, host: str | None) -> str:
        """Return what distinguishes a rank from others, and from those of other logs."""
        return f"{self.log}:{process}" if self.log else str(process)


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
    description="Darshan DXT as text (darshan-dxt-parser), with or without OSTs and thread numbers.",
    endings=".txt",
    recognises=recognises,
    source=lambda members, paths: DxtSource(paths),
    jobs=jobs,
)
