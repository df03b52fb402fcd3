"""A scheme compared with the Unix baseline and the best partition, at every total (Richardson 1994, 5.6)."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.simulate.attribute.best import Searches, Together, cost_of, least_regret
from iotrace.simulate.attribute.outcome import MEASURES, Outcome, outcome, prepare
from iotrace.simulate.attribute.schemes import Scheme, schemes

BLOCK_BYTES = 4096
SMALLEST, LARGEST = 24, 60
"""Totals are from 4 KB to 1 GB: powers of the square root of two, in whole 4-KB blocks."""


def grid() -> list[int]:
    """Return total sizes in bytes, two for each doubling."""
    return [round(2 ** (power / 2) / BLOCK_BYTES) * BLOCK_BYTES for power in range(SMALLEST, LARGEST + 1)]


def comparison(name: str, search: Searches, scheme: Scheme, totals_bytes: Sequence[int]) -> pa.Table:
    """Return table attribute_comparison for one trace: a scheme, the baseline and the best, a row per total.

    Where a scheme has no configuration at a total (below its fixed parts), its columns are missing.
    """
    baseline = schemes()["unix"].with_cut_off(scheme.cut_off_bytes)
    prepare(search.memo, [scheme, baseline])
    rows = [_row(name, search, scheme, baseline, total) for total in totals_bytes]
    return queries.result_table("attribute_comparison", rows)


def change_percent(mine: Outcome | None, other: Outcome | None, measure: str) -> float | None:
    """Return by how many percent one outcome's measure is above another's; None if that has nothing."""
    if mine is None or other is None or not (whole := other.sum(MEASURES[measure])):
        return None
    return 100 * (mine.sum(MEASURES[measure]) / whole - 1)


def _row(name: str, search: Searches, scheme: Scheme, baseline: Scheme, total: int) -> dict[str, Any]:
    mine, unix = (outcome(search.memo, each, total) for each in (scheme, baseline))
    best = search.best(total)
    cost = None if mine is None else cost_of(search, mine.configuration)
    return {
        "trace": name,
        "total_bytes": total,
        "scheme": scheme.label,
        "configuration": None if mine is None else str(mine.configuration),
        "printed": total in scheme.printed_bytes,
        "read_request_miss_ratio": mine and mine.read_request_miss_ratio,
        "baseline_read_request_miss_ratio": unix and unix.read_request_miss_ratio,
        "baseline_without_block": ", ".join(baseline.without_block(total)) or None,
        "write_expulsion_ratio": mine and mine.write_expulsion_ratio,
        "baseline_write_expulsion_ratio": unix and unix.write_expulsion_ratio,
        **{f"{measure}_change_percent": change_percent(mine, unix, measure) for measure in MEASURES},
        "objective": search.objective,
        "cost": cost,
        "best_configuration": str(best.configuration),
        "best_cost": best.cost,
        "best_hull_bound": best.hull_bound,
        "above_best_percent": 100 * (cost / best.cost - 1) if cost is not None and best.cost else None,
    }


def regrets(
    names: Sequence[str], searches: Sequence[Searches], scheme: Scheme, totals_bytes: Sequence[int]
) -> pa.Table:
    """Return table attribute_regret: for each total the configuration of the least mean regret over several traces."""
    for search in searches:
        prepare(search.memo, [scheme])
    together = Together(searches)
    rows = [_regret_row(names, together, scheme, total) for total in totals_bytes]
    return queries.result_table("attribute_regret", rows)


def _regret_row(names: Sequence[str], together: Together, scheme: Scheme, total: int) -> dict[str, Any]:
    best_for_all, searches = least_regret(together, total), together.searches
    regret_of = {
        name: regret for name, regret in zip(names, best_for_all.regrets, strict=True) if regret is not None
    }
    worst = max(regret_of, key=lambda name: regret_of[name], default=None)
    configuration = scheme.at(total)
    theirs = []
    for search in searches if configuration else ():
        if (least := search.best(total).cost) > 0 and configuration is not None:
            theirs.append(cost_of(search, configuration) / least - 1)
    return {
        "total_bytes": total,
        "configuration": str(best_for_all.best.configuration),
        "traces": len(regret_of),
        "mean_regret_percent": None if best_for_all.mean is None else 100 * best_for_all.mean,
        "largest_regret_percent": None if worst is None else 100 * regret_of[worst],
        "largest_regret_trace": worst,
        "scheme": scheme.label,
        "scheme_mean_regret_percent": 100 * sum(theirs) / len(theirs) if theirs else None,
    }
