"""Tables as HTML: every cell in the unit that its column's schema states, every name as text."""

import csv
import io
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.schemas import shown
from markupsafe import Markup, escape

from iotrace import units

MOST_ROWS = 100
"""The most rows of a table on the page."""
FIRST_ROWS = 10
"""Rows that a reader sees before asking for the others; page.css hides those behind them."""
_SHORT = 16
_MOST_COLUMNS = 8
"""Tables of more are set in smaller type."""


_DIGITS = 8


@dataclass(frozen=True)
class HtmlTable:
    """A table as HTML, and for each of its columns the numbers by which its rows are sorted; None for names."""

    html: Markup
    orders: list[list[float | None] | None]


def html_table(
    table: pa.Table,
    bars: Collection[str] = (),
    columns: Sequence[str] = (),
    marks: str | None = None,
    rows: int = MOST_ROWS,
) -> HtmlTable:
    """Return a table of at most `rows` rows: what is declared as shown of it, or only the `columns` named.

    `bars` are columns of percent that are drawn as bars too, `marks` a column of few words that are set off.
    """
    table = shown(table)
    fields = [field for field in table.schema if not columns or field.name in columns]
    head = Markup("").join(
        Markup('<th scope="col" class="{}" title="{}">{}</th>').format(
            _kind(field), _meta(field, "description"), _meta(field, "heading") or field.name
        )
        for field in fields
    )
    shown_rows = table.slice(0, rows).to_pylist()
    body = Markup("").join(
        Markup(f"<tr>{''.join(_cell_of(field, row[field.name], bars, marks) for field in fields)}</tr>")
        for row in shown_rows
    )
    more = (
        Markup("<p class=more>{:,} of {:,} rows</p>").format(rows, table.num_rows)
        if table.num_rows > rows
        else ""
    )
    kinds = ["dense"] if len(fields) > _MOST_COLUMNS else []
    kinds += ["long-table"] if min(rows, table.num_rows) > FIRST_ROWS else []
    opened = Markup('<table class="{}">').format(" ".join(kinds)) if kinds else Markup("<table>")
    html = Markup("{}<thead><tr>{}</tr></thead><tbody>{}</tbody></table>{}").format(opened, head, body, more)
    return HtmlTable(html, [_order(field, [row[field.name] for row in shown_rows]) for field in fields])


def csv_text(table: pa.Table) -> str:
    """Return a table as CSV: its columns as they are, in the units of their schema."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return written.getvalue()


def csv_columns(table: pa.Table) -> list[tuple[str, str | list[str]]]:
    """Return the name of each column and its cells in CSV, those of numbers as one text: so they pack best."""
    return [
        (field.name, _cells(field, column)) for field, column in zip(table.schema, table.columns, strict=True)
    ]


def _cells(field: pa.Field, column: pa.ChunkedArray) -> str | list[str]:
    cells = ["" if value is None else str(value) for value in column.to_pylist()]
    return ",".join(cells) if _kind(field) == "number" else cells


def html_facts(table: pa.Table) -> Markup:
    """Return a table of one row as a list of its columns, in the words of their documentation."""
    (row,) = table.slice(0, 1).to_pylist()
    items = Markup("").join(
        Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(
            _meta(field, "description").rstrip("."), cell(row[field.name], _meta(field, "unit"))
        )
        for field in table.schema
    )
    return Markup("<dl class=list>{}</dl>").format(items)


def html_tally(table: pa.Table, column: str) -> Markup:
    """Return how many rows have each value of a column of few words."""
    values = [str(value) for value in table.column(column).to_pylist()]
    items = (
        Markup('<span class="mark {}">{} <b>{}</b></span>').format(_word(value), value, values.count(value))
        for value in sorted(set(values), key=lambda value: -values.count(value))
    )
    return Markup("<p class=tally>{}</p>").format(Markup(" ").join(items))


def _word(value: Any) -> str:
    """Return the letters of the first of some words, to be a class of the style sheet."""
    return "".join(letter for letter in str(value).partition(" ")[0] if letter.isascii() and letter.isalpha())


def _cell_of(field: pa.Field, value: Any, bars: Collection[str], marks: str | None) -> Markup:
    content = cell(value, _meta(field, "unit"), _meta(field, "nothing") or "–")
    if field.name in bars and value is not None:
        share = max(0.0, min(100.0, float(value)))
        return Markup(f'<td class="bar" style="--share:{share:.1f}%">{content}</td>')
    if field.name == marks:
        return Markup(f'<td class="name mark {_word(value)}">{content}</td>')
    return Markup(f"<td{'' if _kind(field) == 'number' else ' class=name'}>{content}</td>")


def _order(field: pa.Field, values: list[Any]) -> list[float | None] | None:
    if _kind(field) == "name":
        return None
    return [value if isinstance(value, int) else _rounded(value) for value in values]


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.{_DIGITS}g}")


def cell(value: Any, unit: str, nothing: str = "–") -> Markup:
    """Return one value as a person reads it; a word for none."""
    if value is None:
        return Markup('<span class="none">{}</span>').format(nothing)
    if isinstance(value, str):
        kind = Markup("") if len(value) <= _SHORT else Markup(' class="long"')
        return Markup(f"<bdi{kind}>{escape(printable(value))}</bdi>")
    if isinstance(value, bool):
        return Markup("yes" if value else "no")
    return escape(units.written(value, unit))


def _kind(field: pa.Field) -> str:
    return "number" if pa.types.is_integer(field.type) or pa.types.is_floating(field.type) else "name"


def _meta(field: pa.Field, key: str) -> str:
    metadata: bytes = (field.metadata or {}).get(key.encode(), b"")
    return metadata.decode()
