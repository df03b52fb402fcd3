"""Common parts of the binary and the text form of the University of Maryland's traces (mambo, CS-TR-3802, 1997).

Records are ``op numRecords pid fileId wallClock processClock offset length``. Times are the wall clock's, in seconds;
the process's clock is not kept. ``numRecords`` of a list-I/O call is the number of the following records that are its
parts; if it is wrong, the reads and writes of the same process that follow are taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from iotrace.formats.reading.batches import SourceNotes
from iotrace.libraries import np

NAMES = ("open", "close", "read", "write", "seek", "list_io")
"""Operations by their numbers."""
READ, WRITE, LIST_IO = 2, 3, 5
CUT_LISTS = "list-I/O calls of fewer records than announced"
MOST_TOLD = 5
"""How many files a warning lists."""
FIELDS = ("op", "count", "pid", "file", "wall", "process_clock", "offset", "length")


class Lists:
    """Follows list-I/O calls from record to record: which call each belongs to."""

    def __init__(self, notes: SourceNotes) -> None:
        self.notes = notes
        self.calls = 0
        self._left = 0
        self._pid = 0

    def of(self, operations: np.ndarray, counts: np.ndarray, pids: np.ndarray) -> np.ndarray:
        """Return for each of the next records the list-I/O call to which it belongs, -1 for none."""
        belongs = np.full(len(operations), -1, np.int64)
        is_part = np.isin(operations, (READ, WRITE))
        start = self._carry_on(belongs, is_part, pids, 0)
        for head in np.flatnonzero(operations == LIST_IO).tolist():
            if head < start:
                continue
            belongs[head] = self.calls
            self.calls += 1
            self._left, self._pid = int(counts[head]), int(pids[head])
            start = self._carry_on(belongs, is_part, pids, head + 1)
        return belongs

    @property
    def is_idle(self) -> bool:
        """Whether no call waits for its parts."""
        return self._left <= 0

    def end(self) -> None:
        """Count the call that the end of the trace cuts short."""
        self._cut()

    def _carry_on(self, belongs: np.ndarray, is_part: np.ndarray, pids: np.ndarray, start: int) -> int:
        if self._left <= 0:
            return start
        end = min(len(belongs), start + self._left)
        ours = is_part[start:end] & (pids[start:end] == self._pid)
        others = np.flatnonzero(~ours)
        taken = int(others[0]) if len(others) else len(ours)
        belongs[start : start + taken] = self.calls - 1
        self._left -= taken
        if taken < len(ours):
            self._cut()
        return start + taken

    def _cut(self) -> None:
        if self._left > 0:
            self.notes.remark(CUT_LISTS)
        self._left = 0


def file_name(number: int, names: Sequence[str]) -> str:
    """Return the name of a file, of which the trace may give none."""
    return names[number] if 0 <= number < len(names) else f"file {number}"


def announced(notes: SourceNotes, what: str, stated: int, counted: int) -> None:
    """Warn of a count that is not so."""
    if stated != counted:
        notes.warnings.append(
            f"the header announces {stated:,} {what}, the trace has {counted:,}; the header's count is ignored"
        )


class Seen:
    """The processes and files that both the records and the header of a file show."""

    def __init__(self) -> None:
        self.processes: set[int] = set()
        self._unnamed: Counter[int] = Counter()

    def unnamed(self, files: Iterable[int] | Mapping[int, int]) -> None:
        """Count records of files that the header does not name: a number each, or how many there are of each number."""
        self._unnamed.update(files)

    def end(self, notes: SourceNotes, processes: int, files: int) -> None:
        """Warn of differences from the header, and forget it all."""
        if self.processes:
            announced(notes, "processes", processes, len(self.processes))
        if count := self._unnamed.total():
            notes.remark("records of files that the header does not name", count)
            numbers = ", ".join(map(str, sorted(self._unnamed)[:MOST_TOLD]))
            more = ", ..." if len(self._unnamed) > MOST_TOLD else ""
            notes.warnings.append(
                f"{count:,} records are of files that the header, which names {files:,}, does not name: {numbers}{more}"
            )
        self.processes, self._unnamed = set(), Counter()
