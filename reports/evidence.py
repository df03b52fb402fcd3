"""All that the figures show of one store: statistics, curves, and what the manifest says of its own reliability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iotrace.reports import reliability
from iotrace.reports.registry import Figure, Run

from iotrace import summary
from iotrace.characterize import characterize

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from iotrace.store import Store

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
        results = characterize(connection, wanted)
        made = reliability.tables(store)
        tables = {figure.id: results[figure.query] for figure in figures if figure.query}
        tables |= {figure.id: made[figure.table] for figure in figures if figure.table}
        tables |= _curves(connection, [figure for figure in figures if figure.lines], progress)
    return Evidence(
        {figure.id: tables[figure.id] for figure in figures},
        summary.verdict(results),
        summary.numbers(results),
    )


def references_sql(run: Run) -> str:
    """Return the SQL that selects a run's references; deletions and truncations reach every cache."""
    return (
        "select file, type, operation::enum('read', 'write', 'update', 'truncate', 'delete', 'sync') as operation,\n"
        '       "offset", length, file_size\n'
        "from reference\n"
        f"where {run.where} or operation in ('truncate', 'delete')\n"
        "order by seq"
    )


def _curves(
    connection: duckdb.DuckDBPyConnection, figures: Sequence[Figure], progress: Progress
) -> dict[str, pa.Table]:
    """Run every distinct run once, two at a time, and return the figures' lines."""
    import pyarrow as pa

    runs = list(dict.fromkeys(line.run for figure in figures for line in figure.lines))
    done: dict[Run, pa.Table] = {}
    with ThreadPoolExecutor(max_workers=2) as pool:
        made = pool.map(lambda run: _curve(connection.cursor(), run), runs)
        for number, (run, rows) in enumerate(zip(runs, made, strict=True), 1):
            done[run] = rows
            progress(f"simulating caches ({number} of {len(runs)})")
    return {
        figure.id: pa.concat_tables(
            [_measured(connection, done[line.run], line.label, line.measure) for line in figure.lines]
        )
        for figure in figures
    }


def _curve(cursor: duckdb.DuckDBPyConnection, run: Run) -> pa.Table:
    from iotrace.locality import curve

    with cursor:
        references = cursor.sql(references_sql(run)).to_arrow_reader(122_880)
        return _thinned(
            curve(
                references,
                block_bytes=run.block_bytes,
                write_policy=run.write_policy,
                inodes_per_block=run.inodes_per_block,
            )
        )


def _thinned(rows: pa.Table) -> pa.Table:
    """Keep at most `MOST_POINTS` rows of a curve, evenly over the logarithm of the size, first and last included."""
    import numpy as np

    if rows.num_rows <= MOST_POINTS:
        return rows
    sizes = rows.column("size_bytes").to_numpy()
    grid = np.geomspace(sizes[0], sizes[-1], MOST_POINTS - 1)
    places = np.searchsorted(sizes, grid, side="right") - 1
    return rows.take(np.unique([0, *places.clip(0), rows.num_rows - 1]))


def _measured(connection: duckdb.DuckDBPyConnection, curve: pa.Table, label: str, measure: str) -> pa.Table:
    """Return one line of a figure: no rows where there is nothing to measure."""
    rows = connection.sql(
        f"select $label as line, size_bytes, ({measure})::double as value from curve where value is not null",
        params={"label": label},
    ).to_arrow_table()
    return rows.cast(reliability.table_schema("figure_line"))
