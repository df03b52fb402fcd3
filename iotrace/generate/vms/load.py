"""The published load of a disk: its counts, mean sizes and duration, and the disk itself (table 3.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from iotrace.errors import UsageError

BLOCK_BYTES = 512
MOST_REQUESTS = 20_000_000
TICKS_PER_SECOND = 10_000_000
"""VMS's clock has 100 ns."""


@dataclass(frozen=True)
class Load:
    """The load of one disk, which a generated trace matches."""

    reads: int
    writes: int
    mean_read_kbytes: float
    mean_write_kbytes: float
    duration_s: float
    disk: str
    """The drive's name in the library of drives."""
    surfaces: int
    sectors_per_track: int
    disk_blocks: int

    @property
    def requests(self) -> int:
        """Reads and writes."""
        return self.reads + self.writes

    @property
    def read_blocks(self) -> int:
        """All reads' blocks, to the nearest block."""
        return round(self.reads * self.mean_read_kbytes * 1024 / BLOCK_BYTES)

    @property
    def written_blocks(self) -> int:
        """All writes' blocks, to the nearest block."""
        return round(self.writes * self.mean_write_kbytes * 1024 / BLOCK_BYTES)

    @property
    def duration_ticks(self) -> int:
        """The duration in steps of 100 ns."""
        return round(self.duration_s * TICKS_PER_SECOND)

    @property
    def cylinder_blocks(self) -> int:
        """Blocks of a cylinder."""
        return self.surfaces * self.sectors_per_track

    def scaled(self, scale: float) -> "Load":
        """Return a part of the load, or several times it, at the same rate; raises as ``with_requests`` does."""
        return self.with_requests(round(self.requests * scale))

    def with_requests(self, requests: int) -> "Load":
        """Return the load with ``requests`` requests, and the duration that keeps the rate.

        Raises UsageError where not one would read or none write, and for more than MOST_REQUESTS.
        """
        reads = round(requests * self.reads / self.requests)
        writes = requests - reads
        if min(reads, writes) < 1:
            raise UsageError(f"{max(0, requests)} requests are too few: at least one reads and one writes")
        if requests > MOST_REQUESTS:
            raise UsageError(f"{requests:,} requests are too many: at most {MOST_REQUESTS:,}, made in memory")
        return replace(
            self, reads=reads, writes=writes, duration_s=self.duration_s * requests / self.requests
        )


def together(loads: Sequence[Load]) -> Load:
    """Return the load of several disks of one kind: all requests, their mean sizes, and the first one's duration."""
    reads, writes = (
        sum(counts) for counts in zip(*((load.reads, load.writes) for load in loads), strict=True)
    )
    return replace(
        loads[0],
        reads=reads,
        writes=writes,
        mean_read_kbytes=sum(load.reads * load.mean_read_kbytes for load in loads) / reads,
        mean_write_kbytes=sum(load.writes * load.mean_write_kbytes for load in loads) / writes,
    )
