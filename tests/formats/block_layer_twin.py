"""Events of the block layer paired into requests in Python: a slow twin of the engine's `BlockPairing`."""

from collections import deque
from collections.abc import Iterable, Iterator

from block_layer_pieces import Piece, Pieces, Row

from iotrace.formats.disk_io.block_layer import Event
from iotrace.formats.disk_io.fields import LARGEST
from iotrace.formats.disk_io.requests import STAGES
from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.libraries import pl

WAITING_ROWS = 1 << 16
"""The most later rows that wait for a row's completion; then it is passed on without one."""
BATCH_ROWS = 1 << 16
MOST_SEARCHED = 1 << 10
"""The most waiting requests that are searched for those in a completed range with gaps between them."""

REQUEUE, ISSUE, COMPLETE, QUEUE, SPLIT, MERGES = "R", "D", "C", "Q", "X", ("M", "F")
ALLOCATE, INSERT = "G", "I"


class Pairing:
    """Takes events in the order of time, gives rows in the order of arrival, and remarks what does not pair up."""

    def __init__(self, notes: SourceNotes) -> None:
        self.notes = notes
        self._rows: deque[Row] = deque()
        self._pieces: dict[tuple[str, str], dict[int, Pieces]] = {}
        self._issued: dict[tuple[str, str, int, int], deque[Row | int]] = {}
        """Dispatches not yet completed, by what they are of: their times, and first a request that was not queued."""
        self._done: list[Row] = []

    def take(self, events: Iterable[Event]) -> None:
        """Follow some more events."""
        for event in events:
            action = event.action
            if action == QUEUE:
                self._queue(event)
            elif action == ISSUE:
                self._issue(event)
            elif action == COMPLETE:
                self._complete(event)
            elif action == SPLIT:
                self._split(event)
            elif action == REQUEUE:
                self._requeue(event)
            elif action == ALLOCATE:
                self._allocate(event)
            elif action == INSERT:
                self._insert(event)
            elif action in MERGES:
                self.notes.remark("merged requests")

    def batch(self, last: bool) -> list[Row]:
        """Return the rows that no earlier one holds back any more; all of them at the end."""
        rows = self._rows
        while rows and (last or not rows[0].open or len(rows) > WAITING_ROWS):
            row = rows.popleft()
            if row.open:
                self.notes.remark("requests without completion")
                self._forget(row)
            self._done.append(row)
        if not last and len(self._done) < BATCH_ROWS:
            return []
        done, self._done = self._done, []
        return done

    def _forget(self, row: Row) -> None:
        """Wait no more for the completion of a request."""
        event = row.event
        self._oldest_dispatch(event)
        row.open = 0
        waiting = self._pieces.get((event.device, event.operation), {})
        for sector in (event.sector, *(row.split_at or ())):
            if pieces := waiting.get(sector):
                pieces.drop_given_up()
                if not pieces:
                    del waiting[sector]

    def _queue(self, event: Event) -> None:
        row = Row(event, queued=True)
        self._rows.append(row)
        waiting = self._pieces.setdefault((event.device, event.operation), {})
        _from(waiting, event.sector).append(Piece(row, event.blocks))

    def _issue(self, event: Event) -> None:
        key = (event.device, event.operation, event.sector, event.blocks)
        before = self._issued.get(key)
        lacked = [pieces.issue(event.time_ns) for pieces in self._reached(event)]
        if before is not None and not any(lacked):
            self.notes.remark("repeated dispatches")
            self._dispatch_again(before, event.time_ns)
        elif before is not None:
            before.append(event.time_ns)
        elif self._is_queued(event):
            self._issued[key] = deque([event.time_ns])
        else:
            self.notes.remark("dispatches of what was not queued")
            row = Row(event, queued=False, issued_ns=event.time_ns)
            self._rows.append(row)
            self._issued[key] = deque([row])

    @staticmethod
    def _dispatch_again(issued: deque[Row | int], time_ns: int) -> None:
        """Let the oldest dispatch be a later one, of those that were queued where there are any."""
        first = issued[0]
        if not isinstance(first, Row):
            issued.popleft()
            issued.append(time_ns)
        elif len(issued) == 1:
            first.issued_ns = time_ns
        else:
            del issued[1]
            issued.append(time_ns)

    def _oldest_dispatch(self, event: Event) -> Row | int | None:
        """Take away the oldest dispatch of an event's blocks."""
        key = (event.device, event.operation, event.sector, event.blocks)
        issued = self._issued.get(key)
        if issued is None:
            return None
        oldest = issued.popleft()
        if not issued:
            del self._issued[key]
        return oldest

    def _is_queued(self, event: Event) -> bool:
        waiting = self._pieces.get((event.device, event.operation))
        return waiting is not None and event.sector in waiting

    def _allocate(self, event: Event) -> None:
        waiting = self._pieces.get((event.device, event.operation), {})
        if pieces := waiting.get(event.sector):
            pieces.allocate(event.time_ns)

    def _insert(self, event: Event) -> None:
        for pieces in self._reached(event):
            pieces.insert(event.time_ns)

    def _reached(self, event: Event) -> Iterator[Pieces]:
        """Yield the pieces whose blocks an event covers, those from one sector on together."""
        if waiting := self._pieces.get((event.device, event.operation)):
            for sector in self._covered(waiting, event):
                yield waiting[sector]

    def _requeue(self, event: Event) -> None:
        """Take back the last dispatch of an event's blocks."""
        key = (event.device, event.operation, event.sector, event.blocks)
        issued = self._issued.get(key)
        issued_ns = issued[-1] if issued else None
        if not issued or not isinstance(issued_ns, int):
            return
        issued.pop()
        if not issued:
            del self._issued[key]
        for pieces in self._reached(event):
            pieces.requeue(issued_ns)

    def _split(self, event: Event) -> None:
        """Let the two parts of a queued request complete separately."""
        waiting = self._pieces.get((event.device, event.operation), {})
        pieces = waiting.get(event.sector)
        first = event.new_sector - event.sector
        if not pieces or not 0 < first < pieces.first.blocks:
            self.notes.remark("splits of what was not queued")
            return
        rest = pieces.split_first(first)
        _from(waiting, event.new_sector).append(rest)
        if rest.row.split_at is None:
            rest.row.split_at = []
        rest.row.split_at.append(event.new_sector)

    def _complete(self, event: Event) -> None:
        issued = self._oldest_dispatch(event)
        if isinstance(issued, Row):
            issued.open = 0
            issued.completed_ns = event.time_ns
            issued.service_ns = event.time_ns - (issued.issued_ns or 0)
            return
        was_queued = self._complete_queued(event, issued)
        if issued is None:
            self.notes.remark(
                "completions without dispatch" if was_queued else "completions of what was never seen"
            )

    def _complete_queued(self, event: Event, issue_ns: int | None) -> bool:
        waiting = self._pieces.get((event.device, event.operation))
        if not waiting:
            return False
        was_queued = False
        for sector in self._covered(waiting, event):
            pieces = waiting[sector]
            piece = pieces.take_first()
            row = piece.row
            if not pieces:
                del waiting[sector]
            was_queued = True
            row.open -= 1
            if not row.open:
                row.completed_ns = event.time_ns
                row.latency_ns = event.time_ns - row.event.time_ns
                known_ns = (piece.issued_ns, issue_ns, row.issued_ns)
                row.issued_ns = next((time_ns for time_ns in known_ns if time_ns is not None), None)
                row.service_ns = None if row.issued_ns is None else event.time_ns - row.issued_ns
        return was_queued

    @staticmethod
    def _covered(waiting: dict[int, Pieces], event: Event) -> list[int]:
        """Return where the pieces begin that lie in a completed range; they usually follow each other."""
        end = event.sector + event.blocks
        if event.sector in waiting and not event.blocks:
            return [event.sector]
        covered = []
        at = event.sector
        while at < end and (pieces := waiting.get(at)) and 0 < pieces.first.blocks <= end - at:
            covered.append(at)
            at += pieces.first.blocks
        if at < end and len(covered) < len(waiting) <= MOST_SEARCHED:
            inside = [
                start for start in waiting if at <= start < end and start + waiting[start].first.blocks <= end
            ]
            covered += sorted(inside)
        return covered


def _from(waiting: dict[int, Pieces], sector: int) -> Pieces:
    """Return the pieces that wait from a sector on, if only to add one."""
    return waiting.setdefault(sector, Pieces())


def _fits(number: int | None) -> int | None:
    """Return a number, or one that is out of every range where it does not fit 64 bits with a sign."""
    return number if number is None or abs(number) <= LARGEST else LARGEST


def requests(rows: list[Row], excerpt: str) -> Batch:
    """Return rows as a batch of requests; `excerpt` names what shows a record."""
    events = [row.event for row in rows]
    frame = pl.DataFrame(
        {
            "record": [event.record for event in events],
            "time_ns": [_fits(event.time_ns) for event in events],
            "device": [event.device for event in events],
            "operation": [event.operation or None for event in events],
            "lbn": [_fits(event.sector) for event in events],
            "blocks": [_fits(event.blocks) for event in events],
            "pid": [_fits(event.pid) for event in events],
            "program": [event.program for event in events],
            "latency_ns": [_fits(row.latency_ns) for row in rows],
            "service_ns": [_fits(row.service_ns) for row in rows],
            **{stage: [_fits(getattr(row, stage)) for row in rows] for stage in STAGES},
            "flags": [event.flags or None for event in events],
        },
        schema_overrides={
            **dict.fromkeys(("device", "operation", "program", "flags"), pl.String),
            **dict.fromkeys(
                ("record", "time_ns", "lbn", "blocks", "pid", "latency_ns", "service_ns", *STAGES), pl.Int64
            ),
        },
    )
    return Batch(frame, ("time_ns", "operation", "blocks"), lambda record: f"{excerpt} {record}")
