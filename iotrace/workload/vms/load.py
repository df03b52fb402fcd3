"""What is known of a disk's load: its counts, mean sizes and duration, and the disk itself (table 3.1)."""

from __future__ import annotations

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

    def scaled(self, scale: float) -> Load:
        """Return a part of the load, or several times it: counts and duration change alike, so that rates stay.

        Raises UsageError for a scale that leaves no read and no write, or more than MOST_REQUESTS.
        """
        reads, writes = round(self.reads * scale), round(self.writes * scale)
        return self._sized(reads, writes, scale)

    def with_requests(self, requests: int) -> Load:
        """Return the load with so many requests at the same rate; raises UsageError as ``scaled`` does."""
        reads = round(requests * self.reads / self.requests)
        return self._sized(reads, requests - reads, requests / self.requests)

    def _sized(self, reads: int, writes: int, scale: float) -> Load:
        if min(reads, writes) < 1:
            raise UsageError(
                f"{max(0, reads + writes)} requests are too few: at least one reads and one writes"
            )
        if reads + writes > MOST_REQUESTS:
            raise UsageError(
                f"{reads + writes:,} requests are too many: at most {MOST_REQUESTS:,}, made in memory"
            )
        return replace(self, reads=reads, writes=writes, duration_s=self.duration_s * scale)
