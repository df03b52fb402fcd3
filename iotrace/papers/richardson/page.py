"""The page of the dissertation's chapters 3 to 5, for one trace or several."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from markupsafe import Markup

from iotrace.papers.page import (
    Page,
    Row,
    across,
    claims_tally,
    declared,
    from_bound,
    short_number,
    together,
    unique,
)
from iotrace.papers.richardson import attribute_figures, cache_figures, characterization_figures, printed
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.reports.pages.schemas import table_schema

Tables = Mapping[str, pa.Table]


def write(tables: Tables, traces: Sequence[str], keep_uncached: bool = False) -> str:
    """Return the page of the chapters or figures that the tables are of; `keep_uncached` is as they were made."""
    page = Page("richardson")
    rows = {name: table.to_pylist() for name, table in tables.items()}
    sections = []
    if "chapter_3_figures" in tables:
        sections.append(page.section("chapter-3", *_chapter_3(page, rows)))
    if "chapter_4_figures" in tables:
        sections.append(page.section("chapter-4", *_chapter_4(page, tables)))
    if "chapter_5_figures" in tables:
        sections.append(page.section("chapter-5", *_chapter_5(page, tables, keep_uncached)))
    if "findings" in tables:
        sections.append(_findings(page, rows["findings"]))
    names = ", ".join(printable(name) for name in traces)
    return page.write(
        sections, [("Traces", names)], _verdicts(rows.get("findings", ())), traces=together(traces)
    )


def _verdicts(rows: Sequence[Row]) -> list[Markup]:
    """Say how many claims hold on each trace."""
    rows_of = {name: [row for row in rows if row["trace"] == name] for name in unique(rows, "trace")}
    return [
        claims_tally(rows_of_trace, "the dissertation's", f" on {printable(name)}")
        for name, rows_of_trace in rows_of.items()
    ]


def _chapter_3(page: Page, rows: Mapping[str, Sequence[Row]]) -> list[Figure]:
    tables = _tables_of_chapter_3(page, rows["chapter_3"]) if "chapter_3" in rows else []
    drawn = rows["chapter_3_figures"]
    return [*_figures_of_chapter_3(page, drawn), *tables]


def _figures_of_chapter_3(page: Page, rows: Sequence[Row]) -> Iterator[Figure]:
    for id_ in unique(rows, "figure"):
        figure = characterization_figures.figures()[id_]
        rows_of_figure = [row for row in rows if row["figure"] == id_]
        by = "size_bytes" if figure.size else "place"
        means = _means(rows_of_figure, by)
        arguments = {"axis": figure.axis, "across": figure.across, "traces_of": figure.lines[0].label}
        yield _drawn(
            page, id_, figure, [*rows_of_figure, *means], arguments, "drawn" if figure.size else "drawn-types"
        )


COUNTED = dict.fromkeys(
    ("table 3.5", "table 3.6"),
    "The dissertation prints counts, averages over eleven workloads of another length; shares are computed from them.",
)
"""A note on tables with counts."""


def _tables_of_chapter_3(page: Page, rows: Sequence[Row]) -> list[Figure]:
    """One table for each of the dissertation's tables: the paper's average, ours, and each trace."""
    names, shown = unique(rows, "trace"), []
    for item in [item for item in unique(rows, "item") if item.startswith("table")]:
        by_trace = [[row for row in rows if (row["item"], row["trace"]) == (item, name)] for name in names]
        numbers = [
            {
                **{column: same[0][column] for column in ("row", "quantity", "unit", "paper")},
                "ours": _mean(row["ours"] for row in same),
                **{f"on_{printable(row['trace'])}": row["ours"] for row in same if len(names) > 1},
            }
            for same in zip(*by_trace, strict=True)
        ]
        id_ = f"chapter-3-{re.sub(r'[^0-9a-z]+', '-', item.lower())}"
        title, caption = item[0].upper() + item[1:], COUNTED.get(item, "")
        shown.append(
            page.figure(id_, declared("paper_and_traces", numbers), "item", title=title, caption=caption)
        )
    return shown


def _chapter_4(page: Page, tables: Tables) -> list[Figure]:
    shown = []
    rows = [row for row in tables["chapter_4_figures"].to_pylist() if row["value"] is not None]
    known = cache_figures.figures()
    for id_ in known if "chapter_4_demand_paging" in tables else unique(rows, "figure"):
        rows_of_figure = [row for row in rows if row["figure"] == id_]
        shown.append(_drawn(page, id_, known[id_], [*rows_of_figure, *_means(rows_of_figure, "size_bytes")]))
    if "chapter_4_demand_paging" in tables:
        shown.append(page.figure("demand-paging", tables["chapter_4_demand_paging"]))
    return shown


UNCACHED = {
    False: "That size is left out of the means; --keep-uncached keeps it.",
    True: "That size is in the means (--keep-uncached).",
}


def _chapter_5(page: Page, tables: Tables, keep_uncached: bool) -> list[Figure]:
    shown = []
    if "chapter_5_improvements" in tables:
        compared, regretted = (tables[f"chapter_5_{name}"] for name in ("table_5_1", "least_regret"))
        shown = [
            page.figure("improvements", tables["chapter_5_improvements"], uncached=UNCACHED[keep_uncached]),
            page.figure("table-5-1", _table_5_1(compared.to_pylist(), regretted.to_pylist())),
        ]
    rows = [{**row, "size_bytes": row["total_bytes"]} for row in tables["chapter_5_figures"].to_pylist()]
    for id_ in unique(rows, "figure"):
        figure = attribute_figures.figures()[id_]
        relative = {"relative": True, "axis": "Of the Unix baseline"}
        rows_of_figure = [row for row in rows if row["figure"] == id_]
        shown.append(
            _drawn(
                page, id_, figure, rows_of_figure, relative if figure.is_relative else {"logarithmic": True}
            )
        )
    return shown


def _drawn(
    page: Page,
    id_: str,
    figure: characterization_figures.CharacterizationFigure
    | cache_figures.CacheFigure
    | attribute_figures.AttributeFigure,
    rows: Sequence[Row],
    arguments: Mapping[str, Any] | None = None,
    text: str = "drawn",
) -> Figure:
    """Draw a figure's lines for each trace and in the mean, if there are several, with what is printed of them."""
    traces = {row["trace"] for row in rows} - {None}
    shown = [row for row in rows if len(traces) > 1 or row["trace"] is not None]
    marks = [_printed(mark) for mark in printed.marks(id_)] if shown else []
    schema = table_schema("compared_point")
    blank = dict.fromkeys(schema.names) | {"printed": False}
    points = [{name: {**blank, **row}[name] for name in schema.names} for row in [*shown, *marks]]
    return page.figure(
        f"figure-{id_.replace('.', '-')}",
        pa.Table.from_pylist(points, schema),
        text,
        arguments,
        id=id_,
        title=figure.title,
        sentence=figure.sentence,
        place=figure.section,
    )


def _printed(mark: printed.Mark) -> dict[str, Any]:
    """Return a number of the dissertation as the drawing takes it."""
    parts = {
        name: None if percent is None else percent / 100
        for name, percent in (
            ("value", mark.about_percent), ("low", mark.low_percent), ("high", mark.high_percent),
        )
    }  # fmt: skip
    where = {"place": mark.place, "size_bytes": mark.from_bytes, "to_bytes": mark.to_bytes}
    return {"line": mark.line, "trace": None, **where, **parts, "words": f"{mark.sentence} ({mark.section})"}


def _table_5_1(compared: Sequence[Row], regretted: Sequence[Row]) -> pa.Table:
    rows = []
    for nearest in regretted:
        rows_of_total = [row for row in compared if row["total_bytes"] == nearest["total_bytes"]]
        rows.append(
            {
                "total_bytes": nearest["total_bytes"],
                "configuration": rows_of_total[-1]["configuration"],
                "baseline_misses": _mean(row["baseline_read_request_miss_ratio"] for row in rows_of_total),
                "uncached": rows_of_total[-1]["baseline_without_block"],
                "misses": _mean(row["read_request_miss_ratio"] for row in rows_of_total),
                "above_best_percent": _mean(row["above_best_percent"] for row in rows_of_total),
                "nearest": nearest["configuration"],
                "regret_percent": nearest["mean_regret_percent"],
            }
        )
    return declared("scheme_by_total", rows)


def _findings(page: Page, rows: Sequence[Row]) -> Section:
    """The verdicts: a row for each claim, a column for each trace."""
    claims = across(rows, "trace", "on", _judged)
    for claim in claims:
        verdicts = [row["verdict"] for row in rows if row["finding"] == claim["finding"]]
        claim |= {verdict: verdicts.count(verdict) for verdict in ("holds", "fails")}
    # a number of the paper's is in its bounds
    table = declared("claims_by_trace", [{**claim, "paper": None} for claim in claims])
    return page.section("findings", page.counts(rows), page.failing(rows), page.figure("findings", table))


def _judged(row: Row) -> str:
    """Return a verdict with the number behind it, or why there is none."""
    if row["ours"] is None and row["reason"]:
        return f"{row['verdict']}: {row['reason'].partition(';')[0]}"
    number = "" if row["ours"] is None else f" ({short_number(row, 'ours', 3)}; {from_bound(row)})"
    return f"{row['verdict']}{number}"


def _means(rows: Sequence[Row], by: str) -> list[dict[str, Any]]:
    """Return each line's mean over the traces at each place or size; a trace's last size holds for all larger ones."""
    means = []
    for line in unique(rows, "line"):
        points: dict[str, dict[Any, float]] = {}
        for row in rows:
            if row["line"] == line:
                points.setdefault(row["trace"], {})[row[by]] = row["value"]
        places = dict.fromkeys(place for values_at in points.values() for place in values_at)
        for place in sorted(places) if by == "size_bytes" else places:
            values = [value for values_at in points.values() if (value := _at(values_at, place)) is not None]
            means.append({"line": line, "trace": None, by: place, "value": sum(values) / len(values)})
    return means


def _at(points: Mapping[Any, float], place: Any) -> float | None:
    """Return a trace's value at a place, or at the largest size that is not larger."""
    if place in points or isinstance(place, str):
        return points.get(place)
    smaller = [size for size in points if size <= place]
    return points[max(smaller)] if smaller else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else None
