"""The findings of chapter 5 judged on a trace: R11, R12 and R14 to R16 (Richardson 1994)."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from iotrace.papers.findings import dissertation
from iotrace.papers.findings.dissertation import Measured
from iotrace.simulate.attribute.curves import PLACE
from iotrace.simulate.attribute.outcome import MEASURES, outcome, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import Scheme, region_as_printed, schemes, variable

Raw = Mapping[str, Any]
FILES = ("attribute_findings",)


def judge(memo: PassMemo, today: PassMemo | None = None) -> pa.Table:
    """Return table findings: each with its claim, the dissertation's number, ours, and the verdict.

    `today` is the same trace by another model of the file system, whose numbers have separate columns.
    """
    return dissertation.judge(FILES, _measured(memo), _measured(today) if today else None)


def _measured(memo: PassMemo) -> dict[str, Measured]:
    measures = dissertation.stated(FILES, "measure")
    return {measure["id"]: Measured(take(memo, measure), measure["unit"]) for measure in measures}


def take(memo: PassMemo, raw: Raw) -> float | None:
    """Return what a measure says of the trace; None where there is nothing to measure."""
    cut_off = raw.get("cut_off_bytes")
    prepare(memo, [variable(), schemes()["unix"], *([variable().with_cut_off(cut_off)] if cut_off else [])])
    return HOW[raw["how"]](memo, raw)


def quotient(memo: PassMemo, raw: Raw) -> float | None:
    """The variable scheme's measure over the baseline's at `times` its size, at table 5.1's totals."""
    totals = [(total, total * raw.get("times", 1)) for total in _totals(raw)]
    return _statistic(raw, _quotients(memo, raw, variable(), schemes()["unix"], totals))


def cut_off(memo: PassMemo, raw: Raw) -> float | None:
    """The variable scheme's measure with another cut-off, over that with the dissertation's."""
    totals = [(total, total) for total in _totals(raw)]
    lower = variable().with_cut_off(raw["cut_off_bytes"])
    return _statistic(raw, _quotients(memo, raw, lower, variable(), totals))


def largest_expulsion_percent(memo: PassMemo, raw: Raw) -> float | None:
    """Write expulsions per hundred write requests of the variable scheme at the largest total of table 5.1."""
    largest = outcome(memo, variable(), max(variable().printed_bytes))
    ratio = largest.write_expulsion_ratio if largest else None
    return None if ratio is None else 100 * ratio


def baseline_inode_expulsions(memo: PassMemo, raw: Raw) -> float | None:
    """Inode blocks that the baseline writes at a total; None where no inode is written."""
    baseline = outcome(memo, schemes()["unix"], raw["total_bytes"])
    inodes = baseline.counts.get(("inode", "inode")) if baseline else None
    if inodes is None or not inodes[PLACE["write_requests"]]:
        return None
    return float(inodes[PLACE["write_expulsions"]])


def _totals(raw: Raw) -> list[int]:
    return [
        total
        for total in variable().printed_bytes
        if raw.get("region") in (None, region_as_printed(total))
        and raw.get("above_bytes", 0) < total <= raw.get("most_bytes", total)
    ]


def _quotients(
    memo: PassMemo, raw: Raw, over: Scheme, under: Scheme, totals: Sequence[tuple[int, int]]
) -> list[float]:
    quotients = []
    for total, other in totals:
        first, second = outcome(memo, over, total), outcome(memo, under, other)
        if first and second and (whole := second.sum(MEASURES[raw["measure"]])):
            quotients.append(first.sum(MEASURES[raw["measure"]]) / whole)
    return quotients


def _statistic(raw: Raw, values: list[float]) -> float | None:
    return STATISTICS[raw["statistic"]](values) if values else None


STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "smallest": min,
    "largest": max,
}
HOW: dict[str, Callable[[PassMemo, Raw], float | None]] = {
    one.__name__: one for one in (quotient, cut_off, largest_expulsion_percent, baseline_inode_expulsions)
}
"""How a measure can be taken, by name."""
