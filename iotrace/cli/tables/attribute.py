"""The tables of ``iotrace attribute`` as a person reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace import units
from iotrace.cli.output import PIECES, Output
from iotrace.cli.tables.remapping import emit_advice, emit_learnt
from iotrace.cli.terminal import warn_of
from iotrace.files import write_text
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache
    from iotrace.simulate.attribute.simulation import Result


def emit_attribute(result: Result, cache: Cache, plot: Path | None, output: Output) -> None:
    """Write the tables, for a terminal the columns that fit it, and the comparison's plot; print the warnings first."""
    for warning in result.warnings:
        warn_of(warning)
    if plot is not None:
        _draw_comparison(result.tables["comparison"], plot)
    tables = result.tables
    emit_moves = {"remapping": emit_advice, "learnt": emit_learnt}
    if name := next((name for name in emit_moves if name in tables), None):
        emit_moves[name](tables, output)
        return
    if output.is_table:
        times = (
            f"Disk time, {cache.device}: {cache.overhead_ms:g} ms for each access and {cache.transfer_ms_per_kb:g} ms"
            " for each KB (--device, --overhead, --transfer)."
        )
        note = " ".join([*(NOTES[name] for name in tables if name in NOTES), times])
        tables = {TITLES[name]: _for_reading(name, table, cache.device) for name, table in tables.items()}
        output.emit_many(tables, note)
        return
    if len(tables) == 1:
        (table,) = tables.values()
        tables = {"": table}
    output.emit_many(tables)


def _for_reading(name: str, table: pa.Table, device: str) -> pa.Table:
    """Return the columns that fit a terminal: sizes and shares in words, changes in percent.

    Times are named after the device that they are of.
    """
    columns: dict[str, Any] = {}
    for heading, column, written in READING[name]:
        values = table[column].to_pylist()
        if column in COSTS:
            objectives = table["objective"].to_pylist()
            values = [
                None if cost is None else (cost, of) for cost, of in zip(values, objectives, strict=True)
            ]
        of_device = column in TIMES or (column in COSTS and "time" in table["objective"].to_pylist())
        columns[f"{heading} ({device})" if of_device else heading] = pa.array(
            [None if value is None else written(value) for value in values]
        )
    if len(set(table["trace"].to_pylist() if "trace" in table.column_names else ())) < 2:
        columns.pop("trace", None)
    return pa.table(
        {heading: column for heading, column in columns.items() if column.null_count < len(column)}
    )


def _share(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def _change(percent: float) -> str:
    return f"{percent:+.1f} %"


def _cost(cost_and_objective: tuple[float, str]) -> str:
    cost, objective = cost_and_objective
    return units.duration(cost) if objective == "time" else units.count(cost)


COSTS = ("cost", "best_cost", "scheme_cost")
"""Columns whose unit goes by the objective."""

TIMES = ("time_change_percent", "service_time_ns")
"""Columns that go by what a disk access costs."""

TITLES = {
    "comparison": "Compared with the Unix baseline (32K/128 inode, x/4K Unix) and the best partition",
    "least_regret": "The partition that is nearest to each trace's own best",
    "counts": "Counts",
    "adaptive": "Subcaches of variable size, compared with the fixed scheme and the best fixed partition",
}
_UNCACHED = (
    "What has no subcache, or one of size 0, is one disk request each, so that no subcache can look better than one"
    " too small."
)
NOTES = {
    "comparison": f"{PIECES} {_UNCACHED} Cost is what --best makes least; the best partition is the best of --space"
    " (iotrace attribute --help).",
    "adaptive": "Cost is what --best makes least. The best fixed partition has the same classes and blocks.",
    "counts": f"{PIECES} {_UNCACHED}",
}
"""What stands below the tables."""
READING: dict[str, list[tuple[str, str, Any]]] = {
    "comparison": [
        ("trace", "trace", str),
        ("total", "total_bytes", units.size),
        ("configuration", "configuration", str),
        ("read misses", "read_request_miss_ratio", _share),
        ("Unix's", "baseline_read_request_miss_ratio", _share),
        ("reads to Unix", "reads_change_percent", _change),
        ("requests to Unix", "requests_change_percent", _change),
        ("time to Unix", "time_change_percent", _change),
        ("cost", "cost", _cost),
        ("best cost", "best_cost", _cost),
        ("best partition", "best_configuration", str),
        ("above best", "above_best_percent", _change),
    ],
    "least_regret": [
        ("total", "total_bytes", units.size),
        ("configuration", "configuration", str),
        ("mean regret", "mean_regret_percent", _change),
        ("largest", "largest_regret_percent", _change),
        ("of", "largest_regret_trace", str),
        ("the scheme's", "scheme_mean_regret_percent", _change),
    ],
    "adaptive": [
        ("trace", "trace", str),
        ("total", "total_bytes", units.size),
        ("begins as", "first_configuration", str),
        ("sizes in the mean", "mean_sizes", str),
        ("moves", "moves", int),
        ("cost", "cost", _cost),
        ("to the scheme", "scheme_change_percent", _change),
        ("above best", "above_best_percent", _change),
        ("scheme above best", "scheme_above_best_percent", _change),
        ("best fixed partition", "best_configuration", str),
    ],
    "counts": [
        ("trace", "trace", str),
        ("scheme", "scheme", str),
        ("total", "total_bytes", units.size),
        ("subcache", "subcache", str),
        ("type", "type", str),
        ("size", "size_bytes", units.size),
        ("reads", "read_requests", int),
        ("read misses", "read_request_misses", int),
        ("writes", "write_requests", int),
        ("write misses", "write_request_misses", int),
        ("expulsions", "write_expulsions", int),
        ("disk requests", "disk_requests", int),
        ("disk time", "service_time_ns", units.duration),
    ],
}


def _draw_comparison(table: pa.Table, output: Path) -> None:
    """Draw the read misses of one trace's comparison as SVG: the Unix baseline, the scheme, the best partition."""
    from iotrace.reports.pages.charts.svg import SvgLine, svg

    rows = table.to_pylist()
    reads = [
        row["cost"] / row["read_request_miss_ratio"]
        for row in rows
        if row["objective"] == "reads" and row["cost"] and row["read_request_miss_ratio"]
    ]
    lines = [
        SvgLine(label, [(row["total_bytes"], 100 * row[name]) for row in rows if row[name] is not None])
        for label, name in (
            ("Unix baseline", "baseline_read_request_miss_ratio"),
            (rows[0]["scheme"] if rows else "scheme", "read_request_miss_ratio"),
        )
    ]
    if reads:
        best = [(row["total_bytes"], 100 * row["best_cost"] / reads[0]) for row in rows]
        lines.append(SvgLine("best partition", best))
    title = f"{rows[0]['trace']}: read requests that go to the disk" if rows else ""
    write_text(output, svg(title, lines, "Read requests that miss"))
