"""Findings of the dissertation as written predicates, judged on the user's trace: holds, fails, or can't be judged.

A finding is data (see ``richardson/data``): a claim, the number that the paper gives, and how a trace is held
against it. What measures the trace is the caller's: SQL for the characterization, a curve for caches.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers import data
from iotrace.papers.findings.verdicts import Verdict, counted, counts

NOTHING_TO_MEASURE = "there is nothing to measure it by"
NEEDS_A_CURVE = "needs a miss-ratio curve: iotrace paper richardson --chapter 4"


class Kind(StrEnum):
    """How a trace's number is held against the paper's."""

    LOW = "low"
    HIGH = "high"
    BELOW = "below"
    ABOVE = "above"
    AVERAGE = "average"
    CURVE = "curve"


@dataclass(frozen=True)
class Finding:
    """A claim of the paper: `value` in the measure's unit; `factor` for averages, how far off still holds."""

    id: str
    claim: str
    section: str
    kind: Kind
    value: float
    measure: str | None = None
    factor: float | None = None

    def holds(self, ours: float) -> bool:
        """Whether a trace with this number bears the finding out; raises ValueError where a curve must."""
        match self.kind:
            case Kind.LOW:
                return ours >= self.value
            case Kind.HIGH:
                return ours <= self.value
            case Kind.BELOW:
                return ours < self.value
            case Kind.ABOVE:
                return ours > self.value
            case Kind.AVERAGE if self.factor is not None:
                return self.value / self.factor <= ours <= self.value * self.factor
        raise ValueError(f"{self.id} is not judged by one number")


@dataclass(frozen=True)
class Measured:
    """What a trace says of a measure: a number in a unit, or none and the reason."""

    value: float | None
    unit: str
    reason: str | None = None


@dataclass(frozen=True)
class Judgement:
    """A finding with what the trace says of it; `reason` says why it can't be judged.

    `today` is what it says when it is seen by another model of the file system than the paper's.
    """

    finding: Finding
    unit: str
    ours: float | None
    reason: str | None = None
    today: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Holds, fails, or can't be judged."""
        return self.by(self.ours)

    def by(self, number: float | None) -> Verdict:
        """Judge the finding by another number."""
        if number is None:
            return Verdict.UNJUDGED
        return Verdict.HOLDS if self.finding.holds(number) else Verdict.FAILS


def stated(files: Iterable[str], kind: str) -> list[dict[str, Any]]:
    """Return the measures or the findings that files of the dissertation state."""
    return [entry for name in files for entry in data.entries("richardson", name, kind)]


def judge(
    files: Iterable[str], ours: Mapping[str, Measured], today: Mapping[str, Measured] | None = None
) -> pa.Table:
    """Return the findings of files judged by what a trace says of each measure: table findings.

    `today` is what it says by another model of the file system, whose numbers have separate columns.
    """
    judgements = []
    for finding in load(stated(files, "finding")):
        mine, other = (by.get(finding.measure or "") for by in (ours, today or {}))
        mine = mine or Measured(None, "percent", NEEDS_A_CURVE)
        reason = mine.reason or (NOTHING_TO_MEASURE if mine.value is None else None)
        judgements.append(Judgement(finding, mine.unit, mine.value, reason, other.value if other else None))
    return table(judgements)


def load(raw: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Read findings from their TOML tables; raises ValueError for an average without a factor."""
    findings = list(data.records(raw, Finding))
    if bare := [
        finding.id for finding in findings if (finding.kind is Kind.AVERAGE) != (finding.factor is not None)
    ]:
        raise ValueError(f"a factor belongs to an average and to nothing else: {', '.join(bare)}")
    return findings


def table(judgements: Iterable[Judgement]) -> pa.Table:
    """Return judgements as a table, one row per finding, always with the numbers."""
    judgements = list(judgements)
    rows = [
        {
            "finding": judgement.finding.id,
            "verdict": str(judgement.verdict),
            "claim": judgement.finding.claim,
            "section": judgement.finding.section,
            "kind": str(judgement.finding.kind),
            "paper": judgement.finding.value,
            "ours": None if judgement.ours is None else float(judgement.ours),
            "unit": judgement.unit,
            "ratio": judgement.ours / judgement.finding.value
            if judgement.ours is not None and judgement.finding.value
            else None,
            "factor": judgement.finding.factor,
            "range": _place_in_range(judgement, judgements),
            "reason": judgement.reason,
            "ours_today": judgement.today,
            "verdict_today": None if judgement.today is None else str(judgement.by(judgement.today)),
        }
        for judgement in judgements
    ]
    return queries.result_table("findings", rows)


def tally(judged: pa.Table) -> str:
    """Say how many of the findings of `table` hold, fail and can't be judged, by each model that judged them."""
    by_paper, today = (judged.column(name).to_pylist() for name in ("verdict", "verdict_today"))
    said = f"Of {len(by_paper)} findings of the dissertation, {counted(counts(by_paper))}"
    if not any(today):
        return f"{said}."
    return (
        f"{said} by its own model of the file system (--model 1994); "
        f"by today's, which iotrace report uses, {counted(counts(today))}."
    )


def _place_in_range(judgement: Judgement, judgements: Iterable[Judgement]) -> str | None:
    """Say where the trace lies in the range that the paper gives for the measure; None if it gives none."""
    ours, measure = judgement.ours, judgement.finding.measure
    ends = {
        other.finding.kind: other.finding.value
        for other in judgements
        if other.finding.measure == measure is not None
    }
    if (
        judgement.finding.kind not in (Kind.LOW, Kind.HIGH)
        or not {Kind.LOW, Kind.HIGH} <= ends.keys()
        or ours is None
    ):
        return None
    low, high = ends[Kind.LOW], ends[Kind.HIGH]
    place = "below" if ours < low else "above" if ours > high else "inside"
    return f"{place} {low:g} to {high:g}"
