"""One page with every table and figure of the paper on write caches (Biswas et al. 1993), for one trace or several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from iotrace import units
from iotrace.papers.biswas import Study, Table, cells, judge, likeness, misprints, tables
from iotrace.papers.biswas.judging import claims
from iotrace.papers.findings import counts, whole_verdicts
from iotrace.papers.findings.tally import tally
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.reports.pages.schemas import table_schema
from iotrace.simulate.write_cache.metrics import SATURATED_PERCENT

Progress = Callable[[str], None]
BRAND = "iotrace paper"
CITED = "Biswas, Ramakrishnan and Towsley 1993"
LABELS = {
    "space_mb": "MB",
    "surfaces": "surfaces",
    "tracks_per_surface": "tracks a surface",
    "blocks_per_track": "blocks a track",
    "rpm": "rpm",
    "reads": "reads",
    "mean_read_kbytes": "mean read KB",
    "writes": "writes",
    "mean_write_kbytes": "mean write KB",
    "trace_hours": "hours",
    "busy": "busy %",
    "disk_busy": "disk busy %",
    "w_wc": "Wwc %",
    "r_wc": "Rwc %",
    "io_stall": "stalls %",
    "piggyback_success": "piggyback success %",
    "kbytes_per_purge": "KB a purge",
    "kbytes_per_piggyback": "KB a piggyback",
    "read_service_ms": "read service ms",
    "write_service_ms": "write service ms",
    "read_queue_ms": "read queue ms",
    "read_queue_behind_writes_ms": "behind writes ms",
    "total_ios": "total I/Os",
}
"""What the columns of the page call the metrics."""

WHOLE = (
    "surfaces",
    "tracks_per_surface",
    "blocks_per_track",
    "rpm",
    "reads",
    "writes",
    "trace_hours",
    "total_ios",
)
"""Metrics that are printed without decimals."""

SECTIONS = (
    ("3", "Section 3: the disks", "What the paper traced beside the trace, and the drive on which it is simulated."),
    ("4.1", "Section 4.1: thresholds", "When the cache is purged while the disk is idle: one threshold, or two."),
    ("4.2", "Section 4.2: the size of the write cache", "What more non-volatile memory saves."),
    ("4.3", "Section 4.3: piggybacking", "Dirty blocks that go along with reads, from the same track or cylinder."),
    ("4.4", "Section 4.4: service and queueing times", "What the policies cost the reads."),
    ("4.5", "Section 4.5: what a write does to the read cache", "A copy is kept there, or removed."),
    ("4.6", "Section 4.6: several disks", "Four disks behind one controller."),
    ("4.7", "Section 4.7: a single non-volatile cache", "One cache for reads and writes."),
    ("appendix", "Appendices", "Six more disks, and the times by tracks."),
)  # fmt: skip


def all_tables(studies: Sequence[Study], progress: Progress = lambda doing: None) -> dict[str, pa.Table]:
    """Return what the page shows and the CSV files hold: the cells, the findings, the seek times of figure 3.1."""
    for study in studies:
        study.prepare(progress)
    progress("judging the findings")
    return {
        "cells": cells(studies),
        "findings": pa.concat_tables(judge(study) for study in studies),
        "figure_3_1": _seeks(studies),
    }


def files(made: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the tables by the names of the CSV files: one for each table and figure of the paper, and the findings."""
    found = {}
    for name in dict.fromkeys(made["cells"]["table"].to_pylist()):
        own = made["cells"].filter(pc.equal(made["cells"]["table"], name))
        found[
            name.replace(" ", "_").replace(".", "_") if " " in name else f"table_{name.replace('.', '_')}"
        ] = own
    return {**found, "figure_3_1": made["figure_3_1"], "findings": made["findings"]}


def page(made: Mapping[str, pa.Table], studies: Sequence[Study]) -> str:
    """Return the page of `all_tables`."""
    shown: dict[str, pa.Table] = {}
    rows = made["cells"].to_pylist()
    sections = []
    for prefix, question, lead in SECTIONS:
        figures = [
            _figure(table, f"{_slug(table.id)}-{place}", rows, studies, shown)
            for place, table in enumerate(tables())
            if table.section.startswith(prefix)
        ]
        if prefix == "3":
            figures.append(_seek_figure(made["figure_3_1"], shown))
        sections.append(Section(_slug(f"section-{prefix}"), question, lead, tuple(figures)))
    sections += [_findings(made["findings"], shown), _misprints(shown)]
    names = [printable(study.subject.name) for study in studies]
    several = f"{len(names)} traces" if len(names) > 1 else names[0]
    return compose(
        sections,
        shown,
        brand=BRAND,
        title=f"{several} beside the paper on write caches",
        headline=f"{several} beside the paper on write caches of 1993",
        facts=[(printable(study.subject.name), _fact(study)) for study in studies],
        sentences=[_tally(study, made["findings"]) for study in studies],
    )


def _fact(study: Study) -> str:
    """Say what a trace was taken for, and what it was simulated on."""
    subject = study.subject
    beside = (
        f"beside {subject.like.name}"
        if subject.like
        else "like none of the paper's disks: beside each of them"
    )
    if likeness(subject.store):
        beside += " (generated, not traced)"
    name = printable(subject.busiest.name or str(subject.busiest.device))
    of = (
        f"device {name}" if len(subject.loads) == 1 else f"device {name}, the busiest of {len(subject.loads)}"
    )
    requests = subject.busiest.reads + subject.busiest.writes
    fitted = (
        f"{units.count(study.refitted)} of {units.count(requests)} requests brought onto it ({study.fit})"
    )
    said = f"{beside}; {of}, on a {subject.drive.name}; {fitted}"
    if study.replay == "closed":
        said += "; each request after the answer to the one before"
    if study.time_scale != 1:
        said += f"; times multiplied by {study.time_scale:g}"
    offered = study.offered_load_percent
    if offered is not None and offered > SATURATED_PERCENT:
        said += (
            f". Without a write cache the offered load is {units.percent(offered)} of what this disk can do: its queue"
            " grew with the trace, and waiting times mean little"
        )
    return said


def _tally(study: Study, findings: pa.Table) -> Markup:
    judged = _verdicts(findings)[study.subject.name]
    return tally(counts(judged.values()), f" on {printable(study.subject.name)}")


def _verdicts(findings: pa.Table) -> dict[str, dict[str, str]]:
    """Return the verdict on each finding with all its parts, by trace."""
    by_trace: dict[str, list[Mapping[str, Any]]] = {}
    for row in findings.to_pylist():
        by_trace.setdefault(row["trace"], []).append(row)
    return {name: whole_verdicts(rows, claims()) for name, rows in by_trace.items()}


def _figure(
    table: Table,
    id_: str,
    rows: Sequence[Mapping[str, Any]],
    studies: Sequence[Study],
    shown: dict[str, pa.Table],
) -> Figure:
    """Return a table of the paper as one of the page, or a figure drawn."""
    ids = {table.id_for(row.disk) for row in table.rows}
    own = [row for row in rows if row["table"] in ids and row["metric"] in table.metrics]
    notes = [
        misprint.note for misprint in misprints() if misprint.table == table.id and _is_of(misprint, table)
    ]
    caption = " ".join(
        [table.sentence, *(f"† {note}" for note in notes), _missing(table, own, studies)]
    ).strip()
    source = f"{CITED}, section {table.section}".replace("section appendix", "appendix")
    arguments: dict[str, Any] = {"rows": 1000}
    draw = "table"
    if table.draw is None:
        shown[id_] = _beside(table, own, len(studies) > 1)
    else:
        shown[id_] = _bars(own) if table.draw == "bars" else _lines(table, own)
        draw = "policies" if table.draw == "bars" else "along"
        unit = "operations" if table.metrics == ("total_ios",) else "percent"
        arguments = {
            "unit": unit,
            "axis": table.axis,
            "empty": "There is no trace to draw, and no printed number.",
        }
    return Figure(
        id_,
        table.section,
        table.title,
        caption,
        draw,
        table=id_,
        source=source,
        wide=True,
        arguments=arguments,
    )


def _is_of(misprint: Any, table: Table) -> bool:
    return any(misprint.concerns(table.id, row) for row in table.rows)


def _missing(table: Table, own: Sequence[Mapping[str, Any]], studies: Sequence[Study]) -> str:
    """Say why there is nothing of ours in some rows."""
    if all(row["trace"] is not None for row in own):
        return ""
    if table.of == "four disks":
        disks = ", ".join(
            f"{printable(study.subject.name)} has {len(study.subject.loads)}" for study in studies
        )
        return f"Nothing stands beside it: that needs a trace of four disks ({disks})."
    return "Nothing stands beside disks of which no trace is given."


def _beside(table: Table, own: Sequence[Mapping[str, Any]], several: bool) -> pa.Table:
    """Return rows by disk, policy, setting and trace, and two columns for each metric: printed, and ours."""
    disks = list(dict.fromkeys(row["disk"] for row in own))
    found = dict.fromkeys((row["disk"], row["policy"], row["setting"], row["trace"]) for row in own)
    keys = sorted(found, key=lambda key: disks.index(key[0]))
    by_key = {(row["disk"], row["policy"], row["setting"], row["trace"], row["metric"]): row for row in own}
    doubtful = {
        (row.disk, row.policy)
        for row in table.rows
        if any(misprint.concerns(table.id, row) and misprint.disk for misprint in misprints())
    }
    columns: dict[str, pa.Array] = {
        "disk": pa.array([f"{key[0]} †" if key[:2] in doubtful else key[0] for key in keys]),
        "policy": pa.array([key[1].replace("_", " ") for key in keys]),
        "setting": pa.array([key[2] for key in keys]),
    }
    for name in ("policy", "setting"):
        if len(set(columns[name].to_pylist())) == 1:
            del columns[name]
    if several:
        columns["trace"] = pa.array([key[3] for key in keys], pa.string())
    fields = [pa.field(name, pa.string()) for name in columns]
    for metric in table.metrics:
        for whose, column in (("printed", "printed"), ("ours", "simulated")):
            name = f"{metric}_{whose}"
            columns[name] = pa.array([by_key[(*key, metric)][column] for key in keys], pa.float64())
            unit = "" if metric in WHOLE else "hundredths"
            heading = LABELS[metric] if whose == "printed" else "ours"
            fields.append(pa.field(name, pa.float64(), metadata={"unit": unit, "heading": heading}))
    return pa.table(list(columns.values()), schema=pa.schema(fields))


def _bars(own: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return bars: the printed ones of each disk, then ours."""
    bars: dict[tuple[str, str], float] = {}
    for row in own:
        setting = f", {row['setting']}" if row["metric"] == "total_ios" else ""
        policy = row["policy"].replace("_", " ")
        if row["printed"] is not None:
            bars[f"{row['disk']}, printed{setting}", policy] = row["printed"]
        if row["simulated"] is not None:
            bars[f"{printable(row['trace'])}{setting}", policy] = row["simulated"]
    rows = [{"group": group, "policy": policy, "value": value} for (group, policy), value in bars.items()]
    return pa.Table.from_pylist(rows, schema=table_schema("printed_bar"))


def _lines(table: Table, own: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return lines of ours, one for each trace and metric, and the printed points of each disk."""
    place = {(row.disk, row.setting): float(row.columns[table.along or ""]) for row in table.rows}
    points: dict[tuple[str, bool, float], float] = {}
    for row in own:
        x, label = place[row["disk"], row["setting"]], LABELS[row["metric"]].removesuffix(" %")
        if row["simulated"] is not None:
            points[f"{printable(row['trace'])}, {label}", False, x] = row["simulated"]
        if row["printed"] is not None:
            points[f"{row['disk']}, {label}, printed", True, x] = row["printed"]
    return _points(points)


def _points(points: Mapping[tuple[str, bool, float], float]) -> pa.Table:
    rows = [
        {"line": line, "printed": printed, "x": x, "value": y} for (line, printed, x), y in points.items()
    ]
    return pa.Table.from_pylist(rows, schema=table_schema("printed_point"))


def _seeks(studies: Sequence[Study]) -> pa.Table:
    """Return figure 3.1 for the drives: the time of seeks over so many cylinders, at most 200 of each drive."""
    points = {}
    for drive in {study.subject.drive.name: study.subject.drive for study in studies}.values():
        times = drive.native.seek_ns()
        step = max(1, len(times) // 150)
        near = range(min(50, len(times)))  # where the curve bends most
        for distance in sorted({*near, *range(0, len(times), step), len(times) - 1}):
            points[drive.name, False, float(distance)] = times[distance] / 1e6
    return _points(points)


def _seek_figure(table: pa.Table, shown: dict[str, pa.Table]) -> Figure:
    shown["seeks"] = table
    return Figure(
        "seeks",
        "3",
        "Figure 3.1: seek times",
        "Of the drives on which the traces are simulated. The paper prints no measured table, nor which drive its"
        " figure is of; where ours come from is told in the files of the drives.",
        "along",
        table="seeks",
        source=f"{CITED}, section 3.2",
        wide=True,
        arguments={"unit": "ms", "axis": "Cylinders"},
    )


def _findings(table: pa.Table, shown: dict[str, pa.Table]) -> Section:
    """The verdicts: a row for each claim, and for each trace its verdict with its number."""
    rows = table.to_pylist()
    names = list(dict.fromkeys(row["trace"] for row in rows))
    by_key = {(row["finding"], row["trace"]): row for row in rows}
    ids = list(dict.fromkeys(row["finding"] for row in rows))
    first = [by_key[id_, names[0]] for id_ in ids]
    columns = [
        ("finding", ids),
        ("claim", [row["claim"] for row in first]),
        ("paper", [row["paper"] for row in first]),
        ("unit", [row["unit"] for row in first]),
        *((printable(name), [_told(by_key[id_, name]) for id_ in ids]) for name in names),
    ]
    verdicts = _verdicts(table)
    shown["findings-whole"] = _headed(
        [
            ("finding", list(claims())),
            ("in short", list(claims().values())),
            *((printable(name), list(verdicts[name].values())) for name in names),
        ]
    )
    shown["findings-parts"] = _headed(columns)
    short = Figure(
        "findings-whole",
        "findings",
        "Which findings hold",
        "A finding of several parts fails with one of them, and holds if those that can be judged do.",
        "table",
        table="findings-whole",
        source=CITED,
        wide=True,
        arguments={} if len(names) > 1 else {"marks": "column 2"},
    )
    figure = Figure(
        "findings-parts",
        "findings",
        "Part by part",
        "Behind each verdict is the trace's number. A range, or an about, holds to half the step in which its numbers"
        " are given: 40 to 50 % is 35 to 55. After it comes the"
        " number that the paper prints for the disk that the trace is like, put to the same test.",
        "table",
        table="findings-parts",
        source=CITED,
        wide=True,
        arguments={"rows": 1000},
    )
    return Section("findings", "Findings", "What the paper says, judged on each trace.", (short, figure))


def _headed(columns: Sequence[tuple[str, list[str]]]) -> pa.Table:
    """Return a table of text whose columns have these headings, which may be the same: traces have any name."""
    fields = [
        pa.field(f"column {place}", pa.string(), metadata={"heading": heading})
        for place, (heading, _) in enumerate(columns)
    ]
    return pa.table([pa.array(values, pa.string()) for _, values in columns], schema=pa.schema(fields))


def _told(row: Mapping[str, Any]) -> str:
    """Return a verdict in words, with the numbers behind it, or why there is none."""
    words = [row["verdict"]]
    if row["ours"] is not None:
        words.append(f"({row['ours']:,.4g})")
    elif row["reason"]:
        words[0] += ":"
        words.append(row["reason"].partition(";")[0])
    if row["printed"] is not None:
        words[-1] += ";"
        words.append(f"paper: {row['printed_verdict']} ({row['printed']:,.4g})")
    return " ".join(words)


def _misprints(shown: dict[str, pa.Table]) -> Section:
    shown["misprints"] = pa.table(
        {
            "table": [one.table for one in misprints()],
            "disk": [one.disk or "all" for one in misprints()],
            "policy": [(one.policy or "all").replace("_", " ") for one in misprints()],
            "what": [", ".join(LABELS[metric] for metric in one.metrics) or "labels" for one in misprints()],
            "why": [one.note for one in misprints()],
        }
    )
    figure = Figure(
        "misprints",
        "misprints",
        "Doubtful cells",
        "They are shown as they are printed.",
        "table",
        table="misprints",
        wide=True,
    )
    return Section("misprints", "Where the paper contradicts itself", "What not to compare with.", (figure,))


def _slug(text: str) -> str:
    return re.sub(r"[^0-9a-z]+", "-", text.lower())
