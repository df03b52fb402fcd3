"""Invariants of the store of any trace: counts agree, identifiers are in range, no amount is negative."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import iotrace
from iotrace.formats.reading.batches import BLANK

NEVER_NEGATIVE = {
    "reference": ("seq", "time_ns", "duration_ns", "offset", "length", "requested", "file_size"),
    "file": ("file", "size_first_bytes", "size_last_bytes", "size_largest_bytes"),
    "process": ("process", "thread", "started_ns", "ended_ns"),
    "use": ("use", "open_ns", "close_ns", "references", "bytes_read", "bytes_written"),
    "mapping": ("time_ns", "offset", "length"),
    "syscall": ("seq", "seq_return", "time_ns", "duration_ns", "thread", "size"),
    "disk_io": ("seq", "time_ns", "lbn", "blocks", "latency_ns", "service_ns"),
    "key_io": ("seq", "time_ns", "duration_ns", "key", "size", "ttl_ns"),
    "parallel_io": ("seq", "time_ns", "duration_ns", "length", "requested", "compute_ns", "node"),
}
"""Columns that are null or from 0 on. The offset of a seek may be negative, and so may a pid that a trace gives.

Times of system calls count from the first call and follow the log's order, so that a clock that was set back gives
negative ones; block and parallel traces are sorted.
"""
TIMES = ("time_ns", "started_ns", "ended_ns", "open_ns", "close_ns")
POINTS_TO = {
    "process": "process",
    "parent": "process",
    "file": "file",
    "of_file": "file",
    "use": "use",
}
"""Columns that are numbers of rows, and of which table; in the table itself they are the row's own number."""


def violations(store: Path) -> Iterator[str]:
    """Give a sentence for each thing in a store that cannot be."""
    manifest = json.loads((store / "manifest.json").read_text("utf-8"))
    yield from _wrong_counts(manifest)
    tables = {}
    for name, rows in manifest["tables"].items():
        is_view = name in manifest.get("views", {})
        table = (
            iotrace.open(store).arrow(name)
            if is_view
            else pq.read_table(store / f"{name}.parquet", use_threads=False)
        )
        table.validate(full=True)
        tables[name] = table
        if table.num_rows != rows:
            yield f"{name} has {table.num_rows} rows, its manifest says {rows}"
    for name, table in tables.items():
        yield from _wrong_rows(name, table, tables)
    if unknown := {path.name for path in store.iterdir()} - {
        "manifest.json",
        "views.sql",
        *(f"{name}.parquet" for name in tables.keys() - manifest.get("views", {})),
    }:
        yield f"the store holds {', '.join(sorted(unknown))}"


def _wrong_counts(manifest: dict[str, Any]) -> Iterator[str]:
    counts = manifest["counts"]
    for name, count in counts.items():
        if count is not None and (not isinstance(count, int) or count < 0):
            yield f"counts.{name} is {count}"
    skipped = sum(reason["lines"] for reason in manifest["skipped"].values())
    if skipped != counts["skipped_lines"]:
        yield f"{skipped} lines are skipped for a reason, {counts['skipped_lines']} in all"
    if any(reason["lines"] <= 0 or reason["first_line"] <= 0 for reason in manifest["skipped"].values()):
        yield "a reason to skip lines has no line"
    remarks = sum(manifest["remarks"].values()) if "calls" in counts else manifest["remarks"].get(BLANK, 0)
    if counts["parsed"] + skipped + remarks != counts["lines"]:
        yield (
            f"{counts['parsed']} parsed, {skipped} skipped and {remarks} other lines"
            f" are not the {counts['lines']} lines"
        )


def _wrong_rows(name: str, table: pa.Table, tables: dict[str, pa.Table]) -> Iterator[str]:
    if not table.num_rows:
        return
    follows_the_log = "syscall" in tables
    for column in NEVER_NEGATIVE.get(name, ()):
        if follows_the_log and column in TIMES:
            continue
        lowest = pc.min(table[column]).as_py()
        if lowest is not None and lowest < 0:
            yield f"{name}.{column} is {lowest}"
    for column, target in POINTS_TO.items():
        if column in table.column_names and target in tables:
            ends = pc.min_max(table[column]).as_py()
            if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < tables[target].num_rows:
                yield f"{name}.{column} is {ends['min']} to {ends['max']} of {tables[target].num_rows} rows"
    rows = list(range(table.num_rows))
    if name in ("file", "process", "use") and sorted(table[name].to_pylist()) != rows:
        yield f"the numbers of table {name} are not those of its rows"
    if name in ("reference", "disk_io", "key_io", "parallel_io") and table["seq"].to_pylist() != rows:
        yield f"{name}.seq does not count the rows"


def report(store: Path) -> None:
    """Print what is wrong with a store, a line each."""
    for sentence in violations(store):
        print(sentence)
