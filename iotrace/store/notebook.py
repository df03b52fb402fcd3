"""A store as a notebook shows it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from iotrace import queries, schemas, units

if TYPE_CHECKING:
    from iotrace.store.store import Store


def html(store: Store) -> str:
    """Return a heading, what the trace is of, and its tables with their rows, as HTML; what it says is escaped."""
    length = store.length_ns
    words = [
        f"traces of {store.family.traces}",
        f"format {store.manifest['format']}",
        *([] if length is None else [units.duration(length)]),
    ]
    wide = [name for name in queries.wide_views() if store.family.name in queries.query(name).families]
    rows = [
        *((name, "", queries.query(name).title) for name in wide),
        *((name, f"{store.manifest['tables'][name]:,}", _sentence(name)) for name in store.tables),
    ]
    body = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td style='text-align:right'>{count}</td>"
        f"<td style='text-align:left'>{escape(sentence)}</td></tr>"
        for name, count, sentence in rows
    )
    head = "<tr><th>table or view</th><th>rows</th><th style='text-align:left'>what a row is</th></tr>"
    return (
        f"<p><b>{escape(store.name)}</b>: {escape(', '.join(words))}.</p><table>{head}{body}</table>"
        f"<p>{len(queries.views()) + len(queries.names())} views and statistics besides: <code>iotrace schema</code>."
        ' <code>store.sql("from NAME")</code>, <code>store.polars("NAME")</code> and'
        ' <code>store.arrow("NAME")</code> read them.</p>'
    )


def _sentence(table: str) -> str:
    return schemas.table(table).description.partition(". ")[0].partition(": ")[0].rstrip(".") + "."
