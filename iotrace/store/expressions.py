"""A user's condition or value in SQL: one expression, by DuckDB's own parser, and nothing around it."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from iotrace import schemas
from iotrace.errors import IotraceError, UsageError, sql_reason
from iotrace.libraries import duckdb

if TYPE_CHECKING:
    from iotrace.store.store import Store

MOST_CHARACTERS = 100_000
"""The longest expression that is parsed."""
REFERENCES = "reference left join file using (file) left join process using (process)"
"""The columns that an expression over references sees."""


def check_expression(text: str, option: str) -> None:
    """Raise UsageError where an option's text is anything but one SQL expression without queries inside.

    Parsed both bare and in parentheses: bare, it cannot close a parenthesis; in parentheses, it cannot go on with
    another clause, an alias or another statement. Raises IotraceError with DuckDB's reason where it is no SQL.
    """
    if not text.strip():
        raise UsageError(f"{option} is empty")
    if len(text) > MOST_CHARACTERS:
        raise UsageError(f"{option} has more than {MOST_CHARACTERS:,} characters")
    with duckdb.connect() as connection:
        bare, enclosed = (_parsed(connection, form) for form in (f"select {text}\n", f"select (\n{text}\n)"))
    if bare.get("error_type") == "parser":
        reason = sql_reason(ValueError(f"Parser Error: {bare['error_message']}\n{text}"))
        raise IotraceError(f"SQL of {option}: {reason}")
    if not (_is_one_expression(bare) and _is_one_expression(enclosed)):
        raise UsageError(f"{option} takes one SQL expression: no further clauses, columns or statements")
    if _has_query(bare):
        raise UsageError(
            f"{option} takes one SQL expression without a query inside; use iotrace sql for queries"
        )


def columns_over_references() -> list[str]:
    """Return the columns that an expression over references can name."""
    tables = ("reference", "file", "process")
    return list(dict.fromkeys(column.name for name in tables for column in schemas.table(name).columns))


def check_over_references(store: Store, text: str, option: str) -> None:
    """Raise as `check_expression`, and IotraceError for what a store's references, files and processes cannot answer.

    The sentence names the option, and a wrong name with those most like it.
    """
    check_expression(text, option)
    with closing(store.sandboxed(views=[])) as connection:
        try:
            connection.sql(f"select (\n{text}\n) from {REFERENCES}")
        except duckdb.Error as error:
            raise IotraceError(f"SQL of {option}: {sql_reason(error)}") from None


def _parsed(connection: duckdb.DuckDBPyConnection, statement: str) -> dict[str, Any]:
    """Return the syntax tree of a SELECT, or why there is none."""
    try:
        statement.encode("utf-8")
        ((text,),) = connection.execute("select json_serialize_sql($1::varchar)", [statement]).fetchall()
        tree: dict[str, Any] = json.loads(text)
    except (duckdb.Error, RecursionError, ValueError) as error:
        return {"error": True, "error_type": "parser", "error_message": str(error)}
    return tree


def _is_one_expression(tree: dict[str, Any]) -> bool:
    """Return whether a statement is a SELECT of one value, with no other clause."""
    if tree["error"] or len(tree["statements"]) != 1:
        return False
    node = tree["statements"][0]["node"]
    plain = ("where_clause", "group_expressions", "having", "qualify", "sample", "modifiers")
    return (
        node["type"] == "SELECT_NODE"
        and len(node["select_list"]) == 1
        and not node["select_list"][0]["alias"]
        and node["from_table"]["type"] == "EMPTY"
        and not node["cte_map"]["map"]
        and not any(node.get(clause) for clause in plain)
    )


def _has_query(tree: dict[str, Any]) -> bool:
    """Return whether a syntax tree has a subquery below its outermost SELECT."""
    left: list[Any] = [tree["statements"][0]["node"]["select_list"]]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if node.get("class") == "SUBQUERY":
                return True
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)
    return False
