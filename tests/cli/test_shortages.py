"""A query that is interrupted since it takes nearly all memory ends in a shortage, not in an interruption."""

import duckdb
import pytest

from iotrace.cli import interruption
from iotrace.errors import MemoryLimitError
from iotrace.files import memory
from iotrace.store.connections import within_memory


def test_a_shortage_is_no_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(memory._STATE, "limit", 1 << 40)
    short = pytest.raises(MemoryLimitError)
    with duckdb.connect() as connection, short as raised, within_memory(connection):
        memory._STOPS[-1].is_called = True
        raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")
    assert isinstance(raised.value.__context__, duckdb.InterruptException)
    assert not interruption.is_one(raised.value)


def test_an_interruption_while_a_shortage_is_handled_is_one() -> None:
    ending = KeyboardInterrupt()
    ending.__context__ = MemoryLimitError("short", None)
    assert interruption.is_one(ending)
