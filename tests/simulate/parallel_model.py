"""The parallel file system of Kotz and Ellis (1991) as a SimPy model: slow, and to be read along with the paper.

It does what the engine does (iotrace/engine/core/src/simulate/parallel_fs), from the same description, and keeps a log
of every event, so that the two can be compared event for event. Times are whole nanoseconds. Of events at the same
instant, what a completed wait sets free goes on first, in the order in which it was set free; then the next timed
event comes, in the order in which they were scheduled.
"""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import NamedTuple

import simpy
from simpy.events import URGENT

Waits = Generator[simpy.Event, None, None]
Place = tuple[int, int]
"""A file and a block of it."""


class Record(NamedTuple):
    """One row of a program."""

    process: int | None
    operation: str
    file: int | None
    offset: int | None
    length: int | None
    compute_ns: int = 0
    application: int = 0


@dataclass(frozen=True)
class Configuration:
    """What the model is run with; `policy` is thru, back, free or full."""

    processes: int
    disks: int
    buffers: int = 0
    shared_cache: bool = False
    policy: str = "back"
    block_bytes: int = 1024
    stripe_blocks: int = 1
    rotate_files: bool = False
    service_ns: int = 30_000_000
    jitter_ns: int = 10_000
    read_management_ns: int = 0
    write_management_ns: int = 0
    disk_request_ns: int = 0
    write_start_ns: int = 0
    copy_ns_per_kbyte: int = 0
    copy_piece_bytes: int = 256
    claim_order: str = "random"
    replacement: str = "toss"
    prefetch: str = "none"
    writes_while_writing: bool = True
    files_exist: bool = False
    seed: int = 1
    applications: Sequence[int] = ()
    """The application of each process; all 0 if empty."""


class Event(NamedTuple):
    """One line of the log."""

    time_ns: int
    event: str
    process: int | None = None
    file: int | None = None
    block: int | None = None
    disk: int | None = None


MASK = (1 << 64) - 1


def mixed(state: int) -> int:
    """SplitMix64's output (Steele, Lea and Flood 2014)."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ state >> 27) * 0x94D049BB133111EB) & MASK
    return state ^ state >> 31


class Draws:
    """A stream of random numbers: each process has its own, and those who wait for buffers have one."""

    def __init__(self, seed: int, stream: int) -> None:
        self.state = mixed(mixed(seed) ^ stream)

    def below(self, count: int) -> int:
        """Draw a number below a limit; a limit of 1 needs no draw."""
        return 0 if count == 1 else (self.number() >> 11) * count >> 53

    def number(self) -> int:
        number, self.state = mixed(self.state), (self.state + 0x9E3779B97F4A7C15) & MASK
        return number

    def around(self, mean: int) -> int:
        """Draw uniformly from half of the mean to one and a half of it; nothing is drawn for 0."""
        if mean == 0:
            return 0
        half = mean // 2
        return mean - half + ((self.number() >> 11) * 2 * half >> 53)


@dataclass
class Buffer:
    """A block's place in the cache."""

    number: int
    brought_in: int
    """When its block was, counted over all of them."""
    place: Place | None = None
    users: int = 0
    """How many processes have it as their most recently used block."""
    is_dirty: bool = False
    writes: int = 0
    """Disk writes of it that have not ended."""
    filled: int = 0
    """Bytes written since it was brought in or last went to the disk."""
    was_written: bool = False
    """Whether a disk write of it was queued since it was brought in."""
    is_reading: bool = False
    readers: list[simpy.Event] = field(default_factory=list)
    """Who waits for its read, or for its writes to end, in the order in which they began to."""
    is_ahead: bool = False
    """Whether it was read ahead, and nobody has used it yet."""
    is_latched: bool = False
    """Whether a process copies from or to it."""
    copiers: deque[simpy.Event] = field(default_factory=deque)
    """Who waits for that to end."""


class Cache:
    """The buffers of a file, or of all files."""

    def __init__(self, number: int, buffers: int) -> None:
        self.number = number
        self.buffers = [Buffer(one, one) for one in range(buffers)]
        self.free = list(self.buffers)
        self.claimants: list[Access] = []


@dataclass
class Portion:
    """A run of contiguous reads in a list of records: what is worth reading ahead of it."""

    file: int
    end: int
    """In bytes."""
    next_block: int


@dataclass
class Process:
    """The state of a process."""

    number: int
    application: int
    draws: Draws
    kept: dict[Cache, Buffer] = field(default_factory=dict)
    """Its most recently used block in each cache."""
    doing: str = "overhead"
    since_ns: int = 0
    times_ns: Counter[str] = field(default_factory=Counter)
    occupied_until_ns: int = 0
    """When it has started all the disk writes that are its to start."""

    def turn(self, doing: str, now_ns: int) -> None:
        """Account for the time in the current state; enter another state."""
        self.times_ns[self.doing] += now_ns - self.since_ns
        self.doing, self.since_ns = doing, now_ns


@dataclass(eq=False)
class Access:
    """A process's access to one block."""

    process: Process
    place: Place
    length: int
    is_write: bool
    portion: Portion | None
    woken: simpy.Event
    """That it has a buffer, with the block's contents if another process has them read."""
    cache: Cache
    must_read: bool = False
    """Whether this process has the block read."""

    @property
    def buffer(self) -> Buffer | None:
        """What the process keeps in the cache: its block's buffer, if it has one."""
        return self.process.kept.get(self.cache)


class Disk:
    """A disk with its queue, first come, first served."""

    def __init__(self, model: "Model", number: int) -> None:
        self.model, self.number = model, number
        self.queue: deque[tuple[str, Place, Callable[[], None]]] = deque()
        self.busy_ns = 0

    def queue_up(self, what: str, place: Place, then: Callable[[], None]) -> None:
        self.model.note(f"{what}_queued", place=place, disk=self.number)
        self.model.counts[f"disk_{what}s"] += 1
        self.queue.append((what, place, then))
        if len(self.queue) == 1:
            self.start()

    def start(self) -> None:
        what, place, _ = self.queue[0]
        self.model.note(f"{what}_start", place=place, disk=self.number)
        service_ns = self.model.settings.service_ns
        self.busy_ns += service_ns
        self.model.clock.timeout(service_ns).callbacks.append(self.end)

    def end(self, _: simpy.Event) -> None:
        what, place, then = self.queue.popleft()
        self.model.note(f"{what}_end", place=place, disk=self.number)
        if self.queue:
            self.start()
        then()


class Model:
    """The whole: processes, cache, disks."""

    def __init__(self, settings: Configuration, program: Sequence[Record]) -> None:
        self.settings = settings
        self.clock = simpy.Environment(0)
        self.log: list[Event] = []
        self.counts: Counter[str] = Counter()
        numbers = range(settings.processes)
        applications = settings.applications or [0] * settings.processes
        self.processes = [Process(one, applications[one], Draws(settings.seed, one)) for one in numbers]
        self.own = {one: self.with_portions(r for r in program if r.process == one) for one in numbers}
        self.shared = {
            one: self.with_portions(r for r in program if r.process is None and r.application == one)
            for one in applications
        }
        self.disks = [Disk(self, number) for number in range(settings.disks)]
        files = 1 + max((r.file for r in program if r.file is not None), default=0)
        self.caches = [
            Cache(number, settings.buffers) for number in range(1 if settings.shared_cache else files)
        ]
        self.used: list[Buffer] = []
        """The buffers of all caches that have held a block, in the order in which they first did."""
        self.numbers = count(settings.buffers)
        self.of_place: dict[Place, Buffer] = {}
        self.chance = Draws(settings.seed, MASK)
        self.on_disk: set[Place] = set()
        self.was_read: set[Place] = set()
        self.running = settings.processes

    def run(self) -> int:
        """Run to the end; return the total execution time."""
        for process in self.processes:
            self.clock.process(self.life(process))
        self.clock.run()
        return self.clock.now

    def note(
        self, event: str, process: Process | None = None, place: Place | None = None, disk: int | None = None
    ) -> None:
        file, block = place or (None, None)
        self.log.append(Event(self.clock.now, event, process.number if process else None, file, block, disk))

    def wake(self, woken: simpy.Event) -> None:
        """Let a process go on, before anything that time brings, after those woken before it."""
        woken._ok, woken._value = True, None
        self.clock.schedule(woken, URGENT)

    # What a process does

    def life(self, process: Process) -> Waits:
        while following := self.next_record(process):
            record, portion = following
            blocks = list(self.blocks(record))
            self.note("record", process, blocks[0][0] if blocks else None)
            if blocks:
                yield from self.overhead(process, self.settings.jitter_ns)
            for place, length in blocks:
                is_write = record.operation != "read"
                cache = self.cache_of(place)
                access = Access(process, place, length, is_write, portion, self.clock.event(), cache)
                if not is_write:
                    self.was_read.add(place)
                yield from self.cached(access) if self.settings.buffers else self.uncached(access)
            yield from self.passing(process, "computing", record.compute_ns)
        for cache in sorted(process.kept, key=lambda cache: cache.number):
            self.leave(process, cache)
        yield from self.occupied(process)
        if self.running == 1:
            self.flush(process)
            yield from self.occupied(process)
        self.note("finish", process)
        process.turn("finished", self.clock.now)
        self.running -= 1

    def next_record(self, process: Process) -> tuple[Record, Portion | None] | None:
        for records in (self.own[process.number], self.shared[process.application]):
            if records:
                return records.popleft()
        return None

    def with_portions(self, records: Iterable[Record]) -> deque[tuple[Record, Portion | None]]:
        """Records, each read with its portion; a write ends one, computation and empty records do not."""
        found, portion = deque(), None
        for record in records:
            if record.operation != "compute" and record.length:
                if record.operation != "read":
                    portion = None
                elif portion is None or (portion.file, portion.end) != (record.file, record.offset):
                    portion = Portion(record.file, 0, record.offset // self.settings.block_bytes)
                if portion is not None:
                    portion.end = record.offset + record.length
            found.append((record, portion))
        return found

    def blocks(self, record: Record) -> Iterator[tuple[Place, int]]:
        """The blocks of a record, and how many bytes of each it covers."""
        if record.operation == "compute":
            return
        size, at = self.settings.block_bytes, record.offset
        while at < record.offset + record.length:
            end = min((at // size + 1) * size, record.offset + record.length)
            yield (record.file, at // size), end - at
            at = end

    def passing(self, process: Process, doing: str, duration_ns: int) -> Waits:
        if duration_ns:
            process.turn(doing, self.clock.now)
            yield self.clock.timeout(duration_ns)

    def uncached(self, access: Access) -> Waits:
        """Read, or write, or read and write: each by the disk, waited for, not locked against others."""
        operations = ["read"]
        if access.is_write:
            operations = ["read", "write"] if self.needs_contents(access) else ["write"]
            self.count_reread(access)
            self.on_disk.add(access.place)
        for operation in operations:
            yield from self.overhead(access.process, self.settings.disk_request_ns)
            ended = self.clock.event()
            access.process.turn(f"waiting_for_{operation}s", self.clock.now)
            self.disk_of(access.place).queue_up(operation, access.place, partial(self.wake, ended))
            yield ended
        copy_ns = self.settings.copy_ns_per_kbyte * access.length // 1024
        yield from self.overhead(access.process, copy_ns)

    def cached(self, access: Access) -> Waits:
        process, settings = access.process, self.settings
        if access.buffer is not None and access.buffer.place != access.place:
            self.leave(process, access.cache)
            yield from self.occupied(process)
        management_ns = settings.write_management_ns if access.is_write else settings.read_management_ns
        yield from self.overhead(process, management_ns)
        if access.buffer is not None:
            self.counts["hits"] += 1
            self.note("hit", process, access.place)
            self.read_ahead(access)
        else:
            yield from self.finding(access)
        yield from self.copying(access)
        if settings.replacement != "toss":
            self.leave(process, access.cache)
        yield from self.occupied(process)

    def finding(self, access: Access) -> Waits:
        """Find the block's buffer or claim one, and have the block's contents read into it if they are needed."""
        process, cache = access.process, access.cache
        must_queue = self.settings.claim_order == "fifo" and cache.claimants
        if (must_queue and access.place not in self.of_place) or not self.settled(access):
            self.note("wait", process, access.place)
            process.turn("waiting_for_buffers", self.clock.now)
            cache.claimants.append(access)
            self.make_room(access)
        elif not access.must_read:
            self.read_ahead(access)
        if access.buffer is None or (access.buffer.is_reading and not access.must_read):
            yield access.woken
        yield from self.occupied(process)
        if access.must_read:
            yield from self.overhead(process, self.settings.disk_request_ns)
            access.buffer.readers.append(ended := self.clock.event())
            process.turn("waiting_for_reads", self.clock.now)
            self.disk_of(access.place).queue_up("read", access.place, partial(self.read_ended, access.buffer))
            self.read_ahead(access)
            yield ended

    def copying(self, access: Access) -> Waits:
        """Copy between the record and the buffer; where that takes time, piece by piece and one process at a time."""
        buffer, per_kbyte_ns = access.buffer, self.settings.copy_ns_per_kbyte
        left = access.length if per_kbyte_ns else 0
        while self.may_not_write(access):
            yield self.writing_ended(access)
        while left:
            if buffer.is_latched:
                access.process.turn("overhead", self.clock.now)
                buffer.copiers.append(turn := self.clock.event())
                yield turn
            buffer.is_latched = True
            if self.may_not_write(access):
                ended = self.writing_ended(access)
                self.let_next_copy(buffer)
                yield ended
                continue
            piece = min(left, self.settings.copy_piece_bytes or left)
            yield from self.overhead(access.process, per_kbyte_ns * piece // 1024)
            left -= piece
            if not left and access.is_write:
                self.written(buffer, access)
            self.let_next_copy(buffer)
        if access.is_write and not per_kbyte_ns:
            self.written(buffer, access)

    def may_not_write(self, access: Access) -> bool:
        writes = access.buffer.writes
        return access.is_write and writes > 0 and not self.settings.writes_while_writing

    def writing_ended(self, access: Access) -> simpy.Event:
        access.process.turn("waiting_for_writes", self.clock.now)
        access.buffer.readers.append(ended := self.clock.event())
        return ended

    def let_next_copy(self, buffer: Buffer) -> None:
        buffer.is_latched = bool(buffer.copiers)
        if buffer.copiers:
            self.wake(buffer.copiers.popleft())

    def overhead(self, process: Process, mean_ns: int) -> Waits:
        yield from self.passing(process, "overhead", process.draws.around(mean_ns))

    def occupied(self, process: Process) -> Waits:
        """Before anything else a process does what it is occupied with."""
        yield from self.passing(process, "overhead", max(0, process.occupied_until_ns - self.clock.now))

    # What the cache does

    def leave(self, process: Process, cache: Cache) -> None:
        buffer = process.kept.pop(cache)
        buffer.users -= 1
        if not buffer.users:
            cache.free.append(buffer)
            if self.settings.replacement == "fifo":
                cache.free.sort(key=lambda one: one.brought_in)
            if self.settings.policy == "free" and buffer.is_dirty:
                self.write(buffer, process)
            self.serve(cache)

    def settled(self, access: Access) -> bool:
        """Give a process its block's buffer, or a free one for it; return whether that was possible."""
        process, place, cache = access.process, access.place, access.cache
        if buffer := self.of_place.get(place):
            self.counts["hits"] += 1
            self.note("pending" if buffer.is_reading else "hit", process, place)
            if buffer in cache.free:
                cache.free.remove(buffer)
            buffer.is_ahead = False
            if buffer.is_reading:
                buffer.readers.append(access.woken)
        else:
            buffer = self.claimed(access)
            if buffer is None:
                return False
            self.note("claim", process, place)
            self.take(buffer, place)
            buffer.is_reading = access.must_read = self.needs_contents(access)
            self.count_reread(access)
        buffer.users += 1
        process.kept[cache] = buffer
        is_others = buffer.is_reading and not access.must_read
        process.turn("waiting_for_reads" if is_others else "overhead", self.clock.now)
        return True

    def take(self, buffer: Buffer, place: Place) -> None:
        """A free buffer becomes another block's."""
        self.cache_of(place).free.remove(buffer)
        if buffer.place is None:
            self.used.append(buffer)
        self.of_place.pop(buffer.place, None)
        self.of_place[place] = buffer
        buffer.place, buffer.filled, buffer.was_written = place, 0, False
        buffer.brought_in = next(self.numbers)

    def read_ahead(self, access: Access) -> None:
        """Start reads of what follows in the portion, with buffers that no other process needs."""
        portion, prefetch, size = access.portion, self.settings.prefetch, self.settings.block_bytes
        if access.is_write or prefetch == "none":
            return
        after = access.place[1] + 1
        portion.next_block = max(portion.next_block, after)
        while portion.next_block * size < portion.end and (
            prefetch == "portion" or portion.next_block == after
        ):
            place = (portion.file, portion.next_block)
            if place not in self.of_place:
                cache = access.cache
                ahead = sum(buffer.is_ahead for buffer in cache.buffers)
                ready = next((one for one in cache.free if not one.is_dirty and not one.writes), None)
                if ahead >= len(cache.buffers) - len(self.processes) or cache.claimants or ready is None:
                    return
                self.note("prefetch", access.process, place)
                self.counts["prefetches"] += 1
                self.take(ready, place)
                ready.is_reading = ready.is_ahead = True
                self.disk_of(place).queue_up("read", place, partial(self.read_ended, ready))
            portion.next_block += 1

    def needs_contents(self, access: Access) -> bool:
        """Whether an access needs what the disk has of the block: not if it writes all of it, or there is nothing."""
        is_partial = access.length < self.settings.block_bytes
        is_there = any(
            (self.settings.files_exist, access.place in self.on_disk, access.place in self.was_read)
        )
        return not access.is_write or (is_partial and is_there)

    def count_reread(self, access: Access) -> None:
        is_back = access.place in self.on_disk and self.needs_contents(access)
        self.counts["rereads"] += access.is_write and is_back

    def claimed(self, access: Access) -> Buffer | None:
        """Return the first free, clean buffer with no I/O in progress; WriteBack writes the dirty ones before it."""
        for buffer in access.cache.free:
            if not buffer.is_dirty and not buffer.writes:
                return buffer
            if self.settings.policy == "back" and not buffer.writes:
                self.write(buffer, access.process)
        return None

    def make_room(self, access: Access) -> None:
        """Start writes until as many free buffers are being written as processes wait, from the head of the list."""
        cache = access.cache
        while sum(buffer.writes > 0 for buffer in cache.free) < len(cache.claimants):
            dirty = next((one for one in cache.free if one.is_dirty and not one.writes), None)
            if dirty is None:
                return
            self.write(dirty, access.process)

    def serve(self, cache: Cache) -> None:
        """Let waiters look for a buffer again, one after another, until one finds none."""
        while cache.claimants:
            access = self.next_claimant(cache.claimants)
            if not self.settled(access):
                self.make_room(access)
                return
            cache.claimants.remove(access)
            if not access.must_read:
                self.read_ahead(access)
            if access.must_read or not access.buffer.is_reading:
                self.wake(access.woken)

    def next_claimant(self, waiting: list[Access]) -> Access:
        """Return who looks next, of those who wait in the order in which they came."""
        match self.settings.claim_order:
            case "random":
                return waiting[self.chance.below(len(waiting))]
            case "fifo":
                return waiting[0]
            case "lifo":
                return waiting[-1]
            case "lowest":
                return min(waiting, key=lambda access: access.process.number)
        raise ValueError(self.settings.claim_order)

    def written(self, buffer: Buffer, access: Access) -> None:
        """A process has written into a buffer."""
        self.note("dirty", access.process, access.place)
        self.counts["rewrites"] += buffer.was_written and not buffer.is_dirty
        buffer.is_dirty = True
        buffer.filled += access.length
        is_full = buffer.filled == self.settings.block_bytes
        if self.settings.policy == "thru" or (self.settings.policy == "full" and is_full):
            self.write(buffer, access.process)

    def write(self, buffer: Buffer, process: Process) -> None:
        """Queue a disk write of the buffer as it is; to start it occupies a process."""
        start_ns = process.draws.around(self.settings.write_start_ns)
        process.occupied_until_ns = max(process.occupied_until_ns, self.clock.now) + start_ns
        buffer.is_dirty, buffer.was_written, buffer.filled = False, True, 0
        buffer.writes += 1
        self.on_disk.add(buffer.place)
        self.disk_of(buffer.place).queue_up("write", buffer.place, partial(self.write_ended, buffer))

    def read_ended(self, buffer: Buffer) -> None:
        buffer.is_reading = False
        self.wake_readers(buffer)

    def write_ended(self, buffer: Buffer) -> None:
        buffer.writes -= 1
        if not buffer.writes:
            self.wake_readers(buffer)
        self.serve(self.cache_of(buffer.place))

    def wake_readers(self, buffer: Buffer) -> None:
        for woken in buffer.readers:
            self.wake(woken)
        buffer.readers = []

    def flush(self, process: Process) -> None:
        for buffer in self.used:
            if buffer.is_dirty:
                self.write(buffer, process)

    def cache_of(self, place: Place) -> Cache:
        return self.caches[0 if self.settings.shared_cache else place[0]]

    def disk_of(self, place: Place) -> Disk:
        file, block = place
        first = file if self.settings.rotate_files else 0
        return self.disks[(block // self.settings.stripe_blocks + first) % len(self.disks)]
