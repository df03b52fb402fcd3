"""The slow twin of the cluster's caches: one request after the other, lists in the place of hashes.

It is written from the documentation (`iotrace.simulate.cluster`), not from the engine, and says for each request how
many blocks were found where. One request ends before the next begins, so that no block is ever on its way: what waits
for a fetch is tested by closed forms (`test_cluster_delayed_hits`).
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.settings import Machine

BLOCK = 4096


@dataclass
class Frame:
    block: tuple[int, int]
    version: int
    held: tuple[int, int] = (0, BLOCK)
    referenced: bool = False
    phase: int | None = None
    dirty: bool = False


@dataclass
class Cache:
    """Frames in the order in which the harvester takes them, dirty ones from the oldest on, those that it writes."""

    size: int
    low: int
    high: int
    order: list[Frame] = field(default_factory=list)
    dirty: list[Frame] = field(default_factory=list)
    harvested: list[Frame] = field(default_factory=list)

    def find(self, block: tuple[int, int]) -> Frame | None:
        return next((one for one in self.order + self.harvested if one.block == block), None)

    def clean(self) -> list[Frame]:
        return [one for one in self.order if not one.dirty]

    def free(self) -> int:
        return self.size - len(self.order) - len(self.harvested)

    def victim(self) -> Frame:
        while self.clean()[0].referenced:
            self.second_chance(self.clean()[0])
        return self.clean()[0]

    def second_chance(self, frame: Frame) -> None:
        frame.referenced = False
        self.order.remove(frame)
        self.order.append(frame)

    def take(self, frame: Frame) -> list[Frame]:
        """Free a clean frame and return it, or queue a dirty one for writing."""
        self.order.remove(frame)
        if not frame.dirty:
            return [frame]
        frame.referenced = False
        self.dirty.remove(frame)
        self.harvested.append(frame)
        return []

    def free_until(self, wanted: int, unwanted: Any) -> list[Frame]:
        gone = []
        for one in list(self.order):
            if self.free() + len(self.harvested) < wanted and unwanted(one.block):
                gone += self.take(one)
        while self.free() + len(self.harvested) < wanted and self.order:
            if self.order[0].referenced:
                self.second_chance(self.order[0])
            else:
                gone += self.take(self.order[0])
        return gone

    def make_room(self, unwanted: Any) -> list[Frame]:
        if self.free():
            return []
        for one in self.order:
            if unwanted(one.block) and not one.dirty:
                return self.take(one)
        return self.take(self.victim()) if self.clean() else self.free_until(1, lambda block: False)

    def insert(self, frame: Frame, unwanted: Any) -> tuple[bool, list[Frame]]:
        gone = self.make_room(unwanted)
        fits = self.free() > 0
        if fits:
            self.order.append(frame)
            self.dirty += [frame] if frame.dirty else []
        if self.free() < self.low:
            gone += self.free_until(self.high, unwanted)
        return fits, gone

    def write(self, frame: Frame) -> None:
        """The frame is dirty from now on, if it is not yet."""
        self.dirty += [] if frame.dirty else [frame]
        frame.dirty = True

    def written(self, frame: Frame) -> list[Frame]:
        """The next level has the frame: the harvester's are freed, unless they were used meanwhile."""
        if not frame.dirty:
            return []
        frame.dirty = False
        if frame not in self.harvested:
            self.dirty.remove(frame)
            return []
        self.harvested.remove(frame)
        if not frame.referenced:
            return [frame]
        frame.referenced = False
        self.order.append(frame)
        return []

    def clean_at_once(self, frame: Frame) -> None:
        """The next level has the frame without a flush."""
        if frame in self.harvested:
            self.harvested.remove(frame)
            self.order.append(frame)
        elif frame.dirty:
            self.dirty.remove(frame)
        frame.dirty = False

    def drop(self, frame: Frame) -> None:
        for places in (self.order, self.dirty, self.harvested):
            if frame in places:
                places.remove(frame)


@dataclass
class Globe:
    """A global cache and what it has counted: requests by segment, by block."""

    cache: Cache
    counter: Counter[tuple[int, int]] = field(default_factory=Counter)
    frequency: Counter[tuple[int, int]] = field(default_factory=Counter)
    asked: int = 0


@dataclass
class Cluster:
    machine: Machine
    discipline: Discipline
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        machine = self.machine
        self.locals = [self.cache(machine.local_blocks) for _ in range(machine.nodes)]
        self.globals: dict[int, Globe] = {}
        self.written: Counter[tuple[int, int]] = Counter()
        self.stored: Counter[tuple[int, int]] = Counter()
        self.synchronized: Counter[tuple[int, int]] = Counter()
        self.decision: dict[Any, str] = {}
        self.filled: set[tuple[int, int]] = set()
        self.told: set[tuple[int, tuple[int, int]]] = set()
        self.directory: dict[tuple[int, int], set[int]] = {}
        self.served = 0

    def cache(self, size: int | None) -> Cache:
        assert size is not None
        low, high = self.machine.low_water_percent, self.machine.high_water_percent
        return Cache(size, int(size * low / 100), int(size * high / 100))

    def globe(self, file: int) -> Globe:
        key = file if self.machine.global_per_file else 0
        if key not in self.globals:
            self.globals[key] = Globe(self.cache(self.machine.global_blocks))
        return self.globals[key]

    def segment(self, block: tuple[int, int]) -> tuple[int, int]:
        return block[0], block[1] // self.machine.segment_blocks

    def through(self, level: str, operation: str, phase: int | None, block: tuple[int, int]) -> bool:
        plan = self.discipline.plan
        rows = [] if plan is None else plan.to_pylist()
        segment = self.segment(block)[1]
        for wanted in (phase, None) if phase is not None else (None,):
            for row in rows:
                end = float("inf") if row["segments"] is None else row["first_segment"] + row["segments"]
                if (
                    row["phase"] == wanted
                    and row["level"] == level
                    and row["operation"] in (None, operation)
                    and row["file"] == block[0]
                    and row["first_segment"] <= segment < end
                ):
                    return bool(row["through"])
        return level == "local" or self.discipline.default_through

    def goes_global(self, node: int, operation: str, phase: int | None, block: tuple[int, int]) -> bool:
        if not self.discipline.uses_global:
            return False
        if not self.through("global", operation, phase, block):
            self.counts["global_bypassed"] += 1
            return False
        if (node, block) in self.told:
            self.counts["global_told"] += 1
            return False
        return True

    def serve(self, row: dict[str, Any], node: int) -> dict[str, int]:
        if row["operation"] in ("open", "close"):  # the metadata server's, seen by no cache
            self.counts["metadata_requests"] += 1
            return {}
        first, last = row["offset"] // BLOCK, (row["offset"] + row["length"] - 1) // BLOCK
        parts = {
            (row["file"], number): (
                max(row["offset"] - number * BLOCK, 0),
                min(row["offset"] + row["length"] - number * BLOCK, BLOCK),
            )
            for number in range(first, last + 1)
        }
        found = {"local_hits": 0, "global_hits": 0, "global_misses": 0, "round": 0}
        if not (self.discipline.uses_local or self.discipline.uses_global):
            pass
        elif row["operation"] == "read":
            self.read(row, node, parts, found)
        else:
            self.write(row, node, parts, found)
        self.harvest()
        self.served += 1
        if self.served % self.machine.flusher_period_requests == 0:
            self.flush()
        return found

    def read(self, row: dict[str, Any], node: int, parts: dict[Any, Any], found: dict[str, int]) -> None:
        arriving, through = [], []
        local = self.locals[node]
        for block, part in parts.items():
            asks = self.discipline.uses_local and self.through("local", "read", row["phase"], block)
            if asks:
                frame = local.find(block)
                if frame is not None:
                    frame.referenced = True
                    if frame.held[0] <= part[0] and part[1] <= frame.held[1]:
                        found["local_hits"] += 1
                        self.age(block, frame.version)
                        continue
            if self.goes_global(node, "read", row["phase"], block):
                through.append([block, asks, None])
            else:
                found["round"] += 1
                self.age(block, self.joined(node, block, asks, self.stored[block]))
                arriving.append((block, asks, self.stored[block]))
                self.register(block, node, asks)
        cache = self.globe(row["file"]).cache
        for item in through:
            self.ask(item[0])
            frame = cache.find(item[0])
            needed = (0, BLOCK) if item[1] else parts[item[0]]
            if frame is None or not (frame.held[0] <= needed[0] and needed[1] <= frame.held[1]):
                found["global_misses"] += 1
                continue
            found["global_hits"] += 1
            frame.referenced = True
            item[2] = frame.version
            if self.discipline.admission == "demoted" and item[1] and not frame.dirty:
                cache.drop(frame)
            self.age(item[0], self.joined(node, item[0], item[1], frame.version))
        for item in through:
            if item[2] is None:
                frame = cache.find(item[0])
                item[2] = max(self.stored[item[0]], frame.version if frame else 0)
                self.age(item[0], self.joined(node, item[0], item[1], item[2]))
                self.place(node, Frame(item[0], item[2]))
            self.register(item[0], node, item[1])
        # what came through the global cache enters first, then what came round it
        for block, asks, version in [*through, *arriving]:
            if not asks:
                continue
            frame = local.find(block)
            if frame is None:
                self.keep(node, Frame(block, version))
            else:
                frame.held, frame.version = (0, BLOCK), max(frame.version, version)
        self.demote()

    def joined(self, node: int, block: tuple[int, int], asks: bool, version: int) -> int:
        """What a node fetched joins what it wrote of the block itself."""
        own = self.locals[node].find(block) if asks else None
        return version if own is None else max(version, own.version)

    def age(self, block: tuple[int, int], version: int) -> None:
        self.counts["stale_reads"] += version < self.written[block]
        self.counts["stale_after_sync"] += version < self.synchronized[block]

    def register(self, block: tuple[int, int], node: int, asks: bool) -> None:
        if asks:
            self.directory.setdefault(block, set()).add(node)

    def keep(self, node: int, frame: Frame) -> None:
        _, gone = self.locals[node].insert(frame, lambda block: False)
        self.gone = [*getattr(self, "gone", []), *gone]

    def demote(self) -> None:
        gone, self.gone = getattr(self, "gone", []), []
        if self.discipline.admission != "demoted" or not self.discipline.uses_global:
            return
        for one in gone:
            if one.held != (0, BLOCK):
                continue
            self.counts["demoted_blocks"] += 1
            if one.version < self.stored[one.block]:
                continue
            cache = self.globe(one.block[0]).cache
            frame = cache.find(one.block)
            if frame is None:
                cache.insert(Frame(one.block, one.version), lambda block: False)
            else:
                frame.referenced, frame.version = True, max(frame.version, one.version)
                frame.held = (0, BLOCK)

    def ask(self, block: tuple[int, int]) -> None:
        globe = self.globe(block[0])
        globe.counter[self.segment(block)] += 1
        globe.frequency[block] += 1
        globe.asked += 1
        if globe.asked == 10 * max(1, globe.cache.size):
            globe.asked, globe.frequency = 0, halved(globe.frequency)

    def place(self, node: int, frame: Frame) -> bool:
        block = frame.block
        globe, used = self.globe(block[0]), self.discipline
        cache, there = globe.cache, globe.cache.find(block)
        if there is not None:  # a part of it was written
            there.held, there.version = meets(there.held, frame.held) or there.held, frame.version
            return True
        if used.admission == "demoted" or (used.admission == "counters" and not self.is_placed(node, block)):
            return False
        if used.admission == "more-frequent" and cache.free() <= cache.low and cache.clean():
            if globe.frequency[block] <= globe.frequency[cache.victim().block]:
                return False
            cache.drop(cache.victim())
        examined: set[tuple[int, int]] = set()

        def is_unwanted(other: tuple[int, int]) -> bool:
            examined.add(self.segment(other))
            return used.admission == "counters" and globe.counter[self.segment(other)] < used.threshold

        fits, _ = cache.insert(frame, is_unwanted)
        for segment in examined if used.ages else ():
            globe.counter[segment] //= 2
        return fits

    def is_placed(self, node: int, block: tuple[int, int]) -> bool:
        used, count = self.discipline, self.globe(block[0]).counter[self.segment(block)]
        key = block if used.scope == "cluster" else (node, block)
        is_exempt = block not in self.filled if used.first_access == "block" else count <= 1
        self.filled.add(block)
        if is_exempt and key not in self.decision:
            return True
        choice = "place" if count > used.threshold else "bypass"
        if self.decision.setdefault(key, choice) == "bypass":
            self.told.add((node, block))
            return False
        return True

    def write(self, row: dict[str, Any], node: int, parts: dict[Any, Any], found: dict[str, int]) -> None:
        local, is_sync = self.locals[node], row["operation"] == "sync_write"
        asking = [
            block
            for block in parts
            if self.discipline.uses_local and self.through("local", "write", row["phase"], block)
        ]
        there = {block: frame for block in asking if (frame := local.find(block)) is not None}
        found["local_hits"] = len(there)
        room = local.free() + sum(one.block not in there for one in local.clean())
        gaps = any(meets(frame.held, parts[block]) is None for block, frame in there.items())
        waits = bool(asking) and not is_sync and len(asking) - len(there) <= room and not gaps
        if waits:
            for block, frame in there.items():
                self.written[block] += 1
                frame.referenced, frame.version, frame.phase = True, self.written[block], row["phase"]
                frame.held = meets(frame.held, parts[block]) or frame.held
                local.write(frame)
                self.register(block, node, True)
        for block, part in parts.items():
            if block in asking and waits:
                continue
            self.written[block] += 1
            frame = local.find(block)
            if frame is not None and self.discipline.uses_local:
                frame.referenced |= block in asking
                frame.version = self.written[block]
                if part[0] <= frame.held[0] and frame.held[1] <= part[1]:
                    local.clean_at_once(frame)
                frame.held = meets(frame.held, part) or frame.held
            via = self.goes_global(node, "write", row["phase"], block)
            found["round"] += not via
            self.pending = [*getattr(self, "pending", []), (block, part, self.written[block], via, is_sync)]
        if waits:
            for block in asking:
                if local.find(block) is None:
                    self.written[block] += 1
                    frame = Frame(block, self.written[block], parts[block], phase=row["phase"], dirty=True)
                    self.keep(node, frame)
                    self.register(block, node, True)
        self.send(node)
        self.demote()

    def send(self, node: int) -> None:
        """Through the global cache first, then round it."""
        pending, self.pending = getattr(self, "pending", []), []
        for block, part, version, via, is_sync in sorted(pending, key=lambda one: not one[3]):
            if version < self.synchronized[block]:
                continue
            if via and self.keeps_dirty(node, block, part, version, is_sync):
                continue
            self.stored[block] = version
            if is_sync:
                self.synchronized[block] = version
                self.invalidate(node, block, version, via)

    def keeps_dirty(
        self, node: int, block: tuple[int, int], part: tuple[int, int], version: int, is_sync: bool
    ) -> bool:
        """A write reaches the global cache; whether it stays there until it is flushed."""
        waits = self.machine.global_writes == "back" and not is_sync
        self.ask(block)
        cache = self.globe(block[0]).cache
        frame = cache.find(block)
        if frame is None:
            if self.discipline.admission == "demoted" or not (waits or part == (0, BLOCK)):
                return False
            held = part if waits else (0, BLOCK)
            return self.place(node, Frame(block, version, held, dirty=waits)) and waits
        frame.referenced, frame.version = True, version
        is_covered = part[0] <= frame.held[0] and frame.held[1] <= part[1]
        joint = meets(frame.held, part)
        frame.held = joint or frame.held
        if waits and joint is not None:
            cache.write(frame)
            return True
        if is_covered:
            cache.clean_at_once(frame)
        return False

    def invalidate(self, node: int, block: tuple[int, int], version: int, via: bool) -> None:
        for other in self.directory.pop(block, set()) - {node}:
            self.counts["invalidations"] += 1
            cache = self.locals[other]
            frame = cache.find(block) if self.discipline.uses_local else None
            if frame is not None:
                self.counts["invalidated_copies"] += 1
                self.counts["dropped_dirty"] += frame.dirty
                cache.drop(frame)
        if not via and self.discipline.uses_global:
            cache = self.globe(block[0]).cache
            frame = cache.find(block)
            if frame is not None:
                self.counts["dropped_dirty"] += frame.dirty
                cache.drop(frame)
                self.counts["invalidations"] += 1
                self.counts["invalidated_copies"] += 1
        if self.discipline.uses_local and self.locals[node].find(block) is not None:
            self.directory.setdefault(block, set()).add(node)

    def harvest(self) -> None:
        """What harvesters found dirty is written: nodes' first, then global caches', until nothing is left."""
        while harvested := [(level, key) for level, key, cache in self.caches() if cache.harvested]:
            level, key = harvested[0]
            while self.send_batch(level, key, "harvested"):
                pass

    def flush(self) -> None:
        for level, key, _ in self.caches():
            while self.send_batch(level, key, "dirty"):
                self.harvest()

    def caches(self) -> list[tuple[int, int, Cache]]:
        """Local caches by node, then global ones by number."""
        local = [(0, node, cache) for node, cache in enumerate(self.locals)]
        return [*local, *((1, key, self.globals[key].cache) for key in sorted(self.globals))]

    def send_batch(self, level: int, key: int, of: str) -> bool:
        """Send on up to 64 dirty blocks of one file; false if there are none."""
        cache = self.locals[key] if level == 0 else self.globals[key].cache
        batch: list[Frame] = getattr(cache, of)[:64]
        batch = batch[: next((n for n, one in enumerate(batch) if one.block[0] != batch[0].block[0]), 64)]
        routes: dict[bool, list[Frame]] = {True: [], False: []}
        for one in batch:
            via = level == 0 and self.goes_global(key, "write", one.phase, one.block)
            routes[via].append(one)
            if level == 0:
                pending = (one.block, one.held, one.version, via, False)
                self.pending = [*getattr(self, "pending", []), pending]
            elif one.version >= self.synchronized[one.block]:
                self.stored[one.block] = one.version
        if level == 0:
            self.send(key)
        for one in routes[True] + routes[False]:
            gone = cache.written(one)
            if level == 0:
                self.gone = [*getattr(self, "gone", []), *gone]
        self.demote()
        return bool(batch)


def meets(held: tuple[int, int], part: tuple[int, int]) -> tuple[int, int] | None:
    if part[0] <= held[1] and held[0] <= part[1]:
        return min(held[0], part[0]), max(held[1], part[1])
    return None


def halved(counts: Counter[tuple[int, int]]) -> Counter[tuple[int, int]]:
    return Counter({one: count // 2 for one, count in counts.items()})
