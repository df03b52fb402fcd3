"""Which pages leave a page cache's twin for those that come in."""

from __future__ import annotations

from dataclasses import dataclass, field

from page_cache_lists_twin import Folio
from page_cache_writeback_twin import WriteBack

CLUSTER = 32


@dataclass
class Reclaim(WriteBack):
    """Reclaim looks at the ends of both lists, and remembers when a page was evicted."""

    statistics: str = "recorded"
    touches: str = "faults"
    arriving: list[Folio] = field(default_factory=list)
    activations: int = 0
    seen: int = 0
    added_up: tuple[int, int, int, int] = (0, 0, 0, 0)
    add_up_ns: int | None = None
    rounds: int = 0
    deferred: int = 0
    reads: int = 0
    insertions: int = 0
    refaults: int = 0
    evictions: int = 0

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

    def take_young(self, folio: Folio) -> bool:
        is_first_look, folio.looked_at = folio.looked_at != self.rounds, self.rounds
        was_young, folio.young = folio.young, False
        return was_young or (self.touches == "rounds" and folio.mapped and is_first_look)

    def forget(self, priority: int) -> None:
        """Nodes of 64 pages that hold shadows only are forgotten, the oldest first."""
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

    def add_up(self) -> tuple[int, int, int, int]:
        return self.total(self.inactive), self.total(self.active), self.activations, self.other

    def seen_statistics(self) -> tuple[int, int, int, int]:
        """What reclaim knows of the lists is as old as the last time at which the kernel added its counts up."""
        if self.statistics == "never":
            return 0, 0, 0, 0
        is_current = self.statistics == "current" or self.add_up_ns is None
        return self.add_up() if is_current else self.added_up

    def age_statistics(self, time_ns: int) -> None:
        if self.add_up_ns is None:
            self.add_up_ns = time_ns + 2_000_000_000
        if time_ns >= self.add_up_ns:
            self.added_up = self.add_up()
        while time_ns >= self.add_up_ns:
            self.add_up_ns += 2_000_000_000
