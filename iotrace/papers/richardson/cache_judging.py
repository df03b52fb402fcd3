"""The findings of chapter 4 judged on a trace: W01 to W22, R01 to R10, R13, R17 to R24, R27 and R28, F47 and F48."""

from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis.lines.runs import Run, RunMemo
from iotrace.papers.richardson import judging
from iotrace.papers.richardson.cache_measures import numbers, runs
from iotrace.papers.richardson.judging import Measured
from iotrace.papers.richardson.workloads import Subject

FILES = ("working_set", "cache_findings")


def judge(memo: RunMemo, today: RunMemo | None = None, like: str | None = None) -> pa.Table:
    """Return table findings: each finding with its claim, the dissertation's number, ours, and the verdict.

    ``today`` is the same trace by another model of the file system, whose numbers have separate columns. ``like`` is
    the workload of the dissertation that the trace is like.
    """
    subject = Subject.of(memo.store, like)
    return judging.judge(FILES, subject, _measured(memo), _measured(today) if today else None)


def needed() -> list[Run]:
    """Return the runs by which a trace is judged."""
    return [run for measure in judging.measures(FILES) for run in runs(measure)]


def _measured(memo: RunMemo) -> dict[str, Measured]:
    measures = judging.measures(FILES)
    memo.prepare(needed())
    return {measure["id"]: _take(memo, measure) for measure in measures}


def _take(memo: RunMemo, measure: dict[str, Any]) -> Measured:
    """Take one measure; without requests of its types there is a reason."""
    for run in runs(measure):
        if not any(half.requests for half in memo.counts(run).halves.values()):
            return Measured((), f"the trace has no such requests: {' or '.join(run.types)}{_sizes(run)}")
    return Measured(numbers(memo, measure))


def _sizes(run: Any) -> str:
    if run.file_bytes_from:
        return f" of {units.size(run.file_bytes_from)} and more"
    return f" below {units.size(run.file_bytes_below)}" if run.file_bytes_below else ""
