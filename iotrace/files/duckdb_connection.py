"""DuckDB connections of iotrace: they share its memory, and do not print."""

from __future__ import annotations

import contextlib

from iotrace.files import memory
from iotrace.libraries import duckdb


def connect(spill: str, most_bytes: int = memory.USUAL_BYTES) -> duckdb.DuckDBPyConnection:
    """Return a connection in memory without a progress bar; what does not fit goes into the folder `spill`."""
    connection = duckdb.connect(config=memory.of_duckdb(most_bytes) | {"temp_directory": spill})
    # in a notebook without ipywidgets DuckDB has no bar, and refuses to turn it off
    with contextlib.suppress(duckdb.InvalidInputException):
        connection.execute("set enable_progress_bar = false")
    return connection
