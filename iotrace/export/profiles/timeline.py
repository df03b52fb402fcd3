"""The calls of each thread, and the requests to each disk, as beginnings and ends that nest on tracks."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from enum import Enum
from itertools import count, groupby
from typing import NamedTuple

from iotrace.errors import IotraceError
from iotrace.export.profiles.weights import MOST_BYTES, ROWS
from iotrace.libraries import duckdb
from iotrace.store.store import Store

_CALLS = """
    select coalesce(process.job, -1) as job, thread_slice.pid, coalesce(name, '(unknown)') as process,
           coalesce(thread_slice.thread, 0) as thread,
           time_ns, duration_ns, call, class, path, seq, "offset", requested, moved, result, error
    from thread_slice
    left join process using (process)
    left join process_name using (process)
    order by job, thread_slice.pid, thread_slice.thread, time_ns,
             if((select count(*) from parallel_io) > 0, -coalesce(duration_ns, 0), 0), seq
"""
_REQUESTS = """
    select -1 as job, null::integer as pid, device as process, 0 as thread,
           time_ns, latency_ns as duration_ns, coalesce(operation, '(unknown)') as call, null as class,
           path, seq, lbn, blocks, coalesce(program, pid::varchar) as program
    from disk_request
    where time_ns is not null
    order by device, time_ns, seq
"""
_FIRST_ARGUMENT = 9
"""The place of `seq` in the rows of both: it and what follows are arguments."""


class Track(NamedTuple):
    """A line of the timeline: a thread, or one of as many as a disk's requests at the same time need."""

    job: int
    """-1 for none."""
    pid: int | None
    process: str
    """The name of the process, the rank or the disk."""
    number: int
    """The thread's, or the line's."""


class Slice(NamedTuple):
    """A call or request."""

    time_ns: int
    duration_ns: int | None
    name: str
    kind: str | None
    path: str | None
    arguments: tuple[int | str | None, ...]
    """By the names in `Timeline.names`."""

    @property
    def end_ns(self) -> int:
        """When it ends."""
        return self.time_ns + (self.duration_ns or 0)


class Step(Enum):
    """An event on a track."""

    BEGIN = 1
    END = 2
    MARK = 3
    """A call without a duration."""


Event = tuple[Step, int, Slice]
"""With the time in ns, which for the end of a slice that is cut comes before its own."""


@dataclass
class Timeline:
    """A store's timeline, a process or disk after the other, and what differs in it from the trace."""

    store: Store
    names: tuple[str, ...] = field(default=(), init=False)
    """Those of the arguments of slices, when the first is given."""
    slices: int = field(default=0, init=False)
    marks: int = field(default=0, init=False)
    cut: int = field(default=0, init=False)
    longest_cut_ns: int = field(default=0, init=False)

    def tracks(self) -> Iterator[tuple[Track, Iterator[Event]]]:
        """Give each track's events in their order; of a disk, each track may come several times."""
        if not self.store.has_times:
            raise IotraceError(f"{self.store.name}: the trace has no times, which a timeline needs")
        for track, slices in groupby(self._rows(), lambda row: row[0]):
            if self.store.family.has_disks:
                yield from self._lanes(track, slices)
            else:
                yield track, self._nested(one for _, one in slices)

    def remarks(self) -> tuple[str, ...]:
        """Say what differs from the trace, after the events were given."""
        sentences = []
        if self.marks:
            sentences.append(f"{self.marks:,} calls without a duration have no length in it")
        if self.cut:
            sentences.append(
                f"{self.cut:,} calls end where the next one of their thread begins, by at most"
                f" {self.longest_cut_ns:,} ns earlier than in the trace"
            )
        return tuple(sentences)

    def _rows(self) -> Iterator[tuple[Track, Slice]]:
        is_disk = self.store.family.has_disks
        views = ["disk_request"] if is_disk else ["thread_slice", "process_name"]
        with closing(self.store.sandboxed(views, most_bytes=MOST_BYTES)) as connection:
            try:
                reader = connection.sql(_REQUESTS if is_disk else _CALLS).to_arrow_reader(ROWS)
                self.names = tuple(reader.schema.names[_FIRST_ARGUMENT:])
                for batch in reader:
                    for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                        yield (
                            Track._make(row[:4]),
                            Slice._make((*row[4:_FIRST_ARGUMENT], row[_FIRST_ARGUMENT:])),
                        )
            except duckdb.Error as error:
                raise IotraceError(f"{self.store.name}: {error}") from None

    def _nested(self, slices: Iterable[Slice]) -> Iterator[Event]:
        """Give the events of a thread: what begins within another and ends after it ends that one."""
        open_slices: list[tuple[int, Slice]] = []
        for one in slices:
            while open_slices and open_slices[-1][0] <= one.time_ns:
                yield (Step.END, *open_slices.pop())
            if one.duration_ns is None:
                self.marks += 1
                yield Step.MARK, one.time_ns, one
                continue
            while open_slices and open_slices[-1][0] < one.end_ns:
                end_ns, before = open_slices.pop()
                self.cut += 1
                self.longest_cut_ns = max(self.longest_cut_ns, end_ns - one.time_ns)
                yield Step.END, one.time_ns, before
            self.slices += 1
            yield Step.BEGIN, one.time_ns, one
            open_slices.append((one.end_ns, one))
        while open_slices:
            yield (Step.END, *open_slices.pop())

    def _lanes(
        self, disk: Track, slices: Iterable[tuple[Track, Slice]]
    ) -> Iterator[tuple[Track, Iterator[Event]]]:
        """Give each request on the first track of its disk that is free as it arrives."""
        free: list[int] = []
        busy: list[tuple[int, int]] = []
        lanes = count()
        for _, one in slices:
            while busy and busy[0][0] <= one.time_ns:
                heapq.heappush(free, heapq.heappop(busy)[1])
            lane = heapq.heappop(free) if free else next(lanes)
            heapq.heappush(busy, (one.end_ns, lane))
            yield disk._replace(number=lane), self._nested([one])
