"""SQL of users over a store or several, and its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import count
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import queries, schemas
from iotrace.errors import IotraceError, UsageError, sql_reason
from iotrace.files import memory
from iotrace.store.computed import Computed, to_compute
from iotrace.store.connections import settle
from iotrace.store.sandbox import check_statements
from iotrace.store.store import Store
from iotrace.store.traces import Traces

BATCH_ROWS = 1 << 17
ROWS_WITH_LIMIT = 1 << 13
"""Rows of a batch where memory is limited: with many columns, large batches take as much as a sort."""
_HAVE_ROWS = frozenset(
    [duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN, duckdb.StatementType.PRAGMA]
)
"""The statements whose rows are an answer also where another statement follows."""
_UNKNOWN_TABLE = re.compile(r"Catalog Error: Table with name (\S+) does not exist!")
_PLACE = re.compile(r"^LINE (?P<line>\d+): (?P<text>.*)\n(?P<before> *)\^", re.MULTILINE)
_WORDS_OF_SQL = re.compile(r"""(?<!["\w.])(offset|at|references|use)(?!["\w])""", re.IGNORECASE)
"""Columns of tables that are words of SQL."""


SUMS = {"HUGEINT": "bigint", "UHUGEINT": "varchar"}
"""The type in which answers have numbers of 128 bits, which most formats lack. Arrow cannot hold all of UHUGEINT."""

AS_TEXT = ("INTERVAL", "BLOB", "UHUGEINT", "BIT")
"""Types of DuckDB that other libraries lack, or hold in part."""

_ALL = "*"
"""Stands for everything, with its comments."""


class QueryError(IotraceError):
    """A query that DuckDB refuses; `excerpt` is the line with a mark below the place, empty where it names none."""

    def __init__(self, sentence: str, excerpt: str = "") -> None:
        super().__init__(sentence)
        self.excerpt = excerpt


def _batch_rows() -> int:
    return BATCH_ROWS if memory.limit_bytes() is None else ROWS_WITH_LIMIT


@dataclass(frozen=True)
class Answer:
    """The rows of one statement."""

    rows: pa.Table | pa.RecordBatchReader
    """A reader is read once, and before another statement runs."""
    is_plan: bool
    """Whether they are the text of a plan, of EXPLAIN."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows."""
        yield from self.rows.to_batches() if isinstance(self.rows, pa.Table) else self.rows


class Session:
    """A connection for SQL of users, whose views are made when a statement names them."""

    def __init__(self, source: Store | Traces, allow_files: bool) -> None:
        """Open it; without `allow_files` it reads the files of the tables only, and writes none."""
        self._source = source
        self._allow_files = allow_files
        self._made: set[str] = set()
        self.connection = source.connect([], []) if allow_files else source.sandboxed([], [])
        stores = source.stores if isinstance(source, Traces) else {None: source}
        self._computed = Computed(self.connection, stores)
        if allow_files:  # a sandbox has it so, and nothing can be set there
            self.connection.execute("set python_enable_replacements = false")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def settle(self) -> None:
        """Take an interrupt that came after the query that it was for, and would stop the next one."""
        settle(self.connection)

    def answers(self, text: str, parameters: Mapping[str, Any] | None = None) -> Iterator[Answer]:
        """Run statements one after the other, and yield the rows of those that have some, and of the last one.

        Raises UsageError for a text without statements and for parameters that do not fit, and QueryError for what
        DuckDB refuses.
        """
        given = parameters or {}
        statement = None
        try:
            if not self._allow_files:
                check_statements(self.connection, text)
            statements = self.connection.extract_statements(text)
            _check_parameters(statements, given)
            for place, statement in enumerate(statements):
                self.make(statement.query)
                named = {name: given[name] for name in statement.named_parameters}
                result = (
                    self.connection.sql(statement, params=named) if named else self.connection.sql(statement)
                )
                is_last = place == len(statements) - 1
                if result is None or (not is_last and statement.type not in _HAVE_ROWS):
                    continue
                if duckdb.ExpectedResultType.NOTHING in statement.expected_result_type:
                    continue
                rows = writable(result)
                is_plan = statement.type is duckdb.StatementType.EXPLAIN
                yield Answer(
                    rows.to_arrow_reader(_batch_rows()) if is_last else rows.to_arrow_table(), is_plan
                )
        except (duckdb.Error, pa.ArrowException) as error:
            named_place = None if statement is None else self._place(error, statement.query, text)
            raise refusal(error, text, self._source.sql_names, named_place) from error

    @contextmanager
    def refusals(self, text: str) -> Iterator[None]:
        """Raise QueryError for what DuckDB refuses in a block, in which rows of this text are read."""
        try:
            yield
        except (duckdb.Error, pa.ArrowException) as error:
            raise refusal(error, text, self._source.sql_names) from error

    def _place(self, error: Exception, statement: str, text: str) -> re.Match[str] | None:
        """Return the place in a text of an error in one of its statements, which names it in EXPLAIN only."""
        if _PLACE.search(str(error)) or statement not in text:
            return None
        before = text[: text.index(statement)]
        first = before.rpartition("\n")[2]
        try:
            self.connection.execute(
                "explain" + "\n" * (before.count("\n") + 1) + " " * len(first) + statement
            )
        except duckdb.Error as named:
            is_same = str(named).splitlines()[0] == str(error).splitlines()[0]
            return _PLACE.search(str(named)) if is_same else None
        return None

    def relation(self, text: str, parameters: Mapping[str, Any]) -> duckdb.DuckDBPyRelation:
        """Return the answer to a query, lazily; raises QueryError for what DuckDB refuses, UsageError without rows."""
        with self.refusals(text):
            self.make(text)
            result = (
                self.connection.sql(text, params=dict(parameters))
                if parameters
                else self.connection.sql(text)
            )
        if result is None:
            raise UsageError("the query gives no rows")
        return with_sums(result)

    def make(self, text: str) -> None:
        """Make the tables and views that SQL names and that are not there yet; all where it may ask the catalogue.

        Views that the engine has a pass for are its result where they are named, or views on them.
        """
        views = queries.views_for(text)
        if views is None:
            wanted = {*self._source.sql_names, _ALL}
        else:
            named = set(re.findall(r"\w+", text.lower()))
            tables = self._source.tables_for(
                views, [name for name in self._source.sql_names if name in named]
            )
            wanted = {*views, *tables}
            if not wanted and named.intersection(map(str.lower, queries.macro_names())):
                wanted = {*schemas.names()}
        computed = self._computed.make(to_compute(views or ()))
        if missing := wanted - self._made:
            of_tables = None if views is None else missing.intersection(schemas.names())
            of_views = None if views is None else missing.difference(schemas.names())
            self.connection.execute(self._source.script(of_views, of_tables, computed))
            self._made |= missing


@contextmanager
def answered(
    source: Store | Traces, text: str, allow_files: bool, parameters: Mapping[str, Any] | None = None
) -> Iterator[list[Answer]]:
    """Run statements, and give their answers for a block: those before the last are held in memory.

    Without `allow_files` they see the store's tables only. Raises as `Session.answers`, also while rows are read.
    """
    with closing(Session(source, allow_files)) as session, session.refusals(text):
        yield list(session.answers(text, parameters))


def _check_parameters(statements: Sequence[duckdb.Statement], given: Mapping[str, Any]) -> None:
    if not statements:
        raise UsageError("the query is empty")
    wanted = {name for statement in statements for name in statement.named_parameters}
    if missing := sorted(wanted - given.keys()):
        raise UsageError(f"the query has ${missing[0]}: give --param {missing[0]}=VALUE")
    if others := sorted(given.keys() - wanted):
        raise UsageError(f"the query has no ${others[0]}, which --param gives a value")


def refusal(
    error: Exception, text: str, names: Sequence[str], named: re.Match[str] | None = None
) -> QueryError:
    """Return DuckDB's refusal of a query as an error with its place, and the names most like an unknown table's.

    The place is the one that is `named` for EXPLAIN, whose line is one further down, or else that of the error.
    """
    sentence = sql_reason(error)
    if unknown := _UNKNOWN_TABLE.match(sentence):
        alike = get_close_matches(unknown[1].lower(), names, 3, 0.5)
        most_like = f"; most like it: {', '.join(alike)}" if alike else ""
        sentence = (
            f"there is no table or view {unknown[1]}{most_like} (iotrace schema --search finds them by words)"
        )
    if "syntax error" in sentence and "is a word" not in sentence and (word := _WORDS_OF_SQL.search(text)):
        sentence += f' ({word[1]} is a word of SQL: as a column it needs double quotes: "{word[1]}")'
    place = named or _PLACE.search(str(error))
    if place is None:
        return QueryError(f"SQL: {sentence}")
    number = int(place["line"]) - (named is not None)
    lines = text.split("\n")
    column = len(place["before"]) - len(f"LINE {place['line']}: ")
    if number > len(lines) or not place["text"].endswith(lines[number - 1]):  # DuckDB shortens long lines
        return QueryError(f"SQL: {f'line {number}: ' if len(lines) > 1 else ''}{sentence}")
    line = f"line {number}, " if len(lines) > 1 else ""
    return QueryError(f"SQL: {line}column {column + 1}: {sentence}", f"{lines[number - 1]}\n{' ' * column}^")


def writable(result: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Return an answer that every format can hold: each column has a name of its own, and intervals are text.

    So are other types in `AS_TEXT`, and lists and structs of them, as DuckDB casts them. Sums are as in `with_sums`.
    """
    names: list[str] = []
    for name in result.columns:
        others = (f"{name}_{number}" for number in count(1))
        taken = {*names, *result.columns}
        names.append(name if name not in names else next(one for one in others if one not in taken))
    return _cast(
        result,
        names,
        [
            "varchar" if any(name in kind for name in AS_TEXT) else SUMS.get(kind)
            for kind in map(str, result.types)
        ],
    )


def with_sums(result: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Return an answer whose sums of whole numbers, 128 bits in DuckDB, are int64, as documented columns are.

    Other libraries have no such numbers. One that does not fit is an error when it is read.
    """
    return _cast(result, result.columns, [SUMS.get(str(kind)) for kind in result.types])


def _cast(
    result: duckdb.DuckDBPyRelation, names: Sequence[str], kinds: Sequence[str | None]
) -> duckdb.DuckDBPyRelation:
    """Return an answer with these names, and with its columns cast to these types where there is one."""
    if names == result.columns and not any(kinds):
        return result
    columns = (
        f"#{place}{f'::{kind}' if kind else ''} as {queries.identifier(name)}"
        for place, (name, kind) in enumerate(zip(names, kinds, strict=True), 1)
    )
    return result.project(", ".join(columns))
