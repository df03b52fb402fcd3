"""Settings of a cluster and of the programs on it, option by option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, get_args

from iotrace import units
from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.option import COUNT, FLAG, NAME, TIME, Kind, check, option

Network = Literal["hub", "switch"]
FirstAccess = Literal["block", "segment"]
Scope = Literal["cluster", "node"]
GlobalWrites = Literal["back", "through"]
Name = Literal[
    "none",
    "local",
    "global",
    "local+global",
    "run-time",
    "adaptive",
    "tinylfu",
    "demote",
    "coarse",
    "fine",
    "bypass",
]
BYPASS: Name = "bypass"
"""By a table of bypass bits."""
NAMES: tuple[Name, ...] = tuple(name for name in get_args(Name) if name != BYPASS)
"""The disciplines that are compared by default."""
LIMITS = native.cluster_limits()
"""The most frames of a cache, and the largest threshold, that the engine takes."""
MOST_NODES = 1 << 16
BLOCK_BYTES = 4096
LOW_WATER_PERCENT, HIGH_WATER_PERCENT = 2.0, 5.0


class By(StrEnum):
    """The scope of counts."""

    APPLICATION = "application"
    NODE = "node"
    PHASE = "phase"
    FILE = "file"


def _blocks(text: str) -> int | None:
    """Read a cache's size in blocks of 4096 bytes; None for inf."""
    word = text.strip().lower()
    if word in ("inf", "infinite"):
        return None
    if units.is_whole(word):
        return int(word)
    try:
        size = units.size_bytes(text)
    except UsageError:
        raise UsageError(f"{text!r} is not a size: blocks (500), bytes with a unit (2M), or inf") from None
    if 0 < size < BLOCK_BYTES:
        raise UsageError(f"{text.strip()} is less than a block of {BLOCK_BYTES} bytes")
    return size // BLOCK_BYTES


def _marks(text: str) -> tuple[float, float]:
    low, comma, high = text.partition(",")
    try:
        return float(low), float(high) if comma else float(low)
    except ValueError:
        raise UsageError(f"{text!r} is not LOW,HIGH in percent") from None


def _typed_marks(value: tuple[float, float] | float) -> str:
    low, high = value if isinstance(value, tuple) else (LOW_WATER_PERCENT, HIGH_WATER_PERCENT)
    return f"{low:g},{high:g}"


def _water(value: tuple[float, float], others: Mapping[str, Any]) -> dict[str, float]:
    return {"low_water_percent": value[0], "high_water_percent": value[1]}


CACHE = Kind("SIZE", _blocks, lambda value: "inf" if value is None else COUNT.typed(value), none="inf")
MARKS = Kind("LOW,HIGH", _marks, _typed_marks, is_number=False)


CLOCK = {"--count-only": "it has no clock"}
RUN_TIME = ["--discipline run-time"]


@dataclass(frozen=True)
class Machine:
    """A cluster: nodes with a local cache each, a global cache, I/O daemons over which files are striped.

    Sizes of caches are in blocks; None is one that never fills; the defaults are the paper's (section 3.3).
    ``global_blocks`` is each file's, as section 3.2 says; without ``global_per_file`` all files share one cache of it.
    ``global_servers`` are the processors of the global caches, files being served by number modulo it; 0 is one a file.
    A request occupies one of a global cache's ``global_threads`` until its reply has been sent; 0 is a thread for each
    request (section 3.2 calls the global cache multi-threaded, without a number). With ``global_writes`` ``back`` a
    global cache keeps writes dirty until its own flusher or harvester writes them, as a local one does (section 3.2);
    with ``through`` it sends them on at once.

    The paper gives no water marks, and no period of the flusher: those here are assumed. Where fewer than
    ``low_water_percent`` of a cache is free, its harvester frees frames until ``high_water_percent`` are, writing dirty
    ones first; a mark of less than one block counts as none, and frames are then freed when one is needed. Dirty blocks
    are flushed at multiples of ``flusher_period_ns``; without a clock, after each ``flusher_period_requests`` requests.
    """

    nodes: int = option(4, "Nodes, each with a local cache.", COUNT, also=("-n",), least=1, most=MOST_NODES)
    iods: int = option(
        3, "I/O daemons over which files are striped.", COUNT, also=("-d",), least=1, most=MOST_NODES
    )
    local_blocks: int | None = option(
        500,
        "Each node's cache: blocks, bytes (2M), inf.",
        CACHE,
        name="local",
        least=0,
        most=LIMITS["frames"],
    )
    global_blocks: int | None = option(
        10_000,
        "The global cache of each file, likewise.",
        CACHE,
        name="global",
        least=0,
        most=LIMITS["frames"],
    )
    global_per_file: bool = option(
        True,
        "Each file has a global cache of that size, or all files share one.",
        FLAG,
        opposite="global-shared",
        rare=True,
    )
    global_servers: int = option(
        1,
        "Processors of the global caches, shared by files; 0: one for each file.",
        COUNT,
        least=0,
        most=MOST_NODES,
        conflicts=CLOCK,
        rare=True,
    )
    global_threads: int = option(
        0,
        "Threads of each global cache, each busy until a reply is sent; 0: one for each request.",
        COUNT,
        least=0,
        most=MOST_NODES,
        conflicts=CLOCK,
        rare=True,
    )
    global_writes: GlobalWrites = option(
        "back",
        "The global cache flushes writes by its own flusher (back), or sends them on at once.",
        rare=True,
    )
    block_bytes: int = BLOCK_BYTES
    stripe_bytes: int = 32_768
    segment_blocks: int = option(
        4, "Blocks that share bypass bits and a counter.", COUNT, name="segment", least=1, most=1 << 30
    )
    network: Network = option(
        "hub",
        "One medium for all (hub), or a link for each node (switch).",
        conflicts=CLOCK,
        rare=True,
    )
    low_water_percent: float = option(
        LOW_WATER_PERCENT,
        "The harvester's low and high watermarks, percent free (assumed).",
        MARKS,
        name="water",
        changes=_water,
        rare=True,
    )
    high_water_percent: float = HIGH_WATER_PERCENT
    flusher_period_ns: int = option(
        5_000_000_000,
        "The flusher's period (assumed).",
        TIME,
        name="flush",
        least=0,
        most=1 << 62,
        conflicts=CLOCK,
        rare=True,
    )
    flusher_period_requests: int = 1000

    def __post_init__(self) -> None:
        check(self)
        within("bytes of a block", self.block_bytes, 512, 1 << 30)
        within("bytes of a stripe", self.stripe_bytes, 512, 1 << 40)
        within("the flusher's period in requests", self.flusher_period_requests, 1, 1 << 62)
        if not 0 <= self.low_water_percent <= self.high_water_percent <= 100:
            raise UsageError("water marks are percentages, the low one not above the high one")


@dataclass(frozen=True)
class Settings(Machine):
    """A machine, and what runs on it: a discipline (see `Discipline`) at some costs, with a clock or without."""

    discipline: Name = option("local+global", "Only these (repeatable, or a list).", several=())
    threshold: int = option(
        20,
        "Thresholds of the run-time scheme, one row each.",
        COUNT,
        least=0,
        most=LIMITS["threshold"],
        several=(3, 20),
        needs=RUN_TIME,
    )
    """Low and high in figure 8."""
    first_access: FirstAccess = option(
        "block",
        "Never checked: a block's first fill, or a segment's first request.",
        needs=RUN_TIME,
        rare=True,
    )
    scope: Scope = option(
        "cluster",
        "The run-time scheme decides for the cluster or each node.",
        name="decision",
        needs=RUN_TIME,
        rare=True,
    )
    no_aging: bool = option(
        False,
        "The harvester does not halve the counters of segments that it examines.",
        FLAG,
        needs=RUN_TIME,
        rare=True,
    )
    bypass_default: bool = option(
        False,
        "What --bypass does not name bypasses the global cache, or goes through it.",
        FLAG,
        opposite="through-default",
        needs=["--bypass"],
        rare=True,
    )
    costs: str = option(
        "vilayannur", "The cost model of requests: vilayannur, or a file NAME.toml.", NAME, rare=True
    )
    count_only: bool = option(
        False,
        "Only counts, no times: requests run one after the other, with a flush every 1,000.",
        FLAG,
        rare=True,
    )
    swept: str | None = None
    """The values that a sweep set here, in words."""

    @property
    def place(self) -> Settings:
        """The settings except for the discipline: where disciplines can be compared."""
        return replace(self, discipline="none", threshold=0)


def within(quantity: str, value: int, least: int, most: int) -> None:
    """Raise UsageError for a number that is not an option and out of its range."""
    if not least <= value <= most:
        raise UsageError(f"{quantity}: {value:,} is not between {least:,} and {most:,}")
