"""The tables of a store's devices, files, processes, keys and tenants, joined with those of a day, or cut to some rows.

What both name alike is one row. What only the day has is numbered after the store's, in the day's order: as one
process numbers them that reads both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import families, queries, schemas
from iotrace.files.duckdb_connection import connect
from iotrace.files.names import local_name
from iotrace.ingest import block
from iotrace.ingest.reconstruct import derived_counts
from iotrace.libraries import duckdb
from iotrace.store.part.build import write_rows
from iotrace.store.store import Store
from iotrace.store.writer import TableWriters

Numbers = np.ndarray[Any, np.dtype[np.int32]]
NAMED_BY: Mapping[str, tuple[str, ...]] = {
    "file": ("kind", "path"),
    "process": ("thread", "pid", "program"),
    "key_name": ("number", "name"),
    "tenant_name": ("name",),
}
"""The columns by which two rows of a table are one."""
POINTERS: Mapping[str, Mapping[str, str]] = {
    "file": {"file": "file", "device": "device"},
    "process": {"process": "process"},
    "key_name": {"key": "key_name"},
    "tenant_name": {"tenant": "tenant_name"},
    "use": {"use": "device", "file": "file"},
}
"""The columns of each table that are numbers of something, the first of its own rows; a device is one use."""
NUMBERED: Mapping[str, Mapping[str, str]] = {
    families.DISKS.name: {"device": "device", "file": "file", "process": "process"},
    families.KEYS.name: {"key": "key_name", "tenant": "tenant_name"},
}
"""The columns of native tables that hold numbers, and the table that has what they number, by families whose traces
simply follow each other."""
IS_OF = "coalesce({0}.mode in ('{1}', 'read_write'), false)"
READ, WRITTEN = (
    f"({IS_OF.format('here', word)} or {IS_OF.format('day', word)})" for word in ("read", "write")
)
BOTH: Mapping[str, Mapping[str, str]] = {
    "file": {
        "size_first_bytes": "coalesce(here.size_first_bytes, day.size_first_bytes)",
        "size_last_bytes": "coalesce(day.size_last_bytes, here.size_last_bytes)",
        "size_largest_bytes": "greatest(here.size_largest_bytes, day.size_largest_bytes)",
    },
    "use": {
        "mode": f"case when {READ} and {WRITTEN} then 'read_write' when {READ} then 'read' when {WRITTEN}"
        " then 'write' else 'unknown' end",
        **{
            name: f'coalesce(here."{name}", 0) + coalesce(day."{name}", 0)'
            for name in ("references", "bytes_read", "bytes_written")
        },
    },
}
"""The columns that follow from both rows."""


SIZES_OF_KEYS = (
    "select key as file, arg_min(size, seq) as first_bytes, arg_max(size, seq) as last_bytes,"
    " max(size) as largest_bytes from here_key_io where size is not null group by key"
)
NO_SIZES = "select null as file, null as first_bytes, null as last_bytes, null as largest_bytes"


def can_be_joined(store: Store) -> bool:
    """Return whether days of such a trace simply follow each other: each row is a request that depends on no other."""
    family = store.family
    tables = {family.name, "reference", "use", "file", "process", *family.other_tables}
    return family.name in NUMBERED and bool(store.manifest.get("views")) and set(store.tables) <= tables


class Joined:
    """The tables of a store and a day, and the numbers that the day's rows have in the store."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, store: Store, day: Store) -> None:
        self._connection = connection
        self._tables = [name for name in store.tables if name in NAMED_BY]
        for name in (*self._tables, "use"):
            for schema, of in (("here", store), ("day", day)):
                place = queries.literal(local_name(of.table_path(name)))
                connection.execute(f"create view {schema}_{name} as from read_parquet({place})")
        self._numbers = {name: self._numbered(name, store) for name in self._tables}
        if "key_name" in self._numbers:
            self._numbers["file"] = self._numbers["key_name"]
        self._numbers["device"] = self._devices()
        for name, numbers in self._numbers.items():
            rows = pa.table({"was": np.arange(len(numbers), dtype=np.int32), "number": numbers})
            connection.register(f"new_{name}", rows)
        self.numbers = {column: self._numbers[table] for column, table in NUMBERED[store.family.name].items()}

    def write(self, writers: TableWriters) -> None:
        """Write the tables of both."""
        for name in (*self._tables, "use"):
            write_rows(writers, name, self._statement(name), self._connection)

    def _statement(self, table: str) -> str:
        """Return the rows of a table of both; one that both have is as the store has it, or by `BOTH`."""
        numbered = POINTERS[table]
        number, *_ = numbered
        both = BOTH.get(table, {})
        columns = ", ".join(
            f'{both.get(name, f"""coalesce(here."{name}", day."{name}")""")} as "{name}"'
            for name in schemas.schema(table).names
        )
        replaced = ", ".join(f"new_{name}.number as {column}" for column, name in numbered.items())
        joins = " ".join(
            f"left join new_{name} on new_{name}.was = day_{table}.{column}"
            for column, name in numbered.items()
        )
        day = f"(select day_{table}.* replace ({replaced}) from day_{table} {joins})"
        return (
            f"select {columns} from here_{table} as here full join {day} as day using ({number}) order by 1"
        )

    def _numbered(self, table: str, store: Store) -> Numbers:
        """Return the numbers that the day's rows of a table have in the store."""
        (number, *_) = POINTERS[table]
        same = " and ".join(f"here.{name} is not distinct from day.{name}" for name in NAMED_BY[table])
        known = self._connection.sql(
            f"select coalesce(here.{number}, -1)::integer as known from day_{table} as day"
            f" left join here_{table} as here on {same} order by day.{number}"
        ).fetchnumpy()["known"]
        return _numbered_after(known.astype(np.int32), store.manifest["tables"][table])

    def _devices(self) -> Numbers:
        """Return the numbers that the day's devices have in the store, each of which has a row in table file."""
        if "file" not in self._numbers:
            return np.zeros(0, np.int32)
        rows = pa.table({"was": np.arange(len(self._numbers["file"])), "number": self._numbers["file"]})
        self._connection.register("file_number", rows)
        known = self._connection.sql(
            "select coalesce(here.device, -1)::integer as known from day_file as day join file_number on was = day.file"
            " left join here_file as here on here.file = number where day.device is not null order by day.device"
        ).fetchnumpy()["known"]
        ((count,),) = self._connection.sql("select count(device) from here_file").fetchall()
        return _numbered_after(known.astype(np.int32), count)


def _numbered_after(known: Numbers, count: int) -> Numbers:
    """Return numbers with those that are not known (-1) counted from ``count`` on."""
    is_new = known < 0
    return np.where(is_new, count + np.cumsum(is_new) - 1, known).astype(np.int32)


@contextmanager
def joining(folder: Path, store: Store, day: Store) -> Iterator[Joined]:
    """Give the joined tables; what does not fit in memory goes into the folder meanwhile."""
    with closing(connect(local_name(folder) + "/spill")) as connection:
        yield Joined(connection, store, day)


@contextmanager
def cutting(folder: Path, store: Store, first: int) -> Iterator[Cut]:
    """Give the tables of a store's rows from one on, in the same way."""
    with closing(connect(local_name(folder) + "/spill")) as connection:
        yield Cut(connection, store, first)


def counts(folder: Path, rows: Mapping[str, int]) -> dict[str, int]:
    """Return what a manifest counts of the tables in a folder, whose numbers of rows these are."""
    keys = {"keys": rows["key_name"]} if "key_name" in rows else {}
    return {**derived_counts(folder, rows), **keys}


def view(folder: Path, family: str) -> dict[str, Any]:
    """Return what a manifest says of view reference of the tables in a folder."""
    return block.view(block.files_of_devices(folder)) if "device" in NUMBERED[family] else {}


class Cut:
    """The tables of what the rows of a store from one on name, numbered anew by when they name it first."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, store: Store, first: int) -> None:
        native = store.family.name
        self._connection = connection
        self._tables = [name for name in store.tables if name in NAMED_BY]
        for name in (native, *self._tables):
            places = ", ".join(queries.literal(local_name(path)) for path in store.table_paths(name))
            kept = f" where seq >= {first}" if name == native else ""
            connection.execute(f"create view here_{name} as from read_parquet([{places}]){kept}")
        columns = {table: column for column, table in NUMBERED[native].items()}
        seen = {name: f"select {column}, seq from here_{native}" for name, column in columns.items()}
        if "key_name" in columns:
            seen["file"] = seen["key_name"]
        else:
            seen["file"] += (
                f" union all select here_file.file, seq from here_{native} join here_file using (device)"
            )
        for name in {name for numbered in POINTERS.values() for name in numbered.values()}:
            connection.execute(
                f"create table new_{name} as select was, row_number() over (order by min(seq), was) - 1 as number"
                f" from ({seen.get(name, 'select null, null')}) as of(was, seq) where was is not null group by was"
            )
        self.numbers = {column: self._numbers(name) for name, column in columns.items()}
        sizes = SIZES_OF_KEYS if "key_name" in columns else NO_SIZES
        connection.execute(f"create view size as {sizes}")

    def write(self, writers: TableWriters) -> None:
        """Write the tables, except for that of uses."""
        for table in self._tables:
            numbered = POINTERS[table]
            (number, *_) = numbered
            replaced = [f"new_{name}.number as {column}" for column, name in numbered.items()]
            joins = [
                f"{'' if column == number else 'left '}join new_{name} on new_{name}.was = here_{table}.{column}"
                for column, name in numbered.items()
            ]
            if table == "file":
                replaced += [
                    f"size.{name} as size_{name}" for name in ("first_bytes", "last_bytes", "largest_bytes")
                ]
                joins += ["left join size on size.file = here_file.file"]
            statement = (
                f"select here_{table}.* replace ({', '.join(replaced)}) from here_{table} {' '.join(joins)}"
                f" order by new_{numbered[number]}.number"
            )
            write_rows(writers, table, statement, self._connection)

    def _numbers(self, name: str) -> Numbers:
        """Return the new numbers by the old ones; one that no row has leads nowhere."""
        rows = self._connection.sql(f"from new_{name}").fetchnumpy()
        numbers = np.full(int(rows["was"].max(initial=-1)) + 1, -1, np.int32)
        numbers[rows["was"]] = rows["number"]
        return numbers
