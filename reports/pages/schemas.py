"""The columns of the report's tables, and what is shown of them, apart from the results of statistics: tables.toml."""

import tomllib
from functools import cache
from importlib.resources import files

import pyarrow as pa
from iotrace.queries.shown import declared, name_of
from iotrace.queries.shown import shown as shown_of
from iotrace.schemas import Table

from iotrace import schemas


@cache
def _tables() -> dict[str, Table]:
    raw = tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("tables.toml").read_text("utf-8"))
    return {name: Table.read(name, entry) for name, entry in raw.items()}


def table_schema(name: str) -> pa.Schema:
    """Return a table's schema; raises KeyError if unknown."""
    return schemas.arrow_schema(_tables()[name])


def shown(rows: pa.Table) -> pa.Table:
    """Return what is shown of a table of the report, or of a result (`iotrace.queries.shown`)."""
    name = name_of(rows)
    return shown_of(rows, _tables()[name].shown if name in _tables() else declared(name))
