"""The first look at a trace: a handful of numbers, and what the workload is in five sentences."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import queries, units
from iotrace.analysis.characterize import characterize
from iotrace.analysis.facts import QUERIES, Facts
from iotrace.analysis.verdict import verdict
from iotrace.schemas.reference_types import DATA
from iotrace.store.skipped import cautions


@dataclass(frozen=True)
class Summary:
    """The handful of numbers, as a table (quantity, value, unit, shown), and the verdict's sentences."""

    numbers: pa.Table
    verdict: tuple[str, ...]


def summary(
    connection: duckdb.DuckDBPyConnection, parameters: Mapping[str, str | int] | None = None
) -> Summary:
    """Return the first look at the store that `connection` sees; see `characterize` for both arguments."""
    results = characterize(connection, QUERIES, parameters)
    return Summary(numbers(results), verdict(results))


def summarized(results: Mapping[str, pa.Table], manifest: Mapping[str, Any]) -> Summary:
    """Return the first look from the results of `QUERIES`; what the store's manifest says of doubts comes first."""
    return Summary(numbers(results), (*cautions(manifest), *verdict(results, manifest.get("coverage"))))


def numbers(results: Mapping[str, pa.Table]) -> pa.Table:
    """Return the numbers that say most about a trace, from the results of `QUERIES`."""
    return table_of(_described(Facts.of(results)))


Described = tuple[str, float | None, str, Callable[[float], str]]
"""Quantity, value, unit, and how the value is written."""


def table_of(described: Sequence[Described]) -> pa.Table:
    """Return quantities as result summary."""
    rows = [
        {
            "quantity": name,
            "value": None
            if value is None
            else float(value),  # Arrow takes no whole number that a double rounds
            "unit": unit,
            "shown": "unknown" if value is None else show(value),
        }
        for name, value, unit, show in described
    ]
    return pa.Table.from_pylist(rows, schema=queries.table_schema("summary"))


def _described(facts: Facts) -> list[Described]:
    if facts.is_of_keys:
        return _of_keys(facts)
    return _of_disks(facts) if facts.is_of_disks else _of_calls(facts)


def _of_keys(facts: Facts) -> list[Described]:
    sized = facts.average_request_bytes is not None
    moved = facts.data("bytes_read") + facts.data("bytes_written") if sized else None
    return [
        ("duration", facts.totals["duration_ns"], "ns", units.duration),
        ("keys", facts.totals["requested_files"], "keys", units.count),
        ("requests", facts.totals["requests"], "requests", units.count),
        ("of them reads", facts.read_requests_percent, "percent", units.percent),
        ("requested", moved, "bytes", units.size),
        ("average request", facts.average_request_bytes, "bytes", units.size),
        ("total size of the objects", facts.totals["static_bytes"] if sized else None, "bytes", units.size),
        _working_set(facts),
    ]


def _of_calls(facts: Facts) -> list[Described]:
    by_bytes, by_uses = map(facts.straight_percent, ("bytes_percent", "uses_percent"))
    return [
        ("duration", facts.totals["duration_ns"], "ns", units.duration),
        ("system calls", facts.totals["calls"], "calls", units.count),
        ("processes", facts.totals["processes"], "processes", units.count),
        ("requests for data", facts.totals["data_requests"], "requests", units.count),
        ("of them reads", facts.read_requests_percent, "percent", units.percent),
        ("requests for inodes and directories", facts.metadata_requests, "requests", units.count),
        ("of data that calls read", facts.data("bytes_read"), "bytes", units.size),
        ("of data that calls wrote", facts.data("bytes_written"), "bytes", units.size),
        ("that the model of the file system adds", facts.modelled_bytes, "bytes", units.size),
        ("files", facts.totals["files"], "files", units.count),
        ("total size of the files touched", facts.data_size_bytes, "bytes", units.size),
        ("times that a byte of data moves", facts.byte_reuse, "bytes per byte", "{:,.2f}".format),
        ("of the data in uses that are one sequential run", by_bytes, "percent", units.percent),
        ("uses that are one sequential run", by_uses, "percent", units.percent),
        ("of the data in runs over 64 KB", facts.long_run_percent(DATA), "percent", units.percent),
        _working_set(facts),
        ("memory-mapped files, their I/O not measured", facts.mapped_bytes, "bytes", units.size),
        ("asynchronous calls, their I/O not measured", facts.asynchronous_calls, "calls", units.count),
    ]


def _of_disks(facts: Facts) -> list[Described]:
    return [
        ("duration", facts.totals["duration_ns"], "ns", units.duration),
        ("disks", facts.totals["requested_files"], "disks", units.count),
        ("requests", facts.totals["requests"], "requests", units.count),
        ("of them reads", facts.read_requests_percent, "percent", units.percent),
        ("read", facts.data("bytes_read") if facts.is_directed else None, "bytes", units.size),
        ("written", facts.data("bytes_written") if facts.is_directed else None, "bytes", units.size),
        ("average request", facts.average_request_bytes, "bytes", units.size),
        ("distinct bytes touched", facts.totals["static_bytes"], "bytes", units.size),
        ("times that a byte of it moves", facts.byte_reuse, "bytes per byte", "{:,.2f}".format),
        ("requests that go on where the last ended", facts.sequential_percent, "percent", units.percent),
        ("of the data in runs over 64 KB", facts.long_run_percent(DATA), "percent", units.percent),
        _working_set(facts),
    ]


def _working_set(facts: Facts) -> Described:
    window = facts.smallest_window
    if window is None:
        return "working set", None, "bytes", units.size
    name = f"working set in {units.duration(window['window_ns'])}"
    return name, window["average_unique_bytes"], "bytes", units.size
