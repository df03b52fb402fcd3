"""The page of the paper on discretionary caching (Vilayannur et al.): its tables, figures and findings."""

import re
from collections.abc import Mapping, Sequence
from statistics import median

import pyarrow as pa
from markupsafe import Markup, escape

from iotrace import units
from iotrace.papers.page import (
    Page,
    Row,
    across,
    bars,
    bounds_of,
    declared,
    number_of,
    points,
    tally,
    unique,
    verdicts_of,
)
from iotrace.papers.vilayannur.cells import HUNDREDTHS, REQUIRED, daemons
from iotrace.papers.vilayannur.figures import PublishedFigure, figures
from iotrace.papers.vilayannur.memo import PaperMemo
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.simulate.cluster.costs import SIZES_KB, Components, components, printed
from iotrace.simulate.cluster.costs.unreached import unreached

Rows = Sequence[Row]
NEAR = 0.1
"""An error that is still called near."""
METRICS = {
    "seconds": "Seconds",
    "normalised": "Normalised execution time",
    "local_hits": "Hits of the local cache",
    "global_hits": "Hits of the global cache",
}
SCHEMES = {
    "none": "No Caching",
    "local": "Local",
    "global": "Global",
    "local-global": "Local & Global",
    "coarse": "Coarse Grain",
    "fine": "Fine Grain",
    "runtime": "Runtime",
}
SECTIONS = {
    "micro": ("3", "4"),
    "compiler": ("5", "6", "7"),
    "runtime": ("8", "9a", "9b", "9a-lu", "9b-lu", "10", "11"),
    "traces": ("12", "13"),
}
"""The figures of each section."""


def write(results: Mapping[str, pa.Table], memo: PaperMemo) -> str:
    """Return the page of the cells, the figures, the findings and, where there are any, the readings."""
    page, cells, values = Page("vilayannur"), results["cells"].to_pylist(), results["figures"].to_pylist()
    judged = results["findings"].to_pylist()
    sections = [
        _findings(page, judged, results.get("readings")),
        _costs(page, cells, values, memo.components),
    ]
    for id_, ids in SECTIONS.items():
        drawn = [shown for figure in figures() if figure.id in ids for shown in _drawn(page, figure, values)]
        sections.append(page.section(id_, *drawn))
    return page.write(
        sections, _facts(memo), [_nearness(cells), tally(verdicts_of("vilayannur", judged), judged)]
    )


def _facts(memo: PaperMemo) -> list[tuple[str, str]]:
    per = "of each file" if memo.global_per_file else "total over all files"
    traces = ", ".join(
        f"{printable(name)} (imitation)" if name in memo.imitations else printable(name)
        for name in memo.traces
    )
    return [
        (
            "Costs",
            "components fitted to tables 1 and 2" if memo.components == components() else "your components",
        ),
        ("Size of the global cache", per),
        ("Traces", traces or "none given: figures 12 and 13 are empty"),
    ]


def _nearness(rows: Rows) -> Markup:
    errors = [abs(row["error"]) for row in _timed(rows)]
    near = sum(error <= NEAR for error in errors)
    return Markup(
        "The components meet {} times of tables 1 and 2 within 10 %, with a median error of {}."
    ).format(
        Markup("<b>{} of {}</b>").format(near, len(errors)),
        Markup("<b>{}</b>").format(escape(units.percent(100 * median(errors)))),
    )


def _timed(rows: Rows) -> list[Row]:
    return [row for row in rows if not row["row"].endswith(REQUIRED)]


def _findings(page: Page, rows: Rows, readings: pa.Table | None) -> Section:
    parts = [
        {
            **row,
            "number": _number(row),
            "bounds": bounds_of(row),
            "distance": _short(row["distance"]),
            "printed": _by_printed_times(row),
        }
        for row in rows
    ]
    after = []
    if readings is not None:
        claims = across(readings.to_pylist(), "reading", "by", _reading)
        by_reading = [{**claim, "verdict": None} for claim in claims]
        after.append(page.figure("readings", declared("claims_by_reading", by_reading)))
    verdicts = {"verdict": verdicts_of("vilayannur", rows)}
    return page.findings(rows, verdicts, declared("claims_of_simulation", parts), after)


def _reading(row: Row) -> str:
    return f"{row['verdict']}, {_short(row['number'])}"


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _number(row: Row) -> str:
    return printable(row["reason"] or "") if row["number"] is None else number_of(row)


def _by_printed_times(row: Row) -> str:
    return "" if row["printed"] is None else f"{row['printed']:.4g}, {row['printed_verdict']}"


def _costs(page: Page, cells: Rows, values: Rows, of: Components) -> Section:
    """Tables 1 and 2, how near the components are by row, where they are not, and figure 2."""
    required = [(row["scheme"], False, row["place"], row["value"]) for row in values if row["figure"] == "2"]
    return page.section(
        "costs",
        *(
            page.figure(f"table-{table}", _in_layout([row for row in cells if row["table"] == table]))
            for table in ("1", "2")
        ),
        page.figure("figure-2", points(required)),
        page.figure("nearness", _by_row(cells)),
        page.figure("far", _far(of)),
    )


def _in_layout(rows: Rows) -> pa.Table:
    """Return a table as the paper has it, with three lines for each of its rows."""
    lines: list[tuple[str, str, str, list[float]]] = []
    for name in unique(rows, "row"):
        cells = [row for row in rows if row["row"] == name]
        block, _, label = name.partition(", ")
        lines.append((block, label, "printed", [cell["printed"] for cell in cells]))
        lines.append(
            ("", "", "from those" if label == REQUIRED else "components", [cell["model"] for cell in cells])
        )
        if label != REQUIRED:
            lines.append(("", "", "off by, %", [100 * cell["error"] for cell in cells]))
    return declared(
        "costs_by_size",
        [
            {
                "daemons": block,
                "row": label,
                "times": times,
                **{f"for_{size}K": number for size, number in zip(SIZES_KB, numbers, strict=True)},
            }
            for block, label, times, numbers in lines
        ],
    )


def _by_row(rows: Rows) -> pa.Table:
    errors: dict[str, list[float]] = {}
    for row in _timed(rows):
        label = f"{'reads' if row['table'] == '1' else 'writes'}: {row['row'].partition(', ')[2]}"
        errors.setdefault(label, []).append(abs(row["error"]))
    return declared(
        "near_costs",
        [
            {
                "row": label,
                "near": f"{sum(error <= NEAR for error in row_errors)} of {len(row_errors)}",
                "median_error": median(row_errors),
                "largest_error": max(row_errors),
            }
            for label, row_errors in errors.items()
        ],
    )


def _far(of: Components) -> pa.Table:
    return declared(
        "far_costs",
        [
            {
                "table": row.cell[0].table,
                "row": f"{daemons(row.cell[1])}, {row.cell[0].label}",
                "size_bytes": 1024 * row.cell[2],
                "printed_ms": printed()[row.cell] / HUNDREDTHS,
                "model_ms": printed()[row.cell] / HUNDREDTHS * (1 + row.error),
                "error": row.error,
                "against_sizes": row.against_sizes,
                "against_daemons": row.against_daemons,
                "reason": row.reason.value,
            }
            for row in sorted(unreached(of), key=lambda row: -abs(row.error))
        ],
    )


def _drawn(page: Page, figure: PublishedFigure, rows: Rows) -> list[Figure]:
    """Return a figure of the paper as figures of the page: one for each panel or kind of hits, or one of bars."""
    rows_of_figure = [row for row in rows if row["figure"] == figure.id and row["value"] is not None]
    shown = []
    for metric in ("local_hits", "global_hits") if figure.metric == "hits" else (None,):
        of_metric = [row for row in rows_of_figure if metric in (None, row["metric"])]
        panels = [None] if figure.draw == "bars" else unique(of_metric, "panel")
        for panel in panels:
            of_panel = [row for row in of_metric if panel in (None, row["panel"])]
            shown.append(_one(page, figure, metric, panel, of_panel))
    return shown


def _one(page: Page, figure: PublishedFigure, metric: str | None, panel: str | None, rows: Rows) -> Figure:
    parts = [word for word in ("figure", figure.id, metric, panel) if word]
    title = f"Figure {figure.id}: {figure.title}" + (f", {panel}" if panel and len(figure.run) > 1 else "")
    if metric:
        title = title.replace("hit ratios", METRICS[metric].lower()).replace("Hit ratios", METRICS[metric])
    per = {"total": "over all files", "per file": "of each file"}
    return page.figure(
        re.sub("[ _]", "-", "-".join(parts)).lower(),
        _lines(rows) if figure.draw == "lines" else _bars(rows),
        figure.draw,
        {"unit": "percent" if metric else "" if figure.over else "seconds", "axis": figure.axis},
        title=title,
        measured=METRICS[metric or ("normalised" if figure.over else "seconds")],
        machine=f" {_machine(figure)}, the global cache's size {per[rows[0]['global_cache']]}."
        if rows
        else "",
        imitated=_imitated(rows),
        place=figure.section,
    )


def _machine(figure: PublishedFigure) -> str:
    """Say on what a figure is simulated."""
    machine = figure.run[0]["machine"]
    nodes, iods, blocks = (machine[name] for name in ("nodes", "iods", "local_blocks"))
    return f"{nodes} node{'s' * (nodes > 1)}, {iods} daemon{'s' * (iods > 1)}, {blocks} blocks a local cache"


def _imitated(rows: Rows) -> str:
    names = sorted({printable(row["panel"]) for row in rows if row["imitation"]})
    return f" Generated in imitation of an application, not traced: {', '.join(names)}." if names else ""


def _scheme(name: str) -> str:
    kind, _, threshold = name.partition("-") if name.startswith("runtime") else (name, "", "")
    return f"{SCHEMES[kind]}, threshold {threshold}" if threshold else SCHEMES[kind]


def _lines(rows: Rows) -> pa.Table:
    return points((_scheme(row["scheme"]), False, row["place"], row["value"]) for row in rows)


def _bars(rows: Rows) -> pa.Table:
    return bars(
        (
            printable(row["panel"]) if row["place"] is None else f"{row['place']:g}",
            _scheme(row["scheme"]),
            row["value"],
        )
        for row in rows
    )
