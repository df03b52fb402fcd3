"""Findings of papers judged by numbers: each holds, fails, or can't be judged."""

from __future__ import annotations

from iotrace.findings.dissertation import Finding, Judgement, Kind, load, table, tally
from iotrace.findings.verdicts import IN_FULL, IN_SHORT, Verdict, counted, counts

__all__ = [
    "IN_FULL",
    "IN_SHORT",
    "Finding",
    "Judgement",
    "Kind",
    "Verdict",
    "counted",
    "counts",
    "load",
    "table",
    "tally",
]
