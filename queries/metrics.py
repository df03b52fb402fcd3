"""The metrics of ``iotrace compare``, as data: ``metrics.toml``.

A metric's name is what ``--fail-if`` and column metric say; the middle of three kinds has three names each:

- sum: an expression over the rows of a source, added up; with ``per``, over the sum of that expression, or over the
  trace's time in seconds (``clock``);
- percentiles: an expression whose p50, p95 and p99 are taken, of the rows that fulfil ``where``;
- whole: a statement that gives one number; or the requests that miss a cache of some size.

Sources have column time_ns, by which rows belong to windows. Their SQL may use the views of the library, table span
(start_ns, end_ns: the trace's time) and the macros window_of(time_ns) and window_start(number). ``kind`` is time,
count, load, size or share, and decides how changes are judged and called; ``timed`` metrics exist only in traces with
times.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from iotrace import queries

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


@dataclass(frozen=True)
class Metric:
    """One metric, or for percentiles a group of three."""

    name: str
    unit: str
    kind: str
    description: str
    sum: str | None = None
    per: str | None = None
    percentiles: str | None = None
    where: str = "true"
    timed: bool = False
    sql: str | None = None
    bytes: int | None = None
    """Of misses: the cache's size."""

    @property
    def is_counted(self) -> bool:
        """Whether it is a number of events or bytes, which no clock has a part in."""
        return self.kind in ("count", "load") and not self.timed

    @property
    def is_of_time(self) -> bool:
        """Whether it is measured by a clock."""
        return self.kind == "time" or self.timed

    @property
    def names(self) -> tuple[str, ...]:
        """Its names in column metric."""
        return tuple(f"{self.name}_{end}" for end in PERCENTILES) if self.percentiles else (self.name,)


@dataclass(frozen=True)
class Source:
    """Rows over which metrics are summed, or their percentiles taken."""

    sql: str
    metrics: tuple[Metric, ...]


@dataclass(frozen=True)
class Metrics:
    """The metrics of a family of traces."""

    sources: tuple[Source, ...]
    wholes: tuple[Metric, ...]
    caches: tuple[Metric, ...]

    @property
    def by_name(self) -> dict[str, Metric]:
        """The metric of each name of column metric, in their order; the trace's whole time first."""
        summed = [metric for source in self.sources for metric in source.metrics]
        return {name: metric for metric in (*self.wholes, *summed, *self.caches) for name in metric.names}

    @property
    def needs(self) -> list[str]:
        """The views on which they build."""
        texts = [*(source.sql for source in self.sources), *(metric.sql or "" for metric in self.wholes)]
        names = [name for text in texts for name in queries.named_in(text) if name not in queries.TABLES]
        return list(dict.fromkeys(names))


@cache
def metrics(family: str) -> Metrics:
    """Return the metrics of a family of traces."""
    raw: dict[str, Any] = tomllib.loads(files(queries.__name__).joinpath("metrics.toml").read_text("utf-8"))
    sources = [
        Source(source["sql"], tuple(Metric(**metric) for metric in source["metric"]))
        for source in raw["source"]
        if source["family"] == family
    ]
    wholes = [
        Metric(**{key: value for key, value in metric.items() if key != "families"})
        for metric in raw["whole"]
        if family in metric["families"]
    ]
    caches = [Metric(unit="requests", kind="count", **metric) for metric in raw["cache"]]
    return Metrics(tuple(sources), tuple(wholes), tuple(caches))
