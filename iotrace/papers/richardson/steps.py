"""How far a reproduction is, by the references that its chapters have read."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from iotrace.papers.by_trace import Check
from iotrace.papers.reproduction import Progress

_REST = 0.1
"""The time that follows the last reference read, as a part of the time before: best partitions, and the page."""


@dataclass
class _Count:
    """References read so far, in all threads."""

    done: int = 0
    lock: Lock = field(default_factory=Lock)


@dataclass
class Steps:
    """References read so far, of `total`, by all that has the same count."""

    progress: Progress
    total: int
    check: Check = lambda: None
    """Called at each step; it raises where there is no need to go on."""
    _count: _Count = field(default_factory=_Count)
    _words: str = field(default="", init=False)

    def apart(self, check: Check) -> "Steps":
        """Return the steps of a thread: what it does has separate words, and what it reads counts here, too."""
        return Steps(self.progress, self.total, check, self._count)

    def at(self, step: str) -> None:
        """Say what is done from now on."""
        self._words = step
        self.read(0)

    def read(self, references: int) -> None:
        """Count references."""
        self.check()
        with self._count.lock:
            self._count.done += references
            self.progress(self._words, min(self._count.done / max((1 + _REST) * self.total, 1), 1.0))

    def of_passes(self, step: str) -> Callable[[int, int], None]:
        """Return what takes how many references each of several passes has read so far, and of how many."""
        before = 0

        def read(done: int, of: int) -> None:
            nonlocal before
            self._words = step
            self.read(done - before if done > before else done)
            before = done if done < of else 0

        return read
