"""The report's section on attribute caches: the dissertation's scheme, a Unix cache, and the best partition."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from iotrace.reports.pages.schemas import table_schema

from iotrace.simulate.attribute.adapting import adapted
from iotrace.simulate.attribute.best import Searches, assigned_spaces
from iotrace.simulate.attribute.comparison import comparison, grid
from iotrace.simulate.attribute.outcome import assigned_rows
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import schemes, spaces, variable

SHOWN_TOTALS = [2**power for power in range(12, 31)]
"""The totals of the table: powers of two from 4 KB to 1 GB."""
_LABELS = ("Unix baseline", "1994 scheme", "1994 scheme, adaptive", "best partition")


def tables(memo: PassMemo | None, progress: Callable[[str], None]) -> dict[str, pa.Table]:
    """Return the tables of the report's section on attribute caches, by name.

    All are without rows where the trace has no requests, or `memo` is None because they touch too many blocks.
    """
    rows: list[dict[str, Any]] = []
    adapting: list[dict[str, Any]] = []
    reads = 0
    if memo is not None:
        progress("simulating attribute caches")
        compared = [variable(), schemes()["unix"]]
        memo.prepare(
            [
                *(assigned for scheme in compared for assigned in assigned_rows(memo, scheme)),
                *assigned_spaces(memo, spaces(), variable().cut_off_bytes),
            ]
        )
        reads = _reads(memo)
    if memo is not None and memo.requests:
        totals = sorted({*grid(), *variable().printed_bytes})
        rows = comparison("", Searches(memo, spaces()), variable(), totals).to_pylist()
        progress("letting subcaches grow and shrink")
        adapting = adapted("", memo, variable(), SHOWN_TOTALS).to_pylist()
    lines = {
        "attribute_reads": [
            *_ratios(rows, "read_request_miss_ratio"),
            *(_point(_LABELS[2], row, row["cost"] / reads) for row in adapting if reads),
            *(_point(_LABELS[3], row, row["best_cost"] / reads) for row in rows if reads),
        ],
        "attribute_writes": _ratios(rows, "write_expulsion_ratio"),
        "attribute_requests": _changes(rows, {"reads": "reads", "writes": "writes", "both": "requests"}),
        "attribute_time": _changes(rows, {"reads": "read_time", "writes": "write_time", "both": "time"}),
    }
    results = {
        name: pa.Table.from_pylist(points, schema=table_schema("figure_line"))
        for name, points in lines.items()
    }
    shown = [_partition(row) for row in rows if row["total_bytes"] in SHOWN_TOTALS]
    results["attribute_partitions"] = pa.Table.from_pylist(shown, schema=table_schema("partition"))
    results["attribute_adapting"] = pa.Table.from_pylist(
        [_adapting(row) for row in adapting], schema=table_schema("adapting")
    )
    return results


def _ratios(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the lines of the baseline and the scheme, in percent."""
    pairs = ((_LABELS[0], f"baseline_{name}"), (_LABELS[1], name))
    return [
        _point(label, row, row[column]) for label, column in pairs for row in rows if row[column] is not None
    ]


def _reads(memo: PassMemo) -> int:
    """Return the number of read requests."""
    passes = memo.assigned(variable().rows[0].configuration).passes
    return sum(int(part.rows[0][0]) for pass_ in passes for part in memo.curve(pass_).parts)


def _changes(rows: list[dict[str, Any]], names: dict[str, str]) -> list[dict[str, Any]]:
    """Return the scheme's measures as parts of the baseline's, in percent."""
    return [
        _point(label, row, 1 + row[column] / 100)
        for label, name in names.items()
        for row in rows
        if row[column := f"{name}_change_percent"] is not None
    ]


def _point(label: str, row: dict[str, Any], part: float) -> dict[str, Any]:
    return {"line": label, "size_bytes": row["total_bytes"], "value": 100 * part}


def _partition(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "total_bytes": row["total_bytes"],
        "scheme": row["configuration"],
        "read_misses": None if row["cost"] is None else int(row["cost"]),
        "best_partition": row["best_configuration"],
        "best_read_misses": int(row["best_cost"]),
        "above_best_percent": row["above_best_percent"],
    }


def _adapting(row: dict[str, Any]) -> dict[str, Any]:
    same = ("total_bytes", "mean_sizes", "moves", "scheme_change_percent")
    above = ("above_best_percent", "scheme_above_best_percent")
    return {
        "begins_as": row["first_configuration"],
        "read_misses": row["cost"],
        **{name: row[name] for name in (*same, *above)},
    }
