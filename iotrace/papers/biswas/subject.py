"""A block trace as the paper's experiments see it: its busiest disks, a drive, and what it is like."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from iotrace.errors import UsageError
from iotrace.papers.biswas.printed import Disk, disks
from iotrace.simulate.disk import Description, drive
from iotrace.simulate.write_cache.loads import Load, loads_of
from iotrace.simulate.write_cache.settings import BLOCK_BYTES
from iotrace.store.store import Store

DEFAULT_DRIVE = "ra82"
"""For a trace that is like none of the three disks of table 3.1."""
SEVERAL = 4
"""The number of disks that share a controller in section 4.6."""


def like(name: str) -> Disk | None:
    """Return a disk of the paper by what options call it, None for ``none``; raises UsageError for another name."""
    if name == "none":
        return None
    by_name = {disk.like: disk for disk in disks()}
    if name not in by_name:
        raise UsageError(f"--as: {name!r} is not one of {', '.join(by_name)}, none")
    return by_name[name]


@dataclass(frozen=True)
class Subject:
    """A trace to compare with the paper; `loads` are those of its disks, the busiest first."""

    name: str
    store: Store
    drive: Description
    loads: tuple[Load, ...]
    like: Disk | None = None

    @classmethod
    def of(
        cls, name: str, store: Store, like: Disk | None = None, drive_name: str | None = None
    ) -> "Subject":
        """Look at a store; the drive is the one named, or that of the disk that the trace is like, or an RA82.

        Raises IotraceError for a store that holds no block trace, or one that never says what is written.
        """
        chosen = drive_name or (like.drive if like else None) or DEFAULT_DRIVE
        return cls(name, store, drive(chosen), loads_of(store, name), like)

    @property
    def busiest(self) -> Load:
        """The disk with the most requests, which the tables of one disk are about."""
        return self.loads[0]

    @property
    def devices(self) -> tuple[int, ...] | None:
        """The busiest disks that can share a controller as in section 4.6; None where there are too few."""
        if len(self.loads) < SEVERAL:
            return None
        return tuple(load.device for load in self.loads[:SEVERAL])

    @cached_property
    def described(self) -> dict[str, float | None]:
        """The columns of table 3.1 except for what is simulated: the drive's, then the load's."""
        native, load = self.drive.native, self.busiest
        tracks = native.cylinders * native.surfaces
        return {
            "space_mb": native.blocks * BLOCK_BYTES / 1e6,
            "surfaces": native.surfaces,
            "tracks_per_surface": native.cylinders,
            "blocks_per_track": native.blocks / tracks,
            "rpm": self.drive.rpm,
            "reads": load.reads,
            "mean_read_kbytes": _kbytes(load.read_blocks, load.reads),
            "writes": load.writes,
            "mean_write_kbytes": _kbytes(load.written_blocks, load.writes),
            "trace_hours": load.duration_ns / 3600e9 if load.duration_ns else None,
            "busy": self._rated_busy_percent(native.blocks / tracks),
        }

    def _rated_busy_percent(self, blocks_per_track: float) -> float | None:
        """Return the busy share if each request took an average seek, half a turn, and its transfer."""
        load, native = self.busiest, self.drive.native
        if not load.duration_ns:
            return None
        requests = load.reads + load.writes
        turns = (load.read_blocks + load.written_blocks) / blocks_per_track + requests / 2
        busy_ns = requests * self.mean_seek_ns + turns * native.revolution_ns
        return 100 * float(busy_ns) / load.duration_ns

    @cached_property
    def mean_seek_ns(self) -> float:
        """The average seek between two cylinders taken at random."""
        times = np.array(self.drive.native.seek_ns(), dtype=float)
        distances = np.arange(len(times))
        pairs = np.where(distances == 0, 1, 2) * (len(times) - distances)
        return float((times * pairs).sum() / pairs.sum())


def _kbytes(blocks: int, requests: int) -> float | None:
    return blocks * BLOCK_BYTES / 1024 / requests if requests else None
