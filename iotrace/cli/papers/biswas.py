"""``iotrace paper biswas``: block traces beside the paper on write caches."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.cli.inputs import open_trace
from iotrace.cli.papers.dissertation import names
from iotrace.cli.terminal import print
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.papers.biswas import Disk, Study
    from iotrace.simulate.write_cache.requests import Fit, Replay


def studies(
    traces: list[Path],
    like: str | None,
    disk: str | None,
    fit: Fit,
    replay: Replay,
    time_scale: float,
    trace_format: str | None,
) -> list[Study]:
    """Open traces and say which disk of the paper each is like, by --as or as the trace itself says.

    Raises UsageError for options that make no sense, IotraceError for traces that cannot be simulated.
    """
    from iotrace.papers.biswas import Study, Subject, likeness
    from iotrace.simulate.disk import drive

    given = _given(like, traces)
    if disk is not None:
        drive(disk)
    found = []
    for name, trace, told in zip(names(traces), traces, given or [None] * len(traces), strict=True):
        store = open_trace(trace, None, trace_format)
        seen = told if given else likeness(store, None if str(trace) == "-" else trace)
        study = Study(Subject.of(name, store, seen, disk), fit, replay, time_scale)
        _warn(study)
        found.append(study)
    return found


def _given(like: str | None, traces: list[Path]) -> list[Disk | None] | None:
    from iotrace.papers import biswas

    if like is None:
        return None
    words = [word.strip().lower() for word in like.split(",")]
    if len(words) != len(traces):
        raise UsageError(f"--as: {len(words)} names for {len(traces)} traces; give one for each, or none")
    return [biswas.like(word) for word in words]


def _warn(study: Study) -> None:
    """Simulate the baseline, and say what makes the numbers doubtful."""
    from iotrace.simulate.write_cache.metrics import SATURATED_PERCENT

    offered, subject = study.offered_load_percent, study.subject
    if offered is not None and offered > SATURATED_PERCENT:
        print(
            f"iotrace: warning: {subject.name}: without a write cache the offered load is {offered:.0f} % of what a"
            f" {subject.drive.name} can do: its queue grew with the trace, and waiting times mean little;"
            " scale the times up (--time-scale), or replay closed",
            file=sys.stderr,
        )
    if study.refitted:
        print(
            f"iotrace: warning: {subject.name}: {study.refitted:,} requests are beyond the end of a"
            f" {subject.drive.name} and were brought onto it (--fit {study.fit})",
            file=sys.stderr,
        )
