"""By how much the variable scheme is below the Unix baseline, by region: ours and the dissertation's (Richardson 1994,
5.6 and chapter 6)."""

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pyarrow as pa

from iotrace import queries
from iotrace.papers import data
from iotrace.papers.richardson.attribute_figures import Line, value
from iotrace.simulate.attribute.comparison import grid
from iotrace.simulate.attribute.outcome import outcome, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import (
    REGIONS,
    region_as_printed,
    region_by_bounds,
    schemes,
    variable,
)

Regions = Literal["printed", "bounds"]
"""Under which region a total of table 5.1 counts: where the table has it, or by the bounds of 5.1.4."""
_REGION: dict[str, Callable[[int], str | None]] = {"printed": region_as_printed, "bounds": region_by_bounds}

PRINTED_AS = {
    "reads": "read_disk_requests",
    "writes": "write_disk_requests",
    "requests": "total_disk_requests",
    "read_time": "read_service_time",
    "write_time": "write_service_time",
    "time": "total_service_time",
}
"""Our measures by their names in data/improvements.csv, which has no number for some."""


@dataclass(frozen=True)
class Mean:
    """A mean of quotients over traces, then over totals, as a change in percent, and how many cells it is of."""

    percent: float | None
    median_percent: float | None
    """The median over all cells, which one trace cannot pull away."""
    cells: int
    left_out: int


def improvements(
    memos: Mapping[str, PassMemo],
    today: Mapping[str, PassMemo] | None = None,
    regions: Regions = "printed",
    *,
    keep_uncached: bool = False,
) -> pa.Table:
    """Return table attribute_improvements: the mean over traces of each trace's quotient, then over a region's totals.

    The totals are those that table 5.1 prints. Cells (a trace at a total) in which the baseline has nothing are left
    out and counted, and so are totals at which a subcache of the baseline has not one block (32 KB), unless
    `keep_uncached`. `today` are the same traces by another model of the file system, in separate columns.
    """
    for memo in [*memos.values(), *(today or {}).values()]:
        prepare(memo, [variable(), schemes()["unix"]])
    totals = [total for total in variable().printed_bytes if keep_uncached or has_whole_baseline(total)]
    rows = list(_rows(memos, today or {}, _REGION[regions], totals))
    return queries.result_table("attribute_improvements", rows)


def has_whole_baseline(total_bytes: int) -> bool:
    """Whether each subcache of the Unix baseline has a block at a total; at 32 KB inodes have all of them."""
    return not schemes()["unix"].without_block(total_bytes)


def _rows(
    memos: Mapping[str, PassMemo],
    today: Mapping[str, PassMemo],
    region_of: Callable[[int], str | None],
    compared: Sequence[int],
) -> Iterator[dict[str, Any]]:
    printed = {(row["measure"], row["region"]): row for row in data.published("richardson", "improvements")}

    def row(measure: str, region: str, take: Callable[[Mapping[str, PassMemo]], Mean]) -> dict[str, Any]:
        paper = printed.get((measure, region))
        mine = take(memos)
        return {
            "measure": measure,
            "region": region,
            "paper_percent": float(paper["change_pct"]) if paper else None,
            "ours_percent": mine.percent,
            "median_percent": mine.median_percent,
            "ours_today_percent": take(today).percent if today else None,
            "cells": mine.cells,
            "left_out": mine.left_out,
            "note": (paper["note"] or None) if paper else None,
        }

    for measure, name in PRINTED_AS.items():
        for region in REGIONS:
            totals = [total for total in variable().printed_bytes if region_of(total) == region]
            yield row(name, region, partial(_mean, measure=measure, totals=totals, compared=compared))
    for region, extreme in (("min_over_sizes", max), ("max_over_sizes", min)):
        yield row("read_disk_requests", region, partial(_extreme, extreme=extreme, compared=compared))
    yield row("memory_for_equal_miss_ratio", "all", partial(_memory, compared=compared))


def _mean(
    memos: Mapping[str, PassMemo], measure: str, totals: Sequence[int], compared: Sequence[int]
) -> Mean:
    """Average quotients over traces, then over those totals that are compared."""
    line = Line("", variable(), measure, schemes()["unix"])
    used = [total for total in totals if total in compared]
    by_total = [[value(memo, line, total) for memo in memos.values()] for total in used]
    quotients = [[quotient for quotient in values if quotient is not None] for values in by_total]
    means = [sum(values) / len(values) for values in quotients if values]
    cells = sum(len(values) for values in quotients)
    percent = 100 * (sum(means) / len(means) - 1) if means else None
    middle = _median([quotient for values in quotients for quotient in values])
    return Mean(
        percent, None if middle is None else 100 * (middle - 1), cells, len(totals) * len(memos) - cells
    )


def _extreme(
    memos: Mapping[str, PassMemo], extreme: Callable[[list[float]], float], compared: Sequence[int]
) -> Mean:
    """The smallest or largest change of the mean over traces, at any one total."""
    means = [_mean(memos, "reads", [total], compared) for total in variable().printed_bytes]
    percents = [mean.percent for mean in means if mean.percent is not None]
    cells, left_out = sum(mean.cells for mean in means), sum(mean.left_out for mean in means)
    return Mean(extreme(percents) if percents else None, None, cells, left_out)


def _memory(memos: Mapping[str, PassMemo], compared: Sequence[int]) -> Mean:
    """How much less memory the variable scheme takes to miss no more reads than the baseline at table 5.1's totals.

    The least total among powers of the square root of two and table 5.1's; a total of the baseline that the scheme
    needs more than 1 GB for is left out.
    """
    totals = sorted({*grid(), *variable().printed_bytes})
    changes: list[float] = []
    for memo in memos.values():
        misses = [(total, outcome(memo, variable(), total)) for total in totals]
        known = [(total, mine.sum(["read_request_misses"])) for total, mine in misses if mine]
        for total in compared:
            baseline = outcome(memo, schemes()["unix"], total)
            if baseline is None or not baseline.sum(["read_requests"]):
                continue
            bound = baseline.sum(["read_request_misses"])
            if enough := [size for size, missed in known if missed <= bound]:
                changes.append(100 * (enough[0] / total - 1))
    mean = sum(changes) / len(changes) if changes else None
    left_out = len(memos) * len(variable().printed_bytes) - len(changes)
    return Mean(mean, _median(changes), len(changes), left_out)


def _median(values: list[float]) -> float | None:
    return statistics.median(values) if values else None
