"""SQL of users over a store or several, and its rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

import duckdb
import pyarrow as pa

from iotrace import queries
from iotrace.errors import IotraceError, UsageError, sql_reason
from iotrace.store.sandbox import check_statements
from iotrace.store.store import Store
from iotrace.store.traces import Traces

BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class Answer:
    """The result of a text of one statement or several."""

    rows: pa.RecordBatchReader | None
    """The last statement's, which are read once; None if it has none."""
    queries: int
    """How many statements are queries."""


@contextmanager
def answered(store: Store | Traces, text: str, allow_files: bool) -> Iterator[Answer]:
    """Run statements, and give the answer for a block.

    Without `allow_files` they see the store's tables only. Raises UsageError for a text without statements, and
    IotraceError for what DuckDB refuses, also while rows are read.
    """
    connection = store.connect() if allow_files else store.sandboxed(queries.views_for(text))
    try:
        if not allow_files:
            check_statements(connection, text)
        statements = connection.extract_statements(text)
        if not statements:
            raise UsageError("the query is empty")
        asked = sum(statement.type is duckdb.StatementType.SELECT for statement in statements)
        try:
            result = connection.sql(text)
        except duckdb.CatalogException:
            if allow_files:
                raise
            result = store.sandboxed().sql(text)  # its message names what is most like an unknown name
        is_without = (
            result is None or duckdb.ExpectedResultType.NOTHING in statements[-1].expected_result_type
        )
        yield Answer(None if is_without else _writable(result).to_arrow_reader(BATCH_ROWS), asked)
    except (duckdb.Error, pa.ArrowException) as error:
        raise IotraceError(f"SQL: {sql_reason(error)}") from error


def _writable(result: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
    """Return an answer that every format can hold: each column has a name of its own, and intervals are text.

    So are lists and structs of intervals, and bytes, all as DuckDB casts them.
    """
    names: list[str] = []
    for name in result.columns:
        others = (f"{name}_{number}" for number in count(1))
        taken = {*names, *result.columns}
        names.append(name if name not in names else next(one for one in others if one not in taken))
    is_text = ["INTERVAL" in str(kind) or "BLOB" in str(kind) for kind in result.types]
    if names == result.columns and not any(is_text):
        return result
    columns = (
        f"#{place}{'::varchar' if becomes_text else ''} as " + '"' + name.replace('"', '""') + '"'
        for place, (name, becomes_text) in enumerate(zip(names, is_text, strict=True), 1)
    )
    return result.project(", ".join(columns))
