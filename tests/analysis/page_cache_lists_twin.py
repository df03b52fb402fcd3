"""Folios of a page cache's twin: two lists of them, and those that wait on a processor."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from itertools import count
from typing import Any

PAGE = 4096
Row = dict[str, Any]


def ceil_pages(number_bytes: int) -> int:
    return -(-number_bytes // PAGE)


@dataclass(eq=False)
class Folio:
    file: int
    page: int
    order: int
    referenced: bool = False
    workingset: bool = False
    dirty: bool = False
    writeback: bool = False
    mark: bool = False
    young: bool = False
    mapped: bool = False
    looked_at: int = 0
    pinned: bool = False
    goes_active: bool = False  # once it leaves its batch
    dirtied: int = 0

    @property
    def pages(self) -> int:
        return 2**self.order

    @property
    def unwritten(self) -> bool:
        return self.dirty or self.writeback

    @property
    def end(self) -> int:
        return self.page + self.pages


@dataclass
class Lists:
    """Folios, the newest first, by page, and what is remembered of evicted pages."""

    limit: int
    batches: bool = False
    inactive: list[Folio] = field(default_factory=list)  # the newest first
    active: list[Folio] = field(default_factory=list)
    processor: int | None = None
    waiting: dict[int, list[Folio]] = field(default_factory=dict)
    cached: dict[tuple[int, int], Folio] = field(default_factory=dict)
    shadows: dict[tuple[int, int], tuple[int, bool, bool]] = field(default_factory=dict)
    shadow_nodes: dict[tuple[int, int], int] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    order: Any = field(default_factory=count)
    other: int = 0
    age: int = 0

    def total(self, folios: list[Folio]) -> int:
        return sum(folio.pages for folio in folios)

    def folios(self) -> list[Folio]:
        return [*self.inactive, *self.active, *itertools.chain(*self.waiting.values())]

    def join(self, folio: Folio, is_active: bool) -> None:
        folio.goes_active = is_active
        waits = self.batches and self.processor is not None
        if waits and folio.pages == 1:
            batch = self.waiting.setdefault(self.processor, [])
            batch.append(folio)
            if len(batch) == 31:
                self.list_batch(self.processor)
            return
        if waits:
            self.list_batch(self.processor)
        (self.active if is_active else self.inactive).insert(0, folio)

    def list_batch(self, processor: int | None) -> None:
        for folio in self.waiting.pop(processor, []):
            (self.active if folio.goes_active else self.inactive).insert(0, folio)

    def remove(self, folio: Folio) -> None:
        for folios in (self.inactive, self.active, *self.waiting.values()):
            if folio in folios:
                folios.remove(folio)
        for page in range(folio.page, folio.end):
            self.set_shadow(folio.file, page, None)

    def set_shadow(self, file: int, page: int, shadow: tuple[int, bool, bool] | None) -> None:
        self.cached.pop((file, page), None)
        self.shadows.pop((file, page), None)
        if shadow is not None:
            self.shadows[file, page] = shadow
        self.note_node(file, page)

    def note_node(self, file: int, page: int) -> None:
        node = (file, page // 64)
        places = [(file, node[1] * 64 + place) for place in range(64)]
        has_shadow = any(place in self.shadows for place in places)
        if has_shadow and not any(place in self.cached for place in places):
            self.shadow_nodes.setdefault(node, next(self.order))
        else:
            self.shadow_nodes.pop(node, None)

    def file_pages(self, file: int) -> int:
        return ceil_pages(self.sizes.get(file, 0))

    def pages_of(self, row: Row) -> range:
        return range(row["offset"] // PAGE, ceil_pages(row["offset"] + row["length"]))
