"""Cost model (b): what each part of the machine takes, one set of numbers for all rows of the tables."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from iotrace.files.library import Library
from iotrace.simulate.cluster.costs.rows import CostRow
from iotrace.simulate.cluster.costs.stages import duration_ns, stages

NS_PER_MS = 1_000_000
OPTIONAL = ("global_look_up_ms", "metadata_ms")
MOST_MS = 60_000
"""No part of a request takes longer than a minute; beyond that a file has the wrong unit."""


@dataclass(frozen=True, kw_only=True)
class Components:
    """Nanoseconds for each, and for each 1024 bytes where it says so; see `stages` for what each is.

    ``global_look_up_ns`` is what the global cache takes for a request, 0 by default; in the tables only the order of
    its hits and of misses in the local cache at 4 KB shows it. ``metadata_ns`` is what the metadata server takes for
    an open or a close besides the message. The tables have no row in which it can be seen: it is 0 by default.
    """

    local_look_up_ns: int
    read_hit_ns: int
    copy_ns_per_kb: int
    copy_beyond_cache_ns_per_kb: int
    scatter_ns_per_kb: int
    message_ns: int
    network_ns_per_kb: int
    stream_daemon_ns_per_kb: int
    stream_disk_ns_per_kb: int
    list_ns_per_kb: int
    global_look_up_ns: int = 0
    metadata_ns: int = 0

    @property
    def coefficients(self) -> dict[str, int]:
        """The numbers by the names that stages use."""
        return {name.replace("_ns", "", 1): value for name, value in asdict(self).items()}

    def time_ns(self, row: CostRow, size_bytes: int, iods: int) -> int:
        """Return how long a request takes on an idle machine; raises ValueError for a negative size or no daemon."""
        coefficients = self.coefficients
        return sum(duration_ns(stage, coefficients) for stage in stages(row, size_bytes, iods))

    @classmethod
    def from_table(cls, raw: Mapping[str, Any]) -> "Components":
        """Read table ``components`` of a file, whose keys are these names with ``_ms``; raises ValueError."""
        names = {field.name.replace("_ns", "_ms"): field.name for field in fields(cls)}
        given = raw.get("components")
        if not isinstance(given, Mapping):
            raise ValueError("has no table [components]")
        if unknown := sorted(set(given) - set(names)):
            raise ValueError(f"components.{unknown[0]}: is not one of {', '.join(names)}")
        if missing := [name for name in names if name not in (*given, *OPTIONAL)]:
            raise ValueError(f"components.{missing[0]}: is missing")
        numbers = {names[name]: _nanoseconds(name, value) for name, value in given.items()}
        return cls(**numbers)


def _nanoseconds(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"components.{name}: is not a number of milliseconds")
    if not 0 <= value <= MOST_MS:
        raise ValueError(f"components.{name}: {value:g} ms is not between 0 and {MOST_MS}")
    return round(value * NS_PER_MS)


LIBRARY = Library(
    "iotrace.simulate.cluster.costs",
    "presets",
    "--costs: {name!r} is not one of {known}, nor a file NAME.toml",
)
names = LIBRARY.names


def components(name_or_path: str = "vilayannur") -> Components:
    """Return the package's components of a name, or those of a TOML file (a name with a dot or a slash).

    Raises UsageError for a name that is none, IotraceError for a file that cannot be read or is invalid.
    """
    return LIBRARY.find(name_or_path, Components.from_table)
