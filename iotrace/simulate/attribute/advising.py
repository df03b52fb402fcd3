"""Advice for traces: which files to move to another subcache at each total, as tables."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from iotrace import queries, units
from iotrace.errors import UsageError
from iotrace.simulate.attribute.best import Searches
from iotrace.simulate.attribute.fixed_sizes import FixedSizes
from iotrace.simulate.attribute.membership import example_files
from iotrace.simulate.attribute.notation import written
from iotrace.simulate.attribute.outcome import prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.plan import Plan
from iotrace.simulate.attribute.remapping import Advice, advise
from iotrace.simulate.attribute.schemes import spaces_of
from iotrace.simulate.attribute.settings import Settings


def advice(memos: Mapping[str, PassMemo], plan: Plan, settings: Settings) -> dict[str, pa.Table]:
    """Return tables attribute_remapping and attribute_moves for traces, at every total.

    Raises UsageError for a total at which the scheme has fewer than two subcaches.
    """
    rows: list[dict[str, Any]] = []
    moves: list[dict[str, Any]] = []
    for name, memo in memos.items():
        prepare(memo, [plan.scheme])
        search = Searches(memo, spaces_of(plan.scheme), settings.objective, settings.cut_off_bytes)
        for total in plan.totals_bytes:
            sizes, advised_rows, files = advised(memo, plan, settings, total)
            where = {"trace": name, "total_bytes": total}
            rows.append(where | _row(plan, settings, sizes, advised_rows, files, search.best(total).cost))
            moves.extend(where | move for move in _moves(memo, sizes, advised_rows))
    return {
        "remapping": queries.result_table("attribute_remapping", rows),
        "moves": queries.result_table("attribute_moves", moves),
    }


def fixed_sizes(memo: PassMemo, plan: Plan, settings: Settings, total_bytes: int) -> FixedSizes:
    """Return a scheme's subcaches at a total; raises UsageError where there are fewer than two."""
    configuration = plan.scheme.at(total_bytes)
    if configuration is None or len(configuration.subcaches) < 2:
        raise UsageError(
            f"at {written(total_bytes)} the scheme has no two subcaches between which files could move"
        )
    assigned = memo.assigned(configuration, settings.cut_off_bytes)
    return FixedSizes.of(memo, assigned, settings.objective)


def advised(
    memo: PassMemo, plan: Plan, settings: Settings, total_bytes: int
) -> tuple[FixedSizes, Advice, int]:
    """Return a scheme's subcaches at a total, the advice for a trace, and how many files the trace uses."""
    sizes = fixed_sizes(memo, plan, settings, total_bytes)
    places = sizes.assignment()
    counts = sizes.by_file(places)
    return sizes, advise(sizes, places, counts, settings.candidates), int((counts.requests > 0).sum())


def _row(
    plan: Plan, settings: Settings, sizes: FixedSizes, advice: Advice, files: int, best_cost: float
) -> dict[str, Any]:
    return {
        "scheme": plan.scheme.label,
        "configuration": str(sizes.assigned.configuration),
        "objective": settings.objective,
        "files": files,
        "candidates": len(advice.gains),
        "files_moved": len(advice.moves),
        "cost": advice.cost,
        "predicted_cost": advice.predicted_cost,
        "remapped_cost": advice.remapped_cost,
        "saved_percent": 100 * (1 - advice.remapped_cost / advice.cost) if advice.cost else None,
        "best_cost": best_cost,
    }


def _moves(memo: PassMemo, sizes: FixedSizes, advice: Advice) -> list[dict[str, Any]]:
    names = [subcache.category for subcache in sizes.subcaches]
    paths = example_files(memo.store, [move.file for move in advice.moves])
    return [
        {
            "file": move.file,
            "path": path,
            "from_class": names[move.from_place],
            "to_class": names[move.to_place],
            "saved_alone": move.saved_alone,
            "saved": move.saved,
        }
        for move, path in zip(advice.moves, paths, strict=True)
    ]


COSTS = {"reads": "read misses", "requests": "disk requests", "time": "disk time"}
"""The thing that an objective counts, in words."""


def sentence(row: Mapping[str, Any]) -> str:
    """Say what moving files saves, of a row of the result attribute_remapping."""
    total, what = units.size(row["total_bytes"]), COSTS[row["objective"]]
    if not row["files_moved"]:
        return f"No file is moved at {total}: none of {row['candidates']} candidates saves {what} in another subcache"
    files = "this file" if row["files_moved"] == 1 else f"these {row['files_moved']} files"
    return f"Moving {files} saves {row['saved_percent']:.1f} % of the {what} at {total} (simulated)"
