"""The tables and figures of the paper as data: what is printed, and how it is simulated (``data/tables.toml``)."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from iotrace.papers import data
from iotrace.simulate.write_cache.settings import Settings

MB = 1 << 20
Of = Literal["disk", "drive", "load", "four disks"]


@dataclass(frozen=True)
class Disk:
    """A disk of the paper; `like` names it in options, `drive` is the library's, where its size is printed."""

    name: str
    like: str
    drive: str | None = None


@dataclass(frozen=True)
class Experiment:
    """Settings to simulate: one, or several of which the one with the least of the metric `best` counts."""

    settings: tuple[Settings, ...]
    best: str | None = None


@dataclass(frozen=True)
class PrintedRow:
    """A printed row: what it is about, how it is simulated, and the values that are printed (None where none is)."""

    columns: Mapping[str, str]
    """The row of the CSV file."""
    disk: str
    policy: str
    setting: str
    printed: Mapping[str, float | None]
    experiment: Experiment


@dataclass(frozen=True)
class Table:
    """A table or figure of the paper; see ``data/tables.toml``."""

    id: str
    title: str
    caption: str
    section: str
    of: Of
    metrics: tuple[str, ...]
    rows: tuple[PrintedRow, ...]
    ids: Mapping[str, str] = field(default_factory=dict)
    draw: Literal["bars", "lines"] | None = None
    along: str | None = None
    """The column of the CSV file along which lines are drawn."""
    axis: str = ""

    def id_for(self, disk: str) -> str:
        """Return the identifier of the part that is about a disk."""
        return self.ids.get(disk, self.id)


@dataclass(frozen=True)
class Misprint:
    """Where the paper contradicts itself; without a disk or a policy it is about all of them."""

    table: str
    metrics: tuple[str, ...]
    note: str
    disk: str | None = None
    policy: str | None = None

    def concerns(self, table: str, row: PrintedRow) -> bool:
        """Whether it is about this row."""
        return self.table == table and self.disk in (None, row.disk) and self.policy in (None, row.policy)


@cache
def disks() -> tuple[Disk, ...]:
    """Return the disks of the paper: the three of table 3.1, the six of tables A1 and A2, four together."""
    return data.records(data.entries("biswas", "tables", "disk", "name"), Disk)


@cache
def tables() -> tuple[Table, ...]:
    """Return the tables and figures in the paper's order; raises ValueError for data that contradicts itself."""
    by_csv = {raw["csv"]: raw for raw in data.entries("biswas", "tables", "table", "csv")}
    return tuple(_table(by_csv.get(raw.get("as"), {}) | raw) for raw in by_csv.values())


def published_requests(disk: Disk) -> float | None:
    """Return the reads and writes of a disk's trace (table 3.1); None for a disk of which they are not printed."""
    loads = (
        row.printed for table in tables() if table.of == "load" for row in table.rows if row.disk == disk.name
    )
    counts = [load.get(metric) for load in loads for metric in ("reads", "writes")]
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


@cache
def misprints() -> tuple[Misprint, ...]:
    """Return where the paper contradicts itself."""
    return data.records(data.described("biswas", "tables")["misprint"], Misprint)


@dataclass(frozen=True)
class Fitted:
    """Rows on which the presets of ``generate vms`` were fitted; `printed_in` is the table that has them too."""

    table: str
    policies: tuple[str, ...]
    printed_in: str | None = None


@cache
def fitted() -> tuple[Fitted, ...]:
    """Return the rows on which the presets were fitted."""
    return data.records(data.described("biswas", "tables")["fitted"], Fitted)


@cache
def goals() -> dict[str, float]:
    """Return what the median error of the held-out cells of a metric is to be below, in percent."""
    return dict(data.described("biswas", "tables")["goal"])


def is_fitted(table: Table, row: PrintedRow) -> bool:
    """Whether the presets were fitted on a row, if its disk has one."""
    return any(table.id == fit.table and row.policy in fit.policies for fit in fitted())


def copied(table: Table, row: PrintedRow) -> bool:
    """Whether a fitted row is printed in another table, too, and counts there."""
    return any(table.id == fit.table and row.policy in fit.policies and fit.printed_in for fit in fitted())


def is_doubtful(table: Table, row: PrintedRow, metric: str) -> bool:
    """Whether the paper contradicts itself in a cell."""
    return any(misprint.concerns(table.id, row) and metric in misprint.metrics for misprint in misprints())


def _table(raw: dict[str, Any]) -> Table:
    printed = data.published("biswas", raw["csv"])
    return Table(
        id=raw["id"],
        title=raw["title"],
        caption=raw["caption"],
        section=raw["section"],
        of=raw.get("of", "disk"),
        metrics=tuple(raw["metrics"]),
        rows=tuple(_row(raw, columns) for columns in printed),
        ids=raw.get("ids", {}),
        draw=raw.get("draw"),
        along=raw.get("along"),
        axis=raw.get("axis", ""),
    )


def _row(raw: Mapping[str, Any], columns: Mapping[str, str]) -> PrintedRow:
    policy = columns.get("policy") or raw["policy"]
    policies = raw.get("policies", {})
    if policies and policy not in policies:
        raise ValueError(f"{raw['id']}: policy {policy} has no settings")
    given = {**raw.get("settings", {}), **policies.get(policy, {})}
    given |= {name: float(columns[column]) for name, column in raw.get("from_columns", {}).items()}
    return PrintedRow(
        columns=columns,
        disk=columns.get("disk") or raw["disk"],
        policy=policy,
        setting=raw["setting"].format_map(columns),
        printed={
            metric: float(columns[column]) if column and columns[column] else None
            for metric, column in _columns_of(raw).items()
        },
        experiment=_experiment(given),
    )


def _columns_of(raw: Mapping[str, Any]) -> dict[str, str]:
    """Return what the columns of a table's metrics are called; nothing for one that is not printed."""
    named = data.described("biswas", "tables")["column"] | raw.get("columns", {})
    return {metric: named.get(metric, metric) for metric in raw["metrics"]}


def _experiment(given: dict[str, Any]) -> Experiment:
    best, grid = given.pop("best", None), given.pop("grid", {})
    return Experiment(tuple(_settings({**given, **point}) for point in _points(grid)), best)


def _points(grid: Mapping[str, list[float]]) -> Iterator[dict[str, float]]:
    """Return all points of a grid; a low threshold above the high one is none."""
    for values in itertools.product(*grid.values()):
        point = dict(zip(grid, values, strict=True))
        if point.get("low_percent", 0) < point.get("high_percent", 101):
            yield point


def controller(**changed: Any) -> Settings:
    """Return the paper's controller, with other settings where some are given."""
    return Settings(**(data.described("biswas", "tables")["settings"] | changed))


def _settings(given: Mapping[str, Any]) -> Settings:
    """Make settings; sizes in `_mb` become bytes, and what `split_total_mb` leaves is the read cache."""
    settings = {name: value for name, value in given.items() if not name.endswith("_mb")}
    if "interval" in settings:
        settings["interval"] = round(settings["interval"])
    sizes = {name: round(value * MB) for name, value in given.items() if name.endswith("_mb")}
    if total := sizes.pop("split_total_mb", None):
        sizes["read_cache_mb"] = total - sizes["write_cache_mb"]
    settings |= {name.removesuffix("_mb") + "_bytes": size for name, size in sizes.items()}
    if settings.get("purge") == "one-threshold":
        settings["low_percent"] = settings["high_percent"]
    return controller(**settings)
