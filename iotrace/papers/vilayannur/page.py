"""One page with every table and figure of the paper on discretionary caching (Vilayannur et al.), findings judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup, escape

from iotrace import queries, units
from iotrace.papers.findings import counts, whole_verdicts
from iotrace.papers.findings.tally import tally
from iotrace.papers.vilayannur import Study, cells, judge, values
from iotrace.papers.vilayannur import figures as all_figures
from iotrace.papers.vilayannur.cells import HUNDREDTHS, REQUIRED, daemons
from iotrace.papers.vilayannur.judging import claims
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.reports.pages.schemas import table_schema
from iotrace.simulate.cluster.costs import IODS, SIZES_KB, components, required_by_table

Rows = Sequence[Mapping[str, Any]]
BRAND = "iotrace paper"
CITED = "Vilayannur et al., discretionary caching for I/O on clusters"
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
SECTIONS = (
    ("micro", "Section 3.3: the micro-benchmark", ("3", "4"),
     "Reads and writes of one or two blocks at random offsets up to o blocks into a file."),
    ("compiler", "Section 4: bypassing chosen by the compiler", ("5", "6", "7"),
     "Out-of-core loop nests in the manner of tomcatv and vpenta. All but their sizes is assumed; one node, one daemon"
     " and requests of one column were chosen after four of each had been simulated. What is best hangs on such"
     " choices, and on the flusher's period (5 s): see --readings."),
    ("runtime", "Section 5: bypassing chosen at run time", ("8", "9a", "9b", "10", "11"),
     "Segments of four blocks count their requests; blocks of segments below the threshold go round the global cache."),
    ("traces", "Section 5: application traces", ("12", "13"),
     "Drawn from the traces that are given on the command line, and from nothing else."),
)  # fmt: skip


def all_tables(study: Study, readings: pa.Table | None = None) -> dict[str, pa.Table]:
    """Return what the page shows and the CSV files hold: cells, figures, findings, and readings where there are."""
    made = {
        "cells": cells(study.components),
        "figures": figure_values(study),
        "findings": judge(study),
    }
    return made if readings is None else {**made, "readings": readings}


def figure_values(study: Study) -> pa.Table:
    """Return table cluster_figures: the required hit ratios of figure 2, then what was simulated."""
    per = "per file" if study.global_per_file else "total"
    rows = [
        {
            "figure": "2",
            "panel": "required hit ratio",
            "scheme": daemons(iods),
            "place": float(size),
            "metric": "required_hit_ratio",
            "value": required_by_table(iods, size) / HUNDREDTHS,
            "global_cache": "none",
            "imitation": False,
        }
        for iods in IODS
        for size in SIZES_KB
    ]
    rows += [
        {
            "figure": figure.id,
            "panel": point.panel,
            "scheme": point.scheme,
            "place": point.place,
            "metric": metric,
            "value": value,
            "global_cache": per,
            "imitation": point.panel in study.imitations,
        }
        for figure in study.figures
        for point, metric, value in values(study, figure)
    ]
    return pa.Table.from_pylist(rows, schema=queries.table_schema("cluster_figures"))


def files(made: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the tables by the names of the CSV files: each table and figure of the paper, and the findings."""
    found = {}
    for kind, table in (("table", made["cells"]), ("figure", made["figures"])):
        for name in [*dict.fromkeys(table[kind].to_pylist())]:
            found[f"{kind}_{name}"] = table.filter(pc.equal(table[kind], name))
    return {**found, **{name: made[name] for name in ("findings", "readings") if name in made}}


def page(made: Mapping[str, pa.Table], study: Study) -> str:
    """Return the page of `all_tables`."""
    shown: dict[str, pa.Table] = {}
    cell_rows, figure_rows = made["cells"].to_pylist(), made["figures"].to_pylist()
    sections = [
        _findings(made["findings"], made.get("readings"), shown),
        _costs(cell_rows, figure_rows, shown),
    ]
    for id_, question, ids, lead in SECTIONS:
        drawn = [
            one for figure in all_figures() if figure.id in ids for one in _drawn(figure, figure_rows, shown)
        ]
        sections.append(Section(id_, question, lead, tuple(drawn)))
    return compose(
        sections,
        shown,
        brand=BRAND,
        title="Discretionary caching on a cluster, beside the paper",
        headline="Discretionary caching on a cluster, beside the paper",
        facts=_facts(study),
        sentences=[_tally(made["findings"]), _nearness(cell_rows)],
    )


def _facts(study: Study) -> list[tuple[str, str]]:
    per = "of each file" if study.global_per_file else "total over all files"
    traces = ", ".join(
        f"{printable(name)} (imitation)" if name in study.imitations else printable(name)
        for name in study.traces
    )
    return [
        (
            "Costs",
            "components fitted to tables 1 and 2" if study.components == components() else "your components",
        ),
        ("Size of the global cache", per),
        ("Traces", traces or "none given: figures 12 and 13 are empty"),
    ]


def _tally(findings: pa.Table) -> Markup:
    return tally(counts(whole_verdicts(findings.to_pylist(), claims()).values()))


def _nearness(rows: Rows) -> Markup:
    errors = [abs(row["error"]) for row in _timed(rows)]
    near = sum(error <= NEAR for error in errors)
    return Markup(
        "The components meet {} times of tables 1 and 2 within 10 %, with a median error of {}."
    ).format(
        Markup("<b>{} of {}</b>").format(near, len(errors)),
        Markup("<b>{}</b>").format(escape(units.percent(100 * median(errors)))),
    )


def _timed(rows: Rows) -> list[Mapping[str, Any]]:
    return [row for row in rows if not row["row"].endswith(REQUIRED)]


def _findings(table: pa.Table, readings: pa.Table | None, shown: dict[str, pa.Table]) -> Section:
    """The verdicts: a row for each finding, then one for each of its parts, with the numbers."""
    rows = table.to_pylist()
    shown["findings-whole"] = _headed(
        [
            ("finding", list(claims())),
            ("in short", list(claims().values())),
            ("verdict", list(whole_verdicts(rows, claims()).values())),
        ]
    )
    shown["findings-parts"] = _headed(
        [
            ("finding", [row["finding"] for row in rows]),
            ("claim", [row["claim"] for row in rows]),
            ("judged by", [row["by"] for row in rows]),
            ("verdict", [row["verdict"] for row in rows]),
            ("number", [_number(row["number"], row["reason"]) for row in rows]),
            ("holds if", [row["bounds"] for row in rows]),
            ("components, for comparison", [_beside(row) for row in rows]),
        ]
    )
    figures = [
        Figure("findings-whole", "findings", "Which findings hold",
               "A finding of several parts fails with one of them, and holds if those that can be judged do.",
               "table", table="findings-whole", source=CITED, wide=True, arguments={"marks": "column 2", "rows": 100}),
        Figure("findings-parts", "findings", "Part by part",
               "Numbers are ratios of times, the first named to the second, the worst of all columns, panels and places"
               " that are meant, where the claim names nothing else. Findings about tables 1 and 2 are judged by the"
               " printed times.",
               "table", table="findings-parts", source=CITED, wide=True, arguments={"marks": "column 3", "rows": 100}),
    ]  # fmt: skip
    if readings is not None:
        shown["readings"] = _by_reading(readings)
        figures.append(_moving())
    return Section("findings", "Findings", "What the paper says, judged by numbers.", tuple(figures))


def _moving() -> Figure:
    return Figure(
        "readings",
        "findings",
        "How they move with what the paper leaves open",
        "Section 5 leaves gaps, the flusher has no period (5 s here), and of tomcatv and vpenta the paper names neither"
        " nodes nor daemons nor the size of"
        " requests (1, 1 and one column of an array in the figures; chosen after the last column here had been seen)."
        " Each column changes what it names; numbers are those of the parts above.",
        "table",
        table="readings",
        source=f"{CITED}, sections 3.2, 4 and 5",
        wide=True,
        arguments={"rows": 100},
    )


def _by_reading(table: pa.Table) -> pa.Table:
    """Return a row for each claim and a column for each reading, with the verdicts and their numbers."""
    rows = table.to_pylist()
    findings, names = (list(dict.fromkeys(row[column] for row in rows)) for column in ("finding", "reading"))
    told = {(row["finding"], row["reading"]): f"{row['verdict']}, {_short(row['number'])}" for row in rows}
    return _headed(
        [("finding", findings), *((name, [told[finding, name] for finding in findings]) for name in names)]
    )


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _number(value: float | None, reason: str | None) -> str:
    return f"{value:.5g}" if value is not None else printable(reason or "")


def _beside(row: Mapping[str, Any]) -> str:
    return "" if row["model"] is None else f"{row['model']:.4g}, {row['model_verdict']}"


def _costs(cell_rows: Rows, figure_rows: Rows, shown: dict[str, pa.Table]) -> Section:
    """Tables 1 and 2, how near the components are by row, where they are not, and figure 2."""
    made = []
    required = " The required hit ratio is that of the printed times, truncated to hundredths."
    for table, title, told in (("1", "Table 1: read times", required), ("2", "Table 2: write times", "")):
        shown[f"table-{table}"] = _in_layout([row for row in cell_rows if row["table"] == table])
        made.append(
            Figure(
                f"table-{table}", "costs", f"{title}, in ms, by the size of the request",
                f"As printed, by the components, and how far these are off in percent.{told}",
                "table", table=f"table-{table}", source=f"{CITED}, table {table}", wide=True, arguments={"rows": 200},
            )
        )  # fmt: skip
    shown["figure-2"] = _points(
        [(row["scheme"], row["place"], row["value"]) for row in figure_rows if row["figure"] == "2"]
    )
    shown["nearness"], shown["far"] = _by_row(cell_rows), _far(cell_rows)
    made += [
        Figure("figure-2", "costs", "Figure 2: the required hit ratio",
               "From the printed times: the least share of hits with which the global cache is faster than PVFS without"
               " caches. Above 1 none is enough.",
               "along", table="figure-2", source=f"{CITED}, figure 2",
               arguments={"unit": "", "axis": "Size of the request, KB", "logarithmic": True}),
        Figure("nearness", "costs", "How near the components are",
               "One set of numbers for all rows. The tables jump: Pvfs with one daemon takes 0.30 ms a KB at 128 KB,"
               " and 0.21 at 256 KB.",
               "table", table="nearness", source="tables 1 and 2"),
        Figure("far", "costs", "Cells that are more than 10 % off", "The largest errors first.", "table",
               table="far", source="tables 1 and 2", wide=True, arguments={"rows": 100}),
    ]  # fmt: skip
    return Section(
        "costs",
        "Section 3.3: what each level costs",
        "The printed times beside those of the model.",
        tuple(made),
    )


def _in_layout(rows: Rows) -> pa.Table:
    """Return a table as the paper has it, with three lines for each of its rows."""
    by_row: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_row.setdefault(row["row"], []).append(row)
    lines: list[tuple[str, str, str, list[float | None]]] = []
    for name, own in by_row.items():
        block, _, label = name.partition(", ")
        lines.append((block, label, "printed", [cell["printed"] for cell in own]))
        lines.append(
            ("", "", "from those" if label == REQUIRED else "components", [cell["model"] for cell in own])
        )
        if label != REQUIRED:
            lines.append(("", "", "off by, %", [100 * cell["error"] for cell in own]))
    columns = [pa.array([line[place] for line in lines], pa.string()) for place in range(3)]
    fields = [
        pa.field(f"column {place}", pa.string(), metadata={"heading": heading})
        for place, heading in enumerate(("daemons", "row", "times"))
    ]
    for place, size in enumerate(SIZES_KB):
        columns.append(pa.array([line[3][place] for line in lines], pa.float64()))
        fields.append(
            pa.field(f"size {size}", pa.float64(), metadata={"heading": f"{size}K", "unit": "hundredths"})
        )
    return pa.table(columns, schema=pa.schema(fields))


def _by_row(rows: Rows) -> pa.Table:
    labels = [
        f"{'reads' if row['table'] == '1' else 'writes'}: {row['row'].partition(', ')[2]}"
        for row in _timed(rows)
    ]
    by_label: dict[str, list[float]] = {}
    for label, row in zip(labels, _timed(rows), strict=True):
        by_label.setdefault(label, []).append(abs(row["error"]))
    return _headed(
        [
            ("row", list(by_label)),
            (
                "within 10 %",
                [f"{sum(one <= NEAR for one in own)} of {len(own)}" for own in by_label.values()],
            ),
            ("median error", [units.percent(100 * median(own)) for own in by_label.values()]),
            ("largest error", [units.percent(100 * max(own)) for own in by_label.values()]),
        ]
    )


def _far(rows: Rows) -> pa.Table:
    far = sorted(
        (row for row in _timed(rows) if abs(row["error"]) > NEAR), key=lambda row: -abs(row["error"])
    )
    return _headed(
        [
            ("table", [row["table"] for row in far]),
            ("row", [row["row"] for row in far]),
            ("size", [row["column"] for row in far]),
            ("printed, ms", [f"{row['printed']:.2f}" for row in far]),
            ("components, ms", [f"{row['model']:.2f}" for row in far]),
            ("off by", [f"{100 * row['error']:+.1f} %" for row in far]),
        ]
    )


def _drawn(figure: Any, rows: Rows, shown: dict[str, pa.Table]) -> list[Figure]:
    """Return a figure of the paper as figures of the page: one for each panel or kind of hits, or one of bars."""
    own = [row for row in rows if row["figure"] == figure.id and row["value"] is not None]
    found = []
    for metric in ("local_hits", "global_hits") if figure.metric == "hits" else (None,):
        of_metric = [row for row in own if metric in (None, row["metric"])]
        panels = [None] if figure.draw == "bars" else list(dict.fromkeys(row["panel"] for row in of_metric))
        for panel in panels:
            found.append(_one(figure, metric, panel, of_metric, shown))
    return found


def _one(
    figure: Any, metric: str | None, panel: str | None, rows: Rows, shown: dict[str, pa.Table]
) -> Figure:
    own = [row for row in rows if panel in (None, row["panel"])]
    id_ = (
        "-".join(word for word in ("figure", figure.id, metric, panel) if word)
        .replace(" ", "-")
        .replace("_", "-")
        .lower()
    )
    measured = METRICS[metric or ("normalised" if figure.over else "seconds")]
    title = f"Figure {figure.id}: {figure.title}" + (f", {panel}" if panel and len(figure.run) > 1 else "")
    if metric:
        title = title.replace("hit ratios", METRICS[metric].lower()).replace("Hit ratios", METRICS[metric])
    unit = "percent" if metric else "seconds" if not figure.over else ""
    if figure.draw == "lines":
        shown[id_] = _points([(_scheme(row["scheme"]), row["place"], row["value"]) for row in own])
    else:
        shown[id_] = _bars(own)
    per = {"total": "over all files", "per file": "of each file"}
    told = f" {_machine(figure)}, the global cache's size {per[own[0]['global_cache']]}." if own else ""
    return Figure(
        id_,
        "figures",
        title,
        f"{measured}.{told}{_imitated(own)}",
        "along" if figure.draw == "lines" else "policies",
        table=id_,
        source=f"{CITED}, section {figure.section}",
        wide=figure.draw == "bars",
        arguments={
            "unit": unit,
            "axis": figure.axis,
            "empty": "No traces were given: iotrace paper vilayannur TRACE... draws this figure.",
        },
    )


def _machine(figure: Any) -> str:
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


def _bars(rows: Rows) -> pa.Table:
    made = [
        {
            "group": printable(row["panel"]) if row["place"] is None else f"{row['place']:g}",
            "policy": _scheme(row["scheme"]),
            "value": row["value"],
        }
        for row in rows
    ]
    return pa.Table.from_pylist(made, schema=table_schema("printed_bar"))


def _points(points: Sequence[tuple[str, float, float]]) -> pa.Table:
    rows = [{"line": line, "printed": False, "x": x, "value": y} for line, x, y in points]
    return pa.Table.from_pylist(rows, schema=table_schema("printed_point"))


def _headed(columns: Sequence[tuple[str, list[str]]]) -> pa.Table:
    """Return a table of text with these headings."""
    fields = [
        pa.field(f"column {place}", pa.string(), metadata={"heading": heading})
        for place, (heading, _) in enumerate(columns)
    ]
    return pa.table([pa.array(found, pa.string()) for _, found in columns], schema=pa.schema(fields))
