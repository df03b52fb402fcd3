"""A trace on disk: a folder ``NAME.iotrace`` of Parquet tables and a manifest, opened with DuckDB.

A store is written in the same folder and renamed when it is complete: it is either whole or absent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from iotrace import families, queries, schemas
from iotrace.errors import OF_QUERIES, IotraceError, UnusableStoreError, damage, reason, sql_reason
from iotrace.families import Family
from iotrace.files import memory
from iotrace.files.memory import USUAL_BYTES
from iotrace.files.names import local_name
from iotrace.files.parquet import parquet_file, read_table
from iotrace.files.remote import Address, Place
from iotrace.files.transfers import local_copy
from iotrace.libraries import duckdb, pl
from iotrace.queries.script import StoreViews
from iotrace.store import connections, partitions, values, view_rows, views
from iotrace.store import manifest as manifests
from iotrace.store.folder import STORE_VERSION
from iotrace.store.row_groups import batches_of, ends_of
from iotrace.store.script import store_views

if TYPE_CHECKING:
    from iotrace.store.appended import KeptRows
    from iotrace.store.query import Session

FIRST_RELEASE = "0.1.0"
"""Stores that were made while it was developed have its name, and layouts of versions 1 to 6."""

BATCH_ROWS = 1 << 17
BYTES_OF_CALL = 170
"""Memory of the tables of queries (costed_call, thread_interval, data_call) for each call, uncompressed."""
Rows = TypeVar("Rows", "pa.Table", "pa.RecordBatch")
Progress = Callable[[int, int | None], None]
"""Called with the bytes read so far and their number in all, where that is known."""


@dataclass(frozen=True)
class Store:
    """An open store: its folder and its manifest."""

    path: Place
    manifest: dict[str, Any] = field(repr=False)
    warmed: Store | None = field(default=None, repr=False)
    """Of a part of a trace: the store with what precedes it, from which caches are warm (see `counted_from_ns`)."""
    kept: KeptRows | None = field(default=None, repr=False, compare=False)
    """Of partitions whose requests are not read: what was kept of them."""
    called: str | None = field(default=None, repr=False, compare=False)
    """Of a store that is kept of a raw trace: what the user calls the trace."""
    cursor: Callable[[], duckdb.DuckDBPyConnection] | None = field(default=None, repr=False, compare=False)
    """Where its queries share views: gives a connection that has them, instead of a new one."""

    @property
    def name(self) -> str:
        """Its name in messages: its path, the raw trace's where it is kept of one, and of a part the whole's."""
        return self.called or str(self.manifest.get("part", {}).get("of", self.path))

    @property
    def folder(self) -> Path:
        """Its folder on this machine; raises IotraceError for a store on object storage."""
        if isinstance(self.path, Address):
            raise IotraceError(f"{self.path}: is on object storage; copy it here first")
        return self.path

    @property
    def counted_from_ns(self) -> int | None:
        """When caches begin to count; what precedes only warms them. None where all counts."""
        counted_from_ns: int | None = self.manifest.get("part", {}).get("counted_from_ns")
        return counted_from_ns

    @property
    def tables(self) -> list[str]:
        """The names of the tables that the store holds."""
        return sorted(self.manifest["tables"])

    @property
    def family(self) -> Family:
        """The family of the trace: that of its native table; a store without one holds no calls."""
        return families.of_tables(self.manifest["tables"])

    @property
    def stored_tables(self) -> list[str]:
        """The names of the tables that are files; the others are views over them (see `iotrace.store.views`)."""
        return [name for name in self.tables if name not in self.manifest.get("views", {})]

    def table_path(self, name: str) -> Path:
        """Return the Parquet file of a table, a copy of it for a store on object storage.

        Raises IotraceError for a table that the store has not, or not as one file.
        """
        paths = self.table_paths(name)
        if len(paths) > 1:
            raise IotraceError(f"{self.path}: table {name} is {len(paths):,} files")
        return paths[0]

    def table_paths(self, name: str) -> list[Path]:
        """Return the Parquet files of a table in their order; otherwise as `table_path`."""
        paths = self._stored_paths(name)
        return [local_copy(path) if isinstance(path, Address) else path for path in paths]

    @property
    def has_times(self) -> bool:
        """Whether the trace's events have times."""
        return bool(self.manifest["times"]["base"] != "none")

    @property
    def length_ns(self) -> int | None:
        """How long the trace is, to the end of the call that ends last; None without times."""
        length: int | None = self.manifest["counts"]["duration_ns"]
        return length if self.has_times else None

    def is_partitioned(self, name: str) -> bool:
        """Whether a table is several files (see `iotrace.store.partitions`)."""
        return name in self.manifest.get(partitions.KEY, {})

    def check_has(self, name: str) -> None:
        """Raise IotraceError for a table that the store has not."""
        if name in self.manifest["tables"]:
            return
        if name in (*queries.views(), *queries.names(), *queries.counter_views()):
            raise IotraceError(
                f"{self.name}: {name} is a view, not a table: iotrace sql, Store.sql and Store.relation read it"
            )
        raise IotraceError(f"{self.name}: has no table {name}; it has {', '.join(self.tables)}")

    def _stored_paths(self, name: str) -> list[Place]:
        self.check_has(name)
        if name not in self.stored_tables:
            raise IotraceError(
                f"{self.path}: table {name} is not a file: it is made of the others when it is read"
            )
        return [self.path / file for file in partitions.file_names(self.manifest, name)]

    @property
    def _local_folder(self) -> Path:
        """Where all tables are files that DuckDB can open."""
        if not isinstance(self.path, Address):
            return self.path
        (folder,) = {path.parent for name in self.stored_tables for path in self.table_paths(name)}
        return folder

    def batches(
        self, name: str, columns: Sequence[str], rows: int = BATCH_ROWS, records: range | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield some columns of a table in batches of at most ``rows`` rows.

        All rows, or those whose places are in ``records``: other row groups are not read.

        Raises IotraceError if the table cannot be read, or has values that no such table has, and MemoryLimitError
        where what takes the batches leaves too little of --memory.
        """
        self.check_has(name)
        if name not in self.stored_tables:
            yield from views.batches(self, list(columns), rows, records)
            return
        end = 0
        for path, count in zip(
            self._stored_paths(name), partitions.rows_of_files(self.manifest, name), strict=True
        ):
            first, end = end, end + count
            here = records
            if records is not None and self.is_partitioned(name):
                here = range(max(records.start - first, 0), max(records.stop - first, 0))
                if here.start >= count or not here:
                    continue
            try:
                with parquet_file(path) as stored:
                    for batch in batches_of(stored, list(columns), rows, here):
                        memory.refuse_shortage()
                        yield self.checked(name, batch)
            except (pa.ArrowException, OSError) as error:
                raise IotraceError(f"{path}: cannot be read: {reason(error)}") from None

    def row_group_ends(self, name: str) -> list[int]:
        """Return how many rows of a table there are up to the end of each row group, or to the end of all.

        Raises as `batches` does.
        """
        if name not in self.stored_tables:
            return views.row_group_ends(self)
        ends: list[int] = []
        for path in self._stored_paths(name):
            first = ends[-1] if ends else 0
            if not path.is_file():
                return [self.manifest["tables"][name]]
            try:
                with parquet_file(path) as stored:
                    ends += [first + end for end in ends_of(stored.metadata)]
            except (pa.ArrowException, OSError) as error:
                raise IotraceError(f"{path}: cannot be read: {reason(error)}") from None
        return ends

    def checked(self, name: str, rows: Rows) -> Rows:
        """Return rows of a table, or some of its columns; raises IotraceError for values that no such table has."""
        values.check(name, rows, self.manifest["tables"], f"{self.path}: {name}.parquet")
        return rows

    def arrow(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a table or view, or some of its columns, as Arrow with its documented schema; raises as `batches`."""
        if name not in self.tables and name in self.sql_views.queries:
            with self._computing(name):
                return view_rows.arrow(self, name, columns)
        self.check_has(name)
        wanted = list(columns) if columns else schemas.schema(name).names
        if name not in self.stored_tables:
            schema = schemas.schema(name)
            described = pa.schema([schema.field(column) for column in wanted], schema.metadata)
            return pa.Table.from_batches(self.batches(name, wanted), described)
        table = pa.concat_tables([_table(path, wanted) for path in self._stored_paths(name)])
        return self.checked(name, table.select(wanted))

    def polars(self, name: str) -> pl.LazyFrame:
        """Return a table or view as a lazy polars frame; intervals of views are durations."""
        if name not in self.tables and name in self.sql_views.queries:
            return view_rows.polars(self, name)
        self.check_has(name)
        if name not in self.stored_tables:
            return views.polars(self)
        return pl.scan_parquet([local_name(path) for path in self.table_paths(name)], glob=False)

    def connect(
        self, views: Collection[str] | None = None, tables: Collection[str] | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Return a DuckDB connection with every table and every view of ``views.sql``, or only with these views.

        It can do all that DuckDB can: read and write files, and load extensions.
        """
        return connections.free(self.script(views, tables), str(self.path))

    @property
    def stored_paths(self) -> Sequence[Place]:
        """Where the files of its tables are."""
        return [path for name in self.stored_tables for path in self._stored_paths(name)]

    @property
    def files(self) -> list[Path]:
        """The files of its tables, or copies of them for a store on object storage."""
        return [path for name in self.stored_tables for path in self.table_paths(name)]

    def sandboxed(
        self,
        views: Collection[str] | None = None,
        tables: Collection[str] | None = None,
        most_bytes: int = USUAL_BYTES,
        *,
        has_disk: bool = False,
    ) -> duckdb.DuckDBPyConnection:
        """Return the same connection for SQL and stores from strangers: it reads this store's files and no others.

        It loads no extensions, and its settings are locked (see `iotrace.store.sandbox`). `most_bytes` is the memory
        that it takes at most; with `has_disk` it has a database for large tables.
        """
        script = self.script(views, tables)
        return connections.sandboxed(script, self.files, str(self.path), most_bytes, has_disk=has_disk)

    @property
    def sql_views(self) -> StoreViews:
        """Its tables, base views and statistics as views in DuckDB."""
        return store_views(self.manifest, local_name(self._local_folder))

    def script(
        self,
        views: Collection[str] | None,
        tables: Collection[str] | None = None,
        without: Collection[str] = (),
    ) -> str:
        """Return the script that makes the tables, or these, and all views or these; see `StoreViews.script`."""
        return self.sql_views.script(views, tables=tables, without=without)

    def tables_for(self, views: Collection[str], tables: Collection[str]) -> set[str]:
        """Return the tables that a statement needs which names these views and tables."""
        return self.sql_views.tables_for(views, tables)

    @property
    def sql_names(self) -> list[str]:
        """The names of the tables and views that SQL can name."""
        return [*self.sql_views.queries, *self.sql_views.tables]

    @contextmanager
    def queried(self, beside_tables: int = USUAL_BYTES) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a sandboxed connection without views for a block, and close it; what it cannot do is an IotraceError.

        `beside_tables` is the memory that it takes at most where large tables lie on disk.
        """
        table_bytes = BYTES_OF_CALL * self.manifest["counts"].get("calls", 0)
        has_disk = memory.is_much_for_tables(table_bytes)
        most_bytes = beside_tables if has_disk else USUAL_BYTES
        with closing(
            self.cursor() if self.cursor else self.sandboxed([], None, most_bytes, has_disk=has_disk)
        ) as connection:
            try:
                with connections.within_memory(connection):
                    yield connection
            except duckdb.Error as error:
                why = sql_reason(error).removeprefix(OF_QUERIES)
                kind = UnusableStoreError if damage(error) else IotraceError
                raise kind(f"{self.name}: {why}") from None

    @contextmanager
    def _computing(self, name: str) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            raise IotraceError(f"{self.name}: {name}: {sql_reason(error).removeprefix(OF_QUERIES)}") from None

    def sql(
        self, query: str, params: Mapping[str, Any] | None = None, **parameters: Any
    ) -> duckdb.DuckDBPyRelation:
        """Return the answer to a query as a DuckDB relation, lazily.

        `params`, or further arguments by name, are the values of its ``$NAME``.

        All queries of a store use one connection, so that their answers can be joined. They can do all that DuckDB
        can. Raises IotraceError for what DuckDB refuses.
        """
        return self._session.relation(query, {**(params or {}), **parameters})

    @cached_property
    def _session(self) -> Session:
        from iotrace.store.query import Session

        return Session(self, allow_files=True)

    def _repr_html_(self) -> str:
        from iotrace.store.notebook import html

        return html(self)

    def relation(self, name: str) -> duckdb.DuckDBPyRelation:
        """Return a table or view as a DuckDB relation; raises IotraceError for what is neither."""
        try:
            return self.computing([name]).table(name)
        except duckdb.CatalogException:
            raise IotraceError(f"{self.name}: has no table or view {name}") from None

    def computing(self, names: Collection[str]) -> duckdb.DuckDBPyConnection:
        """Return a connection with these tables and views; those that the engine has a pass for are its result."""
        from iotrace.store.query import Session

        session = Session(self, allow_files=True)
        session.make(" ".join(names))
        return session.connection

    def memory(self, limits: Iterable[int] | None = None, **given: Any) -> pa.Table:
        """Return the pages that Linux reads from the device at limits of memory in bytes: table page_cache_memory.

        See `iotrace.analysis.memory.prediction.memory` for what else may be given.
        """
        from iotrace.analysis.memory.prediction import memory

        return memory(self, None if limits is None else list(limits), **given).rows


def read(path: Place) -> Store:
    """Open a store; raises IotraceError if it is damaged, or of a version that this program does not read."""
    manifest = manifests.load(path)
    version = manifest["store_version"]
    if version != STORE_VERSION and manifest.get("iotrace") == FIRST_RELEASE:
        raise IotraceError(f"{path}: made before iotrace {FIRST_RELEASE}; ingest the trace again")
    if version != STORE_VERSION:
        raise IotraceError(
            f"{path}: written by another iotrace (store version {version}, this program reads"
            f" {STORE_VERSION}); upgrade iotrace or ingest the trace again"
        )
    manifests.check(path, manifest)
    for name in manifest["tables"]:
        if name not in manifest.get("views", {}):
            _check_table(path, name, manifest)
    views.check(path, manifest)
    if not isinstance(path, Address):
        partitions.check_alone(path, manifest)
    store = Store(path, manifest)
    for name in ("file", "process"):
        _check_keys(store, name)
    return store


def _check_keys(store: Store, name: str) -> None:
    """Raise IotraceError where two rows of a table have one number, with which a join would multiply references."""
    seen = np.zeros(store.manifest["tables"][name], np.bool_)
    for batch in store.batches(name, [name]):
        seen[batch.column(name).to_numpy()] = True
    if not seen.all():  # there are as many rows as numbers
        raise IotraceError(
            f"{store.path}: {name}.parquet is not usable: two rows have one number; ingest the trace again"
        )


def _table(path: Place, columns: Sequence[str]) -> pa.Table:
    try:
        return read_table(path, columns, use_threads=True)
    except (pa.ArrowException, OSError) as error:
        raise IotraceError(f"{path}: cannot be read: {error}") from None


def _check_table(path: Place, name: str, manifest: dict[str, Any]) -> None:
    """Raise IotraceError where a table is not there, is damaged, or has not the columns and rows that it should."""
    if name not in schemas.names():
        raise IotraceError(f"{path}: there is no table {name!r}; upgrade iotrace or ingest the trace again")
    files, counts = partitions.file_names(manifest, name), partitions.rows_of_files(manifest, name)
    first = 0
    for file, rows in zip(files, counts, strict=True):
        metadata = _checked_file(path / file, name, rows)
        if name in manifest.get(partitions.KEY, {}):
            partitions.check_place(path / file, metadata, first)
        first += rows


def _checked_file(table: Place, name: str, rows: int) -> Any:
    """Return the Parquet metadata of a file of a table, if it has the table's columns and as many rows."""
    path = table.parent
    if not table.is_file():
        raise IotraceError(f"{path}: {table.name} is missing; ingest the trace again")
    try:
        with parquet_file(table) as file:
            stored, metadata = file.schema_arrow, file.metadata
    except (pa.ArrowException, OSError) as error:
        raise IotraceError(
            f"{path}: {table.name} is damaged ({reason(error)}); ingest the trace again"
        ) from None
    schema = schemas.schema(name)
    if stored.names != schema.names:
        raise IotraceError(
            f"{path}: {table.name} does not have the columns of table {name}; ingest the trace again"
        )
    if other := [field.name for field in schema if stored.field(field.name).type != field.type]:
        raise IotraceError(
            f"{path}: {table.name} has columns of other types than table {name}: {', '.join(other)};"
            " ingest the trace again"
        )
    if metadata.num_rows != rows:
        raise IotraceError(
            f"{path}: {table.name} has {metadata.num_rows:,} rows where manifest.json says {rows:,}; ingest the trace"
            " again"
        )
    return metadata
