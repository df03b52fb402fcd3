"""The views that a pass of the engine computes, as tables of a connection in place of their SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from iotrace import queries
from iotrace.libraries import duckdb
from iotrace.queries import identifier
from iotrace.queries.script import comments

if TYPE_CHECKING:
    from iotrace.store.store import Store

_ROWS = "rows_of_a_pass"


def to_compute(views: Iterable[str]) -> list[str]:
    """Return the views on which these build, or which they are, and that a pass computes sooner than their SQL.

    Those are the ones of disks, keys and threads; of references, which belong to no family, the SQL is as fast.
    """
    views = list(views)
    passes = {
        name
        for name in queries.ordered(views)
        if queries.query(name).is_streamed and queries.query(name).families
    }
    return [name for name in queries.ordered(views, without=passes) if name in passes]


def _has_rows_for(name: str, store: Store) -> bool:
    return any(family in store.tables for family in queries.query(name).families)


class Computed:
    """Those of one connection, by the values of its parameters."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, stores: Mapping[str, Store] | Mapping[None, Store]
    ) -> None:
        """Compute them of stores, by the schemas of their views."""
        self._connection = connection
        self._stores = stores
        self._parameters: dict[str, Any] = {}
        self._names: set[str] = set()

    def make(self, names: Collection[str]) -> set[str]:
        """Compute these where that is not done yet; return the names of all that are tables of the connection.

        One that the engine cannot compute of each store, as of too many blocks, is left to its SQL, and so is one of a
        family of which no store has a table.
        """
        names = [name for name in names if any(_has_rows_for(name, store) for store in self._stores.values())]
        parameters = self._values() if names else self._parameters
        if parameters != self._parameters:
            self._names, self._parameters = set(), parameters
        missing = [name for name in names if name not in self._names]
        if missing:
            made = {schema: self._passed(store, missing) for schema, store in self._stores.items()}
            of_all = [name for name in missing if all(name in tables for tables in made.values())]
            for schema, tables in made.items():
                for name in of_all:
                    self._keep(schema, name, tables[name])
            self._names.update(of_all)
        return self._names

    def _values(self) -> dict[str, Any]:
        names = list(queries.parameters())
        asked = ", ".join(f"getvariable({queries.literal(name)})" for name in names)
        (values,) = self._connection.execute(f"select {asked}").fetchall()
        return dict(zip(names, values, strict=True))

    def _passed(self, store: Store, names: Collection[str]) -> dict[str, pa.Table]:
        from iotrace.store import streamed

        by_pass = [name for name in names if _has_rows_for(name, store)]
        others = [name for name in names if name not in by_pass]
        with closing(store.sandboxed([*streamed.needs(by_pass), *others])) as connection:
            for name, value in self._parameters.items():
                if value is not None:
                    connection.execute(f"set variable {name} = $1", [value])
            try:
                made = streamed.streamed(connection, by_pass)
            except ValueError:  # its rows are not what the pass takes
                return {}
            return made | {name: connection.sql(f"from {name}").to_arrow_table() for name in others}

    def _keep(self, schema: str | None, name: str, rows: pa.Table) -> None:
        described = queries.query(name)
        place = f"{identifier(schema or 'main')}.{identifier(name)}"
        columns = ", ".join(map(queries.cast_column, described.columns))
        self._connection.register(_ROWS, rows)
        try:
            kinds = self._connection.execute(
                "select table_type from information_schema.tables where table_schema = ? and table_name = ?",
                [schema or "main", name],
            ).fetchall()
            for (kind,) in kinds:
                self._connection.execute(f"drop {'view' if kind == 'VIEW' else 'table'} {place}")
            self._connection.execute(f"create table {place} as select {columns} from {_ROWS}")
            for statement in comments(place, described.description, described.columns, kind="table"):
                self._connection.execute(statement)
        finally:
            self._connection.unregister(_ROWS)
