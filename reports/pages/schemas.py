"""The columns of the report's tables, and what is shown of them, apart from the results of statistics: tables.toml."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import pyarrow as pa
from iotrace.queries.shown import declared, name_of
from iotrace.queries.shown import shown as shown_of
from iotrace.schemas import Table
from iotrace.schemas.shown import beginning

from iotrace import schemas


@cache
def _tables() -> dict[str, Table]:
    raw = tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("tables.toml").read_text("utf-8"))
    return {name: Table.read(name, entry) for name, entry in raw.items()}


def table_schema(name: str) -> pa.Schema:
    """Return a table's schema; raises KeyError if unknown."""
    return schemas.arrow_schema(_tables()[name])


def table_of(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return of rows the columns that a table declares; of repeated ones those that the rows have."""
    present = dict.fromkeys(column for row in rows for column in row)
    fields: list[pa.Field] = []
    for field in table_schema(name):
        begins = beginning(field.name)
        names = [key for key in present if key.startswith(begins)] if begins else [field.name]
        fields += [field.with_name(key) for key in names]
    return pa.Table.from_pylist(rows, pa.schema(fields, {"table": name}))


def headings(name: str) -> dict[str, str]:
    """Return the headings of a table, by column."""
    return {column.name: column.heading for column in _tables()[name].shown.columns}


def shown(rows: pa.Table) -> pa.Table:
    """Return what is shown of a table of the report, or of a result (`iotrace.queries.shown`)."""
    name = name_of(rows)
    return shown_of(rows, _tables()[name].shown if name in _tables() else declared(name))
