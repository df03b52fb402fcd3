"""Views of stores for other programs: as a script, or as a DuckDB database that holds views and no rows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.files import atomic_write, duckdb_connection
from iotrace.files.inputs import MANIFEST
from iotrace.files.names import is_literal, local_name
from iotrace.files.outputs import failures_named
from iotrace.files.remote import Address, Place
from iotrace.files.temporary import folder_of_process
from iotrace.libraries import duckdb
from iotrace.queries import identifier
from iotrace.queries.script import TRACES, StoreViews, outside_texts, traces_script
from iotrace.store.folder import is_store
from iotrace.store.script import store_views
from iotrace.store.store import read

STORAGE_VERSION = "v1.1.0"
"""The version of DuckDB whose format a database has: later ones read it, too."""


_IF = re.compile(r"\bif\(")
_MARK = re.compile(r"[][(){},]")


def views_script(stores: Mapping[str | None, Place]) -> str:
    """Return the script that makes the views of stores in any DuckDB client, from any folder.

    A store of name None is in the current schema; of several, each is in the schema of its name, and schema `TRACES`
    has the rows of all. A view of a store that was moved or replaced is an error that says what to run again. Raises
    IotraceError for what is not a store.
    """
    views = {name: _views(path, name) for name, path in stores.items()}
    if len(views) == 1:
        ((name, only),) = views.items()
        return only.script(schema=name) + (f"use {identifier(name)};\n" if name else "")
    return f"{traces_script({name or '': one for name, one in views.items()})}\nuse {TRACES};\n"


def write_database(stores: Mapping[str | None, Place], output: Path) -> None:
    """Write a DuckDB database with these views; raises as `views_script`."""
    script = views_script(stores)
    with failures_named(output), atomic_write(output) as unfinished:
        unfinished.unlink(missing_ok=True)
        connection = duckdb_connection.connect(str(folder_of_process()))
        try:
            place = local_name(unfinished).replace("'", "''")
            connection.execute(
                f"attach '{place}' as written (storage_version '{STORAGE_VERSION}'); use written"
            )
            connection.execute(without_if(script))
            connection.execute("use memory; detach written")
        except duckdb.Error as error:
            raise IotraceError(f"{output}: cannot be written: {str(error).splitlines()[0]}") from None
        finally:
            connection.close()


def without_if(script: str) -> str:
    """Return SQL with CASE in place of each call of `if`, which the grammar of DuckDB 1 has and its functions have not.

    A view in a database keeps the call as DuckDB 2 reads it, so that DuckDB 1 does not find it.
    """
    sql = script
    bare = outside_texts(sql, str, lambda text: " " * len(text))
    for call in reversed(list(_IF.finditer(bare))):
        ends, depth = [call.end() - 1], 0
        for mark in _MARK.finditer(bare, call.end()):
            if depth == 0 and mark[0] in ",)":
                ends.append(mark.start())
            depth += {"(": 1, "[": 1, "{": 1, ",": 0}.get(mark[0], -1)
            if depth < 0:
                break
        sql, bare = (_with_case(text, call.start(), ends) for text in (sql, bare))
    return sql


def _with_case(sql: str, start: int, ends: list[int]) -> str:
    """Return SQL with CASE in place of a call of `if` that starts there; `ends` are its brackets and commas."""
    parts = [sql[before + 1 : end] for before, end in pairwise(ends)]
    words = ("case when", " then", " else")
    case = "".join(f"{word} {part}" for word, part in zip(words, parts, strict=False))
    return f"{sql[:start]}({case} end){sql[ends[-1] + 1 :]}"


def _views(path: Place, name: str | None) -> StoreViews:
    if isinstance(path, Address):
        raise UsageError(f"{path}: is on object storage: views are made of stores here; copy it first")
    if not is_store(path):
        raise IotraceError(f"{path}: is not a store: iotrace ingest makes one of a raw trace")
    place = path.resolve()
    if not is_literal(str(place)):
        raise UsageError(f"{place}: DuckDB takes [, * and ? in a path for a pattern: rename its folder")
    option = f" --schema {shlex.quote(name)}" if name else ""
    remedy = f"Run again, for its place: iotrace views STORE{option}"
    return store_views(read(path).manifest, str(place), (path / MANIFEST).read_bytes(), remedy)
