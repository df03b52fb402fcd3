"""``iotrace paper biswas``: block traces compared with the paper on write caches."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from iotrace.errors import UsageError
from iotrace.papers.answering import answer
from iotrace.papers.biswas import page
from iotrace.papers.biswas.agreement import agreement
from iotrace.papers.biswas.cells import cells
from iotrace.papers.biswas.conservation import conservation
from iotrace.papers.biswas.judging import judge
from iotrace.papers.biswas.likeness import likeness
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import Disk, published_requests
from iotrace.papers.biswas.subject import Subject, like
from iotrace.papers.page import split
from iotrace.papers.reproduction import PaperPart, PaperRequest, PaperResult, Progress, Work, silent
from iotrace.simulate.disk import drive
from iotrace.simulate.write_cache.metrics import SATURATED_PERCENT

FEWEST = 0.5
"""Below this share of the published requests a trace is said to be shorter than the paper's."""


def reproduce(request: PaperRequest) -> Work:
    """Open the traces, each for the disk of the paper that it is like: by --as, or as the trace itself says."""
    options = request.options
    given = _likes(options.like, len(request.traces))
    if options.disk is not None:
        drive(options.disk)
    memos = []
    for index, (name, trace) in enumerate(request.traces.items()):
        store = request.open(trace, None)
        seen = (
            given[index]
            if given
            else likeness(store, trace if isinstance(trace, Path) and trace != Path("-") else None)
        )
        subject = Subject.of(name, store, seen, options.disk)
        memos.append(PaperMemo(subject, options.fit, options.replay, options.time_scale))
        _warn(memos[-1], request)
    return partial(made, memos, request.part, to_read=request.to_read)


def made(
    memos: Sequence[PaperMemo],
    part: PaperPart,
    progress: Progress = silent,
    *,
    to_read: bool = False,
) -> PaperResult:
    """Return the tables that are asked for, and the page."""
    for memo in memos:
        memo.prepare(progress)
    return answer(
        part,
        progress,
        partial(cells, memos),
        lambda: pa.concat_tables(judge(memo) for memo in memos),
        partial(_whole, memos),
        to_read,
    )


def _whole(memos: Sequence[PaperMemo], cells: pa.Table, findings: pa.Table) -> PaperResult:
    shown = {
        "figure_3_1": page.seek_times(memos),
        "agreement": agreement(memos),
        "conservation": conservation(memos),
        "findings": findings,
    }
    tables = split(cells, "table", _file_name) | shown
    return PaperResult(tables, page.write({**shown, "cells": cells}, memos))


def _file_name(table: str) -> str:
    name = table.replace(" ", "_").replace(".", "_")
    return name if " " in table else f"table_{name}"


def _likes(likes: str | None, traces: int) -> list[Disk | None] | None:
    if likes is None:
        return None
    names = [word.strip().lower() for word in likes.split(",")]
    if len(names) != traces:
        counted = f"{len(names)} name{'s' * (len(names) > 1)} for {traces} trace{'s' * (traces > 1)}"
        raise UsageError(f"--as: {counted}; give one for each, or none")
    return [like(name) for name in names]


def _warn(memo: PaperMemo, request: PaperRequest) -> None:
    """Simulate the baseline, and say what makes the numbers doubtful."""
    offered, name, disk = memo.offered_load_percent, memo.subject.name, memo.subject.drive.name
    _warn_of_few(memo.subject, request)
    if offered is not None and offered > SATURATED_PERCENT:
        request.warn(
            f"{name}: without a write cache the offered load is {offered:.0f} % of what a {disk} can do: its queue"
            " grew with the trace, and waiting times mean little; scale the times up (--time-scale), or replay closed"
        )
    if memo.refitted:
        request.warn(
            f"{name}: {memo.refitted:,} requests are beyond the end of a {disk} and were brought onto it"
            f" (--fit {memo.fit})"
        )


def _warn_of_few(subject: Subject, request: PaperRequest) -> None:
    """Say that a trace has far fewer requests than the one of the disk that it is compared with."""
    if subject.like is None:
        return
    requests, published = subject.busiest.reads + subject.busiest.writes, published_requests(subject.like)
    if published is not None and requests < FEWEST * published:
        request.warn(
            f"{subject.name}: has {requests:,} requests, and the trace of {subject.like.name} {published:,.0f}:"
            " verdicts need a trace as long (a generated one: without --scale)"
        )
