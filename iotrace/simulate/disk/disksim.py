"""A drive from DiskSim's parameter files (.parv, .diskspecs): Bucy, Schindler, Schlosser and Ganger, CMU-PDL-08-101.

A .parv file gives the bus too; a .diskspecs file leaves it infinitely fast. The drive's own layout (dm_layout_g1) and
mechanics (dm_mech_g1) are read; parameters that this model lacks, and that are not switched off there, are in `unread`.
"Immediate buffer read" is not taken for reading sectors as they pass: DiskSim's own runs of the drives that set it are
the same without it, so that the times extracted for them go with reading in order.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

from iotrace.errors import IotraceError, reason
from iotrace.simulate.disk.description import (
    Buffer,
    Bus,
    Description,
    DriveFileError,
    Overhead,
    Seek,
    WriteDisconnect,
    Zone,
)
from iotrace.simulate.disk.parameters import Block, read_blocks

ENDINGS = (".parv", ".diskspecs")
UNREAD = (
    "allow sneaky intermediate read hits",
    "read any free blocks",
    "immediate buffer write",
    "low (write) water mark",
)
"""Parameters that matter to single requests and are not modelled; a drive that sets one has a note."""
MOST = 1 << 53
"""The largest number that is read, exact as a float."""
_NONE, _AT_DISK_END, _ZONE_TO_END = 0, 7, 10
_SPARING = {
    0: "zone",
    1: "whole-tracks",
    2: "cylinder",
    3: "track",
    4: "cylinder-to-end",
    5: "cylinder-front",
    7: "zone",
    8: "cylinder-range",
    9: "zone",
    10: "zone",
}
_READ_AHEAD = ("track", "cylinder", "segment", "next-track")


def read_disksim(path: Path) -> Description:
    """Return the drive that a parameter file describes.

    Raises IotraceError for a file that cannot be read, and DriveFileError, naming the file and the parameter, for one
    that describes no drive, several, or one that is not modelled.
    """
    blocks = read_blocks(path)
    disks = [block for block in blocks if block.type == "disksim_disk"]
    if len(disks) != 1:
        raise DriveFileError(f"{path}: describes {len(disks)} disks (disksim_disk), not one")
    buses = [_Keys(path, block) for block in blocks if block.type == "disksim_bus"]
    disk = _Keys(path, disks[0])
    model = disk.block("model")
    mechanics, layout = model.block("mechanical model"), model.block("layout model")
    if layout.type != "dm_layout_g1" or mechanics.type != "dm_mech_g1":
        raise DriveFileError(f"{path}: {layout.type} with {mechanics.type} is not modelled, dm_layout_g1 is")
    return Description(
        name=disk.name,
        provenance="measured",
        sources=(f"{path.name}, DiskSim's parameters", *_unread(disk)),
        surfaces=model.whole("number of data surfaces"),
        rpm=mechanics.whole("rotation speed (in rpms)"),
        sparing=_sparing(path, layout),
        range_cylinders=_range_cylinders(path, layout),
        serpentine=layout.whole("lbn-to-pbn mapping scheme", 0) > 0,
        head_switch_ms=mechanics.number("head switch time"),
        write_settle_ms=mechanics.number("add. write settling delay"),
        seek=_seek(path, mechanics, model.whole("number of cylinders")),
        zones=tuple(_zone(zone, layout) for zone in layout.blocks("zones")),
        overhead=_overhead(disk),
        least_write_seek_ms=disk.number("minimum seek delay", 0),
        write_disconnect=_write_disconnect(disk),
        bus=_bus(disk, buses),
        buffer=_buffer(disk),
    )


class _Keys:
    """A block's values with their types, errors naming the file and the key."""

    def __init__(self, path: Path, block: Block) -> None:
        self._path, self._block = path, block
        self.type, self.name = block.type, block.name

    def number(self, key: str, default: float | None = None) -> float:
        value = self._block.values.get(key, default)
        if isinstance(value, float | int):
            if abs(value) > MOST:
                raise self.error(key, f"is beyond {MOST:,}")
            return float(value)
        raise self.error(key, "is not a number" if key in self._block.values else "is missing")

    def whole(self, key: str, default: int | None = None) -> int:
        value = self.number(key, default)
        if not (value.is_integer() and abs(value) < 2**53):
            raise self.error(key, "is not a whole number")
        return int(value)

    def word(self, key: str) -> str:
        value = self._block.values.get(key)
        if not isinstance(value, str):
            raise self.error(key, "is missing" if value is None else "is not a word")
        return value

    def numbers(self, key: str) -> list[float]:
        values = self._block.values.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, float) for value in values):
            raise self.error(key, "is not a list of numbers")
        if any(abs(value) > MOST for value in cast(list[float], values)):
            raise self.error(key, f"has a number beyond {MOST:,}")
        return cast(list[float], values)

    def block(self, key: str) -> "_Keys":
        value = self._block.values.get(key)
        if not isinstance(value, Block):
            raise self.error(key, "is missing" if value is None else "is not a block")
        return _Keys(self._path, value)

    def blocks(self, key: str) -> "list[_Keys]":
        values = self._block.values.get(key)
        if not isinstance(values, list) or not all(isinstance(value, Block) for value in values):
            raise self.error(key, "is not a list of blocks")
        return [_Keys(self._path, cast(Block, value)) for value in values]

    def error(self, key: str, why: str) -> DriveFileError:
        return DriveFileError(f"{self._path}: {self.type}: {key}: {why}")


def _unread(disk: _Keys) -> list[str]:
    return [f"not modelled: {key} = {value:g}" for key in UNREAD if (value := disk.number(key, 0))]


def _sparing(path: Path, layout: _Keys) -> Any:
    scheme = layout.whole("sparing scheme used")
    if scheme not in _SPARING:
        raise DriveFileError(f"{path}: sparing scheme used: {scheme} is not modelled")
    return _SPARING[scheme]


def _range_cylinders(path: Path, layout: _Keys) -> int:
    if _sparing(path, layout) != "cylinder-range":
        return 1
    cylinders = layout.whole("rangesize for sparing")
    if not 1 <= cylinders < 2**32:
        raise DriveFileError(f"{path}: rangesize for sparing: is at least 1, not {cylinders}")
    return cylinders


def _spares(zone: _Keys, layout: _Keys, slips: int) -> int:
    """Return a zone's spares with the blocks that its slips push out of it, as DiskSim counts the zone's blocks.

    The spares at the end of the disk (scheme 7) hold no blocks, so that a zone loses as many as it has slips; so it
    does with scheme 10, besides its own spares. DiskSim's mapping for scheme 7 takes the number of spares for spares of
    each cylinder, while its count of blocks does not: numbers other than 0 contradict each other there.
    """
    scheme = layout.whole("sparing scheme used")
    if scheme == _NONE:
        return 0
    spares = zone.whole("number of spares")
    if scheme == _AT_DISK_END and spares:
        raise zone.error("number of spares", "is 0 with sparing scheme 7, whose spares are at the disk's end")
    return spares + (slips if scheme in (_AT_DISK_END, _ZONE_TO_END) else 0)


def _zone(zone: _Keys, layout: _Keys) -> Zone:
    sectors, defects = zone.whole("blocks per track"), zone.numbers("defects")
    slips = tuple(sorted({int(slip) for slip in zone.numbers("slips")}))
    in_revolutions = "revolutions" in (_word(zone, "skew units"), _word(layout, "skew units"))

    def turned(key: str, default: float | None) -> float:
        # DiskSim too drops fractions of a sector, but not those of a revolution
        value = zone.number(key, default)
        return value * sectors if in_revolutions else math.trunc(value)

    pairs = zip(defects[::2], defects[1::2], strict=False)
    first, last = zone.whole("first cylinder number"), zone.whole("last cylinder number")
    return Zone(
        first_cylinder=first,
        last_cylinder=last,
        sectors_per_track=sectors,
        spares=_spares(zone, layout, len(slips)),
        empty_sectors=zone.whole("empty space at zone front"),
        track_skew=turned("skew for track switch", 0),
        cylinder_skew=turned("skew for cylinder switch", 0),
        first_sector_offset=turned("offset of first block", None),
        slips=slips,
        remapped=tuple(sorted((int(bad), int(good)) for bad, good in pairs if bad != good)),
    )


def _word(keys: _Keys, key: str) -> str | None:
    try:
        return keys.word(key)
    except DriveFileError:
        return None


def _seek(path: Path, mechanics: _Keys, cylinders: int) -> Seek:
    kind = mechanics.word("seek type")
    if kind == "extracted":
        return Seek(table_ms=read_seek_table(path.with_name(mechanics.word("full seek curve"))))
    if kind == "constant":
        return Seek(a_ms=mechanics.number("constant seek time"))
    if kind in ("hpl", "hplplus10"):
        return _two_piece(path, mechanics, kind)
    single, mean, full = (
        mechanics.number(f"{which} seek time") for which in ("single cylinder", "average", "full strobe")
    )
    if kind == "linear":
        third = max(2, round(cylinders / 3))
        return Seek(table_ms=((1, single), (third, mean), (max(third + 1, cylinders - 1), full)))
    raise DriveFileError(f"{path}: seek type: {kind} is not modelled")


def _two_piece(path: Path, mechanics: _Keys, kind: str) -> Seek:
    values = mechanics.numbers("hpl seek equation values")
    first = tuple(mechanics.numbers("first ten seek times")) if kind == "hplplus10" else ()
    if len(values) != 6 or not float(values[0]).is_integer():
        raise DriveFileError(f"{path}: hpl seek equation values: are six numbers, the first of them whole")
    split, a, b, c, e, single = values
    if not first and single != -1:
        first = (single,)
    return Seek(a_ms=a, b_ms=b, c_ms=c, e_ms=e, split_cylinders=int(split), first_ms=first)


def read_seek_table(path: Path) -> tuple[tuple[int, float], ...]:
    """Read DiskSim's seek-file format: a line ``Seek distances measured: N``, then lines ``cylinders, ms``.

    Raises IotraceError for a file that cannot be read, and DriveFileError, naming the line, for one that is no such.
    """
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise IotraceError(f"{path}: {reason(error)}") from None
    points: list[tuple[int, float]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lower().startswith("seek distances measured"):
            continue
        fields = line.replace(",", " ").split()
        try:
            milliseconds = float(fields[1])
            if not math.isfinite(milliseconds):
                raise ValueError(fields[1])
            points.append((int(fields[0]), milliseconds))
        except (ValueError, IndexError):
            raise DriveFileError(f"{path}, line {number}: is no 'cylinders, ms'") from None
    if not points:
        raise DriveFileError(f"{path}: has no seek times")
    return tuple(points)


def _overhead(disk: _Keys) -> Overhead:
    scale, each = disk.number("time scale for overheads", 1), disk.number("per-request overhead time", 0)
    kind = "hit" if disk.whole("fast write level", 0) else "miss"
    connects_once = disk.whole("never disconnect", 0) > 0
    prepares_ms = disk.number("data preparation overhead", 0) * scale
    reconnects_ms = disk.number("first reselect overhead", 0) * scale

    def command(which: str) -> float:
        return disk.number(f"{which}") * scale + each

    held_ms = prepares_ms if connects_once else 0.0
    return Overhead(
        read_ms=command("read miss over. after read"),
        read_after_write_ms=command("read miss over. after write"),
        read_hit_ms=command("read hit over. after read") + prepares_ms,
        read_hit_after_write_ms=command("read hit over. after write") + prepares_ms,
        write_after_read_ms=command(f"write {kind} over. after read"),
        write_ms=command(f"write {kind} over. after write"),
        read_reconnection_ms=held_ms if connects_once else reconnects_ms + prepares_ms,
        read_completion_ms=disk.number("read completion overhead", 0) * scale,
        write_completion_ms=disk.number("write completion overhead", 0) * scale
        + (0.0 if kind == "hit" else reconnects_ms),
    )


def _write_disconnect(disk: _Keys) -> WriteDisconnect | None:
    if not disk.whole("extra write disconnect", 0) or disk.whole("never disconnect", 0):
        return None
    scale = disk.number("time scale for overheads", 1)
    first, other = (disk.number(f"{which} reselect overhead", 0) * scale for which in ("first", "other"))
    leaves = disk.number("extradisc disconnect overhead", 0) * scale
    returns = disk.number("extradisc inter-disconnect delay", 0)
    return WriteDisconnect(
        command_ms=disk.number("extradisc command overhead", 0) * scale,
        seek_delay_ms=disk.number("extradisc seek delta", 0) * scale,
        data_delay_ms=leaves + returns + first + disk.number("data preparation overhead", 0) * scale,
        completion_ms=other - first,
    )


def _bus(disk: _Keys, buses: Sequence[_Keys]) -> Bus:
    """Return the slowest of the buses on the way, and of the disk's own electronics."""
    electronics = disk.number("bulk sector transfer time", 0)
    return Bus(
        read_block_ms=max([electronics, *(bus.number("read block transfer time") for bus in buses)]),
        write_block_ms=max([electronics, *(bus.number("write block transfer time") for bus in buses)]),
    )


def _buffer(disk: _Keys) -> Buffer:
    ahead = disk.whole("buffer continuous read", 0)
    caches = disk.whole("enable caching in buffer", 0) > 0
    if not 0 <= ahead <= len(_READ_AHEAD):
        raise DriveFileError(f"buffer continuous read: {ahead} is not modelled")
    separate = disk.whole("use separate write segment", 0) > 0
    segments = disk.whole("number of buffer segments")
    read_ahead = "none" if ahead == 0 or not caches else _READ_AHEAD[ahead - 1]
    buffer = Buffer(
        segments=max(1, segments - 1 if separate else segments),
        segment_blocks=disk.whole("segment size (in blks)"),
        read_ahead=cast(Literal["none", "track", "next-track", "cylinder", "segment"], read_ahead),
        most_read_ahead_blocks=disk.whole("maximum read-ahead (blks)", 0),
        least_read_ahead_blocks=disk.whole("minimum read-ahead (blks)", 0),
        hits_next_block=disk.whole("allow almost read hits", 0) > 0,
        holds_bus=bool(disk.whole("hold bus entire read xfer", 0) or disk.whole("never disconnect", 0)),
        reconnect_percent=round(100 * disk.number("high (read) water mark", 0)),
        read_ahead_on_hit=disk.whole("read-ahead on idle hit", 0) > 0,
        stops_in_sector=disk.whole("stop prefetch in sector", 0) > 0,
        separate_write_segment=separate,
        reads_hit_writes=disk.whole("allow read hits on write data", 0) > 0,
        reporting="buffer" if disk.whole("fast write level", 0) else "medium",
    )
    return buffer if caches else replace(buffer, least_read_ahead_blocks=0, reads_hit_writes=False)
