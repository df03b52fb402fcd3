"""The shape of every table, as data: one TOML file per table, a line per column, loaded to `pyarrow.Schema`.

Each column's field metadata carries its ``unit`` and the ``description`` that documents it, so that both travel
into Arrow and Parquet; the schema's own metadata carries the table's name and description. What a
person is shown of a table is declared with it (`iotrace.schemas.shown`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from iotrace.schemas import shown
from iotrace.schemas.shown import MalformedLine, Shown

from iotrace.libraries import pa

VERSION = 1
"""The version of a store with these columns: raised whenever they or the layout change."""


@dataclass(frozen=True)
class Column:
    """One column of a table: its name, logical type, whether it may be null, its unit, and a description."""

    name: str
    type: str
    unit: str
    description: str
    nullable: bool = True


_COLUMN = re.compile(r"(\w+(?:_\*)?)\s+(\w+)(\??)\s+\[([^\]]+)\]\s+(.+)")
TYPES = ("int64", "int32", "double", "bool", "timestamp", "interval", "string", "dictionary")


class MalformedColumn(ValueError):
    """A line that describes no column."""


def column(line: str) -> Column:
    """Read a column from its line: ``name  type?  [unit]  Description.``; ``?`` says that it may be null.

    ``name_*`` stands for all columns whose names begin so, one for each trace for example.
    """
    match = _COLUMN.fullmatch(line.strip())
    if not match or match[2] not in TYPES:
        raise MalformedColumn(f"not a column: {line.strip()}")
    return Column(match[1], match[2], match[4], match[5], match[3] == "?")


@dataclass(frozen=True)
class Table:
    """A table's name, the description of a row, and its columns in order."""

    name: str
    description: str
    columns: tuple[Column, ...]
    also: tuple[Column, ...] = ()
    """Columns that it has only where it is shown."""
    shown_lines: tuple[str, ...] = ()

    @cached_property
    def shown(self) -> Shown:
        """The columns that are shown; raises MalformedLine."""
        return shown_columns(self.shown_lines, [*self.columns, *self.also])

    @classmethod
    def read(cls, name: str, raw: Mapping[str, str]) -> Table:
        """Read a table's ``description``, its ``columns``, and what is ``shown`` of them, a line each.

        Columns that it has only where it is shown are in ``also``; ``with`` names a table whose columns it has, too.
        Raises MalformedColumn, and MalformedLine for what is unknown.
        """
        if unknown := raw.keys() - {"description", "columns", "also", "with", "shown"}:
            raise MalformedLine(f"{name}: unknown: {', '.join(sorted(unknown))}")
        columns, also = (
            [column(line) for line in raw.get(key, "").splitlines() if line] for key in ("columns", "also")
        )
        others = table(raw["with"]).columns if "with" in raw else ()
        lines = raw.get("shown", "").splitlines()
        return cls(name, raw["description"], tuple(columns), (*others, *also), tuple(lines))


def shown_columns(lines: Iterable[str], columns: Collection[Column]) -> Shown:
    """Read what is shown of columns, a line each; raises MalformedLine."""
    units, descriptions = (
        {column.name: getattr(column, key) for column in columns} for key in ("unit", "description")
    )
    read = tuple(shown.read(line, units, descriptions) for line in lines if line.strip())
    for key in ("name", "heading"):
        values = [getattr(column, key) for column in read]
        if len(set(values)) < len(values):
            raise MalformedLine(f"two columns shown have the same {key}: {', '.join(values)}")
    return Shown(read, frozenset(units))


def names() -> list[str]:
    """Return the names of all tables, sorted."""
    return list(_names())


@cache
def _names() -> tuple[str, ...]:
    entries = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in entries if name.endswith(".toml")))


@cache
def table(name: str) -> Table:
    """Return the description of a table; raises KeyError for an unknown name."""
    if name not in _names():
        raise KeyError(name)
    raw = tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))
    return Table.read(name, raw)


@cache
def schema(name: str) -> pa.Schema:
    """Return a table's Arrow schema, units and descriptions in its metadata; raises KeyError if unknown."""
    return arrow_schema(table(name))


def arrow_schema(described: Table) -> pa.Schema:
    """Turn a table's description into an Arrow schema."""
    types = {
        "int64": pa.int64(),
        "int32": pa.int32(),
        "double": pa.float64(),
        "bool": pa.bool_(),
        "timestamp": pa.timestamp("us"),
        "interval": pa.month_day_nano_interval(),
        "string": pa.string(),
        "dictionary": pa.dictionary(pa.int32(), pa.string()),
    }
    fields = [
        pa.field(c.name, types[c.type], c.nullable, {"unit": c.unit, "description": c.description})
        for c in described.columns
    ]
    return pa.schema(fields, {"table": described.name, "description": described.description})
