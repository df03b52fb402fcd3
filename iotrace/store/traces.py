"""Several stores in one DuckDB: a schema each, and schema ``traces`` with the rows of all."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from iotrace.errors import UsageError
from iotrace.files.remote import Place
from iotrace.libraries import duckdb
from iotrace.queries.script import TRACES, traces_script
from iotrace.store import connections
from iotrace.store.store import Store

RESERVED = (TRACES, "main", "temp", "memory", "system", "information_schema", "pg_catalog")
"""Schemas and databases of DuckDB, and of ours."""
_ENDINGS = re.compile(r"(\.(iotrace|gz|zst|xz|bz2|strace|tar))+$")


@dataclass(frozen=True)
class Traces:
    """Open stores, by the names of their schemas."""

    stores: Mapping[str, Store]

    def connect(
        self, views: Collection[str] | None = None, tables: Collection[str] | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Return a DuckDB connection with the tables and views of all, or with these views (see `Store.connect`)."""
        return connections.free(f"{self.script(views, tables)}\nuse {TRACES};", self.name)

    def sandboxed(
        self, views: Collection[str] | None = None, tables: Collection[str] | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Return the same connection for SQL and stores from strangers; see `Store.sandboxed`."""
        files = [file for store in self.stores.values() for file in store.files]
        return connections.sandboxed(f"{self.script(views, tables)}\nuse {TRACES};", files, self.name)

    @property
    def name(self) -> str:
        """The names of the stores, in messages."""
        return ", ".join(store.name for store in self.stores.values())

    def script(
        self,
        views: Collection[str] | None,
        tables: Collection[str] | None = None,
        without: Collection[str] = (),
    ) -> str:
        """Return the script that makes the tables, or these, and all views or these; see `StoreViews.script`."""
        stores = {name: store.sql_views for name, store in self.stores.items()}
        return traces_script(stores, views, tables, without)

    def tables_for(self, views: Collection[str], tables: Collection[str]) -> set[str]:
        """Return the tables that a statement needs which names these views and tables."""
        return {table for store in self.stores.values() for table in store.tables_for(views, tables)}

    @property
    def sql_names(self) -> list[str]:
        """The names of the tables and views that SQL can name without a schema."""
        return list(dict.fromkeys(name for store in self.stores.values() for name in store.sql_names))


def schema_names(traces: Sequence[tuple[str | None, Place]]) -> list[str]:
    """Return the schemas of traces with names that their user gives, or else made of the names of their files.

    A made name has letters, digits and underscores only, and a number where another trace has it. Raises UsageError
    for a name that is given twice, or that is one of ours or of DuckDB.
    """
    taken = set(RESERVED)
    for given in (name for name, _ in traces if name is not None):
        if not given or given.lower() in RESERVED:
            raise UsageError(f"{given!r} cannot be the name of a trace: choose another one, as in NAME=PATH")
        if given.lower() in taken:
            raise UsageError(f"two traces are called {given}")
        taken.add(given.lower())
    names: list[str] = []
    for name, path in traces:
        names.append(_unlike(taken, _made(path)) if name is None else name)
        taken.add(names[-1].lower())
    return names


def _made(path: Place) -> str:
    word = re.sub(r"\W+", "_", _ENDINGS.sub("", path.name), flags=re.ASCII).strip("_") or "trace"
    return f"_{word}" if word[0].isdigit() or _is_reserved(word) else word


def _is_reserved(word: str) -> bool:
    """Return whether a name is a word of SQL that would need double quotes."""
    if all(kind != duckdb.token_type.keyword for _, kind in duckdb.tokenize(word)):
        return False  # without DuckDB's database of its own, which the parser opens
    try:
        return not duckdb.extract_statements(f"select 1 from {word}.x")
    except duckdb.Error:
        return True


def _unlike(taken: set[str], name: str) -> str:
    number = 1
    numbered = name
    while numbered.lower() in taken:
        number += 1
        numbered = f"{name}_{number}"
    return numbered
