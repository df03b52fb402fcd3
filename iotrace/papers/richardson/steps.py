"""How far a reproduction is, by the references that its chapters have read."""

from collections.abc import Callable
from dataclasses import dataclass, field

from iotrace.papers.reproduction import Progress

_REST = 0.1
"""The time that follows the last reference read, as a part of the time before: best partitions, and the page."""


@dataclass
class Steps:
    """References read so far, of `total`."""

    progress: Progress
    total: int
    _done: int = field(default=0, init=False)
    _words: str = field(default="", init=False)

    def at(self, words: str) -> None:
        """Say what is done from now on."""
        self._words = words
        self.read(0)

    def read(self, references: int) -> None:
        """Count references."""
        self._done += references
        self.progress(self._words, min(self._done / max((1 + _REST) * self.total, 1), 1.0))

    def of_passes(self, words: str) -> Callable[[int, int], None]:
        """Return what takes how many references each of several passes has read so far, and of how many."""
        before = 0

        def read(done: int, of: int) -> None:
            nonlocal before
            self._words = words
            self.read(done - before if done > before else done)
            before = done if done < of else 0

        return read
