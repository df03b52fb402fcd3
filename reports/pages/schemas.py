"""The columns of the report's tables, apart from the results of statistics: tables.toml."""

import tomllib
from functools import cache
from importlib.resources import files

import pyarrow as pa

from iotrace import schemas


@cache
def table_schema(name: str) -> pa.Schema:
    """Return a table's schema; raises KeyError if unknown."""
    raw = tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("tables.toml").read_text("utf-8"))[name]
    return schemas.arrow_schema(schemas.Table.read(name, raw))
