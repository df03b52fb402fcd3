"""SQL of users over a store, and its rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from iotrace import queries
from iotrace.errors import IotraceError, UsageError, sql_reason
from iotrace.store.sandbox import check_statements
from iotrace.store.store import Store

BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class Answer:
    """What a text of one statement or several gave."""

    rows: pa.RecordBatchReader | None
    """The last statement's, which are read once; None if it has none."""
    queries: int
    """How many statements are queries."""


@contextmanager
def answered(store: Store, text: str, allow_files: bool) -> Iterator[Answer]:
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
        yield Answer(None if is_without else result.to_arrow_reader(BATCH_ROWS), asked)
    except (duckdb.Error, pa.ArrowException) as error:
        raise IotraceError(f"SQL: {sql_reason(error)}") from error
