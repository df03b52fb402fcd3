"""blktrace's binary files read in Python: a slow twin of the engine's `BlktraceRun`."""

import heapq
import struct
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median_low
from typing import NamedTuple

import block_layer_twin
from block_layer_twin import Pairing

from iotrace.errors import IotraceError
from iotrace.formats.blkparse import with_skips
from iotrace.formats.disk_io.block_layer import Event
from iotrace.formats.disk_io.requests import BLOCK_BYTES
from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.clock import NS_PER_S

MAGIC = 0x65617400
MAGIC_BYTES = 4
READ_BYTES = 1 << 20
EVENTS_AT_ONCE = 1 << 16
ACTIONS = {1: "Q", 2: "M", 3: "F", 4: "G", 6: "R", 7: "D", 8: "C", 12: "I", 13: "X"}
EVENT_BITS = 0xFF
"""The low 16 bits of an action are the event, of which bit 8 is not a part."""
WRITE, SYNC, PASSTHROUGH, NOTIFY, READ_AHEAD, METADATA, DISCARD, FLUSH, FUA = (
    1 << bit for bit in (1, 3, 9, 10, 11, 12, 13, 2, 15)
)
CONTROL_GROUP, CONTROL_GROUP_BYTES = 1 << 8, 8
"""Set where the data begin with a control group's number."""
PROCESS_NOTE, TIME_NOTE = 0, 1
LONGEST_PAUSE_NS = 10 * 366 * 86_400 * NS_PER_S
"""Ten years: no machine's clock, which counts from its start, goes so far from one record to the next."""
FIRST_RECORDS = 9


class Layout(NamedTuple):
    """How a version's record is laid out, in one byte order."""

    version: int
    order: str

    @property
    def record(self) -> struct.Struct:
        """Magic, sequence, time, sector, bytes, action and pid (pid first in 8), device, CPU, error, data's length."""
        return struct.Struct(self.order + ("IIQQIIIIIHH" if self.version == 7 else "IIQQIIQIIHH12x"))


@cache
def layout(magic: bytes) -> Layout | None:
    """Return the layout that a record's first four bytes show; None if they are no magic number."""
    for order in ("<", ">"):
        (number,) = struct.unpack(order + "I", magic)
        if number & ~0xFF == MAGIC and number & 0xFF in (7, 8):
            return Layout(number & 0xFF, order)
    return None


class Note(NamedTuple):
    """A record that is not an event of a request: a process's name, or the time of day."""

    time_ns: int
    record: int
    kind: int
    pid: int
    text: str
    wall_ns: int = 0


class TraceFile:
    """One file's records in their order; what cannot be read is added to `skipped`."""

    def __init__(self, path: Path, notes: SourceNotes, skipped: list[tuple[int, str, str]]) -> None:
        self.path = path
        self.notes = notes
        self.skipped = skipped
        self.reading = Reading([path], notes)
        self.records = 0
        self.lost_bytes = 0
        """Bytes that belong to no record."""
        self._is_lost = False
        self._last_ns: int | None = None

    def events(self) -> Iterator[Event | Note]:
        """Give the events and notes; raises IotraceError if the first record is none."""
        rest = b""
        while part := self.reading.read(READ_BYTES)[0]:
            rest = yield from self._records(rest + part, is_last=False)
        if rest:
            rest = yield from self._records(rest, is_last=True)
            self._lose(rest)

    def _records(self, block: bytes, is_last: bool) -> Generator[Event | Note, None, bytes]:
        """Give the complete records of some bytes; return the bytes after them."""
        at, size = 0, len(block)
        if self._last_ns is None:
            self._last_ns = _usual_time_ns(block)
        while at + MAGIC_BYTES <= size:
            form = layout(block[at : at + MAGIC_BYTES])
            if form is None:
                if not self.records:
                    raise IotraceError(f"{self.path}: is not a blktrace trace: record 1 has no magic number")
                at = self._lose_until_magic(block, at, at + 1, is_last)
                continue
            shape = _struct(form)
            end = at + shape.size
            if end > size:
                break
            fields = shape.unpack_from(block, at)
            data_end = end + fields[10]
            if data_end + MAGIC_BYTES > size and not is_last:
                break
            if not _is_whole(block, end, data_end):
                at = self._lose_until_magic(block, at, end, is_last)
                continue
            self._is_lost = False
            self.records += 1
            self.notes.records += 1
            item = self._item(form, fields, block[end:data_end])
            if item is not None and self._is_in_time(fields[2], block[at:end]):
                yield item
            at = data_end
        return block[at:]

    def _is_in_time(self, time_ns: int, record: bytes) -> bool:
        """Return whether a record's time is near that of the one before; else skip it."""
        if self._last_ns is not None and abs(time_ns - self._last_ns) > LONGEST_PAUSE_NS:
            self.skipped.append((self.records, record.hex(" ", 4), "time out of range"))
            return False
        self._last_ns = time_ns
        return True

    def _lose_until_magic(self, block: bytes, at: int, start: int, is_last: bool) -> int:
        """Lose what comes before the next magic number from `start` on, which the block's end may cut; return there."""
        size = len(block)
        following = _next_magic(block, start, size)
        if following == size and not is_last:
            following = max(start, size - MAGIC_BYTES + 1)
        self._lose(block[at:following])
        return following

    def _lose(self, part: bytes) -> None:
        """Count bytes that are no record, and each stretch of them as one that was skipped."""
        self.lost_bytes += len(part)
        if part and not self._is_lost:
            self.notes.records += 1
            self.skipped.append((self.records + 1, part[:48].hex(" ", 4), "no record of blktrace"))
        self._is_lost = self._is_lost or bool(part)

    def _item(self, form: Layout, fields: tuple[int, ...], data: bytes) -> Event | Note | None:
        if form.version == 7:
            _, _, time_ns, sector, length, word, pid, device, _, _, _ = fields
        else:
            _, _, time_ns, sector, length, pid, word, device, _, _, _ = fields
        category, kind = word >> 16, word & EVENT_BITS
        if word & CONTROL_GROUP:
            data = data[CONTROL_GROUP_BYTES:]
        if category & NOTIFY:
            return self._note(form, time_ns, kind, pid, data)
        action = ACTIONS.get(kind)
        if action is None:
            self.notes.remark("events of no request")
            return None
        if category & PASSTHROUGH:
            self.notes.remark("events of passed-through commands")
            return None
        new_sector = int.from_bytes(data[-8:], "big") if action == "X" and len(data) >= 8 else 0
        operation, flags = _meaning(category, length > 0)
        return Event(
            time_ns,
            self.records,
            f"{device >> 20},{device & 0xFFFFF}",
            action,
            operation,
            flags,
            sector,
            -(-length // BLOCK_BYTES),
            pid,
            None,
            new_sector,
        )

    def _note(self, form: Layout, time_ns: int, kind: int, pid: int, data: bytes) -> Note | None:
        if kind == PROCESS_NOTE:
            return Note(
                time_ns, self.records, kind, pid, data.rstrip(b"\0").decode("utf-8", "backslashreplace")
            )
        if kind == TIME_NOTE and len(data) >= 8:
            seconds, nanoseconds = struct.unpack(form.order + "II", data[:8])
            return Note(time_ns, self.records, kind, pid, "", seconds * NS_PER_S + nanoseconds)
        self.notes.remark("messages")
        return None


def _is_whole(block: bytes, end: int, data_end: int) -> bool:
    """Return whether a record with data up to there can be believed.

    A length of data that was damaged reaches over records that follow, and ends where none begins.
    """
    if data_end > len(block):
        return False
    after = block[data_end : data_end + MAGIC_BYTES]
    ends_well = len(after) < MAGIC_BYTES or layout(after) is not None
    return ends_well or _next_magic(block, end, data_end) == data_end


def _next_magic(block: bytes, start: int, end: int) -> int:
    """Return where the next magic number is, or the end where there is none."""
    patterns = [bytes([version]) + b"tae" for version in (7, 8)] + [
        b"eat" + bytes([version]) for version in (7, 8)
    ]
    places = [block.find(pattern, start, end) for pattern in patterns]
    return min((place for place in places if place >= 0), default=end)


def _usual_time_ns(block: bytes) -> int | None:
    """Return the median time of the first records, which one of them that is damaged does not move."""
    times: list[int] = []
    at = 0
    while len(times) < FIRST_RECORDS and (form := layout(block[at : at + MAGIC_BYTES].ljust(MAGIC_BYTES))):
        shape = _struct(form)
        if at + shape.size > len(block):
            break
        fields = shape.unpack_from(block, at)
        times.append(fields[2])
        at += shape.size + fields[10]
    return median_low(times) if times else None


@cache
def _struct(form: Layout) -> struct.Struct:
    return form.record


@cache
def _meaning(category: int, has_data: bool) -> tuple[str, str]:
    """Return operation and flags of an event's category, as blkparse names them; a flush without data is only that."""
    operation = (
        "flush"
        if category & FLUSH and not has_data
        else "discard"
        if category & DISCARD
        else "write"
        if category & WRITE
        else "read"
        if has_data
        else ""
    )
    names = ((FUA, "forced"), (SYNC, "synchronous"), (READ_AHEAD, "read_ahead"), (METADATA, "metadata"))
    return operation, "|".join(name for bit, name in names if category & bit)


class BlktraceSource:
    """The files of a trace, merged by time and paired into requests."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.notes = SourceNotes()
        self._skipped: list[tuple[int, str, str]] = []
        self._files = [
            TraceFile(path, self.notes, self._skipped)
            for path in paths
            if len(paths) == 1 or path.stat().st_size
        ]
        self._pairing = Pairing(self.notes)
        self._programs: dict[int, str] = {}
        self._merged = self._requests(heapq.merge(*(file.events() for file in self._files), key=_time))
        self._last_ns = 0
        self._ended = False

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        read = [file.reading.progress() for file in self._files]
        return sum(done for done, _ in read), sum(total or 0 for _, total in read) or None

    def next(self) -> Batch | None:
        """Return the next requests whose fate is known."""
        if self._ended:
            return None
        before = self.notes.records
        for event in self._merged:
            self._pairing.take((event,))
            if self.notes.records - before >= EVENTS_AT_ONCE:
                break
        else:
            self._ended = True
            self._tell_lost()
        batch = block_layer_twin.requests(self._pairing.batch(self._ended), "record")
        return with_skips(batch, self._skipped)

    def _tell_lost(self) -> None:
        if lost_bytes := sum(file.lost_bytes for file in self._files):
            bytes_ = "byte" if lost_bytes == 1 else "bytes"
            self.notes.warnings.append(f"{lost_bytes:,} {bytes_} between records could not be read")

    def _requests(self, items: Iterator[Event | Note]) -> Iterator[Event]:
        for item in items:
            if isinstance(item, Event):
                program = self._programs.get(item.pid)
                yield item if program is None else item._replace(program=program)
            elif item.kind == PROCESS_NOTE:
                self._programs[item.pid] = item.text
                self.notes.remark("names of processes")
            elif item.wall_ns > item.time_ns:
                self.notes.remark("times of day")
                self.notes.base = "epoch"
                self.notes.zero_ns = item.wall_ns - item.time_ns


def _time(item: Event | Note) -> int:
    return item.time_ns
