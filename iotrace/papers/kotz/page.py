"""One page with the tables, figures and findings of the paper on parallel file systems (Kotz and Ellis 1991)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from iotrace import units
from iotrace.papers.findings import Verdict, whole_verdicts
from iotrace.papers.findings.tally import tally
from iotrace.papers.kotz import (
    Cell,
    Study,
    Table,
    cells,
    claims,
    figures,
    judge,
    points,
    tables,
    verdict_counts,
)
from iotrace.papers.kotz.printed import overheads
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.figures import Figure, Section
from iotrace.reports.pages.schemas import table_schema
from iotrace.simulate.parallel_fs.overheads import preset

Progress = Callable[[str], None]
Row = Mapping[str, Any]
BRAND = "iotrace paper"
CITED = "Kotz and Ellis 1991"
CALIBRATED = "calibrated"
WITHIN = 0.10
"""How far the calibrated preset may be off a printed cell."""
WITHIN_FREE = 0.07
"""How far the disks alone may be off the cells that they alone make."""
MEANINGS = {
    "disk_request_ns": "before each disk request that a process waits for",
    "read_management_ns": "at each access to a block of the cache, reading",
    "write_management_ns": "at each access to a block of the cache, writing",
    "copy_ns_per_kbyte": "for each KB copied; those who use one buffer share it",
    "copy_piece_bytes": "after so many bytes of a copy it is the next one's turn",
}
POLICY_NOTE = "WriteFull hides WriteThru where they are the same."


def all_tables(
    study: Study, progress: Progress = lambda doing: None, with_figures: bool = True
) -> dict[str, pa.Table]:
    """Return the cells and, with the figures, the points of their curves and the findings."""
    study.prepare(with_figures, progress)
    made = {"cells": cells(study)}
    if not with_figures:
        return made
    progress("judging the findings")
    return {**made, "points": points(study), "findings": judge(study)}


def files(made: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the tables by the names of the CSV files: one for each table and figure of the paper, and the findings."""
    found = {table.id: made["cells"].filter(pc.equal(made["cells"]["table"], table.id)) for table in tables()}
    for figure in figures():
        found[figure.id] = made["points"].filter(pc.equal(made["points"]["figure"], figure.id))
    return {**found, "findings": made["findings"]}


def page(made: Mapping[str, pa.Table]) -> str:
    """Return the page of `all_tables`."""
    shown: dict[str, pa.Table] = {}
    rows = made["cells"].to_pylist()
    sections = [
        _tables(rows, shown),
        _curves(made["points"].to_pylist(), shown),
        _findings(made["findings"], shown),
        _overheads(rows, shown),
    ]
    return compose(
        sections,
        shown,
        brand=BRAND,
        title="A parallel file system's buffer cache, simulated beside the paper of 1991",
        headline="Beside the paper on writeback policies in parallel file systems of 1991",
        facts=[
            ("Paper", "Caching and Writeback Policies in Parallel File Systems, Kotz and Ellis 1991"),
            ("Simulated", "20 processes, 20 disks of 30 ms, 4 MB in blocks of 1 KB; five trials"),
        ],
        sentences=[*_accuracy(rows), tally(verdict_counts(made["findings"]), " in the simulation")],
    )


def _accuracy(rows: Sequence[Row]) -> list[Markup]:
    """Say how near the printed cells are, with the preset and by the disks alone."""
    fitted = {cell.key for table in tables() for cell in table.cells if cell.fits}
    validating = {cell.key for table in tables() for cell in table.cells if cell.validates}
    free = {cell.key for table in tables() for cell in table.cells if cell.is_overhead_free}
    calibrated = [row for row in rows if row["overhead"] == CALIBRATED]
    alone = [row for row in rows if row["overhead"] != CALIBRATED and _key(row) in free]
    worst = max((row for row in calibrated), key=lambda row: abs(row["error"]))
    near = sum(abs(row["error"]) <= WITHIN for row in calibrated)
    near_free = sum(abs(row["error"]) <= WITHIN_FREE for row in alone)
    worst_free = max(alone, key=lambda row: abs(row["error"]))
    others = [abs(row["error"]) for row in calibrated if _key(row) in validating]
    chosen_by = len(calibrated) - len(fitted) - len(others)
    return [
        Markup(
            "With one preset of overheads <b>{} of the {}</b> printed times are met within {:.0f} %; the farthest is"
            " off by {:+.1f} % ({}). The preset was fitted on {} of them and its rules chosen by {}: the {} others are"
            " {:.1f} % off in the mean, at most {:.1f} %."
        ).format(
            near,
            len(calibrated),
            100 * WITHIN,
            100 * worst["error"],
            _named(worst),
            len(fitted),
            chosen_by,
            len(others),
            100 * sum(others) / len(others),
            100 * max(others),
        ),
        Markup(
            "The disks alone, without any overhead, meet <b>{} of the {}</b> cells that they alone make within"
            " {:.0f} %; the farthest is off by {:+.1f} % ({})."
        ).format(near_free, len(alone), 100 * WITHIN_FREE, 100 * worst_free["error"], _named(worst_free)),
    ]


def _key(row: Row) -> tuple[str, str, str, bool]:
    return row["table"], row["pattern"], row["record"], row["cache"]


def _named(row: Row) -> str:
    does = "read" if row["table"] == "read_only" else "written"
    record, cached = row["record"].replace("_", "-"), "cache" if row["cache"] else "no cache"
    return f"{row['pattern']} {does}, {record} records, {cached}"


def _tables(rows: Sequence[Row], shown: dict[str, pa.Table]) -> Section:
    by_key = {(_key(row), row["overhead"]): row for row in rows}
    drawn = []
    for table in tables():
        id_ = table.id.replace("_", "-")
        shown[id_] = _beside(table, by_key)
        shown[f"{id_}-counts"] = _counts(table, by_key)
        drawn += [
            Figure(
                id_,
                "tables",
                f"{table.title}: printed and simulated",
                f"{table.sentence} Beside each printed time stand the simulated one without overheads and the one with"
                " the calibrated preset. † The preset was fitted on this row's cells, or on some of them.",
                "table",
                table=id_,
                source=f"{CITED}, section 4.3",
                wide=True,
                arguments={"rows": 100},
            ),
            Figure(
                f"{id_}-counts",
                "tables",
                f"{table.title}: what the disks did",
                "Means of five trials with the calibrated preset. Where quarter-block records miss the cache four times"
                " over, or a block is written before it is full, the disks do it again.",
                "table",
                table=f"{id_}-counts",
                source=f"{CITED}, section 4.3",
                wide=True,
                arguments={"rows": 100},
            ),
        ]
    return Section(
        "tables",
        "The tables",
        "The paper prints 44 times in two tables. What a simulation of its disks alone makes of them says which of"
        " them are I/O; what remains is what the testbed spent besides.",
        tuple(drawn),
    )


def _beside(table: Table, by_key: Mapping[Any, Row]) -> pa.Table:
    """Return rows by pattern and record; without a cache and with one: printed, and ours twice with its error."""
    pairs = list(zip(table.cells[::2], table.cells[1::2], strict=True))
    columns: list[pa.Array] = [
        pa.array([_fitted_mark(one, other) for one, other in pairs]),
        pa.array([one.record.words for one, _ in pairs]),
    ]
    fields = [pa.field("pattern", pa.string()), pa.field("record", pa.string())]
    for place, cached in enumerate(("no cache", "cache")):
        chosen = [pair[place] for pair in pairs]
        columns.append(pa.array([cell.printed_s for cell in chosen]))
        fields.append(_number(f"{place} printed", f"{cached}: printed s", "tenths"))
        for one in overheads():
            made = [by_key[cell.key, one.id] for cell in chosen]
            columns += [
                pa.array([row["simulated_s"] for row in made]),
                pa.array([row["error"] for row in made]),
            ]
            fields.append(_number(f"{place} {one.id}", one.id, "hundredths"))
            fields.append(_number(f"{place} {one.id} error", "error", "error"))
    return pa.table(columns, schema=pa.schema(fields))


def _fitted_mark(*chosen: Cell) -> str:
    return f"{chosen[0].pattern.value} †" if any(cell.fits for cell in chosen) else chosen[0].pattern.value


def _number(name: str, heading: str, unit: str) -> pa.Field:
    return pa.field(name, pa.float64(), metadata={"heading": heading, "unit": unit})


def _counts(table: Table, by_key: Mapping[Any, Row]) -> pa.Table:
    rows = [by_key[cell.key, CALIBRATED] for cell in table.cells]
    columns: dict[str, pa.Array] = {
        "pattern": pa.array([cell.pattern.value for cell in table.cells]),
        "record": pa.array([cell.record.words for cell in table.cells]),
        "cache": pa.array(["cache" if cell.cache else "no cache" for cell in table.cells]),
    }
    fields = [pa.field(name, pa.string()) for name in columns]
    numbers = ("disk_reads", "disk_writes", "rewrites", "rereads")
    for name in numbers if table.id == "write_only" else numbers[:1]:
        columns[name] = pa.array(
            [None if row[name] is None else round(row[name]) for row in rows], pa.int64()
        )
        fields.append(pa.field(name, pa.int64()))
    columns["hits"] = pa.array([_hundredfold(row["hit_ratio"]) for row in rows], pa.float64())
    columns["cv"] = pa.array([_hundredfold(row["cv"]) for row in rows], pa.float64())
    fields += [_number("hits", "hits", "percent"), _number("cv", "cv of the time", "percent")]
    return pa.table(list(columns.values()), schema=pa.schema(fields))


def _hundredfold(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _curves(rows: Sequence[Row], shown: dict[str, pa.Table]) -> Section:
    drawn = []
    for figure in figures():
        id_, own = figure.id.replace("_", "-"), [row for row in rows if row["figure"] == figure.id]
        along = "buffers" if figure.along == "buffers" else "record_blocks"
        shown[id_] = _points(own, along)
        note = f" {POLICY_NOTE}" if figure.along == "buffers" else ""
        drawn.append(
            Figure(
                id_,
                "figures",
                figure.title,
                figure.sentence + note,
                "along",
                table=id_,
                source=f"{CITED}, section 4.4",
                arguments={
                    "unit": "Seconds",
                    "axis": "Buffers" if figure.along == "buffers" else "Record size in blocks",
                    "dashed": ["ideal"],
                    "cropped": min(row["execution_s"] for row in own) > 3 * _range(own),
                    "points": True,
                },
            )
        )
    return Section(
        "figures",
        "The figures",
        "The data of the paper's figures are lost; these curves are ours, with the calibrated preset, each point the"
        " mean of five trials. The dotted line is the ideal time (section 4.2).",
        tuple(drawn),
    )


def _range(rows: Sequence[Row]) -> float:
    """Return how far apart the times of a figure are."""
    times: list[float] = [row["execution_s"] for row in rows]
    return max(times) - min(times)


def _points(own: Sequence[Row], along: str) -> pa.Table:
    lines = [(row["policy"], row[along], row["execution_s"]) for row in own]
    first = own[0]["policy"]
    ideal = [("ideal", row[along], row["ideal_s"]) for row in own if row["policy"] == first]
    rows = [{"line": line, "printed": False, "x": x, "value": value} for line, x, value in lines + ideal]
    return pa.Table.from_pylist(rows, schema=table_schema("printed_point"))


def _findings(table: pa.Table, shown: dict[str, pa.Table]) -> Section:
    """The verdicts: a row for each finding, and one for each claim in it with the numbers."""
    rows = table.to_pylist()
    shown["findings-whole"] = pa.table(
        {
            "finding": list(claims()),
            "in short": list(claims().values()),
            "verdict": list(whole_verdicts(rows, claims()).values()),
        }
    )
    shown["findings-parts"] = pa.table(
        {
            "finding": [row["finding"] for row in rows],
            "claim": [row["claim"] for row in rows],
            "section": [row["section"] for row in rows],
            "number": [_told(row["ours"], row["unit"]) for row in rows],
            "must be": [row["bounds"] for row in rows],
            "verdict": [row["verdict"] for row in rows],
            "printed tables": [
                None
                if row["printed"] is None
                else f"{row['printed_verdict']} ({_told(row['printed'], row['unit'])})"
                for row in rows
            ],
        }
    )
    fails = [row for row in rows if row["verdict"] == Verdict.FAILS]
    shown["findings-fail"] = pa.table(
        {
            "finding": [row["finding"] for row in fails],
            "claim": [row["claim"] for row in fails],
            "number": [_told(row["ours"], row["unit"]) for row in fails],
            "must be": [row["bounds"] for row in fails],
            "why": pa.array([row["note"] for row in fails], pa.string()),
        }
    )
    short = Figure(
        "findings-whole",
        "findings",
        "Which findings hold",
        "A finding of several parts fails with one of them.",
        "table",
        table="findings-whole",
        source=CITED,
        wide=True,
        arguments={"marks": "verdict"},
    )
    fail = Figure(
        "findings-fail",
        "findings",
        "What does not come out, and why",
        "The parts of findings that the simulation does not bear out.",
        "table",
        table="findings-fail",
        source=CITED,
        wide=True,
        arguments={"empty": "All come out."},
    )
    parts = Figure(
        "findings-parts",
        "findings",
        "Part by part",
        "Each claim as a predicate on one number of the simulation with the calibrated preset. The last column puts the"
        " same predicate to the times that the paper prints. Words as numbers: near is within 5 %, clearly 5 % and"
        " more, much 10 % and more, poor twice the time.",
        "table",
        table="findings-parts",
        source=CITED,
        wide=True,
        arguments={"marks": "verdict", "rows": 1000},
    )
    return Section(
        "findings", "Findings", "What the paper says, judged on the simulation.", (short, fail, parts)
    )


def _told(number: float | None, unit: str) -> str | None:
    if number is None:
        return None
    written = units.count(number) if abs(number) >= 1000 else f"{number:,.4g}"
    return f"{written} {unit}" if unit not in ("ratio", "share") else written


def _overheads(rows: Sequence[Row], shown: dict[str, pa.Table]) -> Section:
    """The preset: each number, what it is of, and the cells that it was fitted on."""
    name = next(one.preset for one in overheads() if one.id == CALIBRATED)
    by_key = {_key(row): row for row in rows if row["overhead"] == CALIBRATED}
    numbers, found = preset(name), []
    for key, meaning in MEANINGS.items():
        value = getattr(numbers, key)
        fitted = [cell for table in tables() for cell in table.cells if key in cell.fits]
        found.append(
            {
                "overhead": key.removesuffix("_bytes").replace("_ns", "").replace("_", " "),
                "mean": f"{value:,} bytes" if key.endswith("_bytes") else f"{value / 1e6:g} ms",
                "when": meaning,
                "fitted on": "; ".join(_fit(by_key[cell.key]) for cell in fitted)
                or ("assumed" if key.endswith("_bytes") else "the machine's memory: 4 MB/s"),
            }
        )
    shown["overheads"] = pa.Table.from_pylist(found)
    figure = Figure(
        "overheads",
        "overheads",
        "The calibrated preset",
        "Drawn within ± 50 % whenever they pass. Three rules were chosen among alternatives: a process leaves its last"
        " block, then the management passes, then the next block is looked up; when a buffer may be free, whoever of"
        " those waiting looks first gets it (both by seg and gw written through a cache); copies from one buffer take"
        " turns piece by piece (by lw read through it).",
        "table",
        table="overheads",
        source=CITED,
        wide=True,
    )
    return Section(
        "overheads",
        "What the testbed spent",
        "RAPID-Transit ran on a BBN GP1000: each overhead is something that such a machine does, one number for all"
        " patterns, record sizes and policies.",
        (figure,),
    )


def _fit(row: Row) -> str:
    return f"{_named(row)}: printed {row['printed_s']:g} s, simulated {row['simulated_s']:.2f}"
