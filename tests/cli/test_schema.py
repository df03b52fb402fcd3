"""``iotrace schema``: it knows all that can be asked, finds it by words, and has the joins; no row leads nowhere."""

import json
from pathlib import Path

import duckdb
import pytest
from iotrace.schemas.joins import joins
from program import LOG, Run, refused

import iotrace
from iotrace import queries, schemas
from iotrace.store.values import POINTERS

PLAIN = frozenset([
    "thread", "pid", "node", "fd", "job", "inode", "device_number", "list_call", "request", "number", "job_id", "uid",
    "rank", "descriptor", "tenant", "stack", "device",
])  # fmt: skip
"""Identifiers that are keys of no table, or the key of their own."""


def columns_of(name: str) -> list[schemas.Column]:
    known = queries.described()[name]
    return list(known.columns)


def test_every_join_is_of_columns_of_one_type() -> None:
    for one in joins():
        (column,) = (c for c in columns_of(one.table) if c.name == one.column)
        (key,) = (c for c in columns_of(one.other) if c.name == one.other_column)
        assert {column.type, key.type} <= {"int32", "int64"}


def test_every_pointer_that_is_checked_is_a_join() -> None:
    listed = {(one.table, one.column) for one in joins()} | {(one.other, one.other_column) for one in joins()}
    checked = {(table, column) for table, columns in POINTERS.items() for column in columns}
    assert checked <= listed


def test_every_identifier_of_a_table_is_a_key_a_join_or_a_plain_number() -> None:
    listed = {(one.table, one.column) for one in joins()} | {(one.other, one.other_column) for one in joins()}
    for name in (*queries.TABLES, *queries.wide_views()):
        for column in columns_of(name):
            if column.unit == "identifier" and column.name not in PLAIN:
                assert (name, column.name) in listed


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return iotrace.open(LOG).connect()


def test_no_row_leads_nowhere(connection: duckdb.DuckDBPyConnection) -> None:
    native = {"disk_io", "parallel_io", "key_io"}
    for one in joins():
        if one.other in native or {one.table, one.other} & {"file.device"}:
            continue
        nowhere = (
            f'select count(*) from "{one.table}" as a anti join "{one.other}" as b'
            f' on a."{one.column}" = b."{one.other_column}" where a."{one.column}" is not null'
        )
        assert connection.sql(nowhere).fetchall() == [(0,)], one


def test_conditions_are_sql(connection: duckdb.DuckDBPyConnection) -> None:
    for one in joins():
        table = f'"{one.table}"'
        if one.table != one.other:
            connection.sql(f"select 1 from {table} join {one.condition} limit 0").fetchall()


def test_schema_knows_all_that_show_tables_lists(run: Run, shared_store: Path) -> None:
    listed = run("sql", shared_store, "show tables", "-f", "csv").stdout.decode().split()[1:]
    names = [row["table"] for row in json.loads(run("schema", "-f", "json").stdout)]
    assert set(listed) <= set(names) and len(set(names)) == len(names)
    assert names[:4] == queries.wide_views()
    assert run("schema", "data_call").returncode == 0


def test_schema_finds_by_words_and_shows_joins(run: Run) -> None:
    found = json.loads(run("schema", "--search", "latency peak", "-f", "json").stdout)
    assert found[0]["table"] == "latency_over_time"
    shown = json.loads(run("schema", "--joins", "-f", "json").stdout)
    assert {
        "table": "syscall",
        "column": "process",
        "other_table": "process",
        "other_column": "process",
    } in shown
    assert "no table or view has these words" in refused(run("schema", "--search", "qqqq"), 2)
    assert "one of them" in refused(run("schema", "file", "--joins"), 2)
