"""Findings of papers judged by numbers: each holds, fails, or can't be judged.

`dissertation` judges by the number that the text gives, with a kind of comparison; the papers' own findings are
predicates with bounds (`bounds`), in parts that each say one thing. How a number is taken is the caller's.
"""

from __future__ import annotations

from iotrace.papers.findings.bounds import (
    Predicate,
    claims,
    stated,
    verdict_of,
    whole,
    whole_verdicts,
    with_whole_verdicts,
)
from iotrace.papers.findings.dissertation import Finding, Judgement, Kind, load, table, tally
from iotrace.papers.findings.verdicts import IN_FULL, IN_SHORT, Verdict, counted, counts

__all__ = [
    "IN_FULL",
    "IN_SHORT",
    "Finding",
    "Judgement",
    "Kind",
    "Predicate",
    "Verdict",
    "claims",
    "counted",
    "counts",
    "load",
    "stated",
    "table",
    "tally",
    "verdict_of",
    "whole",
    "whole_verdicts",
    "with_whole_verdicts",
]
