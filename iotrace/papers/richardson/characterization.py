"""The trace compared with the dissertation (Richardson 1994, chapter 3): its tables, figures and findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from iotrace import queries
from iotrace.analysis.characterize import prepared, result
from iotrace.papers import data
from iotrace.papers.richardson import characterization_figures, judging
from iotrace.papers.richardson.judging import Measured
from iotrace.papers.richardson.workloads import Subject

PLURAL = {"inode": "inodes", "directory": "directories", "executable": "executables", "datafile": "datafiles"}
FILES = ("characterization_findings",)


def compare_with_paper(
    connection: duckdb.DuckDBPyConnection,
    parameters: Mapping[str, str | int] | None = None,
    today: duckdb.DuckDBPyConnection | None = None,
    subject: Subject | None = None,
    *,
    is_drawn: bool = False,
) -> dict[str, pa.Table]:
    """Return `paper_tables`, each table with our values and the dissertation's, and `paper_findings`.

    `connection` and `parameters` are those of `characterize`. The dissertation's numbers are averages over
    its eleven workloads; ours are those of one trace. Where `connection` sees the trace by the paper's model
    of the file system, `today` may see it by another one, whose numbers then have separate columns. `subject`
    says what trace it is. With `is_drawn` there are `paper_figures`, too, of the paper's model.
    """
    compared = _compare(connection, parameters, is_drawn)
    rows, measured_today = compared.rows, None
    if today is not None:
        other = _compare(today, parameters, False)
        measured_today = other.measured
        rows = [{**row, "ours_today": same["ours"]} for row, same in zip(rows, other.rows, strict=True)]
    tables = {
        "paper_tables": queries.result_table("paper_comparison", rows),
        "paper_findings": judging.judge(FILES, subject or Subject(), compared.measured, measured_today),
    }
    return tables if compared.figures is None else {**tables, "paper_figures": compared.figures}


def draw(
    connection: duckdb.DuckDBPyConnection, parameters: Mapping[str, str | int], ids: Sequence[str]
) -> pa.Table:
    """Return the lines of some figures: table characterization_figures; see `compare_with_paper`."""
    needed = characterization_figures.statistics(ids)
    with prepared(connection, sorted(needed), {**parameters, "population": "all"}):
        return characterization_figures.figure_table(connection, ids)


@dataclass(frozen=True)
class _Compared:
    """The results of one view of a trace: rows of the tables and figures, measures, and the figures' lines."""

    rows: list[dict[str, Any]]
    measured: dict[str, Measured]
    figures: pa.Table | None


def _compare(
    connection: duckdb.DuckDBPyConnection, parameters: Mapping[str, str | int] | None, is_drawn: bool
) -> _Compared:
    measures = judging.measures(FILES)
    units = {measure["id"]: measure["unit"] for measure in measures}
    tables, figures = (
        data.entries("richardson", "characterization_tables", *names)
        for names in (("table", "csv"), ("figure", "measure"))
    )
    needed = {name for measure in measures for name in queries.named_in(measure["sql"])}
    needed |= {table["query"] for table in tables} | {"static_object"}
    if is_drawn:
        needed |= characterization_figures.statistics()
    with prepared(connection, sorted(needed), {**(parameters or {}), "population": "all"}, once=True):
        measured = _measure(connection, measures)
        rows = [*_table_rows(connection, tables), *_figure_rows(figures, measured, units)]
        drawn = characterization_figures.figure_table(connection) if is_drawn else None
        return _Compared(rows, measured, drawn)


def _measure(connection: duckdb.DuckDBPyConnection, stated: list[dict[str, Any]]) -> dict[str, Measured]:
    """Run every measure on the trace; one whose types it lacks, or that lacks a divisor, has none."""
    there = {row[0] for row in connection.execute("select distinct type from static_object").fetchall()}
    measured = {}
    for measure in stated:
        absent = [PLURAL[kind] for kind in measure["types"] if kind not in there]
        rows = connection.execute(measure["sql"]).fetchall()
        value = float(rows[0][0]) if rows and rows[0][0] is not None and not absent else None
        reason = f"the trace has no {' and no '.join(absent)}" if absent else None
        measured[measure["id"]] = Measured.of(value, reason)
    return measured


def _table_rows(
    connection: duckdb.DuckDBPyConnection, described: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    rows = []
    for table in described:
        printed = data.published("richardson", table["csv"])
        ours = result(connection, table["query"]).to_pylist()
        if "key" in table:
            by_key = {row[table["query_key"]]: row for row in ours}
            pairs = [(row[table["key"]], row, by_key.get(row[table["key"]])) for row in printed]
        else:
            pairs = [
                (measured[table["query_key"]], row, measured)
                for row, measured in zip(printed, ours, strict=True)
            ]
        for column in table["columns"]:
            rows.extend(_column_rows(table["item"], column, pairs, any_request=bool(ours)))
    return rows


def _column_rows(
    item: str,
    column: Mapping[str, Any],
    pairs: list[tuple[str, dict[str, str], dict[str, Any] | None]],
    any_request: bool,
) -> list[dict[str, Any]]:
    absent = 0.0 if column.get("absent_is_zero") and any_request else None
    papers = [
        float(printed[column["paper"]]) if printed[column["paper"]] else None for _, printed, _ in pairs
    ]
    values = [absent if measured is None else measured[column["ours"]] for _, _, measured in pairs]
    if column.get("share"):
        papers, values = _shares(papers), _shares(values)
    return [
        _comparison(item, key, column["quantity"], column["unit"], paper, ours)
        for (key, _, _), paper, ours in zip(pairs, papers, values, strict=True)
    ]


def _shares(counts: list[float | None]) -> list[float | None]:
    """Turn counts into percent of their sum; none of a sum of zero."""
    whole = sum(count or 0 for count in counts)
    return [None if not whole else 100 * (count or 0) / whole for count in counts]


def _figure_rows(
    described: list[dict[str, Any]], measured: Mapping[str, Measured], units: Mapping[str, str]
) -> list[dict[str, Any]]:
    rows = []
    for item in described:
        ours = next(iter(measured[item["measure"]].numbers), None)
        unit = units[item["measure"]]
        rows.append(_comparison(item["item"], item["row"], item["quantity"], unit, item["value"], ours))
    return rows


def _comparison(
    item: str, row: str, quantity: str, unit: str, paper: float | None, ours: float | None
) -> dict[str, Any]:
    ratio = ours / paper if ours is not None and paper else None
    return {
        "item": item,
        "row": row,
        "quantity": quantity,
        "unit": unit,
        "paper": paper,
        "ours": ours,
        "ratio": ratio,
        "ours_today": None,
    }
