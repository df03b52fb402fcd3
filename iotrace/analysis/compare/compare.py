"""The metrics of two sides as rows: most changed first, what noise explains last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from iotrace.analysis.compare import noise
from iotrace.analysis.compare.measure import Measures, measure
from iotrace.errors import IotraceError
from iotrace.families import Family
from iotrace.queries.metrics import PERCENTILES, Metric, metrics
from iotrace.store.store import Store


class Basis(Enum):
    """The basis on which noise is judged."""

    RUNS = "runs"
    """How repeated traces differ."""
    PERIODS = "periods"
    """How each trace, or part of one trace, varies over its time."""
    NOTHING = "nothing"
    """Too few runs."""


@dataclass(frozen=True)
class MetricRow:
    """One metric of both sides: result ``comparison``."""

    metric: str
    unit: str
    a: float | None
    b: float | None
    ratio: float | None
    low: float | None
    high: float | None
    significant: bool | None
    verdict: str

    @property
    def is_change(self) -> bool:
        """Whether noise does not explain the change."""
        return self.significant is True


@dataclass(frozen=True)
class Comparison:
    """Both sides measured, and their rows."""

    family: Family
    sides: tuple[tuple[Measures, ...], tuple[Measures, ...]]
    rows: tuple[MetricRow, ...]
    basis: Basis

    @property
    def is_timed(self) -> bool:
        """Whether all traces have times."""
        return all(measures.is_timed for side in self.sides for measures in side)

    @property
    def is_alike_traced(self) -> bool:
        """Whether what the tracer adds is taken off the times of all traces, or of none."""
        return _are_alike_traced([measures for side in self.sides for measures in side])

    @property
    def is_call_timed(self) -> bool:
        """Whether all traces record how long calls took."""
        return self.is_timed and all(
            measures.values.get("storage_call_time") is not None for side in self.sides for measures in side
        )

    def row(self, metric: str) -> MetricRow:
        """Return the row of a metric."""
        return next(row for row in self.rows if row.metric == metric)


def compare(a: Sequence[Store], b: Sequence[Store]) -> Comparison:
    """Compare stores of one family; raises IotraceError for several families, or too few events."""
    first = a[0]
    first.family.check_answers("accesses", first.name)
    for store in (*a, *b):
        if store.family != first.family:
            raise IotraceError(
                f"{first.name} is made of {first.family.rows},"
                f" {store.name} of {store.family.rows}: only"
                " traces of one kind can be compared"
            )
    return compared([measure(store) for store in a], [measure(store) for store in b])


def compared(a: Sequence[Measures], b: Sequence[Measures], seed: int = noise.SEED) -> Comparison:
    """Compare what was measured."""
    family, basis = a[0].family, _basis(a, b)
    known = metrics(family.name).by_name
    are_alike_traced = _are_alike_traced((*a, *b))
    both = [
        name
        for name, metric in known.items()
        if _numbers(a, name) and _numbers(b, name)
        if (are_alike_traced or not metric.is_of_time) and _has_tails(metric, name, (*a, *b))
    ]
    judged = _judged(a, b, both, basis, seed)
    rows = [_row(name, metric, a, b, judged.get(name), basis) for name, metric in known.items()]
    return Comparison(family, (tuple(a), tuple(b)), tuple(sorted(rows, key=_rank)), basis)


def _are_alike_traced(traces: Sequence[Measures]) -> bool:
    return len({measures.is_net for measures in traces}) == 1


def _basis(a: Sequence[Measures], b: Sequence[Measures]) -> Basis:
    if min(len(a), len(b)) >= noise.LEAST_RUNS:
        return Basis.RUNS
    if len(a) > 1 or len(b) > 1:
        return Basis.NOTHING
    is_one_trace = bool(a[0].trace) and a[0].trace == b[0].trace
    return Basis.PERIODS if is_one_trace or not a[0].family.are_runs else Basis.NOTHING


def _has_tails(metric: Metric, name: str, traces: Sequence[Measures]) -> bool:
    """Return whether all traces have enough values above what is a percentile."""
    if not metric.percentiles:
        return True
    above = 1 - PERCENTILES[name.rpartition("_")[2]]
    spreads = [trace.spreads.get(metric.name) for trace in traces]
    return all(spread and spread.counts.sum() * above >= noise.LEAST_TAIL for spread in spreads)


def _judged(
    a: Sequence[Measures], b: Sequence[Measures], both: Sequence[str], basis: Basis, seed: int
) -> dict[str, noise.Judged | None]:
    family = a[0].family
    if basis is Basis.RUNS:
        known, levels = metrics(family.name).by_name, noise.levels(both, family.judged_first)
        return {
            name: noise.of_repeats(_numbers(a, name), _numbers(b, name), known[name], levels[name])
            for name in both
        }
    if basis is Basis.NOTHING or not (a[0].is_timed and b[0].is_timed):
        return {}
    bands = _bands_of_windows(a[0], b[0], both, seed)
    return {name: _within(band, a[0].values[name], b[0].values[name]) for name, band in bands.items()}


def _bands_of_windows(
    a: Measures, b: Measures, both: Sequence[str], seed: int
) -> dict[str, noise.Band | None]:
    groups = {
        name: metric.name for name, metric in metrics(a.family.name).by_name.items() if metric.percentiles
    }
    levels = noise.levels([name for name in both if name in a.sums or name in groups], a.family.judged_first)
    windows = noise.Windows(a, b, seed)
    bands = {name: windows.band_of_sums(name, levels[name]) for name in a.sums if name in levels}
    for group in dict.fromkeys(groups[name] for name in levels if name in groups):
        bands |= windows.bands_of_spread(group, levels)
    return bands


def _within(band: noise.Band | None, a: float | None, b: float | None) -> noise.Judged | None:
    if band is None or not a or b is None:
        return None
    return noise.Judged(band, not band[0] <= b / a <= band[1], False)


def _numbers(side: Sequence[Measures], name: str) -> list[float]:
    """Return a metric's values on a side; none unless every trace has one."""
    values = [value for measures in side if (value := measures.values[name]) is not None]
    return values if len(values) == len(side) else []


def _row(
    name: str,
    metric: Metric,
    a: Sequence[Measures],
    b: Sequence[Measures],
    judged: noise.Judged | None,
    basis: Basis,
) -> MetricRow:
    left, right = (_mean(_numbers(side, name)) for side in (a, b))
    ratio = right / left if left and right is not None else None
    if judged is None or left is None or right is None:
        return MetricRow(name, metric.unit, left, right, ratio, None, None, None, "cannot_tell")
    low, high = judged.band or (None, None)
    verdict = _verdict(metric, right > left, judged, basis is Basis.RUNS and a[0].family.are_runs)
    return MetricRow(name, metric.unit, left, right, ratio, low, high, judged.is_change, verdict)


def _verdict(metric: Metric, is_more: bool, judged: noise.Judged, is_of_programs: bool) -> str:
    """Return the word of column verdict."""
    if not judged.is_change:
        return "cannot_tell" if judged.are_apart else "not_different"
    if metric.kind in ("count", "load"):
        return "more" if is_more else "less"
    if is_of_programs and metric.kind == "time":
        return "worse" if is_more else "better"
    return "different"


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _rank(row: MetricRow) -> tuple[bool, float]:
    """Return what sorts significant changes first, the largest before the others; rows of equal rank keep theirs."""
    size = abs(math.log(row.ratio)) if row.ratio else math.inf if row.ratio == 0 else -1.0
    return not row.is_change, -size
