"""A query that is interrupted since it takes nearly all memory ends in a shortage, not in an interruption."""

import duckdb
import pytest
from iotrace.reports.pages.attempted import attempted

from iotrace.errors import MemoryLimitError, is_interruption
from iotrace.files import memory
from iotrace.store.connections import OF_SIGNAL, within_memory


def test_a_shortage_is_no_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(memory._STATE, "limit", 1 << 40)
    short = pytest.raises(MemoryLimitError)
    with duckdb.connect() as connection, short as raised, within_memory(connection):
        memory._STOPS[-1].is_called = True
        raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")
    assert isinstance(raised.value.__context__, duckdb.InterruptException)
    assert not is_interruption(raised.value)


def test_an_interruption_while_a_shortage_is_handled_is_one() -> None:
    ending = KeyboardInterrupt()
    ending.__context__ = MemoryLimitError("short", None)
    assert is_interruption(ending)


def test_a_signal_that_a_query_took_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(memory._STATE, "limit", 1 << 40)

    def ask() -> None:
        with duckdb.connect() as connection, within_memory(connection):
            memory._STOPS[-1].is_called = True
            raise RuntimeError(OF_SIGNAL)

    with pytest.raises(RuntimeError, match=OF_SIGNAL):
        attempted(ask)
