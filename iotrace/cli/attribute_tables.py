"""The tables of ``iotrace attribute`` as a person reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace import units
from iotrace.cli.output import Format

if TYPE_CHECKING:
    import pyarrow as pa


def emit_attribute(tables: dict[str, pa.Table], form: Format, output: Path | None) -> None:
    """Write the tables: for a terminal the columns that fit it, otherwise all."""
    from iotrace.cli.output import emit_many

    if form is Format.TABLE:
        tables = {TITLES[name]: _for_reading(name, table) for name, table in tables.items()}
    elif len(tables) == 1:
        (table,) = tables.values()
        tables = {"": table}
    emit_many(tables, form, output)


def _for_reading(name: str, table: pa.Table) -> pa.Table:
    """Return the columns that fit a terminal: sizes and shares in words, changes in percent."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for heading, column, written in READING[name]:
        values = table[column].to_pylist()
        columns[heading] = pa.array([None if one is None else written(one) for one in values])
    if len(set(table["trace"].to_pylist() if "trace" in table.column_names else ())) < 2:
        columns.pop("trace", None)
    return pa.table(
        {heading: column for heading, column in columns.items() if column.null_count < len(column)}
    )


def _share(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def _change(percent: float) -> str:
    return f"{percent:+.1f} %"


TITLES = {
    "comparison": "Beside the Unix baseline (32K/128 inode, x/4K Unix), and the best partition",
    "least_regret": "The partition that is nearest to each trace's own best",
    "counts": "Counts",
    "adaptive": "Subcaches that grow and shrink, beside the scheme as it is and the best fixed partition",
}
READING: dict[str, list[tuple[str, str, Any]]] = {
    "comparison": [
        ("trace", "trace", str),
        ("total", "total_bytes", units.size),
        ("configuration", "configuration", str),
        ("read misses", "read_request_miss_ratio", _share),
        ("Unix", "baseline_read_request_miss_ratio", _share),
        ("reads", "reads_change_percent", _change),
        ("disk requests", "requests_change_percent", _change),
        ("disk time", "time_change_percent", _change),
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
        ("beside the scheme", "scheme_change_percent", _change),
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
