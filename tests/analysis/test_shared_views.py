"""Views that a connection shares with its cursors: made once, the same for all, and gone with the connection."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from iotrace.analysis.characterize import characterize, cursor, each, prepared, result, share
from iotrace.ingest import ingest
from iotrace.store.store import Store

LOG = """\
100 1700000000.000100 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000010>
100 1700000000.000200 read(3, "x", 4096) = 4096 <0.000020>
100 1700000000.000300 read(3, "x", 4096) = 100 <0.000030>
100 1700000000.000400 close(3) = 0 <0.000010>
"""
NAMES = ["totals", "time_by_call", "time_by_file", "requests_by_size"]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    log = tmp_path / "log.strace"
    log.write_text(LOG)
    return ingest([log], tmp_path / "log.iotrace")


@pytest.fixture
def connection(store: Store) -> Iterator[duckdb.DuckDBPyConnection]:
    with store.queried() as connection:
        yield connection


def test_answers_on_threads_are_those_of_one_connection(
    store: Store, connection: duckdb.DuckDBPyConnection
) -> None:
    share(connection, NAMES)
    answers = dict(zip(NAMES, each(connection, result, NAMES), strict=True))
    with store.queried() as another:
        assert answers == characterize(another, NAMES)


def test_a_shared_table_is_not_made_again(connection: duckdb.DuckDBPyConnection) -> None:
    share(connection, ["timed_call"])
    connection.execute("delete from costed_call where call <> 'read'")
    share(connection, ["time_by_call"])
    another = cursor(connection)
    with prepared(another, ["time_by_call"], {}):
        assert [row["call"] for row in result(another, "time_by_call").to_pylist()] == ["read"]


def test_with_parameters_views_are_made_anew(connection: duckdb.DuckDBPyConnection) -> None:
    share(connection, ["time_by_file"])
    connection.execute("delete from costed_call")
    another = cursor(connection)
    assert len(result(another, "time_by_file")) == 0
    with prepared(another, ["time_by_file"], {"top": 1}):
        assert len(result(another, "time_by_file")) == 1


def test_without_shared_views_all_is_asked_of_the_connection(connection: duckdb.DuckDBPyConnection) -> None:
    asked = each(connection, lambda where, number: (where, 2 * number), [1, 2, 3])
    assert asked == [(connection, 2), (connection, 4), (connection, 6)]
