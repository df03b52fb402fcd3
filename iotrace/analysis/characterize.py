"""The characterization: runs the SQL library on a store and returns Arrow tables with documented columns.

The statistics are those of Richardson 1994, chapter 3, and more; each is one file of `iotrace.queries`.
"""

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from itertools import count
from types import MappingProxyType
from typing import Self, TypeVar
from weakref import WeakKeyDictionary

import duckdb
import pyarrow as pa

from iotrace import queries
from iotrace.analysis import memory_needed
from iotrace.analysis.facts import MAY_LACK
from iotrace.errors import MemoryLimitError, UsageError, damage, is_interruption, reason
from iotrace.files import memory
from iotrace.store import streamed
from iotrace.store.connections import CONNECTIONS, within_memory
from iotrace.store.sandbox import ON_DISK
from iotrace.store.store import Store

FOLLOWED = "block_touch"
"""The statistic that follows blocks one by one."""
THREADS = 2
"""Queries that run at the same time on shared views: while one is planned, which takes one thread, another runs."""
Item = TypeVar("Item")
Answer = TypeVar("Answer")
_NUMBERS = count()
"""Of tables on disk, whose names all cursors of a connection share."""
_SHARED: "WeakKeyDictionary[duckdb.DuckDBPyConnection, dict[str, str]]" = WeakKeyDictionary()
"""The shared views of a connection and of its cursors, and whether each is a macro, view or table."""


class Shortage(str):
    """Why a statistic is left out that needs more memory than --memory allows."""

    __slots__ = ("limit_bytes",)
    limit_bytes: int | None
    """The limit that suffices, where it is known without a trial."""

    def __new__(cls, error: MemoryLimitError) -> Self:
        """Take the words of an error."""
        made = super().__new__(cls, error)
        made.limit_bytes = error.limit_bytes
        return made


def characterize_store(
    store: Store,
    names: Sequence[str],
    parameters: Mapping[str, str | int] = MappingProxyType({}),
    left_out: dict[str, str] | None = None,
    made: Mapping[str, pa.Table] = MappingProxyType({}),
    read: streamed.Read = lambda rows: None,
) -> dict[str, pa.Table]:
    """Run statistics of a store as `characterize` does; those are left out that need too much memory alone.

    Where memory is too little for some of several, these are computed again without the others, half of them at a
    time, on a new connection: what is kept for one no longer takes the place of another.
    """
    if left_out is None:
        with store.queried() as connection:
            return characterize(connection, names, parameters, None, made, read)
    shortages: dict[str, str] = {}
    try:
        with store.queried() as connection:
            results = characterize(connection, names, parameters, shortages, made, read)
    except MemoryLimitError as error:
        shortages = dict.fromkeys(names, Shortage(error))
        results = {name: queries.query(name).schema.empty_table() for name in names}
    tried = [
        name for name in names if isinstance(why := shortages.get(name), Shortage) and not why.limit_bytes
    ]
    short = tried if len(names) > 1 else []
    left_out |= {name: why for name, why in shortages.items() if name not in short}
    half = max(1, len(short) // 2)
    for part in filter(None, (short[:half], short[half:])):
        results |= characterize_store(store, part, parameters, left_out, made, read)
    return results


def why_left_out(store: Store, name: str, why: str) -> str:
    """Return why a statistic is left out, as a clause; for what needs more memory with the command that has more."""
    limit_bytes = memory.limit_bytes()
    if not isinstance(why, Shortage) or limit_bytes is None:
        return f"{why} (--block, --budget)"
    suffices_bytes = why.limit_bytes or 2 * limit_bytes
    limit = f"{limit_bytes >> 20:,} MB of --memory"
    short = f"it needs more than the {limit}; with more"
    if suffices_bytes <= limit_bytes:
        short = f"the {limit} leave too little for it here; alone it fits"
    if why.limit_bytes is None:
        short = f"the {limit} leave too little for it here; alone and with more it may fit"
    command = f"iotrace characterize {shlex.quote(str(store.path))} {name}"
    return f"{short}: {command} --memory {memory.megabytes(suffices_bytes)}"


def short_of_memory(store: Store, left_out: Mapping[str, str]) -> dict[str, str]:
    """Return why those statistics are left out that need more memory, with the command that has each."""
    return {
        name: why_left_out(store, name, why) for name, why in left_out.items() if isinstance(why, Shortage)
    }


def refuse_without(
    names: Iterable[str], short: Mapping[str, str], may_lack: Collection[str] = MAY_LACK
) -> None:
    """Raise MemoryLimitError if one of these statistics needs more memory, unless results are right without it."""
    if name := next((name for name in names if name in short and name not in may_lack), None):
        raise MemoryLimitError(f"statistic {name} is left out: {short[name]}")


def characterize(
    connection: duckdb.DuckDBPyConnection,
    names: Iterable[str] | None = None,
    parameters: Mapping[str, str | int] | None = None,
    left_out: dict[str, str] | None = None,
    made: Mapping[str, pa.Table] | None = None,
    read: streamed.Read = lambda rows: None,
) -> dict[str, pa.Table]:
    """Run statistics, all unless `names` are given, and return their results by name, in the order asked for.

    `connection` must see a store's tables (reference, file, process, use, mapping, syscall); one that it
    lacks counts as empty. Each result has exactly the schema of its query. Nothing that is made on the way
    stays behind. Statistics that would follow too many blocks (parameter most_blocks), or take more memory than
    --memory allows, come back empty, and the reason is put into `left_out` by their names; without `left_out` they
    raise duckdb.Error or MemoryLimitError. Views that are `made` already are taken as they are. Raises UsageError for
    an unknown statistic or parameter, or a value that a parameter does not take.
    """
    requested = queries.names() if names is None else list(dict.fromkeys(names))
    known = {*queries.names(), *queries.views()}
    if unknown := [name for name in requested if name not in known]:
        raise UsageError(
            f"no statistic is called {', '.join(unknown)}; there are {', '.join(queries.names())}"
        )
    with prepared(connection, requested, parameters or {}, left_out, made=made or {}, read=read):
        return {name: _result(connection, name, left_out) for name in requested}


def share(connection: duckdb.DuckDBPyConnection, names: Collection[str]) -> dict[str, str]:
    """Make the given statistics and all below them views of a connection and its cursors (see `cursor`).

    They stay until the connection is closed. More can be shared later. Statistics that cannot be computed are empty;
    returns the reasons by their names.
    """
    there = _SHARED.setdefault(connection, {})
    views = _Views(connection, (), {}, shared=there, is_shared=True)
    views.begin()
    views.stream(names, lambda rows: None)
    views.make(names)
    there |= views.made
    return views.left_out(names)


def cursor(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a connection for another thread, which has the views that this one shares."""
    another = connection.cursor()
    CONNECTIONS.add(another)
    _SHARED[another] = _SHARED[connection]
    return another


def each(
    connection: duckdb.DuckDBPyConnection,
    ask: Callable[[duckdb.DuckDBPyConnection, Item], Answer],
    items: Sequence[Item],
) -> list[Answer]:
    """Return the answer on each item, in their order; on `THREADS` threads where the connection shares views."""
    if connection not in _SHARED:
        return [ask(connection, item) for item in items]

    def asked(item: Item) -> Answer:
        with closing(cursor(connection)) as another:
            return ask(another, item)

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(asked, items))


def describe(names: Iterable[str] | None = None) -> pa.Table:
    """Return what there is to ask for: one row per statistic, with source, columns and parameters."""
    described = [queries.query(name) for name in (queries.names() if names is None else names)]
    return pa.table(
        {
            "name": [q.name for q in described],
            "subject": [q.subject for q in described],
            "title": [q.title for q in described],
            "source": [q.source for q in described],
            "columns": [", ".join(column.name for column in q.columns) for q in described],
            "parameters": [", ".join(parameter.name for parameter in q.parameters) for q in described],
            "sentence": [q.description for q in described],
        },
        schema=queries.table_schema("description"),
    )


def result(connection: duckdb.DuckDBPyConnection, name: str) -> pa.Table:
    """Return one statistic on a connection that is `prepared` for it."""
    with within_memory(connection):
        return _typed(connection.sql(f"from {name}").to_arrow_table(), queries.query(name).schema)


def _typed(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows with the schema of their statistic; they are cast only where types differ.

    The library that casts takes 30 ms to load.
    """
    has_nulls = any(
        column.null_count and not field.nullable for field, column in zip(schema, rows.columns, strict=True)
    )
    if has_nulls or (rows.schema.names, rows.schema.types) != (schema.names, schema.types):
        return rows.cast(schema)
    return pa.Table.from_arrays(rows.columns, schema=schema)


def _result(connection: duckdb.DuckDBPyConnection, name: str, left_out: dict[str, str] | None) -> pa.Table:
    if left_out is not None and name in left_out:
        return queries.query(name).schema.empty_table()
    try:
        return result(connection, name)
    except MemoryLimitError as error:
        if left_out is None:
            raise
        left_out[name] = Shortage(error)
        return queries.query(name).schema.empty_table()


@contextmanager
def prepared(
    connection: duckdb.DuckDBPyConnection,
    names: Iterable[str],
    parameters: Mapping[str, str | int],
    left_out: dict[str, str] | None = None,
    *,
    once: bool = False,
    streams: bool = True,
    read: streamed.Read = lambda rows: None,
    made: Mapping[str, pa.Table] = MappingProxyType({}),
) -> Iterator[None]:
    """Make the given statistics and all below them temporary views, computed once where that pays.

    With `once` each of the given ones is computed once, too, for SQL that reads them many times. Without `streams` the
    streamed views are computed by their SQL; `read` is called with the number of references as they are read; `made`
    has the rows of views that are known. What the connection shares is not made again, unless there are parameters.
    Within the context, SQL on the connection can name any of them. Raises UsageError as `characterize` does.
    """
    names = list(names)
    values = {name: _checked(name, value) for name, value in parameters.items()}
    before = {name: _variable(connection, name) for name in queries.parameters()}
    shared = {} if values else _SHARED.get(connection, {})
    views = _Views(connection, names if once else (), left_out, shared=shared)
    try:
        for name in queries.parameters():
            _set_variable(connection, name, values.get(name, before[name]))
        views.begin()
        views.take(made)
        if streams:
            views.stream(names, read)
        views.make(names)
        if left_out is not None:
            left_out |= views.left_out(names)
        yield
    finally:
        with suppress(duckdb.ConnectionException):  # it may be closed where an error ends the command
            for name, value in before.items():
                _set_variable(connection, name, value)
            views.drop()


class _Views:
    """Macros, views and tables of a connection, as they are made; `once` names views to compute once.

    They are temporary, or `is_shared`: of the database. What is `shared` is there already.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        once: Collection[str],
        left_out: dict[str, str] | None,
        *,
        shared: Mapping[str, str],
        is_shared: bool = False,
    ) -> None:
        self.why_not_followed: str | None = None
        self._connection = connection
        self._once = set(once)
        self._may_leave_out = left_out is not None
        self._shared = shared
        self._temp = "" if is_shared else "temp "
        self._is_checked = False
        self._streamed: dict[str, pa.Table] = {}
        self.made: dict[str, str] = {}
        self._on_disk: dict[str, str] = {}
        self._failed: dict[str, str] = {}

    def left_out(self, names: Iterable[str]) -> dict[str, str]:
        """Return why statistics are empty, by those of the given names that are."""
        reasons = self._failed | ({FOLLOWED: self.why_not_followed} if self.why_not_followed else {})
        below = {
            name: [reasons[view] for view in queries.ordered([name]) if view in reasons] for name in names
        }
        return {name: lacking[0] for name, lacking in below.items() if lacking}

    def begin(self) -> None:
        """Make the macros that a store's connection has, and the tables that are not there, empty."""
        if self._shared:
            return
        if unknown := _unknown_facts(self._connection):
            self._connection.execute(queries.macros_sql(temporary=bool(self._temp), known=unknown))
            self.made |= dict.fromkeys(queries.macro_names(unknown), "macro")
        for table in _missing_tables(self._connection):
            self._connection.execute(f'create {self._temp}view "{table}" as {queries.empty_table_sql(table)}')
            self.made[table] = "view"

    def take(self, made: Mapping[str, pa.Table]) -> None:
        """Take the rows of views that are known."""
        self._streamed |= made

    def stream(self, names: Iterable[str], read: streamed.Read) -> None:
        """Compute the streamed views below some views."""
        below = queries.ordered(names, without=streamed.NAMES | self._streamed.keys())
        wanted = streamed.NAMES - self._shared.keys()
        missing = [name for name in below if name in wanted and not self._is_known(name)]
        fitting = self._within_memory(missing)
        tried = [name for name in missing if name in streamed.DISKS and name not in fitting]
        for together in filter(None, (fitting, tried)):
            self.make(streamed.needs(together))
            self._streamed |= self._passed(together, read)

    def _is_known(self, name: str) -> bool:
        """Return whether the rows of a streamed view are there, or follow from views that are."""
        return name in self._streamed or all(need in self._streamed for need in queries.query(name).needs)

    def _within_memory(self, names: Sequence[str]) -> list[str]:
        """Return the streamed views for which memory suffices; others have no rows, or raise MemoryLimitError.

        The footprint of disks, from which sizes follow, is tried: blocks beside each other take the memory of one.
        """
        too_large = memory_needed.beyond(self._connection, names)
        for name, suffices_bytes in too_large.items():
            if name in streamed.DISKS:
                continue
            error = memory.shortage(suffices_bytes)
            if not self._may_leave_out:
                raise error
            self._failed[name] = Shortage(error)
            self._streamed[name] = queries.query(name).schema.empty_table()
        return [name for name in names if name not in too_large]

    def _passed(self, names: list[str], read: streamed.Read) -> dict[str, pa.Table]:
        """Return streamed views; all without rows where memory is too little for their pass and that may be.

        Then none for the footprint of disks, which DuckDB computes with temporary files.
        """
        try:
            with within_memory(self._connection):
                return streamed.streamed(self._connection, names, read)
        except MemoryLimitError as error:
            if streamed.DISKS.issuperset(names):
                return {}
            if not self._may_leave_out:
                raise
            self._failed |= dict.fromkeys(names, Shortage(error))
            return {name: queries.query(name).schema.empty_table() for name in names}

    def make(self, names: Iterable[str]) -> None:
        """Make views and what they build upon, each after what it needs."""
        for name in queries.ordered(names, without=self._streamed):
            if name not in self.made and not self._is_shared(name):
                self._make(name)

    def _is_shared(self, name: str) -> bool:
        kind = self._shared.get(name)
        return kind == "table" or (kind is not None and name not in self._once)

    def _make(self, name: str) -> None:
        if name == FOLLOWED or name in streamed.BLOCKS & self._streamed.keys():
            self._check_followed()
        if name in self._streamed:
            rows = self._streamed[name]
            self._keep(name, rows.slice(0, 0) if name in streamed.BLOCKS and self.why_not_followed else rows)
            return
        is_table = name in self._once or queries.query(name).materialize
        is_empty = name == FOLLOWED and self.why_not_followed is not None
        self._create(name, "table" if is_table else "view", "with no data" if is_empty else "")

    def _check_followed(self) -> None:
        """Note why blocks cannot be followed, where what follows them may be left out; else its SQL fails."""
        if self._is_checked:
            return
        self._is_checked = True
        self.make(["touched_blocks"])
        why = self._failed.get("touched_blocks") or _too_many(self._connection)
        if why and self._may_leave_out:
            self.why_not_followed = why
        elif why:
            self.make([FOLLOWED])

    def _create(self, name: str, kind: str, ending: str) -> None:
        definition = queries.definition(queries.query(name))
        try:
            with within_memory(self._connection):
                if kind == "table" and self._has_disk:
                    place = f"{ON_DISK}.{name}_{next(_NUMBERS)}"
                    self._connection.execute(f"create table {place} as {definition} {ending}")
                    self._on_disk[name] = place
                    self._connection.execute(f"create or replace {self._temp}view {name} as from {place}")
                else:
                    self._connection.execute(
                        f"create or replace {self._temp}{kind} {name} as {definition} {ending}"
                    )
            self.made[name] = kind
        except (duckdb.Error, MemoryLimitError) as error:
            if not self._may_leave_out or is_interruption(error) or damage(error):
                raise
            why = (reason(error).splitlines() or [type(error).__name__])[0].removesuffix(".")
            self._failed[name] = Shortage(error) if isinstance(error, MemoryLimitError) else why
            self._keep(name, queries.query(name).schema.empty_table())

    @cached_property
    def _has_disk(self) -> bool:
        databases = self._connection.execute("select database_name from duckdb_databases()").fetchall()
        return (ON_DISK,) in databases

    def _keep(self, name: str, rows: pa.Table) -> None:
        self._connection.register(f"{name}_rows", rows)
        self._connection.execute(f"create or replace {self._temp}table {name} as from {name}_rows")
        self._connection.unregister(f"{name}_rows")
        self.made[name] = "table"

    def drop(self) -> None:
        """Drop them all."""
        for name, kind in reversed(self.made.items()):
            place = self._on_disk.get(name)
            self._connection.execute(f'drop {"view" if place else kind} if exists temp."{name}"')
            if place:
                self._connection.execute(f"drop table {place}")


def _too_many(connection: duckdb.DuckDBPyConnection) -> str | None:
    """Return why blocks cannot be followed one by one, where they are too many."""
    ((requests, blocks, exceeds_limit),) = connection.execute("from touched_blocks").fetchall()
    return (
        f"{requests:,} requests touch {blocks:,} blocks, too many to follow one by one"
        if exceeds_limit
        else None
    )


def _checked(name: str, value: str | int) -> str | int:
    known = queries.parameters()
    if name not in known:
        raise UsageError(f"no parameter is called {name}; there are {', '.join(known)}")
    parameter = known[name]
    is_number = isinstance(value, int) and value >= 1
    if value not in parameter.choices if parameter.choices else not is_number:
        raise UsageError(f"{name} must be {parameter.words}, not {value}")
    return value


def _variable(connection: duckdb.DuckDBPyConnection, name: str) -> str | int | None:
    value: str | int | None
    ((value,),) = connection.execute(f"select getvariable('{name}')").fetchall()
    return value


def _set_variable(connection: duckdb.DuckDBPyConnection, name: str, value: str | int | None) -> None:
    if value is None:
        connection.execute(f"reset variable {name}")
    else:
        connection.execute(f"set variable {name} = {queries.literal(value)}")


def _unknown_facts(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the facts of which a connection has no macro: it is not a store's."""
    unknown = {}
    for name, value in queries.facts().items():
        try:
            connection.execute(f"select {name}()")
        except duckdb.CatalogException:
            unknown[name] = value
    return unknown


def _missing_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    there = {
        row[0] for row in connection.execute("select table_name from information_schema.tables").fetchall()
    }
    return [table for table in queries.TABLES if table not in there]
