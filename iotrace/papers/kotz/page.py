"""The page of the paper on parallel file systems (Kotz and Ellis 1991): its tables, figures and findings."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from markupsafe import Markup

from iotrace.papers.kotz.cells import WITHIN
from iotrace.papers.kotz.memo import CALIBRATED
from iotrace.papers.kotz.printed import Cell, PrintedFigure, Table, cells_of, figures, overheads, tables
from iotrace.papers.kotz.readings import moving
from iotrace.papers.page import (
    Page,
    Row,
    bounds_of,
    declared,
    number_of,
    plain,
    points,
    tally,
    verdicts_of,
)
from iotrace.reports.pages.figures import Figure, Section
from iotrace.simulate.parallel_fs.overheads import preset

Key = tuple[str, str, str, bool]
WITHIN_FREE = 0.07
"""How far the disks alone may be off the cells that they alone make."""
MEANINGS = {
    "disk_request_ns": "before each disk request that a process waits for",
    "read_management_ns": "at each access to a block of the cache, reading",
    "write_management_ns": "at each access to a block of the cache, writing",
    "write_start_ns": "for each disk write of a buffer that a process starts",
    "copy_ns_per_kbyte": "for each KB copied; those who use one buffer share it",
    "copy_piece_bytes": "bytes of a copy after which the next waiting copy takes its turn",
}
FACTS = [
    ("Paper", "Caching and Writeback Policies in Parallel File Systems, Kotz and Ellis 1991"),
    ("Simulated", "20 processes, 20 disks of 30 ms, 4 MB in blocks of 1 KB; five trials"),
]


def write(results: Mapping[str, pa.Table]) -> str:
    """Return the page of the cells, the points, the findings and, where there are any, the readings."""
    page, rows, judged = Page("kotz"), results["cells"].to_pylist(), results["findings"].to_pylist()
    by_key = {(_key(row), row["overhead"]): row for row in rows}
    curves = results["points"].to_pylist()
    sections = [
        page.section("tables", *(figure for table in tables() for figure in _table(page, table, by_key))),
        page.section("figures", *(_curves(page, figure, curves) for figure in figures())),
        _findings(page, judged, results.get("readings")),
        page.section("overheads", page.figure("overheads", _overheads(by_key))),
    ]
    verdicts = tally(verdicts_of("kotz", judged), judged, " in the simulation")
    return page.write(sections, FACTS, [*_accuracy(rows), verdicts])


def _accuracy(rows: Sequence[Row]) -> list[Markup]:
    """Say how near the printed cells are, with the preset and by the disks alone."""
    fitted = {cell.key for table in tables() for cell in table.cells if cell.fits}
    validating = {cell.key for table in tables() for cell in table.cells if cell.validates}
    free = {cell.key for table in tables() for cell in table.cells if cell.is_overhead_free}
    calibrated = [row for row in rows if row["overhead"] == CALIBRATED]
    alone = [row for row in rows if row["overhead"] != CALIBRATED and _key(row) in free]
    worst, worst_free = (max(some, key=lambda row: abs(row["error"])) for some in (calibrated, alone))
    others = [abs(row["error"]) for row in calibrated if _key(row) in validating]
    return [
        Markup(
            "One preset of overheads reproduces <b>{} of the {}</b> printed times within {:.0f} %; the largest error"
            " is {:+.1f} % ({}). The preset was fitted on {} of them, its rules were chosen with {}; the {} others have"
            " a mean error of {:.1f} %, and at most {:.1f} %."
        ).format(
            sum(abs(row["error"]) <= WITHIN for row in calibrated),
            len(calibrated),
            100 * WITHIN,
            100 * worst["error"],
            _named(worst),
            len(fitted),
            len(calibrated) - len(fitted) - len(others),
            len(others),
            100 * sum(others) / len(others),
            100 * max(others),
        ),
        Markup(
            "The disks alone, without overheads, reproduce <b>{} of the {}</b> times that depend on the disks only"
            " within {:.0f} %; the largest error is {:+.1f} % ({})."
        ).format(
            sum(abs(row["error"]) <= WITHIN_FREE for row in alone),
            len(alone),
            100 * WITHIN_FREE,
            100 * worst_free["error"],
            _named(worst_free),
        ),
    ]


def _key(row: Row) -> Key:
    return row["table"], row["pattern"], row["record"], row["cache"]


def _named(row: Row) -> str:
    return next(cell.in_words for cell in cells_of(row["table"]) if cell.key == _key(row))


def _table(page: Page, table: Table, by_key: Mapping[tuple[Key, str], Row]) -> list[Figure]:
    id_ = table.id.replace("_", "-")
    texts = {"title": table.title, "caption": table.caption}
    return [
        page.figure(id_, _times(table, by_key), "times", **texts),
        page.figure(f"{id_}-counts", _counts(table, by_key), "counts", **texts),
    ]


def _times(table: Table, by_key: Mapping[tuple[Key, str], Row]) -> pa.Table:
    """Return rows by pattern and record; without a cache and with one: printed, and ours twice with its error."""
    rows = []
    for pair in zip(table.cells[::2], table.cells[1::2], strict=True):
        row: dict[str, Any] = {"pattern": _with_fitted_mark(pair), "record": pair[0].record.words}
        for cell in pair:
            cached = "cache" if cell.cache else "no_cache"
            row[f"{cached}_printed_s"] = cell.printed_s
            for overhead in overheads():
                simulated = by_key[cell.key, overhead]
                row[f"{cached}_{overhead}_s"] = simulated["simulated_s"]
                row[f"{cached}_{overhead}_error"] = simulated["error"]
        rows.append(row)
    return declared("printed_times", rows)


def _with_fitted_mark(cells: Sequence[Cell]) -> str:
    pattern: str = cells[0].pattern.value
    return f"{pattern} †" if any(cell.fits for cell in cells) else pattern


def _counts(table: Table, by_key: Mapping[tuple[Key, str], Row]) -> pa.Table:
    numbers = ("disk_reads", "disk_writes", "rewrites", "rereads")
    shown = numbers if table.id == "write_only" else numbers[:1]
    rows = []
    for cell in table.cells:
        counted = by_key[cell.key, CALIBRATED]
        rows.append(
            {
                "pattern": cell.pattern.value,
                "record": cell.record.words,
                "cache": "cache" if cell.cache else "no cache",
                **{name: None if counted[name] is None else round(counted[name]) for name in shown},
                **{name: counted[name] for name in ("hit_ratio", "cv")},
            }
        )
    return declared("simulated_cells", rows)


def _curves(page: Page, figure: PrintedFigure, rows: Sequence[Row]) -> Figure:
    rows_of_figure = [row for row in rows if row["figure"] == figure.id]
    by_buffers = figure.along == "buffers"
    along = "buffers" if by_buffers else "record_blocks"
    lines = [(row["policy"], False, row[along], row["execution_s"]) for row in rows_of_figure]
    lines += [
        ("ideal", False, row[along], row["ideal_s"])
        for row in rows_of_figure
        if row["policy"] == rows_of_figure[0]["policy"]
    ]
    times = [row["execution_s"] for row in rows_of_figure]
    return page.figure(
        figure.id.replace("_", "-"),
        points(lines),
        "curves",
        {
            "axis": "Buffers" if by_buffers else "Record size in blocks",
            "cropped": min(times) > 3 * (max(times) - min(times)),
        },
        title=figure.title,
        caption=figure.caption,
        note=" WriteFull hides WriteThru where they are the same." if by_buffers else "",
    )


def _findings(page: Page, rows: Sequence[Row], readings: pa.Table | None) -> Section:
    parts = [
        {
            **row,
            "number": number_of(row),
            "bounds": bounds_of(row),
            "distance": plain(row["distance"], 3),
            "printed": _printed(row),
        }
        for row in rows
    ]
    verdicts = {"verdict": verdicts_of("kotz", rows)}
    after = [] if readings is None else [page.figure("readings", moving(readings))]
    return page.findings(rows, verdicts, declared("claims_of_simulation", parts), after)


def _printed(row: Row) -> str | None:
    if row["printed"] is None:
        return None
    return f"{row['printed_verdict']} ({number_of(row, 'printed')})"


def _overheads(by_key: Mapping[tuple[Key, str], Row]) -> pa.Table:
    """Return the preset: each number, what it is of, and the cells that it was fitted on."""
    numbers = preset(overheads()[CALIBRATED])
    rows = []
    for key, meaning in MEANINGS.items():
        value, in_bytes = getattr(numbers, key), key.endswith("_bytes")
        fitted = [cell for table in tables() for cell in table.cells if key in cell.fits]
        fits = "; ".join(_fit(by_key[cell.key, CALIBRATED]) for cell in fitted)
        rows.append(
            {
                "overhead": key.removesuffix("_bytes").replace("_ns", "").replace("_", " "),
                "mean": f"{value:,} bytes" if in_bytes else f"{value / 1e6:g} ms",
                "when": meaning,
                "fitted_on": fits or ("assumed" if in_bytes else "the machine's memory: 4 MB/s"),
            }
        )
    return declared("overheads", rows)


def _fit(row: Row) -> str:
    return f"{_named(row)}: printed {row['printed_s']:g} s, simulated {row['simulated_s']:.2f}"
