"""A page cache of Linux, written for reading: two lists of folios, a dictionary of pages, and no speed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from page_cache_lists_twin import PAGE, Folio, Row, ceil_pages
from page_cache_mapped_twin import Mapped
from page_cache_readahead_twin import MOST_ORDER


@dataclass
class Twin(Mapped):
    """What programs do: reads, writes, advice, and all events."""

    def read(self, row: Row) -> None:
        file, window = row["file"], self.window(row)
        position, end = row["offset"], row["offset"] + row["length"]
        if position == end:
            return
        asked_end = ceil_pages(position + max(row["requested"], row["length"]))
        before = window.previous_end
        while position < end:
            batch = self.look_up(file, position // PAGE, asked_end)
            if not batch:
                self.miss(file, window, position // PAGE, asked_end - position // PAGE)
                batch = self.look_up(file, position // PAGE, asked_end)
            if not batch:
                batch = [self.insert(file, position // PAGE, 0, from_device=True, is_write=False)]
            for folio in batch:
                folio.pinned = True
            if batch[-1].mark:
                self.hit_mark(file, window, batch[-1], batch[-1].page, asked_end - batch[-1].page)
            for place, folio in enumerate(batch):
                size = folio.pages * PAGE
                is_same = before is not None and (before - 1) // size == position // size
                if place or not is_same or row["event"] == "read_spliced":
                    self.accessed(folio)
                folio.pinned = False
                position = min(end, folio.end * PAGE)
            before = position
        window.previous_end = end

    def look_up(self, file: int, page: int, end: int) -> list[Folio]:
        batch: list[Folio] = []
        while page < end and len(batch) < 31 and (file, page) in self.cached:
            batch.append(self.cached[file, page])
            page = batch[-1].end
            if batch[-1].mark:
                break
        return batch

    def accessed(self, folio: Folio) -> None:
        if not folio.referenced:
            folio.referenced = True
        elif folio in self.inactive:
            folio.referenced = False
            self.inactive.remove(folio)
            self.active.insert(0, folio)
            self.age += folio.pages
        elif not folio.goes_active and folio in itertools.chain(*self.waiting.values()):
            folio.referenced = False
            folio.goes_active = folio in self.waiting.get(self.processor, [])
            self.age += folio.pages

    def write(self, row: Row) -> None:
        file = row["file"]
        size = self.sizes.get(file, 0)
        position, end = row["offset"], row["offset"] + row["length"]
        while position < end:
            page = position // PAGE
            if (file, page) not in self.cached:
                pages = (end - position) // PAGE
                pages = min(pages, 2**MOST_ORDER - page % 2**MOST_ORDER)
                order = max(pages, 1).bit_length() - 1 if self.large else 0
                while page % 2**order or any(
                    (file, at) in self.cached for at in range(page, page + 2**order)
                ):
                    order -= 1
                folio = self.insert(file, page, order, from_device=False, is_write=True)
                here = min(end, folio.end * PAGE)
                for at in {page, (here - 1) // PAGE}:
                    # a page of which a part keeps what the device has
                    start = at * PAGE
                    keeps = position > start or end < min(start + PAGE, size)
                    self.reads += keeps and start < size
            folio = self.cached[file, page]
            self.soil(folio)
            position = min(end, folio.end * PAGE)
        self.sizes[file] = max(size, end)
        self.write_in_background()

    def will_need(self, row: Row) -> None:
        most = max(self.device, self.longest(self.window(row)))
        first = row["offset"] // PAGE
        pages = min(ceil_pages(row["offset"] + row["length"]) - first, most) if row["length"] else most
        for start in range(first, first + pages, 512):
            self.bring_in(row["file"], start, min(512, first + pages - start), 0)

    def dont_need(self, row: Row) -> None:
        file, offset = row["file"], row["offset"]
        end_byte = offset + row["length"] if row["length"] else 2**63
        inside = range(ceil_pages(offset), end_byte // PAGE + (end_byte == self.sizes.get(file, 0)))
        if end_byte % PAGE == 0:
            inside = range(ceil_pages(offset), end_byte // PAGE)
        touched = range(offset // PAGE, ceil_pages(end_byte))
        self.list_batch(self.processor)
        for folio in {folio for (of, page), folio in self.cached.items() if of == file and page in touched}:
            is_inside = folio.page in inside and folio.end - 1 in inside and not folio.young
            if is_inside and (folio.unwritten or folio in itertools.chain(*self.waiting.values())):
                for processor in sorted(self.waiting):
                    self.list_batch(processor)
            if is_inside and folio.unwritten:
                folio.mark, folio.referenced = True, False
            elif is_inside:
                self.remove(folio)
        for of, page in list(self.shadows):
            if of == file and page in inside:
                self.set_shadow(file, page, None)
        self.sync(file, touched)

    def cut(self, file: int, length: int) -> None:
        first = ceil_pages(length)
        for folio in {folio for (of, _), folio in self.cached.items() if of == file and folio.page >= first}:
            self.remove(folio)
        for of, page in list(self.shadows):
            if of == file and page >= first:
                self.set_shadow(file, page, None)
        self.sizes[file] = length

    def run(self, rows: list[Row], *, has_other: bool = True) -> Twin:
        """Process events as rows of page_cache_request, whose places and lengths are known."""
        known: dict[int, int] = {}
        time_ns = None
        for row in rows:
            if row["time_ns"] is not None and (time_ns is None or row["time_ns"] > time_ns):
                time_ns = row["time_ns"]
                self.pass_time(time_ns)
                self.age_statistics(time_ns)
            event, file = row["event"], row["file"]
            if event == "memory":
                if self.statistics == "recorded":
                    self.added_up = self.add_up()
                if has_other:
                    self.other = ceil_pages(row["length"])
                    self.make_room(0)
            elif event == "processor":
                self.processor = row["offset"]
            elif event == "sync":
                self.sync_all() if file is None else self.sync(file)
            elif event in ("will_need", "dont_need"):
                if file not in known and row["file_size"] is not None:
                    self.sizes[file] = known[file] = row["file_size"]
                self.will_need(row) if event == "will_need" else self.dont_need(row)
            elif event == "evicted":
                self.evicted(row)
            elif event == "dropped":
                for folio in {self.cached.get((file, page)) for page in self.pages_of(row)} - {None}:
                    if not folio.unwritten:
                        self.remove(folio)
            elif event == "writes_shown":
                self.shown.add(file)
            elif event in ("write_begun", "write_ended"):
                self.written(row)
            elif event == "delete":
                known[file] = 0
                self.cut(file, 0)
            elif event == "truncate":
                if file not in known or row["offset"] < known[file]:
                    self.cut(file, row["offset"])
                self.sizes[file] = known[file] = row["offset"]
            elif event in ("read", "read_spliced", "touch", "fault", "mapped", "direct_read"):
                end = row["offset"] + row["length"]
                size = row["file_size"] if row["file_size"] is not None else known.get(file, 0)
                self.sizes[file] = known[file] = max(size, end)
                if event in ("read", "read_spliced"):
                    self.read(row)
                elif event == "touch":
                    self.touch(row)
                elif event == "fault":
                    self.fault(file, self.window(row), row["offset"] // PAGE)
                elif event == "mapped":
                    self.mapped(row)
                else:
                    self.reads += ceil_pages(end) - row["offset"] // PAGE if row["length"] else 0
            elif event in ("write", "write_synchronous"):
                end = row["offset"] + row["length"]
                if file not in known:
                    size = row["file_size"]
                    self.sizes[file] = size if size is not None and size > end else 0
                known[file] = max(known.get(file, self.sizes[file]), end)
                self.write(row)
                if event == "write_synchronous":
                    self.sync(file)
            else:
                self.window(row).advice = event.removeprefix("advise_")
        return self
