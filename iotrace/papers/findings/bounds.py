"""Findings in parts, each a predicate on one number: findings.toml states them, findings.csv the wholes.

A finding of several parts has the identifier of its row in the CSV, and its parts that with a letter.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, TypeVar

import msgspec
import pyarrow as pa

from iotrace import queries
from iotrace.papers import data
from iotrace.papers.findings.verdicts import Verdict


@dataclass(frozen=True)
class Predicate:
    """A claim as a predicate: one number, and the bounds within which it bears the claim out."""

    number_format: ClassVar[str] = ",.6g"
    """How bounds are written."""

    finding: str
    claim: str
    section: str
    _: KW_ONLY
    how: Mapping[str, Any] = field(default_factory=dict)
    """How the number is taken; see the head of the paper's findings.toml."""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    exactly: float | None = None
    reason: str | None = None
    """Why it can't be judged, where nothing can."""

    def holds(self, number: float) -> bool:
        """Whether a number bears the claim out."""
        return (
            (self.low is None or number >= self.low)
            and (self.high is None or number <= self.high)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
            and (self.exactly is None or number == self.exactly)
        )

    def verdict(self, number: float | None) -> Verdict:
        """Judge by a number; without one the claim can't be judged."""
        if number is None:
            return Verdict.UNJUDGED
        return Verdict.HOLDS if self.holds(number) else Verdict.FAILS

    @property
    def bounds(self) -> str:
        """The bounds in words; empty where nothing can fail the claim."""
        words = {
            "at least": self.low,
            "at most": self.high,
            "above": self.above,
            "below": self.below,
            "exactly": self.exactly,
        }
        return ", ".join(
            f"{word} {bound:{self.number_format}}" for word, bound in words.items() if bound is not None
        )

    def judgement(self, **numbers: float | None) -> dict[str, Any]:
        """Return a row that says this of it: the verdict by the first number, and after it by each of the others."""
        first, *others = numbers
        return {
            **{entry.name: getattr(self, entry.name) for entry in fields(self)},
            **numbers,
            "bounds": self.bounds,
            "verdict": str(self.verdict(numbers[first])),
            **{
                f"{name}_verdict": None if numbers[name] is None else str(self.verdict(numbers[name]))
                for name in others
            },
        }


Part = TypeVar("Part", bound=Predicate)
TAKE: dict[str, Callable[[Sequence[float]], float]] = {
    "least": min,
    "largest": max,
    "farthest from 1": lambda numbers: max(numbers, key=lambda number: abs(number - 1)),
}
"""Which of several numbers is meant, by name."""


def taken(numbers: Sequence[float], take: str | None, of: str) -> float:
    """Return the number that is meant; raises ValueError, naming what it is `of`, where several are and none is."""
    if take is not None:
        return TAKE[take](numbers)
    if len(numbers) != 1:
        raise ValueError(f"{of}: {len(numbers)} numbers where one is meant")
    return numbers[0]


@cache
def read_parts(paper: str, kind: type[Part]) -> tuple[Part, ...]:
    """Return the parts of a paper's findings as its findings.toml states them; `how` has what is no field of `kind`.

    Raises ValueError for one that nothing can fail and that has no reason for it.
    """
    own = {entry.name for entry in fields(kind)} - {"how"}
    parts = []
    for raw in data.entries(paper, "findings", "part", "finding"):
        how = {name: value for name, value in raw.items() if name not in own}
        part = msgspec.convert({**raw, "how": how}, kind)
        if (part.reason is None) == (not part.bounds):
            raise ValueError(f"{part.finding}: needs bounds, or a reason why it can't be judged")
        parts.append(part)
    return tuple(parts)


@cache
def claims(paper: str) -> dict[str, str]:
    """Return a paper's findings as its findings.csv words them, by their identifiers."""
    return {row["id"]: row["claim"] for row in data.published(paper, "findings")}


def whole(finding: str) -> str:
    """Return the finding to which a part belongs: its row in findings.csv."""
    return finding.rstrip("abcdefgh")


def verdict_of(verdicts: Sequence[str]) -> Verdict:
    """Return the verdict on a finding of several parts: it fails with one, and holds if those that can be judged do."""
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    return Verdict.HOLDS if Verdict.HOLDS in verdicts else Verdict.UNJUDGED


def with_whole_verdicts(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows, one for each part, with the verdict on the finding that it belongs to as `whole_verdict`."""
    verdicts: dict[str, list[str]] = {}
    for row in rows:
        verdicts.setdefault(whole(row["finding"]), []).append(row["verdict"])
    return [{**row, "whole_verdict": str(verdict_of(verdicts[whole(row["finding"])]))} for row in rows]


def judged(rows: Sequence[Mapping[str, Any]], result: str) -> pa.Table:
    """Return the judgements on parts as a result by its name, each with the verdict on the whole finding."""
    return queries.result_table(result, with_whole_verdicts(rows))


def whole_verdicts(rows: Iterable[Mapping[str, Any]], findings: Iterable[str]) -> dict[str, str]:
    """Return the verdict on each of these findings by the rows of its parts; one without a part can't be judged."""
    verdict_of = {whole(row["finding"]): row["whole_verdict"] for row in rows}
    return {finding: verdict_of.get(finding, str(Verdict.UNJUDGED)) for finding in findings}
