"""Lines that are taken ahead, and read by threads meanwhile; they are given in the order of the text."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from iotrace.errors import IotraceError
from iotrace.formats.reading.batches import OpenEnd, SourceNotes
from iotrace.formats.reading.bytes_in import Reading

Fields = TypeVar("Fields")
Fields_co = TypeVar("Fields_co", covariant=True)


class Taken(Protocol[Fields_co]):
    """Lines that were taken."""

    def read(self) -> Fields_co:
        """Read them, in any thread."""


class Takes(Protocol[Fields]):
    """A source whose lines can be read apart from taking them."""

    notes: SourceNotes

    @property
    def reading(self) -> Reading:
        """The bytes that it reads."""

    def take(self) -> Taken[Fields] | None:
        """Return the next lines; None at the end."""

    def finished(self, taken: Any, fields: Fields) -> Any:
        """Return the batch of lines that were taken and read, in their order."""


@dataclass(frozen=True)
class _Step(Generic[Fields]):
    """Lines that were taken, and what the source's notes were then."""

    taken: Taken[Fields] | None
    fields: Future[Fields] | None
    error: IotraceError | None
    records: int
    remarks: Mapping[str, int]
    warnings: Sequence[str]
    damage: Sequence[str]
    open_end: OpenEnd | None
    file: str | None


class Ahead(Generic[Fields]):
    """Takes lines of a source before they are asked for; its notes are as if they were taken when they are given."""

    def __init__(self, source: Takes[Fields], threads: int) -> None:
        self._source = source
        self.notes = source.notes
        self._most = 2 * threads
        self._pool = ThreadPoolExecutor(threads)
        self._steps: deque[_Step[Fields]] = deque()
        self._notes = replace(source.notes, records=0, remarks={}, warnings=[], damage=[])
        """The source's own, while it takes lines."""
        source.reading.notes = self._notes
        self._given = self._step(None, None, None)
        self._has_ended = False

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self._source.reading.progress()

    def next(self) -> Any:
        """Return the batch of the next lines; None at the end. Raises as taking them and reading them does."""
        while not self._has_ended and len(self._steps) < self._most:
            self._steps.append(self._taken())
        if not self._steps:
            return None
        step = self._steps.popleft()
        self._tell(step)
        if step.error is not None:
            raise step.error
        if step.taken is None or step.fields is None:
            self._pool.shutdown(wait=False)
            return None
        return self._source.finished(step.taken, step.fields.result())

    def _taken(self) -> _Step[Fields]:
        source = self._source
        source.notes = self._notes
        try:
            taken = source.take()
        except IotraceError as error:
            self._has_ended = True
            return self._step(None, None, error)
        finally:
            source.notes = self.notes
        self._has_ended = taken is None
        fields = None if taken is None else self._pool.submit(taken.read)
        return self._step(taken, fields, None)

    def _step(
        self, taken: Taken[Fields] | None, fields: Future[Fields] | None, error: IotraceError | None
    ) -> _Step[Fields]:
        notes: SourceNotes = self._notes
        return _Step(
            taken,
            fields,
            error,
            notes.records,
            dict(notes.remarks),
            list(notes.warnings),
            list(notes.damage),
            notes.open_end,
            notes.file,
        )

    def _tell(self, step: _Step[Fields]) -> None:
        """Bring the source's notes to where they were when lines were taken."""
        notes, given = self.notes, self._given
        notes.records += step.records - given.records
        for kind, count in step.remarks.items():
            notes.remark(kind, count - given.remarks.get(kind, 0))
        notes.warnings += step.warnings[len(given.warnings) :]
        notes.damage += step.damage[len(given.damage) :]
        notes.open_end, notes.file = step.open_end, step.file
        self._given = step
