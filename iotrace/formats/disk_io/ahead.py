"""Lines that are taken ahead, whose fields threads read meanwhile; they are given in the order of the text."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from iotrace.errors import IotraceError
from iotrace.formats.disk_io.delimited import DelimitedSource, Taken
from iotrace.formats.reading.batches import Batch, OpenEnd, SourceNotes
from iotrace.libraries import pl


@dataclass(frozen=True)
class _Step:
    """Lines that were taken, and what the source's notes were then."""

    taken: Taken | None
    frame: Future[pl.DataFrame] | None
    error: IotraceError | None
    records: int
    remarks: Mapping[str, int]
    warnings: Sequence[str]
    damage: Sequence[str]
    open_end: OpenEnd | None
    file: str | None


class Ahead:
    """Takes lines of a source before they are asked for; its notes are as if they were taken when they are given."""

    def __init__(self, source: DelimitedSource, threads: int) -> None:
        self._source = source
        self.notes = source.notes
        self._most = 2 * threads
        self._pool = ThreadPoolExecutor(threads)
        self._steps: deque[_Step] = deque()
        self._notes = replace(source.notes, records=0, remarks={}, warnings=[], damage=[])
        """The source's own, while it takes lines."""
        source.reading.notes = self._notes
        self._given = self._step(None, None, None)
        self._has_ended = False

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self._source.progress()

    def next(self) -> Batch | None:
        """Return the requests of the next lines; None at the end. Raises as taking them and reading them does."""
        while not self._has_ended and len(self._steps) < self._most:
            self._steps.append(self._taken())
        if not self._steps:
            return None
        step = self._steps.popleft()
        self._tell(step)
        if step.error is not None:
            raise step.error
        if step.taken is None or step.frame is None:
            self._pool.shutdown(wait=False)
            return None
        return self._source.finished(step.taken, step.frame.result())

    def _taken(self) -> _Step:
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
        frame = None if taken is None else self._pool.submit(taken.frame)
        return self._step(taken, frame, None)

    def _step(
        self, taken: Taken | None, frame: Future[pl.DataFrame] | None, error: IotraceError | None
    ) -> _Step:
        notes: SourceNotes = self._notes
        return _Step(
            taken,
            frame,
            error,
            notes.records,
            dict(notes.remarks),
            list(notes.warnings),
            list(notes.damage),
            notes.open_end,
            notes.file,
        )

    def _tell(self, step: _Step) -> None:
        """Bring the source's notes to where they were when lines were taken."""
        notes, given = self.notes, self._given
        notes.records += step.records - given.records
        for kind, count in step.remarks.items():
            notes.remark(kind, count - given.remarks.get(kind, 0))
        notes.warnings += step.warnings[len(given.warnings) :]
        notes.damage += step.damage[len(given.damage) :]
        notes.open_end, notes.file = step.open_end, step.file
        self._given = step
