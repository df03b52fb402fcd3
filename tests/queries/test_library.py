"""The library itself: headers are schemas, views compose, and nothing stays behind."""

from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.queries.script import StoreViews
from tiny_store import connect, table

from iotrace import queries
from iotrace.analysis.characterize import characterize, describe
from iotrace.errors import UsageError

EVERY = [*queries.views(), *queries.names()]
READ = [{"file": 0, "type": "datafile", "operation": "read", "offset": 0, "length": 10, "time_ns": 0}]


@pytest.mark.parametrize("name", EVERY)
def test_result_has_exactly_the_documented_columns(name: str) -> None:
    for rows in ([], READ):
        result = characterize(connect(reference=rows), [name])[name]
        assert result.schema.equals(queries.query(name).schema, check_metadata=True)
        result.validate(full=True)


@pytest.mark.parametrize("name", EVERY)
def test_the_statement_gives_its_columns_in_the_documented_order(name: str) -> None:
    connection = connect(reference=READ)
    connection.execute(queries.macros_sql())
    for below in queries.ordered([name]):
        connection.execute(f"create view {below} as {queries.query(below).sql}")
    described = queries.query(name)
    columns = [c.name for c in described.columns if c.name not in described.in_ns]
    assert connection.sql(f"from {name}").columns == columns


@pytest.mark.parametrize("name", EVERY)
def test_header_is_written_out(name: str) -> None:
    described = queries.query(name)
    assert described.title and described.source
    assert described.description.rstrip(")").endswith(".")
    assert all(column.description.endswith(".") for column in described.columns)
    assert len({column.name for column in described.columns}) == len(described.columns)


@given(st.integers(0, 2**63 - 1) | st.integers(0, 62).map(lambda power: 2**power))
def test_bins_are_bounded_by_powers_of_two(number: int) -> None:
    bound = 0 if number == 0 else min(1 << (number - 1).bit_length(), 2**63 - 1)
    if number > 2**40:  # the logarithm that finds the bin is exact up to here
        assert bin_of(number) in (bound, bound // 2)
    else:
        assert bin_of(number) == bound


MACROS = duckdb.connect()
MACROS.execute(queries.macros_sql())


def bin_of(number: int) -> int:
    ((bound,),) = MACROS.execute("select power_of_two(?::bigint)", [number]).fetchall()
    return int(bound)


def test_huge_requests_do_not_overflow() -> None:
    huge = [{**READ[0], "operation": "write", "length": 2**62, "requested": 2**63 - 1, "time_ns": 2**62}]
    results = characterize(connect(reference=huge))
    assert results["requests_by_size"].column("maximum_size_bytes").to_pylist() == [2**62, 2**63 - 1]
    assert results["written_data_lifetimes"].num_rows == 0


def test_views_open_a_folder_of_parquet_files_in_any_client(tmp_path: Path) -> None:
    pq.write_table(table("reference", READ), tmp_path / "reference.parquet")
    connection = duckdb.connect()
    connection.execute(StoreViews(["reference"], str(tmp_path)).script())
    assert connection.sql("select objects from static_by_type").fetchall() == [(1,)]
    for name in EVERY:
        connection.sql(f"from {name}").fetchall()
    assert connection.sql("select count(*) from mapping").fetchall() == [(0,)]


def test_parameters_can_be_set_by_hand() -> None:
    connection = connect(
        reference=[{**READ[0], "length": 1}],
        file=[{"file": 0, "size_first_bytes": 1, "size_last_bytes": 5, "size_largest_bytes": 9}],
    )
    connection.execute(queries.macros_sql())
    for name in queries.ordered(["static_by_type"]):
        connection.execute(f"create view {name} as {queries.definition(queries.query(name))}")
    sizes = []
    for choice in ("first", "last", "largest"):
        connection.execute(f"set variable file_size = '{choice}'")
        sizes += connection.sql("select size_bytes from static_by_type").fetchall()
    assert sizes == [(1,), (5,), (9,)]


def test_characterize_leaves_the_connection_as_it_was() -> None:
    connection = connect(reference=READ)
    connection.execute("set variable file_size = 'last'")
    tables = connection.sql("show all tables").fetchall()
    macros = (
        "select function_name from duckdb_functions() where function_name in ('power_of_two', 'ratio_of')"
    )
    characterize(connection, parameters={"file_size": "first"})
    assert connection.sql("show all tables").fetchall() == tables
    assert connection.sql(macros).fetchall() == []
    assert connection.sql("select getvariable('file_size'), getvariable('runs')").fetchall() == [
        ("last", None)
    ]


def test_characterize_refuses_what_it_does_not_know() -> None:
    connection = connect()
    with pytest.raises(UsageError, match="no statistic is called nothing"):
        characterize(connection, ["nothing"])
    with pytest.raises(UsageError, match="no parameter is called nothing"):
        characterize(connection, [], {"nothing": 1})
    with pytest.raises(UsageError, match="file_size must be one of first, last, largest"):
        characterize(connection, [], {"file_size": "biggest"})
    with pytest.raises(UsageError, match="top must be a whole number from 1"):
        characterize(connection, [], {"top": 0})


def test_a_store_without_some_tables_counts_them_as_empty() -> None:
    connection = connect(reference=READ)
    connection.execute("drop table mapping; drop table syscall")
    assert set(characterize(connection)) == set(queries.names())
    assert len(connection.sql("show all tables").fetchall()) == len(queries.TABLES) - 2


def test_describe_lists_every_statistic() -> None:
    listed = describe()
    assert listed.column("name").to_pylist() == queries.names()
    assert listed.schema.equals(queries.table_schema("description"), check_metadata=True)


TITLE = "-- Title\n--\n-- A sentence.\n--\n"
SOURCE = "-- Source: here.\n--\n"
COLUMN = "-- Columns:\n--   a  int64  [x]  One.\n"
SHOWN = "--\n-- Shown:\n--   a\n\n"


def test_a_header_in_form_is_read() -> None:
    parsed = queries.parse("fine", "trace", f"{TITLE}{SOURCE}{COLUMN}{SHOWN}select 1 as a")
    assert (parsed.title, parsed.description, parsed.source, parsed.sql) == (
        "Title",
        "A sentence.",
        "here.",
        "select 1 as a\n",
    )


@pytest.mark.parametrize(
    "text",
    [
        "select 1",
        f"{TITLE}{SOURCE}select 1 as a",
        f"{TITLE}{COLUMN}{SHOWN}select 1 as a",
        f"{SOURCE}{COLUMN}{SHOWN}select 1 as a",
        f"{TITLE}{SOURCE}{COLUMN.replace('int64', 'number')}{SHOWN}select 1 as a",
        f"{TITLE}{SOURCE}{COLUMN.replace('[x]', '')}{SHOWN}select 1 as a",
        f"{TITLE}{SOURCE}{COLUMN}{SHOWN}drop table a",
        f"{TITLE}{SOURCE}{COLUMN}\nselect 1 as a",
        f"{TITLE}{SOURCE}{COLUMN}{SHOWN.replace('  a', '  b')}select 1 as a",
    ],
)
def test_a_header_out_of_form_is_refused(text: str) -> None:
    with pytest.raises(queries.MalformedQuery):
        queries.parse("broken", "trace", text).shown  # noqa: B018  (read when asked for)


def test_every_time_of_a_statistic_is_there_in_ns() -> None:
    asked = {name: queries.query(name) for name in queries.names()}
    for name, described in asked.items():
        columns = {c.name: c for c in described.columns}
        for column in described.columns:
            if column.unit in queries.NS_IN and column.name.endswith(f"_{column.unit}"):
                in_ns = columns[column.name.removesuffix(column.unit) + "ns"]
                assert in_ns.unit == "ns", name


def test_times_in_ns_are_the_same_times() -> None:
    header = "T\n\nD.\n\nSource: iotrace.\n\nColumns:\n  a_s  double? [s] A.\n  b_us  double [us] B.\n\nShown:\n  a_s"
    text = "\n".join(f"-- {line}".rstrip() for line in header.split("\n"))
    described = queries.parse("t", "time", f"{text}\n\nselect 1.000000002 as a_s, 2.5 as b_us\n")
    assert [c.name for c in described.columns] == ["a_s", "b_us", "a_ns", "b_ns"]
    sql = queries.definition(described)
    assert duckdb.sql(sql).fetchall() == [(1.000000002, 2.5, 1000000002, 2500)]
    assert duckdb.sql(sql.replace("1.000000002", "1e300")).fetchall() == [(1e300, 2.5, None, 2500)]
