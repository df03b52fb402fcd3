"""Advice on memory says what the model says: the least limit with which most waits are gone, and how long they are."""

from collections.abc import Iterator

import duckdb
import pytest
from iotrace.queries.rules import rules

from iotrace.analysis.advice.ask import card_of

MEGABYTE = 1 << 20


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A recording with a limit of 64 MB, of whose file each of 100 pages came in twice."""
    with duckdb.connect() as made:
        made.execute(
            "create table opened_file as select 0 as file, '/srv/data' as path, 1 as device_number, 2 as inode"
        )
        made.execute(
            "create table page_cache_event as select 'added' as event, 1 as device_number, 2 as inode, page, 1 as pages"
            " from range(100) as range(page), range(2)"
        )
        yield made


def predict(connection: duckdb.DuckDBPyConnection, *rows: tuple[int, int, int, int, float]) -> None:
    connection.execute(
        "create table predicted_limits (limit_bytes bigint, page_reads_linux bigint, page_reads_low bigint,"
        " page_reads_high bigint, wait_s double, is_recorded bool)"
    )
    for place, (megabytes, *counts) in enumerate(rows):
        connection.execute(
            "insert into predicted_limits values (?, ?, ?, ?, ?, ?)",
            [megabytes * MEGABYTE, *counts, place == 0],
        )


def test_the_least_memory_that_is_enough_is_named(connection: duckdb.DuckDBPyConnection) -> None:
    predict(
        connection,
        (64, 1000, 900, 1000, 6.0),
        (80, 800, 700, 850, 4.0),
        (96, 300, 300, 310, 1.8),
        (128, 200, 200, 200, 1.0),
    )
    card = card_of(connection, rules()["short_memory"])
    assert card is not None
    assert card.title == "With 32 MB more memory, most waits for reads are gone"
    assert card.at_stake_s == pytest.approx(4.2)
    assert card.at_stake_bytes == 700 * 4096
    (evidence,) = card.evidence
    assert evidence.path == "/srv/data"


@pytest.mark.parametrize(
    "larger",
    [(128, 900, 900, 900, 3.1), (128, 500, 500, 950, 1.0)],
    ids=["most waits stay", "the ranges overlap"],
)
def test_what_is_little_or_not_sure_is_not_advised(
    connection: duckdb.DuckDBPyConnection, larger: tuple[int, int, int, int, float]
) -> None:
    predict(connection, (64, 1000, 940, 1000, 6.0), larger)
    assert card_of(connection, rules()["short_memory"]) is None


def test_without_a_prediction_nothing_is_said(connection: duckdb.DuckDBPyConnection) -> None:
    predict(connection)
    assert card_of(connection, rules()["short_memory"]) is None
