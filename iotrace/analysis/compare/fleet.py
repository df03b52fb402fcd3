"""One trace against a fleet: where it stands among the stores of its family beneath a folder, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import queries, units
from iotrace.analysis.catalogue.stores import stores
from iotrace.analysis.compare.measure import Measures, measure
from iotrace.errors import IotraceError, reason
from iotrace.files.inputs import is_same
from iotrace.files.remote import Place
from iotrace.queries.metrics import metrics
from iotrace.store.store import Store, read

TABLE = "fleet_comparison"
LEAST_STORES = 3
"""The fewest other stores that have a spread."""
FENCE = 1.5
"""A value that is further outside the quartiles than this many times their distance is far from the others (Tukey)."""


@dataclass(frozen=True)
class Fleet:
    """The other stores as they were measured."""

    measures: list[Measures]
    left_out: list[str]
    """Sentences on stores that cannot be read or measured."""
    others: int
    """How many stores are of other families."""


def measured(store: Store, folder: Place, progress: Callable[[str], None] = lambda words: None) -> Fleet:
    """Measure the stores of a store's family beneath a folder, without the store itself.

    Raises IotraceError where there are fewer than three.
    """
    unreadable: list[OSError] = []
    places = [place for place in stores(folder, unreadable) if not is_same(place, store.path)]
    left_out = [f"{error.filename}: {reason(error)}" for error in unreadable]
    fleet, others = list[Measures](), 0
    for number, place in enumerate(places, 1):
        progress(f"measuring store {number:,} of {len(places):,}: {place.name}")
        try:
            other = read(place)
            if other.family != store.family:
                others += 1
                continue
            fleet.append(measure(other))
        except (IotraceError, OSError) as error:
            left_out.append(str(error) if isinstance(error, IotraceError) else f"{place}: {reason(error)}")
    if len(fleet) < LEAST_STORES:
        found = units.plural(len(fleet), "other store", "other stores")
        raise IotraceError(
            f"{folder}: has {found} of {store.family.rows} that can be measured; a fleet has"
            f" {LEAST_STORES} at least" + (f"; the first of the others: {left_out[0]}" if left_out else "")
        )
    return Fleet(fleet, left_out, others)


def table(of: Measures, fleet: Sequence[Measures]) -> pa.Table:
    """Return result `fleet_comparison`: what is far from the fleet first, by how far it is from the median."""
    rows = []
    for name, metric in metrics(of.family.name).by_name.items():
        values = [value for other in fleet if (value := other.values.get(name)) is not None]
        rows.append(_row(name, metric.unit, of.values.get(name), np.array(values, np.float64)))
    rows.sort(key=_rank)
    return queries.result_table(TABLE, rows)


def _row(
    name: str, unit: str, value: float | None, others: np.ndarray[Any, np.dtype[np.float64]]
) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": name, "unit": unit, "value": value, "stores": len(others)}
    row |= dict.fromkeys(("median", "low", "high", "ratio", "rank", "is_far"))
    if len(others) < LEAST_STORES:
        return row
    low, median, high = np.quantile(others, [0.25, 0.5, 0.75]).tolist()
    row |= {"median": median, "low": low, "high": high}
    if value is None:
        return row
    fence = FENCE * (high - low)
    return row | {
        "ratio": value / median if median else None,
        "rank": int((others > value).sum()) + 1,
        "is_far": value < low - fence or value > high + fence,
    }


def _rank(row: dict[str, Any]) -> tuple[bool, float]:
    """Return what sorts rows that are far from the fleet first, the largest ratio before the others."""
    ratio = row["ratio"]
    return not row["is_far"], -abs(math.log(ratio)) if ratio else 0.0
