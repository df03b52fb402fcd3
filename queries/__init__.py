"""The statistics, as documented SQL: one file per statistic or base view, grouped in folders by subject.

Each file opens with a header in a fixed form, which is also the schema of its result::

    -- A title
    --
    -- A paragraph that says what it is, and what was chosen where the source is silent.
    --
    -- Source: where the idea comes from.
    -- Materialize: yes            (base views: worth computing once when several statistics are asked for)
    -- Family: disk_io, key_io     (what it says is of traces of these families alone)
    -- Streamed: yes               (base views: a pass of the engine computes the same rows without sorting)
    -- Merge: by file; max length  (base views: how rows of parts of a trace merge; other columns are added up)
    --
    -- Columns:
    --   name  type  [unit]  A description. A question mark after the type says that the value may be missing.
    --
    -- Also:
    --   name  type  [unit]  A column that the result has only where a person is shown it.
    --
    -- Shown:
    --   heading = name          (base views need it only where not all columns are shown as they are; see
    --                            iotrace.schemas.shown)

    select ...

For each column of a statistic with a time in s, ms or µs (``total_s``, ``mean_us``) there is one more with the same in
ns (``total_ns``), which is not in the header: all statistics can be asked in one unit.

The files of folder ``wide`` join what questions about a family usually need, so that most of them need no join. The
files of folder ``base`` are the views from which the statistics are composed. Files name each other, and
the tables of a store, after ``from`` and ``join``. Every file is a view of the same name in a store's
``views.sql``.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import pyarrow as pa
from iotrace.schemas import Column
from iotrace.schemas.shown import MalformedLine, Shown

from iotrace import schemas
from iotrace.families import FAMILIES
from iotrace.key_operations import DELETES, WRITES

WIDE = "wide"
"""The folder of the views that join what questions about a family usually need; they come first in lists."""
BASE = "base"
SUBJECTS = ("trace", "objects", "references", "runs", "disks", "keys", "jobs", "time", "who")
COUNTERS = "counters"
"""The folder of the views of the counters of Darshan's modules, which only stores that have some have."""
_OF_FAMILIES = [table for family in FAMILIES.values() for table in (family.name, *family.other_tables)]
TABLES = tuple(dict.fromkeys(("reference", "file", "process", "use", "part_interval", *_OF_FAMILIES)))
"""The tables of a store on which the queries build; one that a store lacks counts as empty."""

_NAMED_AFTER_FROM = re.compile(r'\b(?:from|join)\s+"?(\w+)', re.IGNORECASE)
_PARAMETER_CALL = re.compile(r"\bparameter_(\w+)\(\)|\bin_(population)\(")
"""A parameter, or the macro that takes one."""
_LITERAL_OR_COMMENT = re.compile(r"'[^']*'|--[^\n]*")
_LISTS = ("Columns:", "Also:", "Shown:")
_MARKS = "Source|Materialize|Family|Streamed|Merge"
_CATALOGUES = ("duckdb_", "pg_", "sqlite_", "information_schema")
_ASKS_CATALOGUE = re.compile(
    r"(?:^|[;(])\s*(?:show|describe|desc|pragma)\b|\bquery(?:_table)?\s*\(", re.IGNORECASE
)
_SQL_TYPES = {
    "int64": "bigint",
    "int32": "integer",
    "double": "double",
    "bool": "boolean",
    "timestamp": "timestamp",
    "interval": "interval",
    "string": "varchar",
    "dictionary": "varchar",
}


@dataclass(frozen=True)
class Parameter:
    """A value that the user may set with ``set variable NAME = ...`` before asking."""

    name: str
    default: str | int
    description: str
    choices: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """The type of its values: string or int64."""
        return "string" if isinstance(self.default, str) else "int64"

    @property
    def words(self) -> str:
        """The values that it takes, in words."""
        return f"one of {', '.join(self.choices)}" if self.choices else "a whole number from 1"


@dataclass(frozen=True)
class Query:
    """One SQL file: what it says of itself, the columns of its result, and its text."""

    name: str
    subject: str
    title: str
    description: str
    source: str
    columns: tuple[Column, ...]
    also: tuple[Column, ...]
    """Columns that it has only where it is shown."""
    shown_lines: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    """All parameters on which the result depends, those of the views below it included."""
    needs: tuple[str, ...]
    """The tables and views named in the text."""
    materialize: bool
    families: tuple[str, ...]
    """The families of traces of which alone it says something; empty for all."""
    is_streamed: bool
    """Whether a pass of the engine computes the same rows (iotrace.store.streamed)."""
    merge: str | None
    """How rows of parts of a trace merge (iotrace.analysis.merging); None where that is not stated."""
    sql: str
    """The statement without its header."""
    in_ns: Mapping[str, str] = field(default_factory=dict)
    """The last columns, and of which the times in another unit they are, as SQL."""

    @cached_property
    def shown(self) -> Shown:
        """The columns that are shown; raises MalformedQuery."""
        try:
            return schemas.shown_columns(self.shown_lines, [*self.columns, *self.also])
        except MalformedLine as error:
            raise MalformedQuery(f"{self.name}: {error}") from None

    def is_of(self, family: str) -> bool:
        """Whether it says something of a family of traces."""
        return not self.families or family in self.families

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the result, units and descriptions in its metadata."""
        return schemas.arrow_schema(schemas.Table(self.name, self.description, self.columns))


@cache
def results() -> dict[str, schemas.Table]:
    """Return the results that are no query's (results.toml), by name."""
    raw = tomllib.loads(files(__name__).joinpath("results.toml").read_text("utf-8"))
    return {name: schemas.Table.read(name, entry) for name, entry in raw.items()}


def table_schema(name: str) -> pa.Schema:
    """Return the schema of a result that is not a query's; raises KeyError if unknown."""
    return schemas.arrow_schema(results()[name])


def result_table(name: str, rows: Iterable[Mapping[str, Any] | Sequence[Any]]) -> pa.Table:
    """Return rows as a result that is not a query's; each has its values by column, or in the columns' order.

    Raises KeyError for an unknown result and for a row that lacks a column.
    """
    schema = table_schema(name)
    complete = [[row[column] for column in schema.names] if isinstance(row, Mapping) else row for row in rows]
    columns = list(zip(*complete, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


class MalformedQuery(ValueError):
    """A query file whose header does not have the fixed form."""


@cache
def parameters() -> dict[str, Parameter]:
    """Return all parameters by name."""
    raw = tomllib.loads(files(__name__).joinpath("parameters.toml").read_text("utf-8"))
    return {
        name: Parameter(name, item["default"], item["description"], tuple(item.get("choices", ())))
        for name, item in raw.items()
    }


def names(family: str | None = None) -> list[str]:
    """Return the names of all statistics, or of those for a family of traces, by subject in a reader's order."""
    listed = [name for subject in SUBJECTS for name, (folder, _) in _sources().items() if folder == subject]
    return listed if family is None else [name for name in listed if query(name).is_of(family)]


def views() -> list[str]:
    """Return the names of the wide views, and of the base views, both sorted."""
    return [name for name, (folder, _) in _sources().items() if folder in (WIDE, BASE)]


def wide_views() -> list[str]:
    """Return the names of the wide views, sorted."""
    return [name for name, (folder, _) in _sources().items() if folder == WIDE]


def described() -> dict[str, schemas.Table | Query]:
    """Return what can be asked for by its name, and results of commands: wide views, tables, other views, results."""
    return {
        **{name: query(name) for name in wide_views()},
        **{name: schemas.table(name) for name in schemas.names()},
        **{name: query(name) for name in [*views(), *names(), *counter_views()]},
        **results(),
    }


_DECLARED = re.compile(r"^[- ]*(\w+) +int(?:32|64)\?? +\[([^\]]+)\]", re.MULTILINE)


@cache
def identifiers() -> frozenset[str]:
    """Return the names of columns of whole numbers that identify something, or a row, wherever they occur."""
    texts = [source.read_text("utf-8") for _, source in _sources().values()]
    pairs = [pair for text in texts for pair in _DECLARED.findall(text)]
    columns = (column for name in schemas.names() for column in schemas.table(name).columns)
    pairs += [(column.name, column.unit) for column in columns if column.type.startswith("int")]
    units: dict[str, set[str]] = {}
    for name, unit in pairs:
        units.setdefault(name, set()).add(unit)
    return frozenset(name for name, named in units.items() if named <= {"identifier", "position"})


def counter_views() -> list[str]:
    """Return the names of the views of the counters of Darshan's modules, sorted."""
    return [name for name, (folder, _) in _sources().items() if folder == COUNTERS]


@cache
def query(name: str) -> Query:
    """Return a statistic or base view by name; raises KeyError if unknown, MalformedQuery for a bad file."""
    folder, source = _sources()[name]
    return parse(name, folder, source.read_text("utf-8"))


def parse(name: str, subject: str, text: str) -> Query:
    """Read one SQL file's text; raises MalformedQuery if its header does not have the fixed form."""
    header, sql = split_header(text)
    if not sql.startswith(("select", "with", "from", "pivot")):
        raise MalformedQuery(f"{name}: the statement must follow the header")
    paragraphs, marks, columns, also, shown = _read_header(name, header)
    if not shown and subject not in (WIDE, BASE, COUNTERS):
        raise MalformedQuery(f"{name}: the header lacks 'Shown:'")
    in_ns = {} if subject in (WIDE, BASE, COUNTERS) else _times_in_ns(columns)
    columns = (*columns, *in_ns)
    bare = _LITERAL_OR_COMMENT.sub("", sql)
    known = {*_sources(), *TABLES}
    needs = tuple(
        dict.fromkeys(word for word in _NAMED_AFTER_FROM.findall(bare) if word in known and word != name)
    )
    direct = {name or of_macro for name, of_macro in _PARAMETER_CALL.findall(bare)}
    below = {p.name for need in needs if need not in TABLES for p in query(need).parameters}
    return Query(
        name=name,
        subject=subject,
        title=paragraphs[0],
        description=" ".join(paragraphs[1:]),
        source=marks.get("Source", ""),
        columns=columns,
        also=also,
        shown_lines=shown,
        parameters=tuple(parameters()[parameter] for parameter in sorted(direct | below)),
        needs=needs,
        materialize=marks.get("Materialize") == "yes",
        families=tuple(filter(None, marks.get("Family", "").split(", "))),
        is_streamed=marks.get("Streamed") == "yes",
        merge=marks.get("Merge"),
        sql=sql,
        in_ns={column.name: value for column, value in in_ns.items()},
    )


NS_IN = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000}
"""The ns of the units that times of statistics are in."""


def _times_in_ns(columns: Sequence[Column]) -> dict[Column, str]:
    """Return the same in ns of each column with a time in another unit, where it is not there, and its SQL.

    So that all statistics of a family can be asked in one unit.
    """
    names = {column.name for column in columns}
    found: dict[Column, str] = {}
    for column in columns:
        stem = column.name.removesuffix(f"_{column.unit}")
        if column.unit in NS_IN and stem != column.name and f"{stem}_ns" not in names:
            in_ns = Column(
                f"{stem}_ns", "int64", "ns", f"{column.name} in ns; missing where that exceeds 63 bits."
            )
            found[in_ns] = f'try_cast(round("{column.name}"::double * {NS_IN[column.unit]}) as bigint)'
    return found


def named_in(sql: str) -> list[str]:
    """Return the tables, views and statistics that a statement names after `from` and `join`."""
    known = {*_sources(), *TABLES}
    names = _NAMED_AFTER_FROM.findall(_LITERAL_OR_COMMENT.sub("", sql))
    return [word for word in dict.fromkeys(names) if word in known]


def tables_under(wanted: Iterable[str]) -> set[str]:
    """Return the tables on which queries build."""
    return {need for name in ordered(wanted) for need in query(name).needs if need in TABLES}


def views_for(text: str) -> list[str] | None:
    """Return the views whose names occur in SQL; None where it may ask the catalogue, and so needs all of them."""
    bare = _LITERAL_OR_COMMENT.sub("", text)
    tokens = {word.lower() for word in re.findall(r"\w+", text)}
    if _ASKS_CATALOGUE.search(bare) or any(word.startswith(_CATALOGUES) for word in tokens):
        return None
    return [name for name in _sources() if name in tokens]


def ordered(names: Iterable[str], without: Collection[str] = ()) -> list[str]:
    """Return the given queries and all that they build upon, each after what it needs.

    What only those `without` build upon is not there.
    """
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in done or name in TABLES:
            return
        for need in query(name).needs if name not in without else ():
            visit(need)
        done[name] = None

    for name in names:
        visit(name)
    return list(done)


def facts(
    has_all_waits: bool = False,
    overhead: Mapping[str, int] | None = None,
    recorded: Collection[str] = (),
    started_ns: int | None = None,
    sampled_files_share: float | None = None,
) -> dict[str, str]:
    """Return what a store's manifest says of its recording, as SQL values by the names of their macros.

    ``all_waits_recorded`` is whether the trace records every call in which a thread can wait, so that a thread in no
    call computes, or waits for a processor. ``tracing_overhead`` is what the tracer adds to a call, in nanoseconds, as
    it was measured right after the recording; null if it was not: outside_ns is the median of the part between calls,
    inside_ns that of the part in the recorded duration, inside_p99_ns its 99th percentile; tail_ns is what exceeds
    that, the mean over all measured_calls, with the standard deviation. ``disks_recorded``,
    ``io_uring_recorded``, ``page_cache_recorded`` and ``scheduler_recorded`` are whether the recording has the requests
    to disks that its calls caused, those of io_uring, pages of the page cache, and when threads have no processor:
    whether `recorded` names them. ``trace_started_ns`` is when the first event was, in ns since 1970; null if the trace
    has no wall-clock time. ``sampled_files_share`` is the share of the files that were recorded; null if all were.
    """
    members = ", ".join(f"'{name}': {value}" for name, value in (overhead or {}).items())
    return {
        "all_waits_recorded": str(has_all_waits).lower(),
        "disks_recorded": str("disks" in recorded).lower(),
        "io_uring_recorded": str("io_uring" in recorded).lower(),
        "page_cache_recorded": str("page_cache" in recorded).lower(),
        "sampled_files_share": f"{'null' if sampled_files_share is None else sampled_files_share}::double",
        "scheduler_recorded": str("scheduler" in recorded).lower(),
        "trace_started_ns": f"{'null' if started_ns is None else started_ns}::bigint",
        "tracing_overhead": f"{f'{{{members}}}' if members else 'null'}::{_OVERHEAD}",
    }


_OVERHEAD = (
    "struct(outside_ns bigint, inside_ns bigint, inside_p99_ns bigint, tail_ns bigint, tail_deviation_ns bigint,"
    " measured_calls bigint)"
)


def macros_sql(temporary: bool = False, known: Mapping[str, str] | None = None) -> str:
    """Return the SQL that creates the macros on which the queries build.

    Among them are one per parameter, and one for each of the `known` facts; by default, nothing is known.
    """
    lines: list[str] = []
    for parameter in parameters().values():
        value = f"getvariable('{parameter.name}')::{_SQL_TYPES[parameter.type]}"
        lines.append(
            f"-- {parameter.description}\n"
            f"create or replace macro parameter_{parameter.name}() as case when {_is_refused(parameter, value)}"
            f" then error({literal(f'{parameter.name} must be {parameter.words}')})::{_SQL_TYPES[parameter.type]}"
            f" else coalesce({value}, {literal(parameter.default)}) end;"
        )
    values = facts() if known is None else known
    lines.extend(f"create or replace macro {name}() as {value};" for name, value in values.items())
    lines.append(_key_operation_sql())
    lines.extend(
        files(__name__).joinpath(name).read_text("utf-8").strip() for name in ("functions.sql", "macros.sql")
    )
    script = "\n".join(lines) + "\n"
    return script.replace("create or replace macro", "create or replace temp macro") if temporary else script


def _is_refused(parameter: Parameter, value: str) -> str:
    """Return the condition under which a value is none of a parameter's."""
    return (
        f"{value} not in ({', '.join(map(literal, parameter.choices))})"
        if parameter.choices
        else f"{value} < 1"
    )


def _key_operation_sql() -> str:
    writes, deletes = (", ".join(map(literal, operations)) for operations in (WRITES, DELETES))
    return (
        "-- What an operation of a cache does: read, write or delete; null if it is not stated.\n"
        "create or replace macro key_operation(name) as case when name is null then null\n"
        f"    when name in ({writes}) then 'write'\n    when name in ({deletes}) then 'delete' else 'read' end;"
    )


def macro_names(known: Mapping[str, str] | None = None) -> list[str]:
    """Return the names of the macros that `macros_sql` creates."""
    return re.findall(r"create or replace macro (\w+)", macros_sql(known=known))


def empty_table_sql(table: str) -> str:
    """Return a SELECT that gives a store's table without rows, for a store that lacks it."""
    columns = ", ".join(f'null::{_SQL_TYPES[c.type]} as "{c.name}"' for c in schemas.table(table).columns)
    return f"select {columns} where false"


def stored_table_sql(located: str | Sequence[str]) -> str:
    """Return a SELECT of a stored table: ``located`` is the name of its file, or of several in their order."""
    read = literal(located) if isinstance(located, str) else f"[{', '.join(map(literal, located))}]"
    return f"from read_parquet({read})"


def definition(described: Query) -> str:
    """Return the query as its view holds it: every column cast to its documented type."""
    columns = ",\n       ".join(
        cast_column(column, described.in_ns.get(column.name)) for column in described.columns
    )
    return f"select {columns}\nfrom (\n{described.sql.rstrip()}\n)"


def cast_column(column: Column, value: str | None = None) -> str:
    """Return a column of a SELECT, or the value that it has, cast to its documented type."""
    return f'{value or identifier(column.name)}::{_SQL_TYPES[column.type]} as "{column.name}"'


def identifier(name: str) -> str:
    """Return a name as SQL writes it, in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | int) -> str:
    """Return a value as SQL writes it."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


@cache
def _sources() -> dict[str, tuple[str, Traversable]]:
    """Return each file's folder and place by its name, folders in the order of SUBJECTS and names sorted."""
    sources: dict[str, tuple[str, Traversable]] = {}
    for folder in (WIDE, BASE, *SUBJECTS, COUNTERS):
        entries = sorted(files(__name__).joinpath(folder).iterdir(), key=lambda entry: entry.name)
        for entry in entries:
            if entry.name.endswith(".sql"):
                sources[entry.name.removesuffix(".sql")] = (folder, entry)
    return sources


def split_header(text: str) -> tuple[list[str], str]:
    """Return the lines of a file's header without their dashes, and its statement."""
    lines = text.splitlines()
    length = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return [line[2:].removeprefix(" ") for line in lines[:length]], "\n".join(lines[length:]).strip() + "\n"


def _read_header(
    name: str, header: list[str]
) -> tuple[list[str], dict[str, str], tuple[Column, ...], tuple[Column, ...], tuple[str, ...]]:
    """Return the header's paragraphs, its `Word: text` marks, its columns, those only shown, and what is shown."""
    if "Columns:" not in header:
        raise MalformedQuery(f"{name}: the header lacks 'Columns:'")
    index = header.index("Columns:")
    marks: dict[str, str] = {}
    paragraphs: list[str] = []
    for block in "\n".join(header[:index]).split("\n\n"):
        text = " ".join(block.split())
        pairs = re.findall(rf"({_MARKS}): (.*?)(?= (?:{_MARKS}): |$)", text)
        marks.update(pairs)
        if text and not pairs:
            paragraphs.append(text)
    if len(paragraphs) < 2 or "Source" not in marks:
        raise MalformedQuery(f"{name}: the header needs a title, a description and a source")
    lists: dict[str, list[str]] = {key: [] for key in _LISTS}
    for line in header[index:]:
        if line in lists:
            listed = lists[line]
        elif line.strip():
            listed.append(line)
    columns, also = (tuple(_read_column(name, line) for line in lists[key]) for key in _LISTS[:2])
    return paragraphs, marks, columns, also, tuple(lists["Shown:"])


def _read_column(name: str, line: str) -> Column:
    try:
        return schemas.column(line)
    except schemas.MalformedColumn as error:
        raise MalformedQuery(f"{name}: {error}") from None
