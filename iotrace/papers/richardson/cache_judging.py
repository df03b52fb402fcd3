"""The findings of chapter 4 judged on a trace: W01 to W21, R01 to R10 and R13, F47 and F48."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis.lines.runs import RunMemo
from iotrace.papers import data
from iotrace.papers.findings import dissertation
from iotrace.papers.richardson.cache_measures import runs, take

FILES = ("working_set", "cache_findings")


def judge(memo: RunMemo, today: RunMemo | None = None) -> pa.Table:
    """Return table findings: each finding with its claim, the dissertation's number, ours, and the verdict.

    ``today`` is the same trace by another model of the file system, whose numbers stand beside.
    """
    measures = {one["id"]: one for name in FILES for one in data.entries("richardson", name, "measure")}
    ours = _taken(memo, measures)
    beside = _taken(today, measures) if today else {}
    judgements = []
    findings = [one for name in FILES for one in data.entries("richardson", name, "finding")]
    for finding in dissertation.load(findings):
        measure = measures[finding.measure or ""]
        number, reason = ours[measure["id"]]
        other = beside.get(measure["id"], (None, None))[0]
        judgements.append(dissertation.Judgement(finding, measure["unit"], number, reason, other))
    return dissertation.table(judgements)


def _taken(memo: RunMemo, measures: dict[str, dict[str, Any]]) -> dict[str, tuple[float | None, str | None]]:
    memo.prepare(run for measure in measures.values() for run in runs(measure))
    return {name: _take(memo, measure) for name, measure in measures.items()}


def _take(memo: RunMemo, measure: dict[str, Any]) -> tuple[float | None, str | None]:
    """Take one measure; without requests of its types, or without anything to divide by, there is a
    reason."""
    for run in runs(measure):
        if not any(half.requests for half in memo.counts(run).halves.values()):
            return None, f"the trace has no such requests: {' or '.join(run.types)}{_sizes(run)}"
    number = take(memo, measure)
    return number, None if number is not None else "there is nothing to measure it by"


def _sizes(run: Any) -> str:
    if run.file_bytes_from:
        return f" of {units.size(run.file_bytes_from)} and more"
    return f" below {units.size(run.file_bytes_below)}" if run.file_bytes_below else ""
