"""A page: sections of figures with their numbers, in one HTML file that needs nothing else."""

import base64
import gzip
import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa
from iotrace.queries import Query
from iotrace.reports.pages.attempted import attempted
from iotrace.reports.pages.cards import PageCards
from iotrace.reports.pages.charts import registry as drawings
from iotrace.reports.pages.figures import Figure, Note, Section
from iotrace.reports.pages.plotly_bundle import plotly_bundle, script_hash
from iotrace.reports.pages.tables import csv_columns, html_facts, html_table, html_tally
from iotrace.reports.pages.templates import styles, template, text
from markupsafe import Markup

from iotrace import __version__, queries, units
from iotrace.analysis.lines.line import Line
from iotrace.analysis.lines.runs import Run, references_sql

GENERATOR = "iotrace report"
"""The generator named in the page's first lines, which distinguishes a report from other files."""

_DIGITS = 5
NOTHING_SHOWN: Mapping[str, Any] = {"plot": None, "table": None, "numbers": None, "orders": [], "height": 0}
"""The values of the template for a figure without data."""
_FAILED = '<strong class="failed">'
"""The start of the reason, in a page, why a figure could not be computed or drawn."""


def compose(
    sections: Sequence[Section],
    tables: Mapping[str, pa.Table],
    *,
    brand: str,
    title: str,
    headline: str,
    facts: Sequence[tuple[str, str]] = (),
    sentences: Sequence[Markup] = (),
    opening: Markup | None = None,
    more: str = "More about this trace",
    about: str = "",
    trace: str = "TRACE",
    advised: PageCards | None = None,
    advised_after: Collection[str] = (),
    numbers: Sequence[Mapping[str, Any]] = (),
    views: Sequence[Query] = (),
    notes: Mapping[str, Note] | None = None,
    timed: bool = True,
    parameters: Mapping[str, str | int] | None = None,
) -> str:
    """Return a page of sections, each figure of which has its table by its identifier.

    `brand` is what made it, `headline` the browser's title; `sentences`, the first of the cards that
    are `advised`, and `numbers` come first, `views` last. The cards come after those of sections `advised_after`. Where
    there is an `opening`, it comes first, under the title and the line `about`, and the others fold away below it,
    behind the words `more`.
    Sections whose figures have no data are left out, and one line at the end lists what is. `trace` is the trace's name
    in commands.
    `notes` holds what figures say of these tables alone; `timed` whether there are time stamps;
    `parameters` what the figures' statistics were asked with, other than the defaults.
    """
    bundle = plotly_bundle()
    script = text("page.js")
    shown, left_out = _sections(sections, tables, notes or {}, timed, parameters or {})
    return str(
        template("page.html").render(
            generator=GENERATOR,
            version=__version__,
            brand=brand,
            title=title,
            headline=headline,
            facts=facts,
            sentences=sentences,
            advised=advised,
            advised_before=next(
                (section["id"] for section in shown if section["id"] not in advised_after), None
            ),
            numbers=numbers,
            opening=opening,
            more=more,
            about=about,
            trace=trace,
            sections=shown,
            data=_packed(shown),
            left_out=left_out,
            views=views,
            **styles(),
            script=Markup(script),
            script_hash=script_hash(script),
            bundle=bundle,
        )
    )


def _sections(
    sections: Sequence[Section],
    tables: Mapping[str, pa.Table],
    notes: Mapping[str, Note],
    timed: bool,
    parameters: Mapping[str, str | int],
) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Return the sections with the figures that show something, and the titles of those that do not, by the reason."""
    shown: list[dict[str, Any]] = []
    why: dict[str, list[str]] = {}
    for section in sections:
        if section.is_optional and not any(tables[figure.id].num_rows for figure in section.figures):
            continue
        figures = [
            _figure(figure, tables[figure.id], notes.get(figure.id), timed, parameters)
            for figure in section.figures
        ]
        for figure in figures:
            if not figure["is_shown"]:
                reason = figure["note"] if figure["is_not_computed"] else figure["empty"]
                why.setdefault(str(reason).rstrip("."), []).append(figure["title"])
        kept = [figure for figure in figures if figure["is_shown"] or figure["is_failure"]]
        if kept:
            texts = {name: getattr(section, name) for name in ("id", "question", "lead", "how", "command")}
            shown.append({**texts, "figures": kept})
    return shown, [(", ".join(titles), reason) for reason, titles in why.items()]


def failures(html: str) -> int:
    """Return how many figures of a page could not be computed or drawn since something failed."""
    return html.count(_FAILED)


def _figure(
    figure: Figure, table: pa.Table, note: Note | None, timed: bool, parameters: Mapping[str, str | int]
) -> dict[str, Any]:
    """Return what the template shows of a figure, in a trace with time stamps or without."""
    query = queries.query(figure.query) if figure.query else None
    below = queries.ordered([figure.query]) if figure.query else []
    body, why = attempted(lambda: _with_data(_body(figure, table), table))
    if body is None:
        body, note = dict(NOTHING_SHOWN), Note(f"Not drawn: {why}.", is_not_computed=True, is_failure=True)
    is_shown = any(body[name] for name in ("plot", "table", "numbers"))
    return {
        **body,
        "id": figure.id,
        "title": figure.title,
        "caption": figure.caption,
        "source": (figure.source or (query.source if query else "")).rstrip("."),
        "wide": figure.wide,
        "note": note and note.text,
        "is_failure": note is not None and note.is_failure,
        "is_not_computed": note is not None and note.is_not_computed,
        "is_shown": is_shown,
        "empty": _empty(figure, table, timed, note),
        "query": query,
        "parameters": _parameters(query, parameters) if query else "",
        "views": [name for name in below if name != figure.query],
        "sql": query.sql.strip() if query else _lines_sql(figure) if figure.lines else None,
    }


def _empty(figure: Figure, table: pa.Table, timed: bool, note: Note | None) -> str:
    """Return the text shown instead of a figure without data.

    That is `untimed` where only times are missing, and not what they would be of.
    """
    if note is not None and note.is_not_computed:
        return "Not computed; the reason stands above."
    empty = figure.arguments.get("empty")
    if "untimed" in figure.arguments and not timed:
        there = any(row.get("fate") != "survived" for row in table.to_pylist())
        if there or not empty:
            return str(figure.arguments["untimed"])
    return str(empty or "The trace holds nothing of this kind.")


def _parameters(query: Query, parameters: Mapping[str, str | int]) -> str:
    """Return the parameters on which a statistic depends, with their values."""
    return ", ".join(f"{item.name} = {parameters.get(item.name, item.default)}" for item in query.parameters)


def _body(figure: Figure, table: pa.Table) -> dict[str, Any]:
    """Return a figure's plot with its numbers, or the table that it is; all None if there is nothing to show."""
    arguments = dict(figure.arguments)
    shown = dict(NOTHING_SHOWN)
    if not table.num_rows:
        return shown
    if figure.draw in ("table", "capture"):
        options = {
            name: arguments[name] for name in ("bars", "columns", "marks", "rows") if name in arguments
        }
        written = html_table(table, **options)
        shown["orders"] = written.orders
        if arguments.get("fold"):
            return {**shown, "table": html_tally(table, arguments["marks"]), "numbers": written.html}
        return {**shown, "table": written.html}
    if figure.draw == "facts":
        return {**shown, "table": html_facts(table)}
    if figure.lines:
        arguments["labels"] = [line.label for line in figure.lines]
    drawn = drawings.draw(figure.draw, table, arguments)
    if drawn is None and "untimed" not in arguments:
        return shown
    drawn_over_sizes = drawn is not None and figure.draw == "curves"
    numbers = html_table(_pivoted(table, arguments.get("unit", "percent")) if drawn_over_sizes else table)
    shown |= {"numbers": numbers.html, "orders": numbers.orders}
    if drawn is None:
        return shown
    plot = {"traces": drawn.traces, "layout": drawn.layout, "choices": drawn.choices}
    return {**shown, "plot": plot, "height": drawn.height}


def _with_data(body: dict[str, Any], table: pa.Table) -> dict[str, Any]:
    """Add what the page's script reads of a figure."""
    data = {"plot": _rounded(body["plot"]), "columns": csv_columns(table), "orders": body["orders"]}
    return {**body, "data": _json(data)}


def _pivoted(table: pa.Table, unit: str) -> pa.Table:
    """Return a figure of curves as a table: a row for each power of two and a column in `unit` for each line."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for row in table.to_pylist():
        lines.setdefault(row["line"], []).append((row["size_bytes"], row["value"]))
    smallest = min(points[0][0] for points in lines.values())
    largest = max(points[-1][0] for points in lines.values())
    sizes = [2**power for power in range(math.ceil(math.log2(smallest)), math.ceil(math.log2(largest)) + 1)]
    columns: dict[str, Any] = {"cache size": pa.array(sizes, pa.int64())}
    for label, points in lines.items():
        columns[label] = pa.array([_at(points, size) for size in sizes], pa.float64())
    pivoted = pa.table(columns)
    kinds = ["bytes", *([unit] * len(lines))]
    fields = [field.with_metadata({"unit": kind}) for field, kind in zip(pivoted.schema, kinds, strict=True)]
    return pivoted.cast(pa.schema(fields))


def _at(points: list[tuple[int, float]], size: int) -> float | None:
    """Return the value that holds at a size; None below the first."""
    held = None
    for start, value in points:
        if start > size:
            break
        held = value
    return held


def _lines_sql(figure: Figure) -> str:
    """Return which references go through which cache, for every line of a figure, and what is counted."""
    labels: dict[Run, list[Line]] = {}
    for line in figure.lines:
        labels.setdefault(line.run, []).append(line)
    parts = []
    for run, drawn in labels.items():
        cache = [f"blocks of {units.size(run.block_bytes)}"]
        if run.write_policy != Run().write_policy:
            cache.append(f"write policy {run.write_policy}")
        if run.inodes_per_block is not None:
            cache.append(f"{run.inodes_per_block} inodes to a block")
        shown = "; ".join(f"{line.label}: {line.measure}" for line in drawn)
        parts.append(f"-- {shown}\n-- of a cache with {', '.join(cache)} for\n{references_sql(run)};")
    return "\n\n".join(parts)


def _packed(sections: Sequence[Mapping[str, Any]]) -> str:
    """Return the data of each figure that shows something: JSON, as gzip in base64."""
    figures = [figure for section in sections for figure in section["figures"] if figure["is_shown"]]
    written = ",".join(f"{_json(figure['id'])}:{figure['data']}" for figure in figures)
    return base64.b64encode(gzip.compress(f"{{{written}}}".encode(), mtime=0)).decode()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _rounded(value: Any) -> Any:
    """Round floats to the digits that a drawing can show; what is not a number becomes null."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value
