"""What a drive's TOML file says, checked key by key.

The keys at the top: name, provenance (measured, published or reconstructed), sources, surfaces, rpm, sparing (where
spare sectors are: zone, track, cylinder, cylinder-front or whole-tracks), serpentine (every odd cylinder of a zone is
filled from the last surface to the first), head_switch_ms, write_settle_ms (added to a seek or head switch before a
write; negative where the seek times include it). The tables: `Overhead`, `Seek`, and zones, one `Zone` each.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

from iotrace.engine.native import Drive
from iotrace.errors import IotraceError


class DriveFileError(IotraceError):
    """A drive's description makes no sense; the message names the key."""


@dataclass(frozen=True)
class Zone:
    """Cylinders of as many sectors per track; all sectors are 512 bytes.

    `spares` counts sectors per track, cylinder or zone, or tracks in the zone, as the drive's sparing says.
    Skews are how many sectors a track begins later than the one before it. `slips` are bad sectors, numbered in the
    zone (bad tracks with whole-tracks), that blocks slip over; `remapped` are bad ones with their substitutes.
    """

    first_cylinder: int
    last_cylinder: int
    sectors_per_track: int
    spares: int = 0
    empty_sectors: int = 0
    track_skew: int = 0
    cylinder_skew: int = 0
    first_sector_offset: int = 0
    slips: tuple[int, ...] = ()
    remapped: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Overhead:
    """Milliseconds from a request's arrival at the idle drive to the start of its seek."""

    read_ms: float = 0.0
    write_ms: float = 0.0


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

    def form(self) -> Any:
        """Return the form as the engine takes it; raises DriveFileError where keys of several forms are mixed."""
        two_piece = self.split_cylinders is not None
        if two_piece != (self.e_ms is not None):
            raise DriveFileError("seek: split_cylinders and e_ms go together")
        if self.first_ms and not two_piece:
            raise DriveFileError("seek: first_ms goes with split_cylinders and e_ms")
        if self.table_ms:
            if two_piece or self.a_ms or self.b_ms or self.c_ms:
                raise DriveFileError("seek: table_ms stands alone")
            return list(self.table_ms)
        if two_piece:
            return (self.split_cylinders, self.a_ms, self.b_ms, self.c_ms, self.e_ms, list(self.first_ms))
        if not (self.a_ms or self.b_ms or self.c_ms):
            raise DriveFileError("seek: wants table_ms, or a_ms, b_ms and c_ms")
        return (self.a_ms, self.b_ms, self.c_ms)


@dataclass(frozen=True)
class Description:
    """A drive as its file describes it; `native` is what simulations take."""

    PROVENANCES: ClassVar[tuple[str, ...]] = ("measured", "published", "reconstructed")

    name: str
    surfaces: int
    rpm: int
    seek: Seek
    zones: tuple[Zone, ...]
    provenance: Literal["measured", "published", "reconstructed"] = "published"
    sources: tuple[str, ...] = ()
    sparing: Literal["zone", "track", "cylinder", "cylinder-front", "whole-tracks"] = "zone"
    serpentine: bool = False
    head_switch_ms: float = 0.0
    write_settle_ms: float = 0.0
    overhead: Overhead = field(default_factory=Overhead)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Self:
        """Read what a TOML file holds; raises DriveFileError for a key that is missing, unknown or of no use."""
        return typing.cast(Self, _record(cls, table, ""))

    @cached_property
    def native(self) -> Drive:
        """The engine's drive; raises DriveFileError for a description that contradicts itself."""
        try:
            return Drive(
                self.name,
                surfaces=self.surfaces,
                sparing=self.sparing,
                serpentine=self.serpentine,
                zones=[_given(zone) for zone in self.zones],
                rpm=self.rpm,
                seek=self.seek.form(),
                head_switch_ns=_ns("head_switch_ms", self.head_switch_ms),
                write_settle_ns=_ns("write_settle_ms", self.write_settle_ms),
                read_overhead_ns=_ns("overhead.read_ms", self.overhead.read_ms),
                write_overhead_ns=_ns("overhead.write_ms", self.overhead.write_ms),
            )
        except (ValueError, OverflowError) as error:
            raise DriveFileError(str(error)) from None


def _given(zone: Zone) -> dict[str, Any]:
    return {
        one.name: list(value) if isinstance(value := getattr(zone, one.name), tuple) else value
        for one in dataclasses.fields(zone)
    }


def _ns(key: str, milliseconds: float) -> int:
    if not abs(milliseconds) <= 60_000:
        raise DriveFileError(f"{key}: {milliseconds} ms is not the time of a disk")
    return round(milliseconds * 1e6)


def _record(kind: type, table: Any, place: str) -> Any:
    """Make a dataclass of a TOML table, every value checked against its field's type."""
    if not isinstance(table, Mapping):
        raise DriveFileError(f"{place or 'the file'}: is a table")
    prefix = f"{place}." if place else ""
    fields = {one.name: one for one in dataclasses.fields(kind)}
    if unknown := [key for key in table if key not in fields]:
        raise DriveFileError(f"{prefix}{unknown[0]}: no such key; there are {', '.join(fields)}")
    hints = typing.get_type_hints(kind)
    for name, one in fields.items():
        required = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
        if required and name not in table:
            raise DriveFileError(f"{prefix}{name}: is missing")
    return kind(**{key: _value(hints[key], value, f"{prefix}{key}") for key, value in table.items()})


def _value(hint: Any, value: Any, place: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        if value not in arguments:
            raise DriveFileError(f"{place}: is {', '.join(map(str, arguments[:-1]))} or {arguments[-1]}")
        return value
    if origin is types.UnionType:
        return _value(arguments[0], value, place)
    if origin is tuple:
        return _sequence(arguments, value, place)
    if dataclasses.is_dataclass(hint):
        return _record(typing.cast(type, hint), value, place)
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise DriveFileError(f"{place}: is a number, not {value!r}")
        return float(value)
    if hint is int and isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise DriveFileError(f"{place}: is not negative")
        return value
    if hint is int or type(value) is not hint:
        what = {int: "a whole number", str: "text", bool: "true or false"}[hint]
        raise DriveFileError(f"{place}: is {what}, not {value!r}")
    return value


def _sequence(arguments: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise DriveFileError(f"{place}: is a list")
    if arguments[-1] is Ellipsis:
        return tuple(_value(arguments[0], one, f"{place}[{number}]") for number, one in enumerate(value))
    if len(value) != len(arguments):
        raise DriveFileError(f"{place}: has {len(arguments)} numbers")
    return tuple(_value(hint, one, place) for hint, one in zip(arguments, value, strict=True))
