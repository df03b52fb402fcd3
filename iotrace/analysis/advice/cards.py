"""Pieces of advice as data."""

from collections.abc import Mapping
from dataclasses import dataclass

from iotrace.queries.rules import Rule

LEAST_PERCENT = 1
"""What takes less of the trace's time, and is less of its bytes, is left out unless all is asked for."""
MOST_EVIDENCE = 20
"""Pieces of evidence that a card lists."""


@dataclass(frozen=True)
class Evidence:
    """Where a rule found something: result ``evidence``."""

    path: str | None
    process: str | None
    number: float
    unit: str
    at_stake_s: float | None
    at_stake_bytes: int | None


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


@dataclass(frozen=True)
class Advice:
    """The cards, most at stake first, and what they are measured by."""

    cards: tuple[Card, ...]
    small: int
    """Rules that found something with less at stake than LEAST_PERCENT, which are left out."""
    wall_s: float | None
    """From the first event to the last; None if the trace has no times."""
    data_bytes: int
    """All bytes of data that were read and written."""
    is_bound: bool = False
    """Whether many calls have no recorded length, so that times at stake are lower bounds."""
    split: Mapping[str, int] | None = None
    """The clock's time by state, in ns, where that was asked for."""
    not_recorded: str = ""
    """What threads do in time that is in no recorded call, as `times.not_recorded` says it."""
