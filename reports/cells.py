"""Tables as HTML: every cell in the unit that its column's schema states, every name as text."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from iotrace.reports.names import printable
from markupsafe import Markup, escape

from iotrace import units

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 100
"""A table on the page has at most so many rows."""


def html_table(
    table: pa.Table, bars: Collection[str] = (), indent: str | None = None, leave: Collection[str] = ()
) -> Markup:
    """Return a table; `bars` names columns of percent that are drawn as bars too, `leave` those not shown.

    The first column is indented by the numbers in the column `indent`, if that is given.
    """
    import pyarrow as pa

    shown = [field for field in table.schema if field.name not in leave and field.name != indent]
    rows = table.slice(0, MOST_ROWS).to_pylist()
    parts = ["<table><thead><tr>"]
    for field in shown:
        number = not pa.types.is_string(field.type)
        parts.append(
            f'<th scope="col"{_class(number)} title="{escape(_meta(field, "sentence"))}">{_heading(field.name)}</th>'
        )
    parts.append("</tr></thead><tbody>")
    for row in rows:
        parts.append("<tr>")
        for position, field in enumerate(shown):
            value, unit = row[field.name], _meta(field, "unit")
            number = not pa.types.is_string(field.type)
            style = ""
            if position == 0 and indent is not None:
                style = f' style="padding-left:{0.4 + 1.1 * int(row[indent] or 0):.1f}em"'
            elif field.name in bars and value is not None:
                style = f' style="--share:{max(0.0, min(100.0, value)):.1f}%"'
            parts.append(f"<td{_class(number, field.name in bars)}{style}>{cell(value, unit)}</td>")
        parts.append("</tr>")
    parts.append("</tbody></table>")
    if table.num_rows > MOST_ROWS:
        parts.append(f"<p class=more>{MOST_ROWS} of {table.num_rows:,} rows.</p>")
    return Markup("".join(parts))


def cell(value: Any, unit: str) -> Markup:
    """Return one value as a person reads it."""
    if value is None:
        return Markup('<span class="none">–</span>')
    if isinstance(value, str):
        return Markup("<bdi>{}</bdi>").format(printable(value))
    if isinstance(value, bool):
        return Markup("yes" if value else "no")
    return escape(_written(value, unit))


def _written(value: float, unit: str) -> str:
    if unit == "bytes":
        return units.size(value)
    if unit == "ns":
        return units.duration(value) if value else "0"
    if unit == "percent":
        return units.percent(value)
    if unit in ("identifier", "position"):
        return str(value)
    return units.count(value) if isinstance(value, int) else f"{value:,.4g}"


def _heading(name: str) -> Markup:
    return escape(name.replace("_percent", " %").removesuffix("_bytes").removesuffix("_ns").replace("_", " "))


def _class(number: bool, bar: bool = False) -> str:
    names = " ".join(name for name, wanted in (("number", number), ("bar", bar)) if wanted)
    return f' class="{names}"' if names else ""


def _meta(field: pa.Field, key: str) -> str:
    found: bytes = (field.metadata or {}).get(key.encode(), b"")
    return found.decode()
