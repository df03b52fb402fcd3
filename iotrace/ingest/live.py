"""Totals of intervals by file, process and call, as ``iotrace-capture`` prints them while it records."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import msgspec

STORAGE = "storage"
CLASSES = (STORAGE, "waiting", "other", "unknown")
"""The classes of the time of calls, in the order in which rows are shown."""


class By(StrEnum):
    """The things that totals are summed by."""

    FILES = "files"
    PROCESSES = "processes"
    CALLS = "calls"


class Sort(StrEnum):
    """The column that rows are sorted by, largest first."""

    TIME = "time"
    BYTES = "bytes"
    MISSES = "misses"
    LATENCY = "latency"
    CALLS = "calls"


class TotalsRow(msgspec.Struct, array_like=True, frozen=True):
    """The totals of a file, a process or a call in an interval: of files and processes, those of calls on storage."""

    name: str
    detail: str
    """The number of the process, or the class of the call."""
    calls: int
    timed: int
    """The calls whose beginning is known, and so their time."""
    time_ns: int
    read_bytes: int
    """From files."""
    written_bytes: int
    missed_pages: int
    """Pages that were added to the page cache; not known by call."""
    p99_ns: int
    """The time that 99 % of the calls took at most, less than a quarter too large."""
    waiting_ns: int
    """Of a process, the time in calls that wait for others."""

    def key(self, sort: Sort) -> int:
        """Return the number by which rows are sorted."""
        match sort:
            case Sort.TIME:
                return self.time_ns
            case Sort.BYTES:
                return self.read_bytes + self.written_bytes
            case Sort.MISSES:
                return self.missed_pages
            case Sort.LATENCY:
                return self.p99_ns
            case Sort.CALLS:
                return self.calls


class Interval(msgspec.Struct, frozen=True):
    """The totals of an interval: the rows that are first by any order, and the number of all."""

    duration_ns: int
    lost_calls: int
    narrow_calls: int
    """Calls of 32-bit programs, which are not in the totals."""
    file_count: int
    file_rows: list[TotalsRow]
    process_count: int
    process_rows: list[TotalsRow]
    call_count: int
    call_rows: list[TotalsRow]
    """All of them."""

    def rows(self, by: By, sort: Sort) -> list[TotalsRow]:
        """Return the rows with what is first first; of calls those on storage come before the others."""
        rows, classes = self.process_rows, [""]
        if by is not By.PROCESSES:
            rows, classes = (self.file_rows, [""]) if by is By.FILES else (self.call_rows, list(CLASSES))

        def order(row: TotalsRow) -> tuple[int, int, int, str]:
            rank = classes.index(row.detail) if by is By.CALLS else 0
            return rank, -row.key(sort), -row.time_ns, row.name

        return sorted(rows, key=order)

    def count(self, by: By) -> int:
        """Return the number of all rows."""
        return {By.FILES: self.file_count, By.PROCESSES: self.process_count, By.CALLS: self.call_count}[by]


class Intervals:
    """The intervals of a recorder that runs."""

    def __init__(self, recorder: subprocess.Popen[bytes]) -> None:
        assert recorder.stdout is not None
        self._recorder, self._stream, self._text = recorder, recorder.stdout, b""

    def fileno(self) -> int:
        """Return the descriptor that can be read when there may be an interval."""
        return self._stream.fileno()

    def read(self) -> list[Interval] | None:
        """Wait for a part of the recorder's lines; return the intervals that it ends, None after the last."""
        part = os.read(self.fileno(), READ_BYTES)
        if not part:
            return None
        *lines, self._text = (self._text + part).split(b"\n")
        return [msgspec.json.decode(line, type=Interval) for line in lines]

    def __iter__(self) -> Iterator[Interval]:
        """Yield the intervals as they end."""
        while (intervals := self.read()) is not None:
            yield from intervals

    def stop(self) -> None:
        """End the recording."""
        self._recorder.send_signal(signal.SIGINT)
        self._stream.close()
        self._recorder.wait()


READ_BYTES = 1 << 20


@dataclass(frozen=True)
class Watch:
    """Who looks at the intervals of a recording, which ends with that."""

    seconds: float
    """The length of an interval."""
    show: Callable[[Intervals], None]

    def words(self) -> list[str]:
        """Return the options of ``iotrace-capture``."""
        return ["--totals", str(self.seconds)]
