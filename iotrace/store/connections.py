"""DuckDB connections on which the script of a store's or several stores' views has run."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.files import duckdb_connection, memory
from iotrace.files.memory import USUAL_BYTES
from iotrace.files.temporary import folder_of_process
from iotrace.libraries import duckdb
from iotrace.store import sandbox

CONNECTIONS: weakref.WeakSet[Any] = weakref.WeakSet()
"""Those in use, so that what interrupts the process can interrupt their queries."""
OF_SIGNAL = "Query interrupted"
"""The words of DuckDB where it took a signal of the process, which is not heard again."""


def free(script: str, name: str) -> duckdb.DuckDBPyConnection:
    """Return a connection that can do all that DuckDB can.

    Raises IotraceError, with the name of what it is of, where the script fails.
    """
    # what does not fit in memory must not spill into the user's working directory
    connection = duckdb_connection.connect(str(folder_of_process()))
    CONNECTIONS.add(connection)
    try:
        connection.execute(script)
    except duckdb.Error as error:
        raise IotraceError(f"{name}: cannot be read: {error}") from None
    return connection


def sandboxed(
    script: str, files: Iterable[Path], name: str, most_bytes: int = USUAL_BYTES, *, has_disk: bool = False
) -> duckdb.DuckDBPyConnection:
    """Return a connection that reads these files and no others (see `sandbox.connect`); raises as `free`."""
    try:
        connection = sandbox.connect(script, files, most_bytes, has_disk=has_disk)
    except duckdb.Error as error:
        raise IotraceError(f"{name}: cannot be read: {(str(error).splitlines() or [''])[0]}") from None
    CONNECTIONS.add(connection)
    return connection


@contextmanager
def within_memory(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Raise MemoryLimitError where the queries of a block need more than --memory allows; they are interrupted."""
    if memory.limit_bytes() is None:
        yield
        return
    is_short = False
    with memory.stopping(connection.interrupt) as stop:
        try:
            yield
        except Exception as error:
            has_taken_signal = str(error) == OF_SIGNAL
            is_short = stop.is_called or isinstance(error, duckdb.OutOfMemoryException)
            if has_taken_signal or not is_short:
                raise
    if stop.is_called:
        settle(connection)
    if is_short:  # raised here, so that it does not come of an interruption, as of one by the user
        raise memory.shortage()


def settle(connection: duckdb.DuckDBPyConnection) -> None:
    """Take an interrupt that came after the query that it was for, and would stop the next one."""
    with suppress(duckdb.Error, RuntimeError):
        connection.execute("select 1").fetchall()
