"""The first screen as data: a headline, up to three answers, and six key figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MOST_WORDS = 25
"""The most words of a sentence of the first screen."""


@dataclass(frozen=True)
class Amount:
    """A named number of an answer, in the answer's unit."""

    name: str
    value: float | None
    """None where the trace does not show it."""
    shown: str
    """The number as a person reads it, with its unit."""
    key: str = ""
    """A word by which programs, and colours, know it."""
    size_bytes: int | None = None
    """Of a cache's miss ratio: the size of the cache, where it is known in bytes."""
    found: str = ""
    """Of a change: what was found, of which the name says what to do about it."""


@dataclass(frozen=True)
class Answer:
    """An answer: a sentence, its numbers, and the command that says more."""

    sentence: str
    amounts: tuple[Amount, ...] = ()
    unit: str = ""
    """The unit of all its numbers."""
    command: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "sentence": self.sentence,
            "numbers": [_number(amount) for amount in self.amounts],
            "unit": self.unit,
            "command": self.command,
        }


def _number(amount: Amount) -> dict[str, Any]:
    more: dict[str, Any] = {"key": amount.key} if amount.key else {}
    if amount.found:
        more["found"] = amount.found
    if amount.size_bytes is not None:
        more["size_bytes"] = amount.size_bytes
    return {"name": amount.name, "value": amount.value, **more}


@dataclass(frozen=True)
class Leader:
    """The call, file, program, disk or rank with most time."""

    kind: str
    name: str
    shown: str
    seconds: float


@dataclass(frozen=True)
class Time(Answer):
    """The answer to where the time goes: its numbers are the named parts of one bar."""

    leaders: tuple[Leader, ...] = ()
    added_up: str = ""
    """How times of leaders add up, where they can exceed the clock's."""
    bounds: str = ""
    """Words on times of leaders that are bounds, since a tracer's time is in them, or unknown times are not."""
    longest_wait: str = ""
    """The call that waits longest, and for what, as the end of a clause; empty where none is known."""
    causes: str = ""
    """A sentence on what storage calls wait for; empty where that is not known."""
    no_processor: str = ""
    """A clause where at least half of the time in storage calls is waiting for a processor; else empty."""
    owner: str = ""
    """The owner of the time where it is not the clock's: as in "8 ranks' "."""
    unrecorded: str = ""
    """A sentence on the time between recordings, which is not in the bar; empty without such time."""
    note: str = ""
    """A few words on a part whose name does not say what it is, or on what decides the time."""
    is_of_jobs: bool = False
    """Whether it follows from counters of jobs, of which nothing says more."""


@dataclass(frozen=True)
class Cache(Answer):
    """The answer to which cache: its numbers are misses, in percent, at chosen sizes.

    Or the answer to how much memory: its numbers are bytes that Linux reads from the device at chosen limits.
    """

    points: tuple[tuple[int, float], ...] = ()
    """Misses in percent by the size of the cache, ascending; of memory, reads in percent of the most of any limit."""
    is_of_memory: bool = False
    """Whether it is about the page cache of Linux and limits of memory."""
    why_not_memory: str = ""
    """Of a trace of system calls: why it is not, as a clause."""
    is_of_objects: bool = False
    """Whether caches hold objects, and not blocks."""
    is_in_bytes: bool = True
    """Whether sizes are in bytes, and not in objects."""
    knee: int | None = None
    """The size that has 90 % of the hits of an unlimited cache."""
    today: int | None = None
    """The memory that the recorded program had, in bytes, where the recording measured it."""


@dataclass(frozen=True)
class KeyFigure:
    """One of the six numbers that a family is known by."""

    label: str
    value: float | None
    unit: str
    shown: str


@dataclass(frozen=True)
class FirstScreen:
    """The headline, answers and figures that a person sees first."""

    name: str
    about: tuple[str, ...]
    """The family, length and origin of the trace, in a few words each."""
    headline: Answer
    time: Time | None
    """None, as for the others, where the family cannot have the answer."""
    change: Answer | None
    cache: Cache | None
    figures: tuple[KeyFigure, ...]
    commands: tuple[str, str]
    """Commands that say more."""
    cautions: tuple[str, ...] = ()
    """Short sentences on what is missing from the numbers."""

    def as_json(self) -> dict[str, Any]:
        """Return the headline and the answers that there are, as JSON has them."""
        named = (
            ("headline", self.headline),
            ("time", self.time),
            ("change", self.change),
            ("cache", self.cache),
        )
        return {name: answer.as_json() for name, answer in named if answer is not None}


def words(sentence: str) -> int:
    """Return how many words a sentence has."""
    return len(sentence.split())


def fitting(candidates: Sequence[str], most: int = MOST_WORDS) -> str:
    """Return the first of some sentences that is short enough, else the last one, cut."""
    for sentence in candidates:
        if words(sentence) <= most:
            return sentence
    return " ".join([*candidates[-1].split()[: most - 1], "…"])
