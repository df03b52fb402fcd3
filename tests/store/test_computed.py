"""Views that a pass of the engine computes, where SQL of users names them: the rows of their SQL."""

from pathlib import Path

import pytest

import iotrace
from iotrace import queries
from iotrace.store.computed import to_compute
from iotrace.store.query import Session, answered
from iotrace.store.store import Store
from iotrace.store.traces import Traces

LINES = "".join(
    f"{seq}.5 {'W' if seq % 3 else 'R'} {8 * (seq * seq % 7)} {8 + 8 * (seq % 2)}\n" for seq in range(60)
)
COLUMNS = "csv:time=1,op=2,offset=3:512,length=4:512,separator=space"
NAMES = sorted(name for name in queries.views() if queries.query(name).is_streamed)


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Store:
    trace = tmp_path_factory.mktemp("disk") / "disk.txt"
    trace.write_text(LINES)
    return iotrace.open(trace, format=COLUMNS)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Store:
    trace = Path(__file__).parents[1] / "cli" / "copy.strace"
    return iotrace.open(trace)


def rows(store: Store | Traces, text: str) -> list[tuple[object, ...]]:
    with answered(store, text, allow_files=False) as answers:
        (answer,) = answers
        return [tuple(row.values()) for batch in answer.batches() for row in batch.to_pylist()]


@pytest.mark.parametrize("name", [*NAMES, "block_skew", "popularity_decay", "wall_time_by_state"])
def test_they_have_the_rows_of_their_sql(disk: Store, calls: Store, name: str) -> None:
    for store in (disk, calls):
        ask = f"select * from {name} order by all"
        assert rows(store, ask) == store.connect([name]).sql(ask).fetchall()
        assert store.arrow(name).num_rows == len(rows(store, ask))
        assert store.polars(name).collect().height == len(rows(store, ask))


def test_they_are_computed_again_with_other_parameters(disk: Store) -> None:
    text = "set variable block_bytes = {}; select sum(blocks) from block_popularity where operation = 'all'"
    with disk.connect() as connection:
        expected = [connection.execute(text.format(size)).fetchall() for size in (4096, 1024)]
    assert expected[0] != expected[1]
    session = Session(disk, allow_files=False)
    for _ in range(2):
        for size, answer in zip((4096, 1024), expected, strict=True):
            (found,) = session.answers(text.format(size))
            assert [tuple(row.values()) for row in found.rows.read_all().to_pylist()] == answer


def test_they_are_there_after_the_catalogue_was_asked(disk: Store) -> None:
    session = Session(disk, allow_files=False)
    tables = next(session.answers("show tables")).rows.read_all().num_rows
    (skew,) = session.answers("select count(*) from block_skew")
    assert skew.rows.read_all().to_pydict()["count_star()"] == [3]
    assert next(session.answers("show tables")).rows.read_all().num_rows == tables
    comment = "select comment from duckdb_tables() where table_name = 'block_popularity'"
    (found,) = session.answers(comment)
    assert found.rows.read_all().to_pydict()["comment"] == [queries.query("block_popularity").description]


def test_of_several_traces_each_has_its_own(disk: Store, calls: Store) -> None:
    both = Traces({"disk": disk, "calls": calls})
    of_disk = rows(disk, "from block_popularity order by all")
    assert rows(both, "select * exclude (trace) from block_popularity order by all") == of_disk
    assert rows(both, "from disk.block_popularity order by all") == of_disk
    assert rows(both, "from calls.block_popularity") == []


def test_only_what_is_named_is_computed() -> None:
    assert to_compute(["block_skew"]) == ["block_popularity"]
    assert to_compute(["sequentiality", "file"]) == []


def test_a_trace_that_the_pass_cannot_take_is_left_to_sql(
    disk: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from iotrace.store import streamed

    expected = rows(disk, "from block_skew")
    for passed in ({}, ValueError("row 3")):

        def refuse(*arguments: object, passed: object = passed) -> dict[str, object]:
            if isinstance(passed, Exception):
                raise passed
            return {}

        monkeypatch.setattr(streamed, "streamed", refuse)
        assert rows(disk, "from block_skew") == expected
