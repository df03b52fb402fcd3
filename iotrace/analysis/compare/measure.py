"""The metrics of one trace, and what its windows of time contribute to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pyarrow as pa

from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.analysis.characterize import prepared
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.object_requests import curve_of_store, states_sizes
from iotrace.analysis.curves.ratios import ratio
from iotrace.analysis.curves.requests import Requests
from iotrace.errors import IotraceError
from iotrace.families import Family
from iotrace.queries.metrics import PERCENTILES, Metric, Source, metrics
from iotrace.store.manifest import calibration
from iotrace.store.store import Store

WINDOWS = 50
"""Into how many windows of equal length a trace's time is divided."""
LEAST_EVENTS = 2
"""The least that a trace must have to be compared."""
_SIZES_A_DOUBLING = 8
"""Of the curve of a cache of objects, without sizes."""
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Sums:
    """A sum, or a ratio of two, by window: what is above and below the line."""

    over: Floats
    under: Floats | None


@dataclass(frozen=True)
class Spread:
    """Values of a metric whose percentiles are taken, to three digits, and how often each occurs in each window."""

    values: Floats
    """Ascending."""
    counts: Floats
    """A row for each window, a column for each value."""


@dataclass
class Measures:
    """The metrics of one trace."""

    family: Family
    values: dict[str, float | None] = field(default_factory=dict)
    sums: dict[str, Sums] = field(default_factory=dict)
    spreads: dict[str, Spread] = field(default_factory=dict)
    """By the names of groups of percentiles."""
    curve: dict[int, float] = field(default_factory=dict)
    """By the sizes of LRU caches in bytes, at each doubling, request misses per request."""
    is_timed: bool = True
    is_net: bool = False
    """Whether what the tracer adds is taken off the times, as the recording measured it."""
    trace: str = ""
    """The name of the trace; of a part, that of the whole."""


def measure(store: Store) -> Measures:
    """Measure a store; raises IotraceError for one with too few events to compare."""
    known = metrics(store.family.name)
    measures = Measures(
        store.family,
        dict.fromkeys(known.by_name),
        is_timed=store.has_times,
        is_net=calibration(store.manifest) is not None,
        trace=store.name,
    )
    with (
        store.queried() as connection,
        prepared(connection, [*known.needs, *store.family.span_views], {}),
    ):
        _make_windows(connection, store.family)
        _refuse_too_few(connection, store)
        span_s = _number(connection, "select (end_ns - start_ns) / 1e9 from span")
        for metric in known.wholes:
            measures.values[metric.name] = _number(connection, metric.sql or "")
        for source in known.sources:
            _add(connection, measures, source, span_s)
    if not store.family.has_objects:
        _cache_misses(store, measures, known.caches)
    elif states_sizes(store):
        _object_misses(store, measures, known.caches)
    return measures


def _make_windows(connection: duckdb.DuckDBPyConnection, family: Family) -> None:
    """Make table span, and the macros that say in which window a time is, and when a window starts."""
    connection.execute(f"create temp table span as {family.span_sql}")
    ((start_ns, end_ns),) = connection.execute("from span").fetchall()
    start, width = start_ns or 0, max((end_ns or 0) - (start_ns or 0), 1) / WINDOWS
    connection.execute(
        "create or replace temp macro window_of(at_ns) as"
        f" least(greatest(floor((at_ns - {start}) / {width!r}::double), 0), {WINDOWS - 1})::int;"
        f"create or replace temp macro window_start(number) as ({start} + round(number * {width!r}::double))::bigint;"
    )


def _refuse_too_few(connection: duckdb.DuckDBPyConnection, store: Store) -> None:
    events = _number(connection, f"select count(*) from {store.family.name}") or 0
    if events < LEAST_EVENTS:
        kind = store.family.row[1]
        raise IotraceError(
            f"{store.name}: has {events:.0f} of the at least {LEAST_EVENTS} {kind} that a comparison needs"
        )


def _number(connection: duckdb.DuckDBPyConnection, sql: str) -> float | None:
    ((number,),) = connection.execute(sql).fetchall()
    return None if number is None else float(number)


def _add(
    connection: duckdb.DuckDBPyConnection, measures: Measures, source: Source, span_s: float | None
) -> None:
    """Add the metrics of a source."""
    name = "compared"
    connection.execute(
        f"create or replace temp table {name} as select *, window_of(time_ns) as part from ({source.sql})"
    )
    summed = [metric for metric in source.metrics if metric.sum and (measures.is_timed or not metric.timed)]
    _add_sums(connection, measures, summed, span_s)
    for metric in source.metrics:
        if metric.percentiles:
            _add_percentiles(connection, measures, metric)
    connection.execute(f"drop table {name}")


def _add_sums(
    connection: duckdb.DuckDBPyConnection, measures: Measures, summed: Sequence[Metric], span_s: float | None
) -> None:
    if not summed:
        return
    columns = [
        part
        for metric in summed
        for part in (metric.sum, metric.per if metric.per not in (None, "clock") else "1")
    ]
    # sums of decimals do not depend on the order of threads: a trace does not differ from itself
    listed = ", ".join(f"sum(({column})::decimal(38, 9))::double" for column in columns)
    rows = connection.execute(f"select part, {listed} from compared group by part order by part").fetchall()
    table = np.full((WINDOWS + 1, len(columns)), np.nan)
    for part, *sums in rows:
        table[WINDOWS if part is None else part] = [np.nan if value is None else value for value in sums]
    for index, metric in enumerate(summed):
        over, under = table[:, 2 * index], table[:, 2 * index + 1]
        if rows and np.isnan(over).all():
            continue  # the trace does not record it
        total = float(np.nansum(over))
        if metric.per == "clock":
            measures.values[metric.name] = total / span_s if span_s else None
        elif metric.per is not None:
            below = float(np.nansum(under))
            measures.values[metric.name] = total / below if below else None
        else:
            measures.values[metric.name] = total
        is_ratio = metric.per not in (None, "clock")
        measures.sums[metric.name] = Sums(_filled(over), _filled(under) if is_ratio else None)


def _filled(column: Floats) -> Floats:
    return np.nan_to_num(column[:WINDOWS], nan=0.0)


def _add_percentiles(connection: duckdb.DuckDBPyConnection, measures: Measures, metric: Metric) -> None:
    valued = f"select part, {metric.percentiles} as value from compared where {metric.where}"
    kept = f"from ({valued}) where value is not null"
    listed = list(PERCENTILES.values())
    ((percentiles,),) = connection.execute(f"select quantile_disc(value, {listed}) {kept}").fetchall()
    if percentiles is None:
        return
    measures.values |= {name: float(value) for name, value in zip(metric.names, percentiles, strict=True)}
    rows = connection.execute(
        "select part, if(value > 0, round(value, 2 - floor(log10(value))::int), value) as rounded, count(*)"
        f" {kept} and part is not null group by all"
    ).fetchnumpy()
    parts, values, counts = rows.values()
    distinct, columns = np.unique(np.asarray(values, float), return_inverse=True)
    counted = np.zeros((WINDOWS, len(distinct)))
    counted[np.asarray(parts, int), columns] = counts
    measures.spreads[metric.name] = Spread(distinct, counted)


def _cache_misses(store: Store, measures: Measures, caches: Sequence[Metric]) -> None:
    """Add the misses of LRU caches, and the curve over their sizes."""
    budget = BlockBudget(Budget.CURVE.value, Cache().block_bytes, "compare shorter traces")
    curves = Requests(store, budget).curves(Cache())
    if not curves.counts.get("distinct_blocks"):
        return
    sizes = sorted({*curves.doublings(), *(metric.bytes or 0 for metric in caches)})
    rows = curves.table(sizes)
    misses = dict(zip(sizes, _misses(rows), strict=True))
    measures.values |= {metric.name: misses[metric.bytes or 0] for metric in caches}
    ratios = ratio(rows, "request_miss_ratio").to_pylist()
    measures.curve = {size: value for size, value in zip(sizes, ratios, strict=True) if value is not None}


def _object_misses(store: Store, measures: Measures, caches: Sequence[Metric]) -> None:
    """Do the same for LRU caches of objects."""
    bounds = [metric.bytes or 0 for metric in caches]
    all_sizes = curve_of_store(store, "bytes")["size"].to_pylist()
    sizes = sorted({*all_sizes[::_SIZES_A_DOUBLING], *all_sizes[-1:], *bounds})
    rows = curve_of_store(store, "bytes", sizes)
    misses_by_size = dict(zip(sizes, rows["request_misses"].to_pylist(), strict=True))
    measures.values |= {
        metric.name: float(misses_by_size[size]) for metric, size in zip(caches, bounds, strict=True)
    }
    requests = rows["requests"].to_pylist()[0]
    measures.curve = {size: misses / requests for size, misses in misses_by_size.items()} if requests else {}


def _misses(rows: pa.Table) -> list[float]:
    reads, writes = (rows[f"{kind}_request_misses"].to_pylist() for kind in ("read", "write"))
    return [float(read + other) for read, other in zip(reads, writes, strict=True)]
