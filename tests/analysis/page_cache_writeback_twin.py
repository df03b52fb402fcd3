"""When written pages of a page cache's twin become clean."""

from __future__ import annotations

from dataclasses import dataclass, field

from page_cache_lists_twin import Folio, Lists, Row


@dataclass
class WriteBack(Lists):
    """A flusher that writes files, the one that is dirty for longest first."""

    background_percent: int = 10
    start_percent: int | None = 10
    write_page_ns: int = 0
    flusher: str = "woken"
    expire_ns: int = 30_000_000_000
    wake_ns: int = 5_000_000_000
    dirty_since: dict[int, tuple[int, int]] = field(default_factory=dict)
    now_ns: int = 0
    written_at_ns: int | None = None
    shown: set[int] = field(default_factory=set)
    next_wake_ns: int | None = None

    def soil(self, folio: Folio) -> None:
        if not folio.unwritten:
            folio.dirtied = next(self.order)
        if not folio.dirty:
            folio.dirty = True
            self.dirty_since.setdefault(folio.file, (next(self.order), self.now_ns))

    def dirty_pages(self) -> int:
        return sum(folio.pages for folio in self.folios() if folio.dirty)

    def write_in_background(self) -> None:
        memory = max(self.limit - self.other, 0)
        if self.start_percent is None or self.dirty_pages() <= memory * self.start_percent // 100:
            return
        if self.flusher == "recorded":
            self.sync_not_shown()
            return
        while self.dirty_since and self.dirty_pages() > memory * self.background_percent // 100:
            self.sync(min(self.dirty_since, key=self.dirty_since.__getitem__))

    def wake_flusher(self) -> None:
        if self.flusher == "late":
            return
        if self.flusher == "recorded":
            self.sync_not_shown()
        elif not self.write_page_ns:
            self.sync_all()
        elif self.written_at_ns is None:
            self.written_at_ns = self.now_ns + self.write_page_ns * self.dirty_pages()

    def wait_for_flusher(self) -> None:
        if self.written_at_ns is not None:
            self.written_at_ns = None
            self.sync_all()

    def pass_time(self, time_ns: int) -> None:
        self.now_ns = time_ns
        if self.written_at_ns is not None and self.written_at_ns <= time_ns:
            self.wait_for_flusher()
        if self.next_wake_ns is None:
            self.next_wake_ns = time_ns + self.wake_ns
        if time_ns < self.next_wake_ns:
            return
        woken = self.next_wake_ns + (time_ns - self.next_wake_ns) // self.wake_ns * self.wake_ns
        self.next_wake_ns = woken + self.wake_ns
        for file in sorted(self.dirty_since, key=self.dirty_since.__getitem__):
            if self.dirty_since[file][1] <= woken - self.expire_ns:
                self.sync(file)

    def sync_all(self) -> None:
        for file in sorted(self.dirty_since, key=self.dirty_since.__getitem__):
            self.sync(file)

    def sync_not_shown(self) -> None:
        for file in sorted(self.dirty_since.keys() - self.shown, key=self.dirty_since.__getitem__):
            self.sync(file)

    def sync(self, file: int, pages: range = range(2**62)) -> None:
        dirty = [folio for folio in self.folios() if folio.unwritten and folio.file == file]
        written = [folio for folio in dirty if folio.page < pages.stop and folio.end > pages.start]
        if len(written) == len(dirty):
            self.dirty_since.pop(file, None)
        for folio in sorted(written, key=lambda folio: folio.dirtied):
            folio.dirty = folio.writeback = False
            self.rotate(folio)

    def written(self, row: Row) -> None:
        """The recorded kernel begins or ends to write pages."""
        folios = {self.cached.get((row["file"], page)): page for page in reversed(self.pages_of(row))}
        folios.pop(None, None)
        is_any = False
        for folio in sorted(folios, key=lambda folio: folio.page):
            if row["event"] == "write_begun" and folio.dirty and self.flusher != "late":
                folio.dirty, folio.writeback = False, True
            elif row["event"] == "write_ended" and folio.writeback:
                is_any, folio.writeback = True, False
                self.rotate(folio)
        if is_any and not any(
            folio.unwritten for (file, _), folio in self.cached.items() if file == row["file"]
        ):
            self.dirty_since.pop(row["file"], None)

    def rotate(self, folio: Folio) -> None:
        was_marked, folio.mark = folio.mark, False
        if was_marked and not folio.dirty:
            for folios in (self.inactive, self.active):
                if folio in folios:
                    folios.remove(folio)
                    self.inactive.append(folio)
                    break
