"""Claims of the dissertation judged on the user's trace: holds, fails, or can't be judged.

A claim is data (``data/*findings.toml``, ``data/working_set.toml``): a sentence with bounds, and the measure that it is
about. What measures the trace is the caller's: SQL for the characterization, curves for caches.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from iotrace.papers import data
from iotrace.papers.findings.claim import Claim, Judgement, Kind, read_claims
from iotrace.papers.findings.tally import findings_table
from iotrace.papers.findings.verdicts import counted, counts
from iotrace.papers.richardson.workloads import Subject

WAYS = ("measure", "take")
"""The words of findings for how a number is taken: a measure says more."""
NOTHING_TO_MEASURE = "there is nothing to measure it by"


@dataclass(frozen=True)
class Measured:
    """A measure of a trace: numbers, or none and perhaps the reason."""

    numbers: tuple[float, ...] = ()
    reason: str | None = None

    @classmethod
    def of(cls, number: float | None, reason: str | None = None) -> "Measured":
        """Return one number, or none."""
        return cls(() if number is None else (number,), reason)


def measures(files: Iterable[str]) -> list[dict[str, Any]]:
    """Return the measures that files of the dissertation state."""
    return [entry for name in files for entry in data.entries("richardson", name, "measure")]


@cache
def claims(files: tuple[str, ...]) -> tuple[Claim, ...]:
    """Return the claims that files of the dissertation state, each in the unit of its measure."""
    units = {measure["id"]: measure["unit"] for measure in measures(files)}
    raw = [entry for name in files for entry in data.entries("richardson", name, "finding")]
    return read_claims(({**entry, "unit": units[entry["measure"]]} for entry in raw), Claim, WAYS, "id")


def judge(
    files: tuple[str, ...],
    subject: Subject,
    ours: Mapping[str, Measured],
    today: Mapping[str, Measured] | None = None,
) -> pa.Table:
    """Return the claims of files judged by what a trace says of each measure: table findings.

    `today` is what it says by another model of the file system, whose numbers have separate columns.
    """
    rows = [_row(claim, subject, ours, today or {}) for claim in claims(files)]
    return findings_table("findings", rows)


def _row(
    claim: Claim, subject: Subject, ours: Mapping[str, Measured], today: Mapping[str, Measured]
) -> dict[str, Any]:
    measured = ours.get(claim.how["measure"], Measured())
    reason = subject.why_not(claim) or measured.reason
    number = None if reason else _decisive(claim, measured)
    if number is None and reason is None:
        reason = NOTHING_TO_MEASURE
    other = None if number is None else _decisive(claim, today.get(claim.how["measure"], Measured()))
    paper = _paper(claim)
    return Judgement(claim, subject.basis, number, reason).row() | {
        "ours": number,
        "paper": paper,
        "ratio": number / paper if number is not None and paper else None,
        "factor": None if claim.nominal is None else claim.tolerance,
        "range": _place_in_range(claim, number),
        "ours_today": other,
        "verdict_today": None if other is None else str(claim.verdict(other)),
    }


def _decisive(claim: Claim, measured: Measured) -> float | None:
    return claim.decisive(measured.numbers, claim.how.get("take")) if measured.numbers else None


def _paper(claim: Claim) -> float | None:
    """Return the number that the dissertation gives; None where that is a range."""
    if claim.nominal is not None:
        return claim.nominal
    low, high = claim.interval.ends
    return (low if high is None else high) if None in (low, high) or low == high else None


def _place_in_range(claim: Claim, number: float | None) -> str | None:
    """Say where the trace lies in the range that the dissertation gives; None if it gives none."""
    low, high = claim.interval.ends
    if claim.kind is not Kind.RANGE or number is None or low is None or high is None:
        return None
    position = "below" if number < low else "above" if number > high else "inside"
    return f"{position} {low:g} to {high:g}"


def tally(judged: pa.Table) -> str:
    """Say how many of the claims of `judge` hold, fail and can't be judged, by each model that judged them."""
    by_paper, today = (judged.column(name).to_pylist() for name in ("verdict", "verdict_today"))
    sentence = f"Of {len(by_paper)} claims of the dissertation, {counted(counts(by_paper))}"
    if not any(today):
        return f"{sentence}."
    return (
        f"{sentence} by its own model of the file system (--model 1994); "
        f"by today's, which iotrace report uses, {counted(counts(today))}."
    )
