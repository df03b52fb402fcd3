"""One page with every table and figure of the dissertation's chapters 3 to 5, for one trace or several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.device import DEVICE_1994
from iotrace.analysis.lines import runs
from iotrace.papers.richardson import cache_figures, cache_judging
from iotrace.papers.richardson.attribute_figures import figure_table, figures
from iotrace.papers.richardson.attribute_improvements import Regions, improvements
from iotrace.papers.richardson.attribute_judging import judge
from iotrace.papers.richardson.characterization import compare_with_paper
from iotrace.papers.richardson.paging import demand_paging
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.simulate.attribute import Searches, Study, comparison, regrets, spaces, variable

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Deletes
    from iotrace.store.store import Store

Progress = Callable[[str], None]
BRAND = "iotrace paper"
_CITED = "Richardson 1994"
_PARTS = ("figures", "improvements", "table_5_1", "least_regret")
"""The tables of chapter 5 but for its findings."""


@dataclass(frozen=True)
class Seen:
    """A trace by the dissertation's model of the file system, and by today's where that is looked at too."""

    paper: Store
    today: Store | None = None


def _study(store: Store, deletes: Deletes, progress: Callable[[int, int], None]) -> Study:
    """Return a study of a store on the dissertation's disk."""
    disk = DEVICE_1994
    cache = Cache(deletes=deletes, overhead_ms=disk.overhead_ms, transfer_ms_per_kb=disk.transfer_ms_per_kb)
    return Study(store, cache=cache, progress=progress)


def attribute_tables(
    traces: Mapping[str, Seen],
    regions: Regions = "printed",
    ids: Sequence[str] | None = None,
    progress: Progress = lambda doing: None,
) -> dict[str, pa.Table]:
    """Return chapter 5 for traces: improvements by region, table 5.1 beside the best, findings judged, figures.

    The paper's caches keep deleted files' blocks; today's drop them.
    """
    studies, today = {}, {}
    for name, seen in traces.items():
        told = _percent(f"{name}: simulating attribute caches", progress)
        studies[name] = _study(seen.paper, "ignore", told)
        if seen.today is not None:
            today[name] = _study(seen.today, "honour", told)
    drawn = figure_table(studies, ids)
    both = today if len(today) == len(studies) else None
    judged = [_named(name, judge(study, today.get(name))) for name, study in studies.items()]
    searches = {name: Searches(study, spaces()) for name, study in studies.items()}
    totals = variable().printed_bytes
    compared = [comparison(name, search, variable(), totals) for name, search in searches.items()]
    return {
        "improvements": improvements(studies, both, regions),
        "table_5_1": _stacked(compared),
        "least_regret": regrets(list(searches), list(searches.values()), variable(), totals),
        "findings": _stacked(judged),
        "figures": drawn,
    }


def _percent(doing: str, progress: Progress) -> Callable[[int, int], None]:
    return lambda done, of: progress(f"{doing}, {100 * done // max(of, 1)} %")


def all_tables(
    traces: Mapping[str, Seen],
    regions: Regions = "printed",
    progress: Progress = lambda doing: None,
) -> dict[str, pa.Table]:
    """Return chapters 3 to 5 for traces, by name: what a page shows and what the CSV files hold."""
    rows, judged, paging, curves = [], [], [], []
    for name, seen in traces.items():
        progress(f"{name}: chapter 3")
        connections = [one.sandboxed() for one in (seen.paper, seen.today) if one is not None]
        try:
            compared = compare_with_paper(connections[0], None, *connections[1:])
        finally:
            for connection in connections:
                connection.close()
        rows.append(_named(name, compared["paper_tables"]))
        progress(f"{name}: chapter 4")
        study = runs.Study(seen.paper)
        today = runs.Study(seen.today, deletes="honour") if seen.today else None
        judged += [
            _named(name, _judged(compared["paper_findings"])),
            _named(name, cache_judging.judge(study, today)),
        ]
        paging.append(_named(name, demand_paging(seen.paper)))
        curves.append(_named(name, cache_figures.figure_tables(study)))
    chapter_5 = attribute_tables(traces, regions, None, progress)
    return {
        "chapter_3": _stacked(rows),
        "chapter_4_figures": _stacked(curves),
        "chapter_4_demand_paging": _stacked(paging),
        **{f"chapter_5_{part}": chapter_5[part] for part in _PARTS},
        "findings": _stacked([*judged, chapter_5["findings"]]),
    }


def page(tables: Mapping[str, pa.Table], traces: Sequence[str]) -> str:
    """Return the page of `all_tables`, or of `attribute_tables`."""
    made: dict[str, pa.Table] = {}
    sections = []
    if "chapter_3" in tables:
        sections += [_chapter_3(tables["chapter_3"], made), _chapter_4(tables, made)]
    chapter_5 = {part: tables[f"chapter_5_{part}" if "chapter_3" in tables else part] for part in _PARTS}
    sections += [_chapter_5(chapter_5, made), _findings(tables["findings"], made)]
    names = [printable(name) for name in traces]
    several = f"{len(names)} traces" if len(names) > 1 else names[0]
    return compose(
        sections,
        made,
        brand=BRAND,
        title=f"{several} beside the dissertation",
        headline=f"{several} beside the dissertation of 1994",
        facts=[("Traces", ", ".join(names))],
    )


def _chapter_3(table: pa.Table, made: dict[str, pa.Table]) -> Section:
    """One table for each of the dissertation's tables and figures: the paper's average, ours, and each trace."""
    rows = table.to_pylist()
    shown = []
    for item in dict.fromkeys(row["item"] for row in rows):
        own = [row for row in rows if row["item"] == item]
        keys = list(dict.fromkeys((row["row"], row["quantity"], row["unit"]) for row in own))
        by_key = {(row["row"], row["quantity"], row["trace"]): row for row in own}
        names = list(dict.fromkeys(row["trace"] for row in own))
        columns: dict[str, Any] = {
            "row": [key[0] for key in keys],
            "quantity": [key[1] for key in keys],
            "unit": [key[2] for key in keys],
            "paper": [by_key[(*key[:2], names[0])]["paper"] for key in keys],
            "ours": [_mean(by_key[(*key[:2], name)]["ours"] for name in names) for key in keys],
        }
        if len(names) > 1:
            columns |= {name: [by_key[(*key[:2], name)]["ours"] for key in keys] for name in names}
        id_ = f"chapter-3-{re.sub(r'[^0-9a-z]+', '-', item.lower())}"
        made[id_] = pa.table(columns)
        shown.append(
            Figure(
                id_, "chapter-3", item[0].upper() + item[1:], "", "table", table=id_, source=_CITED, wide=True
            )
        )
    lead = (
        "The dissertation's numbers are averages over its eleven workloads; ours are the mean over the traces, and"
        " each trace by itself. By the dissertation's model of the file system."
    )
    return Section("chapter-3", "Chapter 3: what is referenced", lead, tuple(shown))


def _chapter_4(tables: Mapping[str, pa.Table], made: dict[str, pa.Table]) -> Section:
    shown = []
    rows = tables["chapter_4_figures"].to_pylist()
    for id_, figure in cache_figures.figures().items():
        own = [row for row in rows if row["figure"] == id_ and row["value"] is not None]
        name = f"figure-{id_.replace('.', '-')}"
        made[name] = _drawable([{**row, "printed": False} for row in [*own, *_means(own)]])
        shown.append(_drawn(name, "chapter-4", figure.title, figure.sentence, id_, figure.section))
    made["demand-paging"] = tables["chapter_4_demand_paging"]
    shown.append(
        Figure(
            "demand-paging",
            "chapter-4",
            "Equation 4.2: demand paging",
            "Which part of an executable can be paged in before fetching it whole is faster.",
            "table",
            table="demand-paging",
            source=f"{_CITED}, section 4.1.2",
            wide=True,
        )
    )
    lead = (
        "Exact curves. The dissertation's figures are drawings whose numbers are not printed; what its text says of"
        " them is judged below."
    )
    return Section("chapter-4", "Chapter 4: working sets", lead, tuple(shown))


def _chapter_5(tables: Mapping[str, pa.Table], made: dict[str, pa.Table]) -> Section:
    made["improvements"] = tables["improvements"]
    made["table-5-1"] = _table_5_1(tables["table_5_1"].to_pylist(), tables["least_regret"].to_pylist())
    shown = [
        Figure(
            "improvements",
            "chapter-5",
            "The variable scheme beside the Unix baseline, by region",
            "Changes in percent: means over traces, then over the sizes of table 5.1, beside the dissertation's.",
            "table",
            table="improvements",
            source=f"{_CITED}, sections 5.6 and 6.1",
            wide=True,
        ),
        Figure(
            "table-5-1",
            "chapter-5",
            "Table 5.1: the variable scheme, and the best partition",
            "Means over the traces. The best partition is each trace's own; the last columns have the one partition"
            " that over all traces is nearest to these (the least mean regret).",
            "table",
            table="table-5-1",
            source=f"{_CITED}, table 5.1; the best partitions are iotrace's",
            wide=True,
        ),
    ]
    rows = [{**row, "size_bytes": row["total_bytes"]} for row in tables["figures"].to_pylist()]
    for id_ in dict.fromkeys(row["figure"] for row in rows):
        figure = figures()[id_]
        name = f"figure-{id_.replace('.', '-')}"
        made[name] = _drawable([row for row in rows if row["figure"] == id_])
        one = _drawn(name, "chapter-5", figure.title, figure.sentence, id_, figure.section)
        arguments: dict[str, Any] = {"logarithmic": True}
        if figure.is_relative:
            arguments = {"relative": True, "axis": "Of the Unix baseline"}
        shown.append(replace(one, arguments=arguments))
    lead = (
        "Table 5.1's scheme at every size; dots mark the sizes that the dissertation prints. Bold lines are means over"
        " the traces, thin ones the traces (where a figure has many lines, the legend shows them)."
    )
    return Section("chapter-5", "Chapter 5: attribute caches", lead, tuple(shown))


def _table_5_1(compared: Sequence[Mapping[str, Any]], regretted: Sequence[Mapping[str, Any]]) -> pa.Table:
    def means(name: str, times: float = 1.0) -> list[float | None]:
        by_total = [[row[name] for row in compared if row["total_bytes"] == total] for total in totals]
        found = [_mean(values) for values in by_total]
        return [None if one is None else times * one for one in found]

    totals = [row["total_bytes"] for row in regretted]
    shown = {row["total_bytes"]: row["configuration"] for row in compared}
    columns: dict[str, tuple[str, Any]] = {
        "total": ("bytes", totals),
        "configuration": ("notation", [shown[total] for total in totals]),
        "Unix read misses": ("percent", means("baseline_read_request_miss_ratio", 100)),
        "read misses": ("percent", means("read_request_miss_ratio", 100)),
        "above the best": ("percent", means("above_best_percent")),
        "nearest to all": ("notation", [row["configuration"] for row in regretted]),
        "regret": ("percent", [row["mean_regret_percent"] for row in regretted]),
    }
    table = pa.table({name: values for name, (_, values) in columns.items()})
    fields = [
        field.with_metadata({"unit": unit})
        for field, (unit, _) in zip(table.schema, columns.values(), strict=True)
    ]
    return table.cast(pa.schema(fields))


def _findings(table: pa.Table, made: dict[str, pa.Table]) -> Section:
    """The verdicts: a row for each finding, a column for each trace."""
    rows = table.to_pylist()
    names = list(dict.fromkeys(row["trace"] for row in rows))
    by_key = {(row["finding"], row["trace"]): row for row in rows}
    ids = list(dict.fromkeys(row["finding"] for row in rows))
    first = [by_key[id_, names[0]] for id_ in ids]
    columns: dict[str, Any] = {
        "finding": ids,
        "claim": [row["claim"] for row in first],
        "paper": [row["paper"] for row in first],
        "unit": [row["unit"] for row in first],
        "holds": pa.array(
            [sum(by_key[id_, name]["verdict"] == "holds" for name in names) for id_ in ids], pa.int64()
        ),
        "fails": pa.array(
            [sum(by_key[id_, name]["verdict"] == "fails" for name in names) for id_ in ids], pa.int64()
        ),
    }
    for name in names:
        columns[name] = [_told(by_key[id_, name]) for id_ in ids]
    made["findings"] = pa.table(columns)
    shown = Figure(
        "findings",
        "findings",
        "Which claims hold",
        "A range holds if the trace lies within it; an average holds within the stated factor. Behind each verdict"
        " is the trace's number.",
        "table",
        table="findings",
        source=f"{_CITED}, chapters 3 to 5",
        wide=True,
        arguments={"rows": 1000},
    )
    return Section("findings", "Findings", "What the dissertation says, judged on each trace.", (shown,))


def _told(row: Mapping[str, Any]) -> str:
    number = "" if row["ours"] is None else f" ({row['ours']:,.3g})"
    return f"{row['verdict']}{number}"


def _means(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each line's mean over the traces; a trace's last size holds for all larger ones."""
    found = []
    for line in dict.fromkeys(row["line"] for row in rows):
        points: dict[str, dict[int, float]] = {}
        for row in rows:
            if row["line"] == line:
                points.setdefault(row["trace"], {})[row["size_bytes"]] = row["value"]
        for size in sorted({size for own in points.values() for size in own}):
            values = [
                own[max(one for one in own if one <= size)] for own in points.values() if min(own) <= size
            ]
            found.append(
                {"line": line, "trace": None, "size_bytes": size, "value": sum(values) / len(values)}
            )
    return found


def _drawn(name: str, section: str, title: str, sentence: str, id_: str, place: str) -> Figure:
    return Figure(
        name,
        section,
        f"Figure {id_}: {title}",
        sentence,
        "over_sizes",
        table=name,
        source=f"{_CITED}, figure {id_}, section {place}",
        wide=True,
    )


def _drawable(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return lines as a table: line, trace (none for a mean), size, value, and whether the size is printed."""
    schema = pa.schema(
        [
            pa.field("line", pa.string()),
            pa.field("trace", pa.string()),
            pa.field("size_bytes", pa.int64(), metadata={"unit": "bytes"}),
            pa.field("value", pa.float64()),
            pa.field("printed", pa.bool_()),
        ]
    )
    traces = {row["trace"] for row in rows} - {None}
    kept = [row for row in rows if len(traces) > 1 or row["trace"] is not None]
    return pa.Table.from_pylist([{name: row[name] for name in schema.names} for row in kept], schema=schema)


def _named(name: str, table: pa.Table) -> pa.Table:
    """Return a table with the trace's name in front."""
    field = pa.field("trace", pa.string(), False, {"unit": "name", "sentence": "The trace."})
    return table.add_column(0, field, pa.array([name] * table.num_rows, pa.string()))


def _stacked(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables)


def _judged(table: pa.Table) -> pa.Table:
    """Leave out the findings of chapter 3 that only a curve can judge: chapter 4 does."""
    return table.filter(pc.not_equal(table["kind"], "curve"))


def _mean(values: Any) -> float | None:
    told = [float(value) for value in values if value is not None]
    return sum(told) / len(told) if told else None
