"""The answers that findings get: on each claim, on a finding of several claims, and counted by kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any


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


def counted(numbers: Mapping[Verdict, int], labels: Mapping[Verdict, str] = IN_SHORT) -> str:
    """Say how many have each verdict: ``3 hold, 1 fail, 0 can't be judged``."""
    return ", ".join(f"{numbers[verdict]} {word}" for verdict, word in labels.items())


def verdict_of(verdicts: Sequence[str]) -> Verdict:
    """Return the verdict on a finding of several claims: it fails with one, and holds if those that are judged do."""
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.HOLDS if Verdict.HOLDS in verdicts else Verdict.UNJUDGED


def with_whole_verdicts(
    rows: Sequence[Mapping[str, Any]], whole: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return rows, one for each claim, with the verdict on the finding that it belongs to as `whole_verdict`."""
    verdicts: dict[str, list[str]] = {}
    for row in rows:
        verdicts.setdefault(whole(row["finding"]), []).append(row["verdict"])
    return [{**row, "whole_verdict": str(verdict_of(verdicts[whole(row["finding"])]))} for row in rows]
