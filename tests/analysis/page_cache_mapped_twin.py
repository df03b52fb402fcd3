"""What programs touch of files that they have mapped, in a page cache's twin."""

from __future__ import annotations

from dataclasses import dataclass

from page_cache_lists_twin import Row
from page_cache_readahead_twin import ReadAhead, Window


@dataclass
class Mapped(ReadAhead):
    """Faults bring pages in, and map what is cached around them."""

    def touch(self, row: Row) -> None:
        file, window = row["file"], self.window(row)
        for page in self.pages_of(row):
            folio = self.cached.get((file, page))
            if page >= self.file_pages(file):
                continue
            if folio is not None and folio.mapped:
                folio.young = True
            else:
                self.touch_unmapped(file, window, page)

    def touch_unmapped(self, file: int, window: Window, page: int) -> None:
        around = range(page // 16 * 16, page // 16 * 16 + 16)
        self.map_around(file, window, around)
        folio = self.cached.get((file, page))
        if folio is None or folio.mark:
            self.fault(file, window, page)
            self.map_around(file, window, around)

    def mapped(self, row: Row) -> None:
        pages = self.pages_of(row)[:512]
        if not self.map_around(row["file"], self.window(row), pages):
            self.fault(row["file"], self.window(row), pages.start + len(pages) // 2)

    def evicted(self, row: Row) -> None:
        file, window = row["file"], self.window(row)
        for page in self.pages_of(row):
            if self.touches == "after_eviction" and self.shadows.get((file, page), (0, False, False))[2]:
                self.touch_unmapped(file, window, page)

    def map_around(self, file: int, window: Window, pages: range) -> int:
        found = [self.cached[file, page] for page in pages if (file, page) in self.cached]
        found = [folio for folio in found if not folio.mark]
        for folio in found:
            folio.young = folio.mapped = True
        window.misses = max(window.misses - sum(not folio.workingset for folio in found), 0)
        return len(found)

    def fault(self, file: int, window: Window, page: int) -> None:
        folio, longest = self.cached.get((file, page)), self.longest(window)
        if folio is not None and folio.mark:
            if longest and window.advice != "random":
                window.misses = max(window.misses - 1, 0)
                self.hit_mark(file, window, folio, page, longest)
        elif folio is None and longest and window.advice != "random":
            window.misses = min(window.misses + 1, 1000)
            if window.misses <= 100:
                window.start, window.pages = max(page - longest // 2, 0), longest
                window.ahead, window.order = longest // 4, 0
                self.fill(file, window)
        folio = self.cached.get((file, page))
        if folio is None:
            folio = self.insert(file, page, 0, from_device=True, is_write=False)
        folio.young = folio.mapped = True
