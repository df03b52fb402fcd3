"""Pieces of advice as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from iotrace.analysis.times import TracersPart
from iotrace.queries.rules import Rule

LEAST_PERCENT = 1
"""Cards of less of the run's time do not lead; if they have less of the bytes, too, they are left out by default."""
MOST_EVIDENCE = 20
"""Pieces of evidence that a card lists."""
SHORT_PATH = 40
"""The most characters of a path in a short title."""
SHORT_PLACE = 90
"""The same of a name that is not a path, such as that of a part of a disk."""


@dataclass(frozen=True)
class Evidence:
    """Where a rule found something: result ``evidence``."""

    path: str | None
    process: str | None
    number: float
    unit: str
    at_stake_s: float | None
    at_stake_bytes: int | None
    detail: str | None = None
    """The counters behind it, in words."""


@dataclass(frozen=True)
class Seconds:
    """Seconds of which a part is at stake."""

    at_stake_s: float
    whole_s: float | None


@dataclass(frozen=True)
class Card:
    """One piece of advice."""

    rule: Rule
    title: str
    at_stake_s: float | None
    at_stake_bytes: int | None
    evidence: tuple[Evidence, ...]
    """Most at stake first; at most MOST_EVIDENCE."""
    places: int
    """How many pieces of evidence there are in all."""
    number: float | None = None
    """The sum of the evidence's numbers; None where these are seconds or bytes."""
    short: str = ""
    """The title with a path of at most `SHORT_PATH` characters, and without what else there is."""
    seconds: Mapping[str, Seconds] = field(default_factory=dict, repr=False)
    """Of rules on counters of jobs: the seconds of which those at stake are a part, by their name."""
    shared_s: float = 0.0
    """Seconds at stake that a card before it counts, too, and that `at_stake_s` leaves out."""
    snippets: tuple[tuple[str, str], ...] = ()
    """Code or commands that do it, for the libraries and file systems that the job uses."""

    @property
    def whole_stake_s(self) -> float | None:
        """The seconds at stake, those that a card before it counts, too, among them."""
        return None if self.at_stake_s is None else self.at_stake_s + self.shared_s


@dataclass(frozen=True)
class Whole:
    """Totals of a trace, by which advice is measured."""

    wall_s: float | None
    """From the first event to the last, without time between recordings; None if the trace has no times."""
    data_bytes: int
    """All bytes of data that were read and written."""
    requests: int = 0
    """System calls, requests to disks, or calls of ranks."""
    io_s: float | None = None
    """The time in I/O, added up over processes, ranks or requests; None where the trace records none."""
    recorded_s: float | None = None
    """The same time as recorded, with what the tracer adds; None for traces that are not of system calls."""
    io_in: str = "requests"
    """The calls or requests that take `io_s`."""
    has_unseen: bool = False
    """Whether the trace has I/O that it cannot show, and that may matter."""
    ranks: int = 1
    """Of a parallel program, how many ranks make calls; else 1."""
    is_bound: bool = False
    """Whether many calls have no recorded length, so that times are lower bounds."""
    tracers: TracersPart = TracersPart.NONE
    """The treatment of the time that the tracer adds."""
    not_recorded: str = ""
    """The activity of threads in time that is in no recorded call, as `times.not_recorded` says it."""
    shows_waits: bool = False
    """Whether the recording shows when threads have no processor."""
    is_sampled: bool = False
    """Whether it has the calls on a sample of the files, and not those on the others."""
    is_of_jobs: bool = False
    """Whether it is of jobs' counters: of ranks times run time, and of all logs."""
    parts: Mapping[str, int] | None = None
    """The time in storage calls by `times.PARTS`, in ns, where the recording has the requests to disks."""

    @property
    def run_s(self) -> float | None:
        """The time of the run, added up over ranks."""
        return None if self.wall_s is None else self.wall_s * self.ranks


@dataclass(frozen=True)
class Advice:
    """The cards: first those that may be a headline, then by what is at stake."""

    cards: tuple[Card, ...]
    small: int
    """Rules that found something with less at stake than LEAST_PERCENT, which are left out."""
    whole: Whole
    split: Mapping[str, int] | None = None
    """The clock's time by state, in ns, where that was asked for."""

    @property
    def leader(self) -> Card | None:
        """The card with most at stake, if that is enough for a headline."""
        return self.cards[0] if self.cards and leads(self.cards[0], self.whole) else None


def leads(card: Card, whole: Whole) -> bool:
    """Return whether a card has enough at stake for a headline.

    That is LEAST_PERCENT of the run's time; where times are not known, of its requests or bytes.
    """
    if whole.run_s and card.whole_stake_s is not None:
        if 100 * card.whole_stake_s >= LEAST_PERCENT * whole.run_s:
            return True
        if not whole.is_bound:
            return False
    moved = card.at_stake_bytes is not None and whole.data_bytes > 0
    return bool(
        (card.number is not None and 100 * card.number >= LEAST_PERCENT * whole.requests)
        or (moved and 100 * (card.at_stake_bytes or 0) >= LEAST_PERCENT * whole.data_bytes)
    )
