"""The stores beneath a folder, a row each, and SQL over them; rows of stores that have not changed are kept."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import __version__, queries, units
from iotrace.analysis.catalogue.rows import REFUSED, partitions, row, state
from iotrace.errors import IotraceError, reason
from iotrace.files import write_text
from iotrace.files.inputs import MANIFEST
from iotrace.files.remote import Address, Place, resolved
from iotrace.store import appended
from iotrace.store.folder import SUFFIX, is_store
from iotrace.store.location import cache_home, said_bytes
from iotrace.store.query import refusal, writable
from iotrace.store.sandbox import SETTINGS, check_statements
from iotrace.store.store import read

TABLE = "catalogue"
"""The result, and its name in SQL."""
FOLDER = "catalogues"
"""Where rows are kept in the user's cache: a file for each folder that was asked for."""
VERSION = 1
"""Raise it when other rows are made of the same store."""

Progress = Callable[[str], None]


def catalogue(
    folder: Place, progress: Progress = lambda words: None, is_quick: bool = False
) -> tuple[pa.Table, list[str]]:
    """Return result `catalogue` of the stores beneath a folder, in the order of their paths, and warnings.

    A quick one leaves what was not computed before unknown. Of a store that grows there is a row for each partition.
    Raises IotraceError for a folder in which no store is.
    """
    if is_store(folder) and appended.KEY in (store := read(folder)).manifest:
        return _table(partitions(store)), []
    unreadable: list[OSError] = []
    places = stores(folder, unreadable)
    if not places and isinstance(folder, Address) and not folder.exists():
        raise folder.missing()
    if not places:
        raise IotraceError(
            "; ".join(
                [f"{folder}: no store (NAME{SUFFIX}) is in it or beneath it", *_warnings([], unreadable)]
            )
        )
    place = _place(folder)
    known = {} if place is None else _read(place)
    rows = {}
    try:
        for number, path in enumerate(places, 1):
            name = _name(path, folder)
            progress(f"reading store {number:,} of {len(places):,}: {name}")
            rows[name] = _row(name, path, known, is_quick)
    finally:
        if place is not None and not is_quick:
            _write(place, known | rows if len(rows) < len(places) else rows)
    listed = [one["row"] for one in rows.values()]
    return _table(listed), _warnings(listed, unreadable)


def stores(folder: Place, unreadable: list[OSError]) -> Sequence[Place]:
    """Return the stores beneath a folder, or itself, in order; folders that cannot be read go into `unreadable`.

    Hidden folders, in which stores are being written, and what is in a store are left out; links are not followed.
    """
    if isinstance(folder, Address):
        found = [below.parent for below in folder.below(is_recursive=True) if below.name == MANIFEST]
        return sorted(found, key=lambda place: place.parts)
    return [folder] if is_store(folder) else sorted(_walked(folder, unreadable))


def _walked(folder: Path, unreadable: list[OSError]) -> Iterator[Path]:
    for parent, names, _ in os.walk(folder, onerror=unreadable.append):
        inner = []
        for name in names:
            path = Path(parent, name)
            if name.startswith(".") or path.is_symlink():
                continue
            if path.suffix == SUFFIX or is_store(path):
                yield path
            else:
                inner.append(name)
        names[:] = inner


def asked(rows: pa.Table, query: str) -> pa.Table:
    """Return the answer to a query over table `catalogue`, which can read nothing else; raises as `Session.answers`."""
    with closing(duckdb.connect()) as connection:
        connection.register(TABLE, rows)
        for setting, value in SETTINGS.items():
            connection.execute(f"set {setting} = {value}")
        try:
            check_statements(connection, query)
            result = connection.sql(query)
            if result is None:
                raise IotraceError("the query gives no rows")
            return writable(result).to_arrow_table()
        except duckdb.Error as error:
            raise refusal(error, query, [TABLE]) from error


def _row(name: str, place: Place, known: dict[str, Any], is_quick: bool) -> dict[str, Any]:
    """Return the row of a store and its state, which are kept if they are known."""
    try:
        now = dict(state(place))
    except OSError:
        now = {}
    before = known.get(name)
    if now and before is not None and before["state"] == now:
        return dict(before)
    return {"state": now, "row": row(name, place, is_quick)}


def _name(path: Place, folder: Place) -> str:
    """Return how a store beneath a folder is called; its own name where it is the folder."""
    return _text("/".join(path.parts[len(folder.parts) :]) if path != folder else path.name)


def _text(name: str) -> str:
    """Return the name of a file as text, also one that is not in UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    names = queries.table_schema(TABLE).names
    return queries.result_table(TABLE, [[one.get(name) for name in names] for one in rows])


def _warnings(rows: list[dict[str, Any]], unreadable: list[OSError]) -> list[str]:
    """Return a sentence for stores, and one for folders, that could not be read."""
    found = []
    if refused := [one for one in rows if one["status"] == REFUSED]:
        found.append(
            f"{len(refused):,} of {len(rows):,} stores cannot be read; the first: {refused[0]['problem']}"
        )
    if unreadable:
        first = f"{_text(unreadable[0].filename)}: {reason(unreadable[0])}"
        found.append(
            f"{units.plural(len(unreadable), 'folder', 'folders')} cannot be read; the first: {first}"
        )
    return found


def _place(folder: Place) -> Path | None:
    """Return where the rows of a folder's stores are kept; None where nothing is."""
    if said_bytes() == 0:
        return None
    of = json.dumps([VERSION, __version__, str(resolved(folder))])
    return cache_home() / FOLDER / f"{hashlib.sha256(of.encode()).hexdigest()[:32]}.json"


def _write(place: Path, rows: dict[str, Any]) -> None:
    with contextlib.suppress(OSError, IotraceError, UnicodeError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        read = {name: one for name, one in rows.items() if one["row"]["status"] != REFUSED}
        write_text(place, json.dumps(read, default=datetime.isoformat))


def _read(place: Path) -> dict[str, Any]:
    """Return the rows that are kept at a place; none where they cannot be read."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        rows: dict[str, Any] = json.loads(place.read_text("utf-8"))
        for one in rows.values():
            if started_at := one["row"].get("started_at"):
                one["row"]["started_at"] = datetime.fromisoformat(started_at)
        return rows
    return {}
