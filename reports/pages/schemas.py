"""The shape of the tables that the report makes beside the statistics' own results: tables.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from iotrace import schemas

if TYPE_CHECKING:
    import pyarrow as pa


@cache
def table_schema(name: str) -> pa.Schema:
    """Return a table's schema; raises KeyError if unknown."""
    raw = tomllib.loads(files(__name__.rpartition(".")[0]).joinpath("tables.toml").read_text("utf-8"))[name]
    return schemas.arrow_schema(schemas.Table.read(name, raw))
