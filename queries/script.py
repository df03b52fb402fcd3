"""The scripts that make tables, base views and statistics views in DuckDB: of one store, and of several, a schema each.

A script with a schema names it before every view and macro, also within their text, so that they stay one store's
wherever they are asked from: DuckDB 1.1 looks for unqualified names in the schema of who asks.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from iotrace.queries import TABLES, identifier, literal
from iotrace.schemas import Column

from iotrace import queries, schemas

TRACES = "traces"
"""The schema whose views have the rows of several stores."""
TRACE = Column("trace", "string", "name", "The trace: the schema that has its rows alone.", nullable=False)
"""The first column of each view of that schema."""
_PIECE = re.compile(r"'[^']*'|--[^\n]*|[^'-]+|-")
_CTE = re.compile(r"\b(\w+)\s+as\s+(?:not\s+)?(?:materialized\s+)?\(", re.IGNORECASE)


@dataclass(frozen=True)
class StoreViews:
    """The views of one store: where its tables are, and what its manifest says."""

    present: Collection[str] = TABLES
    """Its tables, each a Parquet file except for those of `made`; those of `TABLES` that are absent become empty."""
    folder: str = ""
    """A prefix of the files' names, as `iotrace.files.names.local_name` gives it; without it the queries must run
    with the store as working directory."""
    made: Mapping[str, str] = field(default_factory=dict)
    """Tables that are a SELECT over others."""
    names_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names of the files of tables that are several."""
    known: Mapping[str, str] = field(default_factory=queries.facts)
    """The facts of the manifest (see `queries.facts`)."""
    of_manifest: bytes | None = None
    """The content of its manifest.json: views of a script that has its hash read no other store."""
    remedy: str = ""
    """The sentence that says what to do where the store is not in its place any more."""

    @property
    def tables(self) -> list[str]:
        """The names of its tables; those that are a SELECT over others come last."""
        return sorted({*self.present, *TABLES}, key=lambda table: (table in self.made, table))

    @property
    def queries(self) -> list[str]:
        """The names of the base views and statistics that it has."""
        counters = queries.counter_views() if "darshan_counter" in self.present else []
        return [*queries.views(), *queries.names(), *counters]

    def tables_for(self, wanted: Iterable[str], tables: Iterable[str]) -> set[str]:
        """Return the tables that a statement needs which names these views and tables."""
        needed = {*tables, *queries.tables_under(wanted)}
        return needed | {
            name for table in needed & self.made.keys() for name in queries.named_in(self.made[table])
        }

    def script(
        self,
        wanted: Collection[str] | None = None,
        schema: str | None = None,
        tables: Collection[str] | None = None,
        without: Collection[str] = (),
    ) -> str:
        """Return the script that makes every table, base view and statistic a view in any DuckDB client.

        Of the base views and statistics only those `wanted` are made, if given, and those on which they build; then
        nothing has comments, which only who asks the catalogue sees: to make all takes DuckDB a second. Of the tables,
        only these `tables` are made, if given. Where both are given and empty, there are no macros either. The views
        `without` which they are made are there already, and not what only those build upon.
        """
        named = _Qualified(schema, frozenset([*self.tables, *self.queries]), frozenset(self._macros()))
        parts = [_HEAD] if schema is None else [f"create schema if not exists {identifier(schema)};\n"]
        if self.of_manifest is not None:
            parts.append(named.macro_names(self._guard_sql(self.of_manifest)))
        for table in self.tables:
            if tables is not None and table not in tables:
                continue
            parts.append(f"create or replace view {named.of(table)} as {named.names(self._body(table))};")
            if wanted is None:
                described = schemas.table(table)
                parts.extend(comments(named.of(table), described.description, described.columns))
        if needs_macros(wanted, tables):
            parts.append("\n" + named.macro_names(queries.macros_sql(known=self.known)))
        for name in queries.ordered(self.queries if wanted is None else wanted, without):
            if name in without:
                continue
            parts.append(_view_sql(queries.query(name), named, has_comments=wanted is None))
        return "\n".join(parts)

    def _macros(self) -> list[str]:
        return ["is_this_store", *queries.macro_names(self.known)]

    def _body(self, table: str) -> str:
        """Return the SELECT of a table."""
        if table in self.made:
            return self.made[table]
        if table not in self.present:
            return queries.empty_table_sql(table)
        listed = self.names_of.get(table, [f"{table}.parquet"])
        files_of_table = [f"{self._prefix}{name}" for name in listed]
        located = files_of_table[0] if len(files_of_table) == 1 else files_of_table
        only = "" if self.of_manifest is None else " where is_this_store()"
        return f"{queries.stored_table_sql(located)}{only}"

    @property
    def _prefix(self) -> str:
        return f"{self.folder.rstrip('/')}/" if self.folder else ""

    def _guard_sql(self, of_manifest: bytes) -> str:
        """Return a macro that ends queries with an error where this store is not in its place, and its check."""
        folder, manifest = self._prefix.rstrip("/"), literal(f"{self._prefix}manifest.json")
        if folder:
            remedy = self.remedy or (
                f'In its folder, run: sed -i "s|{folder}|$PWD|g" views.sql; then read views.sql again'
            )
            wrong = f"{folder} is not the folder of this store, which was moved or replaced. {remedy}"
        else:
            wrong = "the working directory is not the folder of this store: start DuckDB there"
        identity, error = literal(sha256(of_manifest).hexdigest()), f"error({literal(wrong)})"
        return (
            "-- Whether the folder holds the store of which this script is; if not, an error.\n"
            f"set variable iotrace_store = (select coalesce(any_value(file), {error}) from glob({manifest}));\n"
            "create or replace macro is_this_store() as"
            f" (select if(sha256(content) = {identity}, true, {error}) from read_text({manifest}));\n"
            "set variable iotrace_store = is_this_store();\n"
        )


_HEAD = (
    "-- Every table, view and statistic of this store: duckdb -init views.sql\n"
    "-- Set a parameter with, for example: set variable file_size = 'first';\n"
)


def traces_script(
    stores: Mapping[str, StoreViews],
    wanted: Collection[str] | None = None,
    tables: Collection[str] | None = None,
    without: Collection[str] = (),
) -> str:
    """Return the script that makes the views of several stores, each in the schema of its name, and those of all.

    The latter are in schema `TRACES`: each has the rows of all stores that have it, and in its first column the schema.
    `wanted`, `tables` and `without` are as in `StoreViews.script`.
    """
    names = None if wanted is None else list(wanted)
    parts = [
        views.script(
            None if names is None else [name for name in names if name in views.queries],
            schema,
            tables,
            without,
        )
        for schema, views in stores.items()
    ]
    parts.append(f"create schema if not exists {TRACES};\n")
    named = _Qualified(TRACES, frozenset(), frozenset(queries.macro_names()))
    if needs_macros(names, tables):
        parts.append(named.macro_names(queries.macros_sql()))
    for name in _of_all(stores.values(), names, tables):
        having = [schema for schema, views in stores.items() if name in (*views.tables, *views.queries)]
        rows = (
            f"select {literal(schema)} as trace, * from {identifier(schema)}.{identifier(name)}"
            for schema in having
        )
        parts.append(f"create or replace view {named.of(name)} as\n" + "\nunion all\n".join(rows) + ";")
        if names is None:
            described = queries.query(name) if name not in schemas.names() else schemas.table(name)
            parts.extend(comments(named.of(name), described.description, [TRACE, *described.columns]))
    return "\n".join(parts)


def _of_all(
    stores: Collection[StoreViews], wanted: Collection[str] | None, chosen: Collection[str] | None
) -> list[str]:
    every = dict.fromkeys(table for views in stores for table in views.tables)
    tables = [table for table in every if chosen is None or table in chosen]
    made = dict.fromkeys(name for views in stores for name in views.queries)
    return [*tables, *(name for name in made if wanted is None or name in wanted)]


def needs_macros(wanted: Collection[str] | None, tables: Collection[str] | None) -> bool:
    """Return whether a script of these views and tables has macros: DuckDB takes longer for them than to start."""
    return wanted is None or tables is None or bool(wanted or tables)


def comments(view: str, description: str, columns: Iterable[Column], kind: str = "view") -> Iterator[str]:
    """Yield the statements that describe a view and its columns to DuckDB."""
    yield f"comment on {kind} {view} is {literal(description)};"
    for column in columns:
        text = f"[{column.unit}] {column.description}"
        yield f"comment on column {view}.{identifier(column.name)} is {literal(text)};"


def _view_sql(described: queries.Query, named: "_Qualified", has_comments: bool) -> str:
    body = named.names(queries.definition(described))
    lines = [
        f"-- {described.title}. {described.description}",
        f"create or replace view {named.of(described.name)} as\n{body};",
    ]
    if has_comments:
        lines.extend(comments(named.of(described.name), described.description, described.columns))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Qualified:
    """The names of one schema as its script writes them; as they are without a schema."""

    schema: str | None
    views: frozenset[str]
    macros: frozenset[str]

    def of(self, name: str) -> str:
        """Return a view's name."""
        return identifier(name) if self.schema is None else f"{identifier(self.schema)}.{identifier(name)}"

    def names(self, sql: str) -> str:
        """Return a query in which the names of views after `from` and `join`, and those of macros, have the schema."""
        if self.schema is None:
            return sql
        views = self.views - set(_CTE.findall(sql))
        after = re.compile(rf'(?<!distinct )\b(from|join)(\s+)("?)({"|".join(sorted(views))})\3(?![\w.])')
        return self.macro_names(
            outside_texts(sql, lambda piece: after.sub(lambda m: f"{m[1]}{m[2]}{self.of(m[4])}", piece))
        )

    def macro_names(self, sql: str) -> str:
        """Return statements in which the names of macros have the schema."""
        if self.schema is None:
            return sql
        call = re.compile(rf"(?<![.\w])({'|'.join(sorted(self.macros))})(?=\()")
        prefix = f"{identifier(self.schema)}."
        return outside_texts(sql, lambda piece: call.sub(lambda m: prefix + m[1], piece))


def outside_texts(sql: str, change: Callable[[str], str], change_texts: Callable[[str], str] = str) -> str:
    """Return SQL of which all but texts and comments is changed, or these are changed otherwise."""
    return "".join(
        (change_texts if piece.startswith(("'", "--")) else change)(piece) for piece in _PIECE.findall(sql)
    )
