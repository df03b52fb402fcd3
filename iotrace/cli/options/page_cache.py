"""The options of ``iotrace memory``."""

from dataclasses import dataclass

from iotrace import units
from iotrace.cli.options.groups import Group, declared


@dataclass(frozen=True)
class PageCacheOptions(Group):
    """The limits of memory, and what is known of kernel and programs."""

    limits: str | None = declared(
        None,
        "Limits of memory: 256M,512M,1G. Default: up to what holds all, and around the recording's own.",
        metavar="SIZE,...",
        show_default=False,
    )
    readahead: str = declared(
        "128K", "The device's longest read-ahead window (its read_ahead_kb); 0 for none.", metavar="SIZE"
    )
    other: str | None = declared(
        None,
        "Memory of programs and of the kernel's objects, which is not the page cache's. Default: as recorded"
        " with --kernel, else between none and a quarter of the limit.",
        metavar="SIZE",
        show_default=False,
    )

    @property
    def limits_bytes(self) -> list[int] | None:
        """The limits; raises UsageError for what is not a size."""
        return None if self.limits is None else [units.size_bytes(text) for text in self.limits.split(",")]

    @property
    def readahead_bytes(self) -> int:
        """The window; raises UsageError for what is not a size."""
        return 0 if self.readahead.strip() == "0" else units.size_bytes(self.readahead)

    @property
    def other_bytes(self) -> int | None:
        """The other memory; raises UsageError for what is not a size."""
        return None if self.other is None else units.size_bytes(self.other)
