"""DuckDB connections for SQL and stores from strangers: they read the files that they were opened for, and no others.

The allowed files can be read. `check_statements` keeps a script from writing them, which the setting
``allowed_paths`` alone does not (``copy ... (use_tmp_file false)`` overwrites an allowed file). What does not fit in
memory goes into a temporary folder of the connection's own.

Source: https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview
"""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace import queries
from iotrace.errors import UsageError
from iotrace.file_names import local_name, sql_name

if TYPE_CHECKING:
    import duckdb

SETTINGS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
"""What a sandbox sets, in this order: after the last, nothing can be set any more."""

WITHIN = frozenset(
    [
        "ALTER",
        "ANALYZE",
        "CALL",
        "CREATE",
        "CREATE_FUNC",
        "DELETE",
        "DROP",
        "INSERT",
        "MERGE_INTO",
        "PRAGMA",
        "RELATION",
        "SELECT",
        "SET",
        "TRANSACTION",
        "UPDATE",
        "VACUUM",
        "VARIABLE_SET",
    ]
)
"""Types of statements that change nothing outside the connection's memory."""
COMPOSED = frozenset(["EXPLAIN", "MULTI"])
"""Types of statements that contain others."""
_OUTSIDE = frozenset(["attach", "copy", "execute", "export", "import", "install", "load", "prepare"])
"""Keywords of statements that reach outside, or that hide others."""


def connect(script: str, files: Iterable[Path]) -> duckdb.DuckDBPyConnection:
    """Return a connection on which a script of our own has run, and which from then on reads only these files.

    Raises duckdb.Error where the script fails.
    """
    import duckdb

    spill = Path(tempfile.gettempdir()) / f"iotrace-{secrets.token_hex(8)}"
    connection = duckdb.connect(config={"temp_directory": local_name(spill.parent) + f"/{spill.name}"})
    weakref.finalize(connection, shutil.rmtree, spill, ignore_errors=True)
    connection.execute("set enable_progress_bar = false")
    connection.execute(script)
    names = sorted({name for file in files for name in (local_name(file), sql_name(file))})
    connection.execute(f"set allowed_paths = [{', '.join(map(queries.literal, names))}]")
    for setting, value in SETTINGS.items():
        connection.execute(f"set {setting} = {value}")
    return connection


def check_statements(connection: duckdb.DuckDBPyConnection, script: str) -> None:
    """Raise UsageError where a script has a statement that reads or writes anything outside the connection.

    Raises duckdb.Error where the script cannot be parsed.
    """
    for statement in connection.extract_statements(script):
        kind = statement.type.name
        if kind in WITHIN or (kind in COMPOSED and not _OUTSIDE & _keywords(statement.query)):
            continue
        raise UsageError(
            f"{kind.replace('_', ' ')} statements are refused: this query may only read the trace's own tables;"
            " --allow-files lets it read and write files"
        )


def _keywords(statement: str) -> set[str]:
    """Return the words of a statement that are neither quoted nor in comments, in small letters."""
    import duckdb

    written = statement.encode("utf-8")
    words = set()
    for place, kind in duckdb.tokenize(statement):
        if kind in (duckdb.token_type.keyword, duckdb.token_type.identifier):
            found = re.match(rb"\w+", written[place:])
            words.add(found[0].decode("ascii", "replace").lower() if found else "")
    return words
