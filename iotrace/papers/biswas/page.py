"""The page of the paper on write caches (Biswas et al. 1993), for one trace or several."""

import re
from collections.abc import Mapping, Sequence

import pyarrow as pa

from iotrace import units
from iotrace.papers.biswas.labels import labels
from iotrace.papers.biswas.likeness import likeness
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.nearness import nearness, not_met
from iotrace.papers.biswas.printed import (
    Misprint,
    Table,
    disks,
    fitted,
    goals,
    is_fitted,
    misprints,
    tables,
)
from iotrace.papers.page import (
    Page,
    Row,
    across,
    bars,
    declared,
    from_bound,
    points,
    short_number,
    tally,
    together,
    unique,
    verdicts_of,
)
from iotrace.queries.shown import shown
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.simulate.write_cache.metrics import SATURATED_PERCENT

FITTED_NOTE = "‡ The presets of generate vms were fitted on this row."
SECTIONS = ("3", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "appendix")


def write(results: Mapping[str, pa.Table], memos: Sequence[PaperMemo]) -> str:
    """Return the page of the cells, the findings and the seek times of figure 3.1."""
    page, rows, judged = Page("biswas"), results["cells"].to_pylist(), results["findings"].to_pylist()
    sections = []
    for prefix in SECTIONS:
        figures = [
            _figure(page, table, f"{_slug(table.id)}-{number}", rows, memos)
            for number, table in enumerate(tables())
            if table.section.startswith(prefix)
        ]
        if prefix == "3":
            figures.append(page.figure("seeks", results["figure_3_1"]))
        if prefix == "4.3":
            figures.append(page.figure("conservation", results["conservation"]))
        sections.append(page.section(_slug(f"section-{prefix}"), *figures))
    rows_of = {name: [row for row in judged if row["trace"] == name] for name in unique(judged, "trace")}
    verdicts = {name: verdicts_of("biswas", rows_of_trace) for name, rows_of_trace in rows_of.items()}
    metrics = [labels()[metric] for metric in results["agreement"]["metric"].to_pylist()]
    sections += [
        page.section(
            "agreement",
            page.figure(
                "agreement",
                shown(results["agreement"], label=metrics),
                None,
                None,
                fitted=_fitted_on(),
                goals=_goals(),
            ),
        ),
        _findings(page, judged, verdicts),
        page.section("misprints", page.figure("misprints", _misprints())),
    ]
    names = [memo.subject.name for memo in memos]
    return page.write(
        sections,
        [(printable(memo.subject.name), _fact(memo)) for memo in memos],
        [
            *(sentence for memo in memos for sentence in nearness(memo, len(memos) > 1)),
            *(tally(verdicts[name], rows_of[name], f" on {printable(name)}") for name in names),
        ],
        traces=together(names),
    )


def _fact(memo: PaperMemo) -> str:
    """Say what a trace was taken for, and what it was simulated on."""
    subject = memo.subject
    likeness_words = (
        f"compared with {subject.like.name}"
        if subject.like
        else "like none of the paper's disks: compared with each of them"
    )
    if likeness(subject.store):
        likeness_words += (
            " (generated, not traced: made to the counts of table 3.1, and fitted to table 4.1 and two rows of table"
            " 4.4, so that claims that rest on them are counted apart)"
        )
    name = printable(subject.busiest.name or str(subject.busiest.device))
    of = (
        f"device {name}" if len(subject.loads) == 1 else f"device {name}, the busiest of {len(subject.loads)}"
    )
    requests = subject.busiest.reads + subject.busiest.writes
    fitted = f"{units.count(memo.refitted)} of {units.count(requests)} requests brought onto it ({memo.fit})"
    fact = f"{likeness_words}; {of}, on a {subject.drive.name}; {fitted}"
    if memo.replay == "closed":
        fact += "; each request after the answer to the one before"
    if memo.time_scale != 1:
        fact += f"; times multiplied by {memo.time_scale:g}"
    offered = memo.offered_load_percent
    if offered is not None and offered > SATURATED_PERCENT:
        fact += (
            f". Without a write cache the offered load is {units.percent(offered)} of what this disk can do: its queue"
            " grew with the trace, and waiting times mean little"
        )
    return fact


def _figure(page: Page, table: Table, id_: str, rows: Sequence[Row], memos: Sequence[PaperMemo]) -> Figure:
    """Return a table of the paper as one of the page, or a figure drawn."""
    ids = {table.id_for(row.disk) for row in table.rows}
    rows_of_figure = [row for row in rows if row["table"] in ids and row["metric"] in table.metrics]
    notes = [
        f"† {misprint.note}"
        for misprint in misprints()
        if misprint.table == table.id and _is_of(misprint, table)
    ]
    place = f"section {table.section}".replace("section appendix", "appendix")
    if any(is_fitted(table, row) for row in table.rows):
        notes = [*notes, FITTED_NOTE, *(not_met(table, memo) for memo in memos)]
    caption = " ".join(filter(None, [table.caption, *notes, _missing(rows_of_figure)]))
    match table.draw:
        case None:
            drawn = _beside(table, rows_of_figure, len(memos) > 1)
        case "bars":
            drawn = _bars(rows_of_figure)
        case "lines":
            drawn = _lines(table, rows_of_figure)
    arguments = _axes(table) if table.draw else None
    return page.figure(
        id_, drawn, table.draw or "table", arguments, title=table.title, caption=caption, place=place
    )


def _axes(table: Table) -> dict[str, str]:
    return {"unit": "operations" if table.metrics == ("total_ios",) else "percent", "axis": table.axis}


def _is_of(misprint: Misprint, table: Table) -> bool:
    return any(misprint.concerns(table.id, row) for row in table.rows)


def _missing(rows: Sequence[Row]) -> str:
    """Say why there is nothing of ours in some rows."""
    without = {row["disk"] for row in rows if row["trace"] is None}
    if not without:
        return ""
    if any(row["trace"] is not None for row in rows):
        return "Disks without a trace are shown without our values."
    names = ", ".join(disk.like for disk in disks() if disk.name in without)
    return (
        "No trace of these disks is given. iotrace generate vms --like NAME -o NAME.csv makes one, with"
        f" {names} for NAME; give it to iotrace paper biswas."
    )


def _beside(table: Table, rows_of_figure: Sequence[Row], several: bool) -> pa.Table:
    """Return rows by disk, policy, setting and, if there are several, trace: each metric as printed, and ours."""
    names = unique(rows_of_figure, "disk")
    distinct = dict.fromkeys(
        (row["disk"], row["policy"], row["setting"], row["trace"]) for row in rows_of_figure
    )
    keys = sorted(distinct, key=lambda key: names.index(key[0]))
    by_key = {
        (row["disk"], row["policy"], row["setting"], row["trace"], row["metric"]): row
        for row in rows_of_figure
    }
    doubtful = {
        (row.disk, row.policy)
        for row in table.rows
        if any(misprint.concerns(table.id, row) and misprint.disk for misprint in misprints())
    }
    on = {(row.disk, row.policy) for row in table.rows if is_fitted(table, row)}
    rows = []
    for key in keys:
        disk, policy, setting, trace = key
        row = {
            "disk": disk + " †" * ((disk, policy) in doubtful) + " ‡" * ((disk, policy) in on),
            "policy": policy.replace("_", " "),
            "setting": setting,
            "trace": trace if several else None,
        }
        for metric in table.metrics:
            cell = by_key[(*key, metric)]
            row |= {metric: cell["printed"], f"{metric}_ours": cell["simulated"]}
        rows.append(row)
    return declared("printed_and_ours", rows)


def _fitted_on() -> str:
    """Name the rows on which the presets were fitted."""
    rows = [
        f"table {fit.table} ({', '.join(policy.replace('_', ' ') for policy in fit.policies)})"
        + (f", which is that of table {fit.printed_in}" if fit.printed_in else "")
        for fit in fitted()
    ]
    return "; ".join(rows)


def _goals() -> str:
    """Say what the median errors were to be below."""
    return ", ".join(f"{percent:g} % for {labels()[metric]}" for metric, percent in goals().items())


def _bars(rows: Sequence[Row]) -> pa.Table:
    """Return bars: the printed ones of each disk, then ours."""
    heights: dict[tuple[str, str], float] = {}
    for row in rows:
        setting = f", {row['setting']}" if row["metric"] == "total_ios" else ""
        policy = row["policy"].replace("_", " ")
        if row["printed"] is not None:
            heights[f"{row['disk']}, printed{setting}", policy] = row["printed"]
        if row["simulated"] is not None:
            heights[f"{printable(row['trace'])}{setting}", policy] = row["simulated"]
    return bars((*key, value) for key, value in heights.items())


def _lines(table: Table, rows: Sequence[Row]) -> pa.Table:
    """Return lines of ours, one for each trace and metric, and the printed points of each disk."""
    settings_of = {(row.disk, row.setting): float(row.columns[table.along or ""]) for row in table.rows}
    heights: dict[tuple[str, bool, float], float] = {}
    for row in rows:
        x, label = settings_of[row["disk"], row["setting"]], labels()[row["metric"]].removesuffix(" %")
        if row["simulated"] is not None:
            heights[f"{printable(row['trace'])}, {label}", False, x] = row["simulated"]
        if row["printed"] is not None:
            heights[f"{row['disk']}, {label}, printed", True, x] = row["printed"]
    return points((*settings_of, value) for settings_of, value in heights.items())


def seek_times(memos: Sequence[PaperMemo]) -> pa.Table:
    """Return figure 3.1 for the drives: seek time by number of cylinders, at most 200 points for each drive."""
    times_ms = {}
    for drive in {memo.subject.drive.name: memo.subject.drive for memo in memos}.values():
        times = drive.native.seek_ns()
        step = max(1, len(times) // 150)
        near = range(min(50, len(times)))  # where the curve bends most
        for distance in sorted({*near, *range(0, len(times), step), len(times) - 1}):
            times_ms[drive.name, False, float(distance)] = times[distance] / 1e6
    return points((*key, value) for key, value in times_ms.items())


def _findings(page: Page, rows: Sequence[Row], verdicts: Mapping[str, Mapping[str, str]]) -> Section:
    """The verdicts: a row for each claim, and for each trace its verdict with its number."""
    parts = declared("claims_by_trace", across(rows, "trace", "on", _judged))
    by_trace = {printable(name): verdict_of for name, verdict_of in verdicts.items()}
    return page.findings(rows, by_trace, parts)


def _judged(row: Row) -> str:
    """Return a verdict in words, with the numbers behind it, or why there is none."""
    parts = [row["verdict"]]
    if row["ours"] is not None:
        parts.append(f"({short_number(row, 'ours')}; {from_bound(row)})")
    elif row["reason"]:
        parts[0] += ":"
        parts.append(row["reason"].partition(";")[0])
    if row["printed"] is not None:
        parts[-1] += ";"
        parts.append(f"paper: {row['printed_verdict']} ({short_number(row, 'printed')})")
    return " ".join(parts)


def _misprints() -> pa.Table:
    return declared(
        "misprints",
        [
            {
                "table": misprint.table,
                "disk": misprint.disk or "all",
                "policy": (misprint.policy or "all").replace("_", " "),
                "what": ", ".join(labels()[metric] for metric in misprint.metrics) or "labels",
                "why": misprint.note,
            }
            for misprint in misprints()
        ],
    )


def _slug(text: str) -> str:
    return re.sub(r"[^0-9a-z]+", "-", text.lower())
