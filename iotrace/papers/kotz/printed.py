"""The tables and figures of Kotz and Ellis (1991) as data: what is printed, and how each of it is simulated."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal

from iotrace.generate.patterns.settings import Operation, Pattern
from iotrace.papers import data

Along = Literal["buffers", "record"]
_stated = partial(data.described, "kotz", "tables")


@dataclass(frozen=True)
class Base:
    """Settings that the paper holds fixed where it does not vary them (section 4.1)."""

    buffers: int
    policy: str
    compute_mean_ms: int


@dataclass(frozen=True)
class Record:
    """A record size of the tables."""

    id: str
    blocks: float
    words: str


@dataclass(frozen=True)
class Cell:
    """A printed time, and what it is the time of."""

    table: str
    operation: Operation
    pattern: Pattern
    record: Record
    cache: bool
    printed_s: float

    @property
    def key(self) -> tuple[str, str, str, bool]:
        """Its identity among the cells."""
        return self.table, self.pattern.value, self.record.id, self.cache

    @property
    def in_words(self) -> str:
        """A description of the access that it times."""
        does = "read" if self.operation is Operation.READ else "written"
        cached = "cache" if self.cache else "no cache"
        return f"{self.pattern.value} {does}, {self.record.words} records, {cached}"

    @property
    def is_overhead_free(self) -> bool:
        """Whether the disks alone make its time."""
        return any(self.meets(where) for where in _stated()["cells"]["overhead_free"])

    @property
    def fits(self) -> tuple[str, ...]:
        """The overheads that were fitted on it."""
        return tuple(cell["gives"] for cell in fitted() if self.meets(cell))

    @property
    def validates(self) -> bool:
        """Whether nothing was fitted on it, and no rule chosen by it."""
        return not self.fits and not any(self.meets(where) for where in _stated()["cells"]["chosen_by"])

    def meets(self, where: Mapping[str, Any]) -> bool:
        """Whether it is one of those named: `tables`, `patterns`, `records` and `cache`."""
        return (
            self.table in where.get("tables", [self.table])
            and self.pattern in where.get("patterns", [self.pattern])
            and self.record.id in where.get("records", [self.record.id])
            and self.cache == where.get("cache", self.cache)
        )


@dataclass(frozen=True)
class Table:
    """A table of section 4.3, its cells in rows of four: one-block records without and with a cache, then quarters."""

    id: str
    title: str
    caption: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class PrintedFigure:
    """A figure of section 4.4: a curve for each write policy, along the cache's size or the records'."""

    id: str
    title: str
    caption: str
    pattern: Pattern
    along: Along
    values: tuple[float, ...]
    computing: bool = False


@cache
def base() -> Base:
    """Return the base parameters that the figures vary."""
    return Base(**_stated()["base"])


@cache
def overheads() -> dict[str, str]:
    """Return the presets with which every cell is simulated, by what they are here: zero, and calibrated."""
    return dict(_stated()["overhead"])


@cache
def records() -> tuple[Record, ...]:
    """Return the record sizes of the tables."""
    return data.records(data.entries("kotz", "tables", "record"), Record)


@cache
def fitted() -> tuple[dict[str, Any], ...]:
    """Return the cells on which the calibrated preset was fitted, each with the overhead that it `gives`."""
    return tuple(data.entries("kotz", "tables", "fitted", "gives"))


@cache
def tables() -> tuple[Table, ...]:
    """Return both tables with their cells in the paper's order."""
    return tuple(_table(raw) for raw in data.entries("kotz", "tables", "table"))


@cache
def cells_of(table: str) -> tuple[Cell, ...]:
    """Return the cells of a table by its identifier."""
    return next(known.cells for known in tables() if known.id == table)


@cache
def figures() -> tuple[PrintedFigure, ...]:
    """Return the figures in the paper's order."""
    return data.records(data.entries("kotz", "tables", "figure"), PrintedFigure)


def _table(raw: Mapping[str, str]) -> Table:
    rows = data.published("kotz", raw["id"])
    cells = tuple(
        Cell(
            raw["id"],
            Operation(raw["operation"]),
            Pattern(row["pattern"]),
            record,
            cached,
            float(row[f"{record.id}_{'cache' if cached else 'nocache'}_s"]),
        )
        for row in rows
        for record in records()
        for cached in (False, True)
    )
    return Table(raw["id"], raw["title"], raw["caption"], cells)
