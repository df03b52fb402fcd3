"""All that the figures show of one store: statistics, curves, and what the manifest says of its own reliability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iotrace.reports import reliability
from iotrace.reports.registry import Figure, Line, Run

from iotrace import summary
from iotrace.characterize import characterize
from iotrace.paper import compare_with_paper

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from iotrace.store import Store

PARAMETERS: Mapping[str, str | int] = {"top": 15}
"""What the statistics of a report are asked with, other than the defaults."""

CAPTURED_PERCENT = (50, 90, 99)
MOST_POINTS = 300
"""How many points of a curve are drawn at most."""

Progress = Callable[[str], None]
"""Told in a few words what is being done."""


@dataclass(frozen=True)
class Evidence:
    """The numbers of a report: `tables` holds one table per figure, by its id."""

    tables: Mapping[str, pa.Table]
    verdict: tuple[str, ...]
    numbers: pa.Table


def collect(store: Store, figures: Sequence[Figure], progress: Progress = lambda doing: None) -> Evidence:
    """Return the numbers that the figures show.

    Statistics are binned in SQL and curves thinned, so that the amount does not grow with the trace.
    """
    with store.connect() as connection:
        progress("characterizing")
        wanted = [*summary.QUERIES, *(figure.query for figure in figures if figure.query)]
        results = characterize(connection, wanted, PARAMETERS)
        progress("comparing with the paper")
        made = {**reliability.tables(store), **compare_with_paper(connection)}
        tables = {figure.id: results[figure.query] for figure in figures if figure.query}
        tables |= {figure.id: made[figure.table] for figure in figures if figure.table}
        tables |= _curves(connection, [figure for figure in figures if figure.lines], progress)
    ordered = {figure.id: tables[figure.id] for figure in figures}
    return Evidence(ordered, summary.verdict(results), summary.numbers(results))


def references_sql(run: Run) -> str:
    """Return the SQL that selects a run's references; deletions and truncations reach every cache."""
    return (
        "select file, type, operation::enum('read', 'write', 'update', 'truncate', 'delete', 'sync') as operation,\n"
        '       "offset", length, file_size\n'
        "from reference\n"
        f"where {run.where} or operation in ('truncate', 'delete')\n"
        "order by seq"
    )


def capture_sql(block_bytes: int) -> str:
    """Return the SQL that says of a curve which sizes reach how much of the hits that the best size reaches."""
    reached = ",\n       ".join(
        f"min(size_bytes) filter (hits >= {percent} / 100.0 * most) as size_for_{percent}_percent_bytes"
        for percent in CAPTURED_PERCENT
    )
    return (
        f"select {block_bytes}::bigint as block_bytes, any_value(requests) as requests,\n"
        "       percent_of(any_value(requests - most), any_value(requests)) as least_miss_percent,\n"
        f"       {reached}\n"
        "from (select *, read_requests + write_requests as requests,\n"
        "             requests - read_request_misses - write_request_misses as hits, max(hits) over () as most\n"
        "      from curve)\n"
        "where most > 0"
    )


@dataclass(frozen=True)
class _Curve:
    """What is kept of a run: points to draw, and what `capture_sql` says of all of them."""

    points: pa.Table
    captured: pa.Table


def _curves(
    connection: duckdb.DuckDBPyConnection, figures: Sequence[Figure], progress: Progress
) -> dict[str, pa.Table]:
    """Run every distinct run once, two at a time, and return the figures' lines."""
    import pyarrow as pa

    runs = list(dict.fromkeys(line.run for figure in figures for line in figure.lines))
    done: dict[Run, _Curve] = {}
    with ThreadPoolExecutor(max_workers=2) as pool:
        made = pool.map(lambda run: _curve(connection.cursor(), run), runs)
        for count, (run, found) in enumerate(zip(runs, made, strict=True), 1):
            done[run] = found
            progress(f"simulating caches, {count} of {len(runs)}")
    return {
        figure.id: pa.concat_tables(
            [
                _captured(line, done[line.run]) if figure.draw == "capture" else _measured(connection, line, done[line.run])
                for line in figure.lines
            ]
        )
        for figure in figures
    }


def _curve(cursor: duckdb.DuckDBPyConnection, run: Run) -> _Curve:
    from iotrace.locality import curve as all_sizes

    with cursor:
        curve = all_sizes(
            cursor.sql(references_sql(run)).to_arrow_reader(122_880),
            block_bytes=run.block_bytes,
            write_policy=run.write_policy,
            inodes_per_block=run.inodes_per_block,
        )
        return _Curve(_thinned(curve), cursor.sql(capture_sql(run.block_bytes)).to_arrow_table())


def _captured(line: Line, found: _Curve) -> pa.Table:
    """Return one row of a table of captured working sets: none where nothing hits."""
    import pyarrow as pa

    names = pa.array([line.label] * found.captured.num_rows, pa.string())
    return found.captured.add_column(0, "cache", names).cast(reliability.table_schema("capture"))


def _measured(connection: duckdb.DuckDBPyConnection, line: Line, found: _Curve) -> pa.Table:
    """Return one line of a figure: no rows where there is nothing to measure."""
    curve = found.points  # noqa: F841 (DuckDB reads it by its name)
    rows = connection.sql(
        f"select $label as line, size_bytes, ({line.measure})::double as value from curve where value is not null",
        params={"label": line.label},
    ).to_arrow_table()
    return rows.cast(reliability.table_schema("figure_line"))


def _thinned(rows: pa.Table) -> pa.Table:
    """Keep at most `MOST_POINTS` rows of a curve, evenly over the logarithm of the size, first and last included."""
    import numpy as np

    if rows.num_rows <= MOST_POINTS:
        return rows
    sizes = rows.column("size_bytes").to_numpy()
    grid = np.geomspace(sizes[0], sizes[-1], MOST_POINTS - 1)
    places = np.searchsorted(sizes, grid, side="right") - 1
    return rows.take(np.unique([0, *places.clip(0), rows.num_rows - 1]))
