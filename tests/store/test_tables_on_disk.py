"""Large tables of queries lie on disk: answers are those of tables in memory, and nothing is left behind."""

from pathlib import Path

import pytest

from iotrace.analysis.advice import advise
from iotrace.analysis.answers.ask import first_screen
from iotrace.analysis.characterize import characterize_store, prepared
from iotrace.files import memory
from iotrace.files.temporary import folder_of_process
from iotrace.ingest import pipeline
from iotrace.store.store import Store

LOG = Path(__file__).parents[1] / "cli" / "copy.strace"
STATISTICS = ["time_by_call", "time_by_file", "wall_time_by_process", "storage_time_by_cause"]
TABLES = "select count(*) from duckdb_tables() where database_name = 'on_disk'"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return pipeline.ingest([LOG], tmp_path / "copy.iotrace")


def answers(store: Store) -> list[object]:
    return [
        advise(store, is_all=True, has_split=True),
        first_screen(store),
        characterize_store(store, STATISTICS),
    ]


def test_answers_are_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answers(store)
    monkeypatch.setattr(memory, "is_much_for_tables", lambda bytes_: True)
    assert answers(store) == expected


def test_tables_are_dropped_and_their_file_has_no_name(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "is_much_for_tables", lambda bytes_: True)
    with store.queried() as connection:
        with prepared(connection, ["costed_call"], {}):
            assert connection.execute(TABLES).fetchall() == [(2,)]  # and untraced_call
            assert not list(folder_of_process().glob("*.duckdb"))
        assert connection.execute(TABLES).fetchall() == [(0,)]


@pytest.mark.parametrize(
    ("limit", "calls", "is_much"), [(None, 2_000_000, False), (None, 3_000_000, True), (512, 500_000, True)]
)
def test_where_tables_would_take_much(
    limit: int | None, calls: int, is_much: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_STATE", {} if limit is None else {"limit": limit << 20})
    assert memory.is_much_for_tables(170 * calls) is is_much


@pytest.mark.parametrize(
    ("limit", "is_much", "share"),
    [(None, False, "1.0 GiB"), (None, True, "640.0 MiB"), (480, True, "160.0 MiB")],
)
def test_duckdb_gets_less_beside_them(
    store: Store, limit: int | None, is_much: bool, share: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_STATE", {} if limit is None else {"limit": limit << 20})
    monkeypatch.setattr(memory, "is_much_for_tables", lambda bytes_: is_much)
    with store.queried(memory.BESIDE_TABLES_BYTES) as connection:
        assert connection.execute("select current_setting('memory_limit')").fetchall() == [(share,)]
