"""Tiny stores for tests: tables written as text or as rows, seen by a DuckDB connection."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import queries, schemas

Row = Mapping[str, Any]

# What a column that a test leaves out holds, where null is not allowed.
LEFT_OUT: dict[str, Any] = {
    "process": 0,
    "thread": 0,
    "pid": 0,
    "kind": "regular",
    "created": False,
    "deleted": False,
    "type": "datafile",
    "mode": "read",
    "references": 0,
    "bytes_read": 0,
    "bytes_written": 0,
    "seq_return": 0,
}


def connect(**tables: Iterable[Row]) -> duckdb.DuckDBPyConnection:
    """Return a connection that sees the given tables and, without rows, all others of a store."""
    # more threads cost more than queries on tiny tables, which one thread reads anyway
    connection = duckdb.connect(config={"threads": 1})
    for name in queries.TABLES:
        arrow = table(name, tables[name]) if name in tables else empty(name)  # noqa: F841 (DuckDB reads it by its name)
        connection.execute(f'create table "{name}" as from arrow')
    return connection


@cache
def empty(name: str) -> pa.Table:
    """Return one of the store's tables without rows."""
    return table(name, ())


def table(name: str, rows: Iterable[Row]) -> pa.Table:
    """Return rows as one of the store's tables; `seq` counts and `requested` is `length` where left out."""
    complete = []
    for position, row in enumerate(rows):
        whole = {"seq": position, "requested": row.get("length"), **row}
        complete.append(
            {
                c.name: whole.get(c.name, None if c.nullable else LEFT_OUT.get(c.name, 0))
                for c in schemas.table(name).columns
            }
        )
    return pa.Table.from_pylist(complete, schema=schemas.schema(name))


def rows_from_text(text: str) -> list[dict[str, Any]]:
    """Read a table written as text: the first line names the columns; '-' is null; numbers become numbers."""
    header, *lines = (line.split() for line in text.strip().splitlines())
    return [dict(zip(header, map(_value, line), strict=True)) for line in lines]


def _value(word: str) -> Any:
    if word in ("-", "yes", "no"):
        return {"-": None, "yes": True, "no": False}[word]
    for number in (int, float):
        try:
            return number(word)
        except ValueError:
            pass
    return word
