"""The characterization: runs the SQL library on a store and returns Arrow tables with documented columns.

The statistics are those of Richardson 1994, chapter 3, and more; each is one file of `iotrace.queries`.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from iotrace import queries
from iotrace.errors import UsageError

FOLLOWED = "block_touch"
"""The statistic that follows blocks one by one."""


def characterize(
    connection: duckdb.DuckDBPyConnection,
    names: Iterable[str] | None = None,
    parameters: Mapping[str, str | int] | None = None,
    left_out: dict[str, str] | None = None,
) -> dict[str, pa.Table]:
    """Run statistics, all unless `names` are given, and return their results by name, in the order asked for.

    `connection` must see a store's tables (reference, file, process, use, mapping, syscall); one that it
    lacks counts as empty. Each result has exactly the schema of its query. Nothing that is made on the way
    stays behind. Statistics that would follow too many blocks (parameter most_blocks) come back empty, and the reason
    is put into `left_out` by their names; without `left_out` they raise duckdb.Error. Raises UsageError for an unknown
    statistic or parameter, or a value that a parameter does not take.
    """
    wanted = queries.names() if names is None else list(dict.fromkeys(names))
    known = {*queries.names(), *queries.views()}
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(
            f"no statistic is called {', '.join(unknown)}; there are {', '.join(queries.names())}"
        )
    with prepared(connection, wanted, parameters or {}, left_out):
        return {name: result(connection, name) for name in wanted}


def describe(names: Iterable[str] | None = None) -> pa.Table:
    """Return what there is to ask for: one row per statistic, with source, columns and parameters."""
    described = [queries.query(name) for name in (queries.names() if names is None else names)]
    return pa.table(
        {
            "name": [q.name for q in described],
            "subject": [q.subject for q in described],
            "title": [q.title for q in described],
            "source": [q.source for q in described],
            "columns": [", ".join(column.name for column in q.columns) for q in described],
            "parameters": [", ".join(parameter.name for parameter in q.parameters) for q in described],
            "sentence": [q.sentence for q in described],
        },
        schema=queries.table_schema("description"),
    )


def result(connection: duckdb.DuckDBPyConnection, name: str) -> pa.Table:
    """Return one statistic on a connection that is `prepared` for it."""
    return connection.sql(f"from {name}").to_arrow_table().cast(queries.query(name).schema)


@contextmanager
def prepared(
    connection: duckdb.DuckDBPyConnection,
    names: Iterable[str],
    parameters: Mapping[str, str | int],
    left_out: dict[str, str] | None = None,
    *,
    once: bool = False,
) -> Iterator[None]:
    """Make the given statistics and all below them temporary views, computed once where that pays.

    With `once` each of the given ones is computed once, too, for SQL that reads them many times. Within the context,
    SQL on the connection can name any of them. Raises UsageError as `characterize` does.
    """
    values = {name: _checked(name, value) for name, value in parameters.items()}
    made: list[str] = []
    before = {name: _variable(connection, name) for name in queries.parameters()}
    try:
        for name in queries.parameters():
            _set_variable(connection, name, values.get(name, before[name]))
        connection.execute(queries.macros_sql(temporary=True))
        made.extend(f"macro {name}" for name in queries.macro_names())
        for table in _missing_tables(connection):
            connection.execute(f'create temp view "{table}" as {queries.empty_table_sql(table)}')
            made.append(f'view "{table}"')
        tables = set(names) if once else set()
        for name in queries.ordered(names):
            kind = "table" if name in tables or queries.query(name).materialize else "view"
            why = _too_many(connection) if name == FOLLOWED and left_out is not None else None
            connection.execute(
                f"create or replace temp {kind} {name} as {queries.definition(queries.query(name))}"
                + (" with no data" if why else "")
            )
            if why and left_out is not None:
                left_out |= {name: why for name in names if FOLLOWED in queries.ordered([name])}
            made.append(f"{kind} {name}")
        yield
    finally:
        for name, value in before.items():
            _set_variable(connection, name, value)
        for object_ in reversed(made):
            kind, name = object_.split()
            connection.execute(f"drop {kind} if exists temp.{name}")


def _too_many(connection: duckdb.DuckDBPyConnection) -> str | None:
    """Return why blocks cannot be followed one by one, where they are too many."""
    ((requests, blocks, is_many),) = connection.execute("from touched_blocks").fetchall()
    return (
        f"{requests:,} requests touch {blocks:,} blocks, too many to follow one by one" if is_many else None
    )


def _checked(name: str, value: str | int) -> str | int:
    known = queries.parameters()
    if name not in known:
        raise UsageError(f"no parameter is called {name}; there are {', '.join(known)}")
    parameter = known[name]
    if parameter.choices and value not in parameter.choices:
        raise UsageError(f"{name} must be one of {', '.join(parameter.choices)}, not {value}")
    if parameter.type == "int64" and (not isinstance(value, int) or value < 1):
        raise UsageError(f"{name} must be a whole number from 1, not {value}")
    return value


def _variable(connection: duckdb.DuckDBPyConnection, name: str) -> str | int | None:
    value: str | int | None
    ((value,),) = connection.execute(f"select getvariable('{name}')").fetchall()
    return value


def _set_variable(connection: duckdb.DuckDBPyConnection, name: str, value: str | int | None) -> None:
    if value is None:
        connection.execute(f"reset variable {name}")
    else:
        connection.execute(f"set variable {name} = {queries.literal(value)}")


def _missing_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    there = {
        row[0] for row in connection.execute("select table_name from information_schema.tables").fetchall()
    }
    return [table for table in queries.TABLES if table not in there]
