"""Claims of papers as predicates: findings.toml states them, findings.csv the findings that they are parts of.

A claim is one number and the bounds within which the number bears it out. Where a sentence says several things it is
several claims: each has the identifier of its row in findings.csv, and a letter.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from enum import StrEnum
from functools import cache, cached_property
from typing import Any, TypeVar

import msgspec

from iotrace.papers import data
from iotrace.papers.findings.interval import DOMAINS, Domain, Interval, about
from iotrace.papers.findings.verdicts import Verdict

DEFAULT_FACTOR = 1.5
"""How far off still counts as about, either way, where the claim does not say."""


class Kind(StrEnum):
    """The subject of a predicate."""

    NUMERIC = "numeric"
    """One number against a bound, or about a number."""
    ORDERING = "ordering"
    """Which of two is more."""
    RANGE = "range"
    """One number between two bounds."""
    STRUCTURAL = "structural"
    """Claims that follow from the model: they show that the model is the paper's, and are no evidence."""


class Basis(StrEnum):
    """The basis on which a claim is judged."""

    PRINTED = "printed input"
    SIMULATED = "simulation"
    TRACE = "trace"
    MADE_TRACE = "made trace"


class Origin(StrEnum):
    """The dependence of the judged number on the paper's own numbers."""

    INDEPENDENT = "independent"
    FITTED = "fitted"
    """A preset was fitted to the numbers that the claim is about."""
    PARTLY_FITTED = "partly fitted"
    """The claim compares numbers, and a preset was fitted to some of them."""
    MATCHED = "matched by construction"
    """The trace was made with this number."""
    REPEATED = "repeated"
    """The number decides another claim, too."""


class Cause(StrEnum):
    """Why a claim fails, where that is known."""

    MODEL = "model"
    WORKLOAD = "workload"
    AVERAGE = "an average over workloads"
    """The paper says it of the average of its workloads, of which some need not bear it out."""
    CHANCE = "chance"
    """The verdict rests on the seeds, whichever it is."""
    PAPER = "the paper's own numbers"
    """The paper contradicts itself, or its printed numbers miss the bound."""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper as a predicate on one number."""

    finding: str
    claim: str
    section: str
    _: KW_ONLY
    unit: str = "ratio"
    how: Mapping[str, Any] = field(default_factory=dict)
    """How the number is taken; see the head of the paper's findings.toml."""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    exactly: float | None = None
    about: float | None = None
    reaches: float | None = None
    """A level that the paper says is reached: it may be missed by as much as "about" allows, and more is no failure."""
    factor: float | None = None
    structural: bool = False
    origin: Origin = Origin.INDEPENDENT
    made: Origin = Origin.INDEPENDENT
    """The origin of the number where the trace is generated."""
    likes: tuple[str, ...] = ()
    """Of which disks or workloads the paper says it; no others can bear it out."""
    reason: str | None = None
    """Why it can't be judged, where nothing can."""
    note: str | None = None
    """A note on a claim that fails, or whose verdict rests on the seeds."""
    cause: Cause | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for bounds that nothing can fail or meet, and for a claim without bounds or a reason."""
        if self.unit not in DOMAINS:
            raise ValueError(f"{self.finding}: {self.unit!r} is not a unit of claims")
        if self.factor is not None and self.nominal is None:
            raise ValueError(f"{self.finding}: a factor is for what is about a number, or reaches it")
        given = [value is not None for value in (self.about, self.reaches, self.exactly)]
        given.append(self._bounds != Interval())
        if sum(given) > 1:
            raise ValueError(f"{self.finding}: give bounds, or exactly, or about, or reaches")
        if sum(given) == (self.reason is not None):
            raise ValueError(f"{self.finding}: needs bounds, or a reason why it can't be judged")
        if sum(given) and not self.interval.real_bounds(self.domain):
            raise ValueError(
                f"{self.finding}: {self.interval} {self.unit}: a bound that no number, or each, passes"
            )

    @property
    def _bounds(self) -> Interval:
        return Interval(self.low, self.high, self.above, self.below)

    @cached_property
    def interval(self) -> Interval:
        """The bounds within which a number bears the claim out."""
        if self.about is not None:
            return about(self.about, self.tolerance, self.unit)
        if self.reaches is not None:
            return Interval(low=about(self.reaches, self.tolerance, self.unit).low)
        return self._bounds if self.exactly is None else Interval(low=self.exactly, high=self.exactly)

    @property
    def nominal(self) -> float | None:
        """The number that the paper gives, where a factor of it counts as the same."""
        return self.reaches if self.about is None else self.about

    @property
    def tolerance(self) -> float:
        """How far off still counts as about, either way."""
        return self.factor or DEFAULT_FACTOR

    @property
    def domain(self) -> Domain:
        """The numbers that the quantity can have."""
        return DOMAINS[self.unit]

    @property
    def kind(self) -> Kind:
        """The subject of the predicate; two equal quantities have the ratio 1 and the difference 0."""
        if self.structural:
            return Kind.STRUCTURAL
        low, high = self.interval.ends
        if self.about is None and low is not None and high is not None and not self.interval.is_exact:
            return Kind.RANGE
        equal = {"ratio": 1, "points": 0, "ms": 0, "percent less": 0, "percent more": 0}.get(self.unit)
        return Kind.ORDERING if (low if high is None else high) == equal is not None else Kind.NUMERIC

    @property
    def bounds(self) -> str:
        """The bounds in words; empty where nothing can be judged."""
        return "" if self.reason else str(self.interval)

    def holds(self, number: float) -> bool:
        """Whether a number bears the claim out."""
        return self.interval.holds(number)

    def verdict(self, number: float | None) -> Verdict:
        """Judge by a number; without one the claim can't be judged."""
        if number is None:
            return Verdict.UNJUDGED
        return Verdict.HOLDS if self.holds(number) else Verdict.FAILS

    def of_class(self, *names: str | None) -> bool:
        """Whether the paper says it of a trace that is called or classed so."""
        return not self.likes or not set(self.likes).isdisjoint(names)

    def decisive(self, numbers: Sequence[float], take: str | None = None) -> float:
        """Return which of several numbers decides.

        ``least``, ``largest``, or, by their distance to the bounds: ``every`` must bear the claim out, or ``any``.
        Raises ValueError where there are several and the claim does not say which.
        """
        if take is None and len(numbers) != 1:
            raise ValueError(f"{self.finding}: {len(numbers)} numbers where one is meant")
        by_distance = self.interval.distance
        match take:
            case None:
                return numbers[0]
            case "least":
                return min(numbers)
            case "largest":
                return max(numbers)
            case "every":
                return min(numbers, key=by_distance)
            case "any":
                return max(numbers, key=by_distance)
        raise ValueError(f"{self.finding}: takes none of its numbers: {take}")


@dataclass(frozen=True)
class Judgement:
    """A claim with the number that decides, and what it was judged on; `reason` says why there is none."""

    claim: Claim
    basis: Basis
    number: float | None
    reason: str | None = None
    printed: float | None = None
    """The same number by what the paper prints."""

    @property
    def verdict(self) -> Verdict:
        """Holds, fails, or can't be judged."""
        return self.claim.verdict(self.number)

    @property
    def printed_verdict(self) -> Verdict | None:
        """The verdict on the paper's own number; None where it prints none."""
        return None if self.printed is None else self.claim.verdict(self.printed)

    @property
    def origin(self) -> Origin:
        """The dependence of the number on the paper's own numbers."""
        claim = self.claim
        is_made = self.basis is Basis.MADE_TRACE and claim.made is not Origin.INDEPENDENT
        return claim.made if is_made else claim.origin

    @property
    def cause(self) -> Cause | None:
        """Why it fails, where that is known; chance also where it holds.

        What fails on the printed numbers too is the paper's. A trace that is none of the paper's has another workload.
        """
        if self.verdict is not Verdict.FAILS:
            return Cause.CHANCE if self.is_chance else None
        if self.printed_verdict is Verdict.FAILS:
            return Cause.PAPER
        is_trace = self.basis in (Basis.TRACE, Basis.MADE_TRACE)
        return self.claim.cause or (Cause.WORKLOAD if is_trace else None)

    @property
    def is_chance(self) -> bool:
        """Whether the verdict, if there is one, rests on the seeds."""
        return self.claim.cause is Cause.CHANCE and self.verdict is not Verdict.UNJUDGED

    def row(self) -> dict[str, Any]:
        """Return all columns that results of claims have in common."""
        claim = self.claim
        return {
            "finding": claim.finding,
            "verdict": str(self.verdict),
            "claim": claim.claim,
            "section": claim.section,
            "kind": str(claim.kind),
            "judged_on": str(self.basis),
            "origin": str(self.origin),
            "number": self.number,
            "bounds": claim.bounds,
            "distance": None if self.number is None else claim.interval.distance(self.number),
            "unit": claim.unit,
            "printed": self.printed,
            "printed_verdict": str(self.printed_verdict) if self.printed_verdict else None,
            "reason": self.reason,
            "note": claim.note if self.verdict is Verdict.FAILS or self.is_chance else None,
            "cause": str(self.cause) if self.cause else None,
        }


Part = TypeVar("Part", bound=Claim)


def read_claims(
    raw: Iterable[Mapping[str, Any]], kind: type[Part], ways: Collection[str], key: str = "finding"
) -> tuple[Part, ...]:
    """Read claims from tables of TOML, whose identifiers are their `key`.

    Keys beside the fields of `kind` say how the number is taken, and are in `ways`. Raises ValueError, naming the
    claim, for an unknown word, a value of the wrong type, and bounds that nothing can fail or meet.
    """
    names = {entry.name for entry in fields(kind)} - {"how"}
    return tuple(_read(dict(entry), entry[key], kind, names, {*ways, key}) for entry in raw)


def _read(
    entry: dict[str, Any], finding: str, kind: type[Part], names: Collection[str], known: Collection[str]
) -> Part:
    if unknown := [name for name in entry if name not in names and name not in known]:
        raise ValueError(f"{finding}: no claim has {', '.join(unknown)}")
    how = {name: value for name, value in entry.items() if name not in names and name in known}
    try:
        claim = {"finding": finding} | {name: entry[name] for name in entry if name in names} | {"how": how}
        return msgspec.convert(claim, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{finding}: {error}") from None


@cache
def stated(paper: str, kind: type[Part], ways: frozenset[str]) -> tuple[Part, ...]:
    """Return the claims that a paper's findings.toml states; `ways` are the words for how a number is taken there."""
    return read_claims(data.entries(paper, "findings", "part", "finding"), kind, ways)


@cache
def findings_of(paper: str) -> dict[str, str]:
    """Return a paper's findings as its findings.csv words them, by their identifiers."""
    return {row["id"]: row["claim"] for row in data.published(paper, "findings")}


def whole(finding: str) -> str:
    """Return the finding to which a claim belongs: its row in findings.csv."""
    return finding.rstrip("abcdefghijkl")
