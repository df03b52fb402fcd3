"""A drive's TOML file, checked key by key.

The keys at the top: name, provenance (measured, published, reconstructed, not stated), sources, surfaces, rpm,
sparing (where spare sectors are, and how far a bad one pushes the blocks behind it: zone, track, cylinder, cylinder-
front, cylinder-to-end, cylinder-range or whole-tracks), range_cylinders (how many cylinders share their spares with
cylinder-range), serpentine (every odd cylinder of a zone is filled from the last surface up),
head_switch_ms, write_settle_ms (added to a seek or head switch before a write; negative if the seek times include
it), least_write_seek_ms (of a write's first seek, even of zero distance). The tables: overhead, `Overhead`;
write_disconnect, `WriteDisconnect`; seek, `Seek`; bus, `Bus`; buffer, `Buffer`; zones, one `Zone` each.
"""

import dataclasses
import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

from iotrace.engine.native import Drive
from iotrace.errors import IotraceError


class DriveFileError(IotraceError):
    """A drive's description is invalid; the message names the key."""


@dataclass(frozen=True)
class Zone:
    """Cylinders of as many sectors per track; all sectors are 512 bytes. Cylinders between zones hold no blocks.

    `spares` counts sectors per track, cylinder, range of cylinders or zone, or tracks in the zone, as the drive's
    sparing says. Skews are how many sectors a track begins later than the one before it, to a thousandth of a sector.
    `slips` are bad sectors, numbered in the zone (bad tracks with whole-tracks), that blocks slip over; `remapped` are
    bad ones with their substitutes.
    """

    first_cylinder: int
    last_cylinder: int
    sectors_per_track: int
    spares: int = 0
    empty_sectors: int = 0
    track_skew: float = 0.0
    cylinder_skew: float = 0.0
    first_sector_offset: float = 0.0
    slips: tuple[int, ...] = ()
    remapped: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Overhead:
    """Overheads of a command, in milliseconds, before its arm moves or data do, and after the last block.

    A hit is a read whose first block is in the buffer. Reconnection is taking the bus again when the data are there.
    What is not given is as its plainer form: a read after a write as a read, a hit as a miss, a write after a read as
    a write, reconnection and completion as nothing.
    """

    read_ms: float = 0.0
    write_ms: float = 0.0
    read_after_write_ms: float | None = None
    read_hit_ms: float | None = None
    read_hit_after_write_ms: float | None = None
    write_after_read_ms: float | None = None
    read_reconnection_ms: float = 0.0
    read_completion_ms: float = 0.0
    write_completion_ms: float = 0.0

    def given(self) -> dict[str, int]:
        """Return all of them in nanoseconds, as the engine takes them."""
        read_hit_ms = _first(self.read_hit_ms, self.read_ms)
        after_write_ms = _first(self.read_after_write_ms, self.read_ms)
        hit_after_write_ms = _first(self.read_hit_after_write_ms, self.read_hit_ms, after_write_ms)
        times = {
            "read_after_read": self.read_ms,
            "read_after_write": after_write_ms,
            "read_hit_after_read": read_hit_ms,
            "read_hit_after_write": hit_after_write_ms,
            "write_after_read": _first(self.write_after_read_ms, self.write_ms),
            "write_after_write": self.write_ms,
            "read_reconnection": self.read_reconnection_ms,
            "read_completion": self.read_completion_ms,
            "write_completion": self.write_completion_ms,
        }
        return {f"{name}_ns": _ns(f"overhead: {name}", time) for name, time in times.items()}


@dataclass(frozen=True)
class WriteDisconnect:
    """The times of drives that leave the bus before taking the data of a write after a write elsewhere.

    In milliseconds: the command's overhead, in place of the plain one; from then to the start of the arm, and of the
    data; what completion takes longer than that of other writes. Such drives write when ten blocks of a request, or
    fifteen of one of 45 and more, are in the buffer (DiskSim 4.0).
    """

    command_ms: float
    seek_delay_ms: float = 0.0
    data_delay_ms: float = 0.0
    completion_ms: float = 0.0


@dataclass(frozen=True)
class Bus:
    """The time of a block of 512 bytes between host and buffer; it overlaps with the medium's."""

    read_block_ms: float = 0.0
    write_block_ms: float = 0.0


@dataclass(frozen=True)
class Buffer:
    """The memory on board, in segments that hold a run of blocks each; the least recently used is replaced.

    Reading on behind a request ends with its track, its cylinder or a segment full of blocks behind it, and after
    `most_read_ahead_blocks` if that is not 0; with next-track it ends with the track of the block behind the request,
    or with the one after that where the segment holds blocks from before that track. The arm is not called away from
    it before `least_read_ahead_blocks`. `hits_next_block`: a request for the very block that is being read ahead
    counts as found. `reconnect_percent`: a read takes the bus when this share of it is in the buffer, at least a block.
    `holds_bus`: it keeps the bus while it waits for more; else it gives the bus up and takes it again in the same way.
    `read_ahead_on_hit`: a request that is all in the buffer has the idle arm read on behind it. `stops_in_sector`:
    reading on gives way to a request at once, not at the end of a sector. `zero_latency_reads`: sectors are read as
    they pass, wherever on the track the head lands. `separate_write_segment`: writes leave the segments of reads alone.
    `reads_hit_writes`: a read may find what was written. `reporting`: a write is complete when it is on the medium; or
    in the buffer; or in the buffer if it goes on where a write that is still under way ends (sequential).
    """

    segments: int
    segment_blocks: int
    read_ahead: Literal["none", "track", "next-track", "cylinder", "segment"] = "none"
    most_read_ahead_blocks: int = 0
    least_read_ahead_blocks: int = 0
    hits_next_block: bool = False
    reconnect_percent: int = 0
    holds_bus: bool = True
    read_ahead_on_hit: bool = False
    stops_in_sector: bool = True
    zero_latency_reads: bool = False
    separate_write_segment: bool = False
    reads_hit_writes: bool = False
    reporting: Literal["medium", "sequential", "buffer"] = "medium"


@dataclass(frozen=True)
class Seek:
    """Milliseconds for a seek over d cylinders, in one of three forms.

    `table_ms`: measured [d, ms], linear between. `a_ms`, `b_ms`, `c_ms`: a + b √d + c d. With `split_cylinders` and
    `e_ms`: a + b √d below the split and c + e d from it on; `first_ms` may list the times of 1, 2, 3 ... cylinders.
    """

    table_ms: tuple[tuple[int, float], ...] = ()
    a_ms: float = 0.0
    b_ms: float = 0.0
    c_ms: float = 0.0
    e_ms: float | None = None
    split_cylinders: int | None = None
    first_ms: tuple[float, ...] = ()

    def form(self) -> dict[str, Any]:
        """Return the form as the engine takes it; raises DriveFileError if keys of several forms are mixed."""
        two_piece = self.split_cylinders is not None
        if two_piece != (self.e_ms is not None):
            raise DriveFileError("seek: split_cylinders and e_ms go together")
        if self.first_ms and not two_piece:
            raise DriveFileError("seek: first_ms goes with split_cylinders and e_ms")
        if self.table_ms:
            if two_piece or self.a_ms or self.b_ms or self.c_ms:
                raise DriveFileError("seek: table_ms cannot be combined with other keys")
            return {"table": self.table_ms}
        terms = {"a": self.a_ms, "b": self.b_ms, "c": self.c_ms}
        if two_piece:
            more = {"split": self.split_cylinders, "e": self.e_ms, "first": self.first_ms}
            return {"two-piece": terms | more}
        if not any(terms.values()):
            raise DriveFileError("seek: needs table_ms, or a_ms, b_ms and c_ms")
        return {"square-root": terms}


@dataclass(frozen=True)
class Description:
    """A drive as its file describes it; `native` is what simulations take."""

    name: str
    surfaces: int
    rpm: int
    seek: Seek
    zones: tuple[Zone, ...]
    provenance: Literal["measured", "published", "reconstructed", "not stated"] = "not stated"
    sources: tuple[str, ...] = ()
    sparing: Literal[
        "zone", "track", "cylinder", "cylinder-front", "cylinder-to-end", "cylinder-range", "whole-tracks"
    ] = "zone"
    range_cylinders: int = 1
    serpentine: bool = False
    head_switch_ms: float = 0.0
    write_settle_ms: float = 0.0
    overhead: Overhead = field(default_factory=Overhead)
    least_write_seek_ms: float = 0.0
    write_disconnect: WriteDisconnect | None = None
    bus: Bus = field(default_factory=Bus)
    buffer: Buffer | None = None

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read what a TOML file holds; raises DriveFileError for a key that is missing, unknown or of no use."""
        return typing.cast(Self, _record(cls, table, ""))

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: all but the engine's drive, which is made again."""
        return {name: value for name, value in vars(self).items() if name != "native"}

    @cached_property
    def native(self) -> Drive:
        """The engine's drive; raises DriveFileError for a description that contradicts itself."""
        try:
            if self.range_cylinders != 1 and self.sparing != "cylinder-range":
                raise DriveFileError("range_cylinders: goes with sparing cylinder-range")
            return Drive(json.dumps(self._for_engine()))
        except ValueError as error:
            raise DriveFileError(str(error)) from None

    def _for_engine(self) -> dict[str, Any]:
        sparing = {self.sparing: self.range_cylinders} if self.sparing == "cylinder-range" else self.sparing
        return {
            "name": self.name,
            "surfaces": self.surfaces,
            "sparing": sparing,
            "serpentine": self.serpentine,
            "zones": [_zone(zone) for zone in self.zones],
            "rpm": self.rpm,
            "seek": self.seek.form(),
            "parameters": {
                "head_switch_ns": _ns("head_switch_ms", self.head_switch_ms),
                "write_settle_ns": _ns("write_settle_ms", self.write_settle_ms),
                "overheads": self.overhead.given(),
                "least_write_seek_ns": _ns("least_write_seek_ms", self.least_write_seek_ms),
                "write_disconnect": _disconnect(self.write_disconnect),
                "bus_read_block_ns": _ns("bus.read_block_ms", self.bus.read_block_ms),
                "bus_write_block_ns": _ns("bus.write_block_ms", self.bus.write_block_ms),
                "buffer": dataclasses.asdict(self.buffer) if self.buffer else None,
            },
        }


def _first(*times: float | None) -> float:
    return next(time for time in times if time is not None)


def _disconnect(apart: WriteDisconnect | None) -> dict[str, int] | None:
    if apart is None:
        return None
    times_ms = dataclasses.asdict(apart).items()
    return {
        f"{name.removesuffix('_ms')}_ns": _ns(f"write_disconnect.{name}", value) for name, value in times_ms
    }


def _zone(zone: Zone) -> dict[str, Any]:
    given = dataclasses.asdict(zone)
    for name in ("track_skew", "cylinder_skew", "first_sector_offset"):
        given[f"{name}_thousandths"] = _thousandths(f"zones: {name}", given.pop(name))
    return given


def _thousandths(key: str, sectors: float) -> int:
    if not abs(sectors) < 1 << 31:
        raise DriveFileError(f"{key}: {sectors} sectors are not less than 2^31")
    return round(sectors * 1000)


def _ns(key: str, milliseconds: float) -> int:
    if not abs(milliseconds) <= 60_000:
        raise DriveFileError(f"{key}: {milliseconds} ms is not a time of a disk: at most 60,000 ms")
    return round(milliseconds * 1e6)


def _record(kind: type, table: Any, where: str) -> Any:
    """Make a dataclass of a TOML table, every value checked against its field's type."""
    if not isinstance(table, Mapping):
        raise DriveFileError(f"{where or 'the file'}: is a table")
    prefix = f"{where}." if where else ""
    fields = {entry.name: entry for entry in dataclasses.fields(kind)}
    if unknown := [key for key in table if key not in fields]:
        raise DriveFileError(f"{prefix}{unknown[0]}: no such key; there are {', '.join(fields)}")
    hints = typing.get_type_hints(kind)
    for name, declared_field in fields.items():
        required = (
            declared_field.default is dataclasses.MISSING
            and declared_field.default_factory is dataclasses.MISSING
        )
        if required and name not in table:
            raise DriveFileError(f"{prefix}{name}: is missing")
    return kind(**{key: _value(hints[key], value, f"{prefix}{key}") for key, value in table.items()})


def _value(hint: Any, value: Any, where: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        if value not in arguments:
            raise DriveFileError(f"{where}: is {', '.join(map(str, arguments[:-1]))} or {arguments[-1]}")
        return value
    if origin is types.UnionType:
        return _value(arguments[0], value, where)
    if origin is tuple:
        return _sequence(arguments, value, where)
    if dataclasses.is_dataclass(hint):
        return _record(typing.cast(type, hint), value, where)
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise DriveFileError(f"{where}: is a number, not {value!r}")
        return float(value)
    if hint is int and isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise DriveFileError(f"{where}: is not negative")
        return value
    if hint is int or type(value) is not hint:
        kind = {int: "a whole number", str: "text", bool: "true or false"}[hint]
        raise DriveFileError(f"{where}: is {kind}, not {value!r}")
    return value


def _sequence(arguments: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise DriveFileError(f"{where}: is a list")
    if arguments[-1] is Ellipsis:
        return tuple(_value(arguments[0], part, f"{where}[{number}]") for number, part in enumerate(value))
    if len(value) != len(arguments):
        raise DriveFileError(f"{where}: has {len(arguments)} numbers")
    return tuple(_value(hint, part, where) for hint, part in zip(arguments, value, strict=True))
