"""Which pages come into a page cache's twin ahead of those that are asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from page_cache_lists_twin import PAGE, Folio, Row
from page_cache_reclaim_twin import Reclaim

MOST_ORDER = 9


@dataclass
class Window:
    start: int = 0
    pages: int = 0
    ahead: int = 0
    order: int = 0
    misses: int = 0
    previous_end: int | None = None
    advice: str = "normal"


@dataclass
class ReadAhead(Reclaim):
    """A window of each open file, whose marked page opens the next one."""

    readahead: int = 32
    device: int = 320
    large: bool = True
    windows: dict[Any, Window] = field(default_factory=dict)

    def window(self, row: Row) -> Window:
        key = ("use", row["open"]) if row.get("open") is not None else ("file", row["file"])
        return self.windows.setdefault(key, Window())

    def miss(self, file: int, window: Window, page: int, asked: int) -> None:
        if not self.longest(window):
            self.bring_in(file, page, 1, 0)
            return
        if window.advice == "random":
            self.bring_in(file, page, min(asked, max(self.device, self.longest(window))), 0)
            return
        most = self.longest_for(window, asked)
        before = None if window.previous_end is None else window.previous_end // PAGE
        if page == 0 or asked > most or (before is not None and page - before in (0, 1)):
            rounded = 1 << (asked - 1).bit_length()
            first = rounded * 4 if rounded <= most // 32 else rounded * 2 if rounded <= most // 4 else most
            pages, ahead = first, first - asked if first > asked else first // 2
        else:
            cached, is_all = self.cached_before(file, page, most)
            if cached <= asked:
                self.bring_in(file, page, asked, 0)
                return
            pages, ahead = min((2 * cached if is_all else cached) + asked, most), 1
        window.start, window.pages, window.ahead, window.order = page, pages, ahead, 0
        self.fill(file, window)

    def hit_mark(self, file: int, window: Window, folio: Folio, page: int, asked: int) -> None:
        if not self.longest(window):
            return
        folio.mark = False
        most = self.longest_for(window, asked)
        expected = window.start + window.pages - window.ahead
        if page == expected // folio.pages * folio.pages:
            start, pages = (
                window.start + window.pages,
                max(window.pages, self.next_window(window.pages, most)),
            )
        else:
            walk = itertools.islice(self.walk(file, page + 1, 1), most)
            start = next((index for index, at in walk if (file, at) not in self.cached), None)
            if start is None:
                return
            pages = self.next_window(start - page + asked, most)
        window.order += 2
        lowest_bit = (most & -most).bit_length() - 1
        align = 2 ** min(window.order, lowest_bit)
        aligned = (start + pages) // align * align
        window.start, window.pages = start, aligned - start if aligned > start else pages
        window.ahead = window.pages
        self.fill(file, window)

    def cached_before(self, file: int, page: int, most: int) -> tuple[int, bool]:
        for steps, (index, at) in enumerate(self.walk(file, page - 1, -1)):
            if steps == most:
                return most - 1, False
            if index < 0:
                return steps, True
            if at is None or (file, at) not in self.cached:
                return steps, False
        raise AssertionError

    def walk(self, file: int, page: int, way: int) -> Iterator[tuple[int, int | None]]:
        """Each index of the kernel's walk, and the page at which it really looks; None where there are no nodes."""
        folio = self.cached.get((file, page))
        node, slot = divmod(page if folio is None or folio.pages >= 64 else folio.page, 64)
        index, border = page, 0 if way < 0 else 63
        while True:
            yield index, node * 64 + slot if node >= 0 else None
            index += way
            if slot != border:
                slot += way
            elif index % 64 != border:
                node, slot = node + way, index % 64

    def next_window(self, pages: int, most: int) -> int:
        return 4 * pages if pages < most // 16 else 2 * pages if pages <= most // 2 else most

    def longest(self, window: Window) -> int:
        return self.readahead * (2 if window.advice == "sequential" else 1)

    def longest_for(self, window: Window, asked: int) -> int:
        longest = self.longest(window)
        return min(asked, self.device) if asked > longest and self.device > longest else longest

    def fill(self, file: int, window: Window) -> None:
        self.fill_window(file, window)
        self.arrive()

    def fill_window(self, file: int, window: Window) -> None:
        if not window.pages or not self.file_pages(file):
            return
        if not self.large:
            window.order = 0
            self.bring(file, window.start, window.pages, window.ahead)
            return
        window.order = min(window.order, MOST_ORDER, window.pages.bit_length() - 1)
        end = min(self.file_pages(file), window.start + window.pages)
        mark = window.start + window.pages - window.ahead
        page = window.start
        while page < end:
            order = window.order
            while page % 2**order or page + 2**order > end:
                order -= 1
            if any((file, at) in self.cached for at in range(page, page + 2**order)):
                self.bring(file, page, window.pages - (page - window.start), window.ahead)
                return
            folio = self.insert(file, page, order, from_device=True, is_write=False, ahead=True)
            if folio is None:
                return
            folio.mark = page == mark // 2**order * 2**order
            page += 2**order

    def bring_in(self, file: int, first: int, pages: int, ahead: int) -> None:
        self.bring(file, first, pages, ahead)
        self.arrive()

    def bring(self, file: int, first: int, pages: int, ahead: int) -> None:
        if first >= self.file_pages(file):
            return
        pages = min(pages, self.file_pages(file) - first)
        for page in range(first, first + pages):
            if (file, page) not in self.cached:
                folio = self.insert(file, page, 0, from_device=True, is_write=False, ahead=True)
                if folio is None:
                    return
                folio.mark = ahead <= pages and page == first + pages - ahead

    def arrive(self) -> None:
        for folio in self.arriving:
            folio.pinned = False
        self.arriving = []
