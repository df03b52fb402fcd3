"""What a cluster is made of, and the disciplines by which requests go through its caches or round them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import pyarrow as pa

from iotrace.errors import UsageError

Network = Literal["hub", "switch"]
Placing = Literal["all", "counters", "climbing", "more-frequent", "demoted"]
FirstAccess = Literal["block", "segment"]
Scope = Literal["cluster", "node"]

MOST_BLOCKS = (1 << 32) - 2
MOST_NODES = 1 << 16
MOST_THRESHOLD = 1 << 20
SECOND_NS = 1_000_000_000


@dataclass(frozen=True)
class Machine:
    """A cluster: nodes with a local cache each, a global cache, I/O daemons over which files are striped.

    Sizes of caches are in blocks; None is one that never fills; the defaults are the paper's (section 3.3).
    ``global_blocks`` is the total over all files, or with ``global_per_file`` each file's, as in section 3.2.
    ``global_servers`` are the queues at the global cache, files being served by number modulo it; 0 is one a file.

    The paper gives no water marks, and no period of the flusher: those here are assumed. Where fewer than
    ``low_water_percent`` of a cache is free, its harvester frees frames until ``high_water_percent`` are; a mark of
    less than one block counts as none, and frames are then freed when one is needed. Dirty blocks are
    flushed at multiples of ``flusher_period_ns``; without a clock, after each ``flusher_period_requests`` requests.
    """

    nodes: int = 4
    iods: int = 3
    local_blocks: int | None = 500
    global_blocks: int | None = 10_000
    global_per_file: bool = False
    global_servers: int = 1
    block_bytes: int = 4096
    stripe_bytes: int = 32_768
    segment_blocks: int = 4
    network: Network = "hub"
    low_water_percent: float = 2.0
    high_water_percent: float = 5.0
    flusher_period_ns: int = 5 * SECOND_NS
    flusher_period_requests: int = 1000

    def __post_init__(self) -> None:
        if self.network not in get_args(Network):
            raise UsageError(f"network is {' or '.join(get_args(Network))}, not {self.network!r}")
        _within("nodes", self.nodes, 1, MOST_NODES)
        _within("I/O daemons", self.iods, 1, MOST_NODES)
        _within("blocks of a local cache", self.local_blocks or 0, 0, MOST_BLOCKS)
        _within("blocks of the global cache", self.global_blocks or 0, 0, MOST_BLOCKS)
        _within("servers of the global cache", self.global_servers, 0, MOST_NODES)
        _within("bytes of a block", self.block_bytes, 512, 1 << 30)
        _within("bytes of a stripe", self.stripe_bytes, 512, 1 << 40)
        _within("blocks of a segment", self.segment_blocks, 1, 1 << 30)
        _within("the flusher's period in ns", self.flusher_period_ns, 0, 1 << 62)
        _within("the flusher's period in requests", self.flusher_period_requests, 1, 1 << 62)
        if not 0 <= self.low_water_percent <= self.high_water_percent <= 100:
            raise UsageError("water marks are percentages, the low one not above the high one")


@dataclass(frozen=True)
class Discipline:
    """Which levels there are, what goes through them, and what the global cache keeps.

    ``plan`` is table cluster_bits; what no row of it names goes through the global cache only with
    ``default_through``. ``placing``: ``all`` that is fetched; by segment ``counters`` (section 5); by counters whose
    threshold is ``climbing``, doubled or halved each ``epoch_blocks`` blocks that local caches lacked, in the direction
    that last helped; what is ``more-frequent`` than the block it would replace (TinyLFU with exact counts); or what
    local caches have ``demoted`` (exclusive caching).

    Counters: the counter of a segment counts requests for its blocks at the global cache. The first fill of a block
    (or with ``first_access`` ``segment`` the first request of a segment, the paper read literally) is never checked;
    from the second on the block is placed if the counter is above ``threshold``. That is decided once for the cluster
    and told to each node when it asks, or with ``scope`` ``node`` decided for each node. Sweeps of the harvester halve
    counters unless ``ages`` is false.
    """

    name: str
    uses_local: bool = True
    uses_global: bool = True
    placing: Placing = "all"
    threshold: int = 0
    first_access: FirstAccess = "block"
    scope: Scope = "cluster"
    ages: bool = True
    epoch_blocks: int = 10_000
    plan: pa.Table | None = None
    default_through: bool = True

    def __post_init__(self) -> None:
        for what, value, known in (
            ("placing", self.placing, get_args(Placing)),
            ("first_access", self.first_access, get_args(FirstAccess)),
            ("scope", self.scope, get_args(Scope)),
        ):
            if value not in known:
                raise UsageError(f"{what} is {', '.join(known)}, not {value!r}")
        _within("the threshold", self.threshold, 0, MOST_THRESHOLD)
        _within("blocks of an epoch", self.epoch_blocks, 1, 1 << 62)

    @classmethod
    def none(cls) -> Discipline:
        """Return PVFS: no caches."""
        return cls("none", uses_local=False, uses_global=False)

    @classmethod
    def local(cls) -> Discipline:
        """Return local caches only."""
        return cls("local", uses_global=False)

    @classmethod
    def global_only(cls) -> Discipline:
        """Return the global cache only."""
        return cls("global", uses_local=False)

    @classmethod
    def local_global(cls) -> Discipline:
        """Return both levels, for everything."""
        return cls("local+global")

    @classmethod
    def counters(
        cls,
        threshold: int = 20,
        *,
        first_access: FirstAccess = "block",
        scope: Scope = "cluster",
        ages: bool = True,
    ) -> Discipline:
        """Return the run-time scheme of section 5."""
        name = f"run-time {threshold}"
        return cls(
            name, placing="counters", threshold=threshold, first_access=first_access, scope=scope, ages=ages
        )

    @classmethod
    def tinylfu(cls) -> Discipline:
        """Return admission by frequency."""
        return cls("tinylfu", placing="more-frequent")

    @classmethod
    def adaptive(cls, threshold: int = 4) -> Discipline:
        """Return the run-time scheme with a threshold that climbs by itself from ``threshold``."""
        return cls("adaptive", placing="climbing", threshold=threshold)

    @classmethod
    def demote(cls) -> Discipline:
        """Return exclusive caching."""
        return cls("demote", placing="demoted")

    @classmethod
    def planned(
        cls, plan: pa.Table, default_through: bool = False, name: str = "planned", uses_local: bool = True
    ) -> Discipline:
        """Return caching by a table of bypass bits."""
        return cls(name, uses_local=uses_local, plan=plan, default_through=default_through)

    def named(self, name: str) -> Discipline:
        """Return the same under another name."""
        return replace(self, name=name)


def _within(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise UsageError(f"{what}: {value:,} is not between {least:,} and {most:,}")
