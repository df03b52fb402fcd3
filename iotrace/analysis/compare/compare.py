"""The metrics of two sides as rows: most changed first, what noise explains last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from iotrace.analysis.compare import noise
from iotrace.analysis.compare.measure import Measures, measure
from iotrace.analysis.overview import MADE_OF
from iotrace.errors import IotraceError
from iotrace.queries.metrics import metrics
from iotrace.store.location import shown_path
from iotrace.store.store import Store


@dataclass(frozen=True)
class Row:
    """One metric of both sides: result ``comparison``."""

    metric: str
    unit: str
    a: float | None
    b: float | None
    ratio: float | None
    low: float | None
    high: float | None
    significant: bool | None

    @property
    def is_change(self) -> bool:
        """Whether noise does not explain the ratio."""
        return self.significant is True

    def verdict(self, better: str) -> str:
        """Return better or worse where noise does not explain the ratio."""
        if not self.is_change or self.ratio is None:
            return ""
        return "better" if (self.ratio < 1) == (better == "lower") else "worse"


@dataclass(frozen=True)
class Comparison:
    """Both sides measured, and their rows."""

    family: str
    sides: tuple[tuple[Measures, ...], tuple[Measures, ...]]
    rows: tuple[Row, ...]

    @property
    def is_repeated(self) -> bool:
        """Whether noise is judged by repeated traces."""
        return max(map(len, self.sides)) > 1

    @property
    def is_timed(self) -> bool:
        """Whether all traces have times."""
        return all(measures.is_timed for side in self.sides for measures in side)

    @property
    def is_call_timed(self) -> bool:
        """Whether all traces record how long calls took."""
        return self.is_timed and all(
            measures.values.get("storage_call_time") is not None for side in self.sides for measures in side
        )

    def row(self, metric: str) -> Row:
        """Return the row of a metric."""
        return next(row for row in self.rows if row.metric == metric)


def compare(a: Sequence[Store], b: Sequence[Store]) -> Comparison:
    """Compare stores of one family; raises IotraceError for several families, or too few events."""
    first = a[0]
    for store in (*a, *b):
        if store.family != first.family:
            raise IotraceError(
                f"{shown_path(first)} is made of {MADE_OF[first.family]},"
                f" {shown_path(store)} of {MADE_OF[store.family]}: only"
                " traces of one kind can be compared"
            )
    return compared([measure(store) for store in a], [measure(store) for store in b])


def compared(a: Sequence[Measures], b: Sequence[Measures], seed: int = noise.SEED) -> Comparison:
    """Compare what was measured."""
    known = metrics(a[0].family).by_name
    bands = _bands(a, b, list(known), seed)
    rows = [_row(name, metric.unit, a, b, bands.get(name)) for name, metric in known.items()]
    return Comparison(a[0].family, (tuple(a), tuple(b)), tuple(sorted(rows, key=_rank)))


def _bands(
    a: Sequence[Measures], b: Sequence[Measures], names: Sequence[str], seed: int
) -> dict[str, noise.Band | None]:
    if len(a) > 1 or len(b) > 1:
        return {
            name: noise.of_repeats(left, right)
            for name in names
            if (left := _numbers(a, name)) and (right := _numbers(b, name))
        }
    if not (a[0].is_timed and b[0].is_timed):
        return {}
    windows = noise.Windows(a[0], b[0], seed)
    bands = {name: windows.band_of_sums(name) for name in a[0].sums}
    for group in a[0].spreads:
        bands |= windows.bands_of_spread(group)
    return bands


def _numbers(side: Sequence[Measures], name: str) -> list[float]:
    """Return a metric's values on a side; none unless every trace has one."""
    values = [value for measures in side if (value := measures.values[name]) is not None]
    return values if len(values) == len(side) else []


def _row(name: str, unit: str, a: Sequence[Measures], b: Sequence[Measures], band: noise.Band | None) -> Row:
    left, right = (_mean(_numbers(side, name)) for side in (a, b))
    ratio = right / left if left and right is not None else None
    if band is None or ratio is None:
        return Row(name, unit, left, right, ratio, None, None, None)
    low, high = band
    return Row(name, unit, left, right, ratio, low, high, not low <= ratio <= high)


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _rank(row: Row) -> tuple[bool, float]:
    """Return what sorts significant changes first, the largest before the others; rows of equal rank keep theirs."""
    size = abs(math.log(row.ratio)) if row.ratio else math.inf if row.ratio == 0 else -1.0
    return not row.is_change, -size
