"""Costs of the file system's own work for its processes: presets by name, a TOML file each, or a file of the user's."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any

from iotrace.errors import IotraceError, UsageError
from iotrace.files.library import Library

LONGEST_NS = 10**12


@dataclass(frozen=True)
class Overheads:
    """Means of delays; each is drawn uniformly, ± 50 %, whenever it occurs, and 0 is none.

    ``read_management_ns`` and ``write_management_ns`` pass at each access to a block of a cache, after the process has
    left its last block and before the block is looked up. ``disk_request_ns`` passes before each disk request that a
    process waits for itself. ``write_start_ns`` occupies a process from the disk write of a buffer on that it starts:
    the one that wrote, left the buffer or looked for a free one, by the write policy; for what is dirty in the end, the
    last to finish. ``copy_ns_per_kbyte`` passes for each 1,024 bytes copied between a record and a block; only one
    process at a time copies from or to a buffer, ``copy_piece_bytes`` of them (0: all), and then those that wait have
    their turns: they share one memory board.
    """

    read_management_ns: int = 0
    write_management_ns: int = 0
    disk_request_ns: int = 0
    write_start_ns: int = 0
    copy_ns_per_kbyte: int = 0
    copy_piece_bytes: int = 256

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LONGEST_NS:
                raise UsageError(
                    f"overheads: {name} is {value!r}, not a whole number from 0 to {LONGEST_NS:,}"
                )


ZERO = "zero"
LIBRARY = Library(
    "iotrace.simulate.parallel_fs",
    "overheads",
    f"overheads are {ZERO}, {{known}}, or a file NAME.toml, not {{name!r}}",
)


@cache
def preset(name: str) -> Overheads:
    """Return overheads by the name of a preset or of a file NAME.toml; raises UsageError for one that is neither."""
    return Overheads() if name == ZERO else LIBRARY.find(name, _read)


def _read(table: Mapping[str, Any]) -> Overheads:
    known = [field.name for field in fields(Overheads)]
    given = {key: value for key, value in table.items() if key != "sources"}
    if unknown := sorted(given.keys() - set(known)):
        raise IotraceError(f"{unknown[0]} is none of {', '.join(known)}")
    return Overheads(**given)
