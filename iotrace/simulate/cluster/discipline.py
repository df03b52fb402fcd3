"""The disciplines by which requests go through the caches of a cluster or bypass them, as they are simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import pyarrow as pa

from iotrace.errors import UsageError
from iotrace.simulate.cluster.settings import LIMITS, FirstAccess, Scope, within

Admission = Literal["all", "counters", "climbing", "more-frequent", "demoted"]


SIMPLE: dict[str, dict[str, Any]] = {
    "none": {"uses_local": False, "uses_global": False},
    "local": {"uses_global": False},
    "global": {"uses_local": False},
    "local+global": {},
    "adaptive": {"admission": "climbing", "threshold": 4},
    "tinylfu": {"admission": "more-frequent"},
    "demote": {"admission": "demoted"},
}
"""Disciplines that need nothing but their name: how each differs from both levels for everything."""


@dataclass(frozen=True)
class Discipline:
    """Which levels there are, what goes through them, and what the global cache keeps.

    ``plan`` is table cluster_bits; what no row of it names goes through the global cache only with
    ``default_through``. ``admission``: ``all`` that is fetched; by segment ``counters`` (section 5); by counters whose
    threshold is ``climbing``, doubled or halved each ``epoch_blocks`` blocks that local caches lacked, in the direction
    that last helped; what is ``more-frequent`` than the block it would replace (TinyLFU with exact counts); or what
    local caches have ``demoted`` (exclusive caching).

    Counters: the counter of a segment counts requests for its blocks at the global cache. The first fill of a block
    (or with ``first_access`` ``segment`` the first request of a segment, the paper read literally) is never checked;
    from the second on the block is placed if the counter is above ``threshold``. That is decided once for the cluster
    and sent to each node on request, or with ``scope`` ``node`` decided for each node. Sweeps of the harvester halve
    counters unless ``ages`` is false.
    """

    name: str
    uses_local: bool = True
    uses_global: bool = True
    admission: Admission = "all"
    threshold: int = 0
    first_access: FirstAccess = "block"
    scope: Scope = "cluster"
    ages: bool = True
    epoch_blocks: int = 10_000
    plan: pa.Table | None = None
    default_through: bool = True

    def __post_init__(self) -> None:
        for field, value, known in (
            ("admission", self.admission, get_args(Admission)),
            ("first_access", self.first_access, get_args(FirstAccess)),
            ("scope", self.scope, get_args(Scope)),
        ):
            if value not in known:
                raise UsageError(f"{field} is {', '.join(known)}, not {value!r}")
        within("the threshold", self.threshold, 0, LIMITS["threshold"])
        within("blocks of an epoch", self.epoch_blocks, 1, 1 << 62)

    @classmethod
    def of(cls, name: str) -> Discipline:
        """Return one of `SIMPLE`, by its name."""
        return cls(name, **SIMPLE[name])

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
            name, admission="counters", threshold=threshold, first_access=first_access, scope=scope, ages=ages
        )

    @classmethod
    def planned(
        cls, plan: pa.Table, default_through: bool = False, name: str = "planned", uses_local: bool = True
    ) -> Discipline:
        """Return caching by a table of bypass bits."""
        return cls(name, uses_local=uses_local, plan=plan, default_through=default_through)

    def named(self, name: str) -> Discipline:
        """Return the same under another name."""
        return replace(self, name=name)
