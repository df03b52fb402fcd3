"""The macros for people: each has a sentence and an example, and the examples are right."""

import random

import duckdb
import pytest
from iotrace.queries import cookbook

from iotrace import queries

CONNECTION = duckdb.connect()
CONNECTION.execute(queries.macros_sql())
CONNECTION.execute(
    "create table interval_rows as select * from (values (0, 10), (5, 10), (200, 1)) t(time_ns, duration_ns)"
)


@pytest.mark.parametrize("function", cookbook.functions(), ids=lambda one: one.signature)
def test_examples_are_right(function: cookbook.Function) -> None:
    assert function.description.endswith(".") and function.examples
    for expression, value in function.examples:
        query = f"select ({expression}) is not distinct from ({value})"
        assert CONNECTION.sql(query).fetchall() == [(True,)], expression


def test_in_flight_is_what_counting_gives() -> None:
    draw = random.Random(7)
    rows = [(draw.randrange(50), draw.randrange(1, 20)) for _ in range(60)]
    CONNECTION.execute("create or replace table drawn(time_ns bigint, duration_ns bigint)")
    CONNECTION.executemany("insert into drawn values (?, ?)", rows)
    for moment, count in CONNECTION.sql("from in_flight('drawn') order by time_ns").fetchall():
        assert count == sum(start <= moment < start + length for start, length in rows)


def test_sessions_are_what_a_loop_gives() -> None:
    draw = random.Random(8)
    times = sorted(draw.randrange(1000) for _ in range(60))
    CONNECTION.execute("create or replace table drawn(time_ns bigint)")
    CONNECTION.executemany("insert into drawn values (?)", [(time,) for time in times])
    sessions: list[list[int]] = [[]]
    for time in times:
        if sessions[-1] and time - sessions[-1][-1] > 20:
            sessions.append([])
        sessions[-1].append(time)
    found = CONNECTION.sql("from sessions('drawn', 20) order by start_ns").fetchall()
    assert found == [(one[0], one[-1], len(one)) for one in sessions]
