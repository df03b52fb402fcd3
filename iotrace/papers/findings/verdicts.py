"""The answers that a finding of a paper gets, counted and in words."""

from collections.abc import Iterable, Mapping
from enum import StrEnum


class Verdict(StrEnum):
    """The answer."""

    HOLDS = "holds"
    FAILS = "fails"
    UNJUDGED = "can't be judged"


IN_SHORT = {Verdict.HOLDS: "hold", Verdict.FAILS: "fail", Verdict.UNJUDGED: "can't be judged"}
IN_FULL = {Verdict.HOLDS: "hold", Verdict.FAILS: "do not hold", Verdict.UNJUDGED: "cannot be judged"}


def counts(verdicts: Iterable[str | None]) -> dict[Verdict, int]:
    """Return how many there are of each verdict; one that is missing can't be judged."""
    given = [verdict or Verdict.UNJUDGED for verdict in verdicts]
    return {verdict: given.count(verdict) for verdict in Verdict}


def counted(numbers: Mapping[Verdict, int], words: Mapping[Verdict, str] = IN_SHORT) -> str:
    """Say how many findings have each verdict: ``3 hold, 1 fail, 0 can't be judged``."""
    return ", ".join(f"{numbers[verdict]} {word}" for verdict, word in words.items())
