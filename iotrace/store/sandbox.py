"""DuckDB connections for SQL and stores from strangers: they read the files that they were opened for, and no others.

`check_statements` keeps a script from writing the allowed files, which the setting ``allowed_paths`` alone does not
(``copy ... (use_tmp_file false)`` overwrites them). What does not fit in memory goes into a temporary folder that no
other connection uses, and that the next run removes if this one is killed.

Source: https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from pathlib import Path

from iotrace import queries
from iotrace.errors import UsageError
from iotrace.files import duckdb_connection
from iotrace.files.memory import USUAL_BYTES
from iotrace.files.names import local_name
from iotrace.files.temporary import folder_of_process
from iotrace.libraries import duckdb

SETTINGS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
"""Settings of a sandbox, in this order: after the last, nothing can be set any more."""

WITHIN = frozenset((
    "ALTER", "ANALYZE", "CALL", "CREATE", "CREATE_FUNC", "DELETE", "DROP", "INSERT", "MERGE_INTO",
    "PRAGMA", "RELATION", "SELECT", "SET", "TRANSACTION", "UPDATE", "VACUUM", "VARIABLE_SET",
))  # fmt: skip
"""Types of statements that change nothing outside the connection's memory."""
COMPOSED = frozenset(["EXPLAIN", "MULTI"])
"""Types of statements that contain others."""
_OUTSIDE = frozenset(["attach", "copy", "export", "import"])
"""Keywords of what reaches outside; ``copy`` does so within any statement (``with x as (copy ...)``)."""
_HIDING = frozenset(["json_execute_serialized_sql"])
"""Functions that run statements which no parser has seen before."""


ON_DISK = "on_disk"
"""The database of a connection for large tables: a temporary file, whose tables are compressed and leave memory as they
came."""


def connect(
    script: str, files: Iterable[Path], most_bytes: int = USUAL_BYTES, *, has_disk: bool = False
) -> duckdb.DuckDBPyConnection:
    """Return a connection on which one of our scripts has run, and which from then on reads only these files.

    `most_bytes` is the memory that it takes at most; with `has_disk` it has a database `ON_DISK`.

    Raises duckdb.Error where the script fails, and OSError where no temporary folder can be made.
    """
    spill = f"{local_name(folder_of_process())}/{secrets.token_hex(8)}"
    connection = duckdb_connection.connect(spill, most_bytes)
    if has_disk:
        file = f"{spill}.duckdb"
        connection.execute(f"attach {queries.literal(file)} as {ON_DISK} (recovery_mode no_wal_writes)")
        Path(file).unlink()  # it stays until the connection is closed, also where the process is killed
    connection.execute(script)
    names = ", ".join(queries.literal(local_name(file)) for file in files)
    connection.execute(f"set allowed_paths = [{names}]")
    for setting, value in SETTINGS.items():
        connection.execute(f"set {setting} = {value}")
    return connection


def check_statements(connection: duckdb.DuckDBPyConnection, script: str) -> None:
    """Raise UsageError where a script has a statement that reads or writes anything outside the connection.

    Raises duckdb.Error where the script cannot be parsed.
    """
    for statement in connection.extract_statements(script):
        kind = _kind(statement)
        if kind not in WITHIN | COMPOSED:
            words = f"{kind.replace('_', ' ')} statements" if kind else "statements of this type"
            raise UsageError(f"{words} are refused: {_WHY}")
        if word := _refused_word(statement.query):
            raise UsageError(f"{word.upper()} is refused: {_WHY} (a column of that name needs double quotes)")


def _kind(statement: duckdb.Statement) -> str | None:
    """Return a statement's type; None for one that DuckDB parses and its Python module does not know."""
    try:
        return str(statement.type.name)
    except ValueError:
        return None


_WHY = "a query may only read the trace's own tables unless --allow-files is given"


def _refused_word(statement: str) -> str | None:
    """Return the first word of a statement, outside texts and comments, that reaches outside or hides what does."""
    written = statement.encode("utf-8")
    for place, kind in duckdb.tokenize(statement):
        if kind not in (duckdb.token_type.keyword, duckdb.token_type.identifier):
            continue
        match = re.match(rb'(")?(\w+)', written[place:])
        if match:
            word = match[2].decode("ascii", "replace").lower()
            if word in _HIDING or (word in _OUTSIDE and not match[1]):
                return word
    return None
