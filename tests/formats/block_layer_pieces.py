"""The pieces of requests that `block_layer_twin` pairs: a slow twin of the engine's."""

from collections.abc import Callable
from dataclasses import dataclass

from iotrace.formats.disk_io.block_layer import Event

FEWEST_PASSED = 32
"""As many pieces are passed before their places are freed."""
MOST_LOOKED_AT = 8
"""Among as many of the last dispatches that is looked for which a requeue takes back."""


@dataclass(slots=True, eq=False)
class Row:
    """A request that is not complete yet."""

    event: Event
    queued: bool
    issued_ns: int | None = None
    open: int = 1
    """How many of its pieces wait; none of a row that is given out."""
    split_at: list[int] | None = None
    """Where the pieces begin that were split from it."""
    allocated_ns: int | None = None
    inserted_ns: int | None = None
    completed_ns: int | None = None
    latency_ns: int | None = None
    service_ns: int | None = None

    @property
    def queued_ns(self) -> int | None:
        """When it was queued."""
        return self.event.time_ns if self.queued else None


@dataclass(slots=True, eq=False)
class Piece:
    """A part of a queued request (usually all of it) that waits for its completion."""

    row: Row
    blocks: int
    issued_ns: int | None = None
    waits: bool = True

    def issue(self, time_ns: int | None) -> None:
        """Note its dispatch, or that it was taken back."""
        self.issued_ns = self.row.issued_ns = time_ns


class Pieces:
    """The pieces from one sector on, in the order of their arrival; the first is of no request that was given out.

    They pass each stage in their order. How far each stage has come is kept, so that no event has to visit them all.
    """

    __slots__ = ("_allocated", "_dispatched", "_first", "_inserted", "_issued", "_requeued", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[Piece] = []
        self._first = 0
        self._allocated = self._inserted = self._issued = 0
        """Before these places all pieces have passed the stage."""
        self._dispatched: list[Piece] = []
        """In the order of their dispatches; some are complete."""
        self._requeued: list[Piece] = []

    def __bool__(self) -> bool:
        """Whether a piece waits."""
        return self._first < len(self._waiting)

    @property
    def first(self) -> Piece:
        """The one that arrived first."""
        return self._waiting[self._first]

    def append(self, piece: Piece) -> None:
        """Let a piece wait."""
        self._waiting.append(piece)

    def take_first(self) -> Piece:
        """Take the first away."""
        first = self.first
        first.waits = False
        self._first += 1
        self.drop_given_up()
        return first

    def split_first(self, blocks: int) -> Piece:
        """Let the first be as many blocks; return the rest, which begins after them."""
        first = self.first
        rest = Piece(first.row, first.blocks - blocks, first.issued_ns)
        first.blocks = blocks
        first.row.open += 1
        return rest

    def drop_given_up(self) -> None:
        """Drop the first pieces as long as they are of requests that were given out without their completion."""
        while self and not self.first.row.open:
            self.first.waits = False
            self._first += 1
        if self._first >= max(FEWEST_PASSED, len(self._waiting) // 2):
            passed, self._first = self._first, 0
            del self._waiting[:passed]
            self._allocated -= passed
            self._inserted -= passed
            self._issued -= passed
            self._dispatched = [piece for piece in self._dispatched if piece.waits]
            self._requeued = [piece for piece in self._requeued if piece.waits]

    def allocate(self, time_ns: int) -> None:
        """Note an allocation, of the first piece that lacks it."""
        place = self._allocated = self._next(self._allocated, lambda piece: piece.row.allocated_ns)
        if place < len(self._waiting):
            self._waiting[place].row.allocated_ns = time_ns

    def insert(self, time_ns: int) -> None:
        """Note an insertion, of the first piece that lacks it; where none does it is a repeated one of the first."""
        place = self._inserted = self._next(self._inserted, lambda piece: piece.row.inserted_ns)
        piece = self._waiting[place] if place < len(self._waiting) else self.first
        piece.row.inserted_ns = time_ns

    def issue(self, time_ns: int) -> bool:
        """Note a dispatch likewise; return whether a piece lacked it."""
        piece = self._to_issue()
        lacked = piece is not None
        piece = piece or self.first
        piece.issue(time_ns)
        if not self._dispatched or self._dispatched[-1] is not piece:
            self._dispatched.append(piece)
        return lacked

    def requeue(self, issued_ns: int) -> None:
        """Take a dispatch back, the last at this time."""
        while self._dispatched and not self._dispatched[-1].waits:
            self._dispatched.pop()
        for place in range(len(self._dispatched) - 1, -1, -1)[:MOST_LOOKED_AT]:
            piece = self._dispatched[place]
            if piece.waits and piece.issued_ns == issued_ns:
                del self._dispatched[place]
                piece.issue(None)
                self._requeued.append(piece)
                return

    def _to_issue(self) -> Piece | None:
        while self._requeued:
            piece = self._requeued.pop()
            if piece.waits and piece.row.open and piece.issued_ns is None:
                return piece
        place = self._issued = self._next(self._issued, lambda piece: piece.issued_ns)
        return self._waiting[place] if place < len(self._waiting) else None

    def _next(self, place: int, passed_ns: Callable[[Piece], int | None]) -> int:
        """Return the place of the first piece from here on that has not passed a stage."""
        place = max(place, self._first)
        waiting = self._waiting
        while place < len(waiting) and (passed_ns(waiting[place]) is not None or not waiting[place].row.open):
            place += 1
        return place
