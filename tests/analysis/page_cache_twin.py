"""A page cache of Linux, written for reading: two lists of folios, a dictionary of pages, and no speed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

PAGE = 4096
CLUSTER = 32
MOST_ORDER = 9
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
class Window:
    start: int = 0
    pages: int = 0
    ahead: int = 0
    order: int = 0
    misses: int = 0
    previous_end: int | None = None
    advice: str = "normal"


@dataclass
class Twin:
    limit: int
    readahead: int = 32
    device: int = 320
    large: bool = True
    background_percent: int = 10
    start_percent: int | None = 10
    write_page_ns: int = 0
    flusher: str = "woken"
    statistics: str = "recorded"
    touches: str = "faults"
    batches: bool = False
    expire_ns: int = 30_000_000_000
    wake_ns: int = 5_000_000_000

    inactive: list[Folio] = field(default_factory=list)  # the newest first
    active: list[Folio] = field(default_factory=list)
    processor: int | None = None
    waiting: dict[int, list[Folio]] = field(default_factory=dict)
    cached: dict[tuple[int, int], Folio] = field(default_factory=dict)
    shadows: dict[tuple[int, int], tuple[int, bool, bool]] = field(default_factory=dict)
    shadow_nodes: dict[tuple[int, int], int] = field(default_factory=dict)
    windows: dict[Any, Window] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    dirty_since: dict[int, tuple[int, int]] = field(default_factory=dict)
    order: Any = field(default_factory=count)
    arriving: list[Folio] = field(default_factory=list)
    other: int = 0
    age: int = 0
    activations: int = 0
    seen: int = 0
    added_up: tuple[int, int, int, int] = (0, 0, 0, 0)
    add_up_ns: int | None = None
    rounds: int = 0
    deferred: int = 0
    now_ns: int = 0
    written_at_ns: int | None = None
    shown: set[int] = field(default_factory=set)
    next_wake_ns: int | None = None
    reads: int = 0
    insertions: int = 0
    refaults: int = 0
    evictions: int = 0

    def total(self, folios: list[Folio]) -> int:
        return sum(folio.pages for folio in folios)

    # nodes of 64 pages that hold shadows only are forgotten, the oldest first

    def note_node(self, file: int, page: int) -> None:
        node = (file, page // 64)
        places = [(file, node[1] * 64 + place) for place in range(64)]
        has_shadow = any(place in self.shadows for place in places)
        if has_shadow and not any(place in self.cached for place in places):
            self.shadow_nodes.setdefault(node, next(self.order))
        else:
            self.shadow_nodes.pop(node, None)

    def set_shadow(self, file: int, page: int, shadow: tuple[int, bool, bool] | None) -> None:
        self.cached.pop((file, page), None)
        self.shadows.pop((file, page), None)
        if shadow is not None:
            self.shadows[file, page] = shadow
        self.note_node(file, page)

    def forget(self, priority: int) -> None:
        inactive, active, _, other = self.seen_statistics()
        beyond = len(self.shadow_nodes) - (inactive + active + other) // 8
        if beyond <= 0:
            return
        wanted = min(self.deferred // 2**priority + beyond // 2, 2 * beyond)
        freed = 0
        while (wanted >= 128 or wanted >= beyond) and self.shadow_nodes:
            for _ in range(min(wanted, 128)):
                if self.shadow_nodes:
                    self.forget_one()
            freed += min(wanted, 128)
            wanted -= min(wanted, 128)
        self.deferred = min(max(self.deferred + beyond // 2 - freed, 0), 2 * beyond)

    def forget_one(self) -> None:
        file, number = min(self.shadow_nodes, key=self.shadow_nodes.__getitem__)
        del self.shadow_nodes[file, number]
        for place in range(64):
            self.shadows.pop((file, number * 64 + place), None)

    # what reclaim knows of the lists is as old as the last time at which the kernel added its counts up

    def add_up(self) -> tuple[int, int, int, int]:
        return self.total(self.inactive), self.total(self.active), self.activations, self.other

    def seen_statistics(self) -> tuple[int, int, int, int]:
        if self.statistics == "never":
            return 0, 0, 0, 0
        is_current = self.statistics == "current" or self.add_up_ns is None
        return self.add_up() if is_current else self.added_up

    # reclaim

    def make_room(self, pages: int) -> bool:
        failures = 0
        while self.total(self.folios()) + pages > max(self.limit - self.other, 0):
            if not self.reclaim(max(pages, CLUSTER)):
                failures += 1
                self.wait_for_flusher() if self.flusher == "woken" else self.sync_all()
            if failures == 16 or not self.folios():
                break
        return self.total(self.folios()) + pages <= max(self.limit - self.other, 0)

    def reclaim(self, wanted: int) -> int:
        self.rounds += 1
        freed, skipped = self.scan(wanted, forced=False)
        if not freed and skipped:
            freed, _ = self.scan(wanted, forced=True)
        return freed

    def scan(self, wanted: int, *, forced: bool) -> tuple[int, bool]:
        freed, skipped = 0, False
        for priority in range(12, -1, -1):
            inactive, active, activations, _ = self.seen_statistics()
            deactivates = forced or activations != self.seen or inactive < active
            inactive = self.total(self.inactive) >> priority
            active = self.total(self.active) >> priority
            here = 0
            while inactive or active:
                if inactive:
                    step = min(inactive, CLUSTER)
                    inactive -= step
                    here += self.shrink_inactive(step)
                if active:
                    step = min(active, CLUSTER)
                    active -= step
                    if deactivates:
                        self.shrink_active(step)
                    else:
                        skipped = True
                if here >= wanted:
                    break
            self.forget(priority)
            freed += here
            if freed >= wanted:
                break
        self.seen = self.seen_statistics()[2]
        return freed, skipped

    def shrink_active(self, pages: int) -> None:
        moved = 0
        self.list_batch(self.processor)
        while moved < pages and self.active:
            folio = self.active.pop()
            moved += folio.pages
            self.take_young(folio)
            folio.workingset = True
            self.inactive.insert(0, folio)

    def take_young(self, folio: Folio) -> bool:
        is_first_look, folio.looked_at = folio.looked_at != self.rounds, self.rounds
        was_young, folio.young = folio.young, False
        return was_young or (self.touches == "rounds" and folio.mapped and is_first_look)

    def shrink_inactive(self, pages: int) -> int:
        looked = unwritten = freed = 0
        self.list_batch(self.processor)
        while looked < pages and self.inactive:
            folio = self.inactive.pop()
            looked += folio.pages
            was_young = self.take_young(folio)
            was_referenced, folio.referenced = folio.referenced, was_young
            if was_young:
                (self.active if was_referenced else self.inactive).insert(0, folio)
                self.age += folio.pages if was_referenced else 0
            elif folio.pinned:
                self.inactive.insert(0, folio)
            elif folio.unwritten:
                unwritten += folio.pages
                folio.mark = True
                self.active.insert(0, folio)
                self.age += folio.pages
            else:
                freed += folio.pages
                shadow = (self.age, folio.workingset, folio.mapped)
                self.age += folio.pages
                for page in range(folio.page, folio.end):
                    self.set_shadow(folio.file, page, shadow)
        self.evictions += freed
        if looked and looked == unwritten:
            self.wake_flusher()
        return freed

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

    # what comes in

    def insert(
        self, file: int, page: int, order: int, *, from_device: bool, is_write: bool, ahead: bool = False
    ) -> Folio | None:
        folio = Folio(file, page, order)
        if not self.make_room(folio.pages) and ahead:
            return None
        if ahead:
            folio.pinned = True
            self.arriving.append(folio)
        found = [self.shadows[file, at] for at in range(page, folio.end) if (file, at) in self.shadows]
        is_active = False
        if found and not is_write:
            self.refaults += folio.pages
            age, workingset, _ = found[-1]
            if self.age - age <= self.seen_statistics()[1]:
                is_active = True
                folio.workingset = workingset
                self.age += folio.pages
                self.activations += folio.pages
        self.join(folio, is_active)
        for at in range(page, folio.end):
            self.shadows.pop((file, at), None)
            self.cached[file, at] = folio
            self.note_node(file, at)
        self.insertions += folio.pages
        self.reads += folio.pages if from_device else 0
        return folio

    def remove(self, folio: Folio) -> None:
        for folios in (self.inactive, self.active, *self.waiting.values()):
            if folio in folios:
                folios.remove(folio)
        for page in range(folio.page, folio.end):
            self.set_shadow(folio.file, page, None)

    # what came in last waits on its processor

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

    def file_pages(self, file: int) -> int:
        return ceil_pages(self.sizes.get(file, 0))

    def arrive(self) -> None:
        for folio in self.arriving:
            folio.pinned = False
        self.arriving = []

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

    def longest(self, window: Window) -> int:
        return self.readahead * (2 if window.advice == "sequential" else 1)

    def longest_for(self, window: Window, asked: int) -> int:
        longest = self.longest(window)
        return min(asked, self.device) if asked > longest and self.device > longest else longest

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

    def cached_before(self, file: int, page: int, most: int) -> tuple[int, bool]:
        for steps, (index, at) in enumerate(self.walk(file, page - 1, -1)):
            if steps == most:
                return most - 1, False
            if index < 0:
                return steps, True
            if at is None or (file, at) not in self.cached:
                return steps, False
        raise AssertionError

    def next_window(self, pages: int, most: int) -> int:
        return 4 * pages if pages < most // 16 else 2 * pages if pages <= most // 2 else most

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

    # what programs do

    def window(self, row: Row) -> Window:
        key = ("use", row["open"]) if row.get("open") is not None else ("file", row["file"])
        return self.windows.setdefault(key, Window())

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
            if not folio.unwritten:
                folio.dirtied = next(self.order)
            if not folio.dirty:
                folio.dirty = True
                self.dirty_since.setdefault(file, (next(self.order), self.now_ns))
            position = min(end, folio.end * PAGE)
        self.sizes[file] = max(size, end)
        memory = max(self.limit - self.other, 0)
        if self.start_percent is None or self.dirty_pages() <= memory * self.start_percent // 100:
            return
        if self.flusher == "recorded":
            self.sync_not_shown()
            return
        while self.dirty_since and self.dirty_pages() > memory * self.background_percent // 100:
            self.sync(min(self.dirty_since, key=self.dirty_since.__getitem__))

    def dirty_pages(self) -> int:
        return sum(folio.pages for folio in self.folios() if folio.dirty)

    def sync_all(self) -> None:
        for file in sorted(self.dirty_since, key=self.dirty_since.__getitem__):
            self.sync(file)

    def sync_not_shown(self) -> None:
        for file in sorted(self.dirty_since.keys() - self.shown, key=self.dirty_since.__getitem__):
            self.sync(file)

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

    def sync(self, file: int, pages: range = range(2**62)) -> None:
        dirty = [folio for folio in self.folios() if folio.unwritten and folio.file == file]
        written = [folio for folio in dirty if folio.page < pages.stop and folio.end > pages.start]
        if len(written) == len(dirty):
            self.dirty_since.pop(file, None)
        for folio in sorted(written, key=lambda folio: folio.dirtied):
            folio.dirty = folio.writeback = False
            self.rotate(folio)

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

    def pages_of(self, row: Row) -> range:
        return range(row["offset"] // PAGE, ceil_pages(row["offset"] + row["length"]))

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

    def age_statistics(self, time_ns: int) -> None:
        if self.add_up_ns is None:
            self.add_up_ns = time_ns + 2_000_000_000
        if time_ns >= self.add_up_ns:
            self.added_up = self.add_up()
        while time_ns >= self.add_up_ns:
            self.add_up_ns += 2_000_000_000

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


def lru_reads(rows: list[Row], limit: int) -> int:
    """Pages read with an LRU cache of single pages."""
    cache: list[tuple[int, int]] = []
    reads = 0
    for kind, page in touches(rows):
        if page in cache:
            cache.remove(page)
        elif kind == "read":
            reads += 1
        if kind != "cut":
            cache = [*cache[-(limit - 1) :], page] if limit > 1 else [page]
    return reads


def fewest_reads(rows: list[Row], limit: int) -> int:
    """The fewest pages read, by trying all that a cache may keep."""
    best = {frozenset[tuple[int, int]](): 0}
    for kind, page in touches(rows):
        after: dict[frozenset[tuple[int, int]], int] = {}
        for kept, reads in best.items():
            now = reads + (kind == "read" and page not in kept)
            choices = {kept - {page}}
            if kind != "cut":
                choices |= {kept - {page, victim} | {page} for victim in kept}
                if len(kept | {page}) <= limit:
                    choices.add(kept | {page})
            for choice in choices:
                after[choice] = min(after.get(choice, now), now)
        best = after
    return min(best.values())


def touches(rows: list[Row]) -> list[tuple[str, tuple[int, int]]]:
    """What happens to single pages: read, write or cut."""
    touched: list[tuple[str, tuple[int, int]]] = []
    live: dict[int, dict[int, None]] = {}
    known: dict[int, int] = {}
    for row in rows:
        event, file = row["event"], row["file"]
        if event in ("delete", "truncate"):
            length = row["offset"] if event == "truncate" else 0
            if event == "delete" or file not in known or length < known[file]:
                for page in [page for page in live.get(file, {}) if page >= ceil_pages(length)]:
                    touched.append(("cut", (file, page)))
                    del live[file][page]
            known[file] = length
        elif event == "mapped":
            size, end = row["file_size"], row["offset"] + row["length"]
            known[file] = max(size if size is not None else known.get(file, 0), end)
        elif event in ("read", "read_spliced", "touch", "fault", "write", "write_synchronous"):
            end = row["offset"] + row["length"]
            size = row["file_size"]
            if event.startswith("write"):
                known.setdefault(file, size if size is not None and size > end else 0)
                known[file] = max(known[file], end)
            else:
                known[file] = max(size if size is not None else known.get(file, 0), end)
            end = row["offset"] // PAGE * PAGE + PAGE if event == "fault" else end
            for page in range(row["offset"] // PAGE, ceil_pages(end)) if row["length"] else ():
                live.setdefault(file, {})[page] = None
                touched.append(("write" if event.startswith("write") else "read", (file, page)))
    return touched
