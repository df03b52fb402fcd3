"""The options of ``iotrace curve``, and the cache that they describe."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.cli.inputs import PopulationOption
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.cache import Deletes, DeletesOption, InodesOption, WhereOption, cache
from iotrace.cli.options.device import Costs
from iotrace.cli.options.groups import Group, declared
from iotrace.cli.options.objects import NOT_PREFIXES, TENANT, ObjectOptions
from iotrace.cli.options.part import CachePart
from iotrace.cli.options.policies import ALL, EXPLAIN, VARIANTS, explained, named
from iotrace.cli.options.sample import SampleOptions
from iotrace.cli.options.state import StateOptions
from iotrace.cli.options.workers import NEEDS_WORKERS, WaitForWorkersOption, WorkersOption
from iotrace.cli.output import page_path
from iotrace.errors import UsageError
from iotrace.files.remote import Place
from iotrace.option.rules import Caches, Kind
from iotrace.workers.spec import parsed

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.cache import Syncs as SyncsChoice
    from iotrace.analysis.curves.disk_accesses import DiskAccess
    from iotrace.analysis.curves.requests import Requests
    from iotrace.store.store import Store
    from iotrace.workers import WorkerSpec


class WritePolicy(StrEnum):
    """The effect of a write."""

    ALLOCATE = "allocate"
    NO_ALLOCATE = "no-allocate"
    DATA_OVERWRITE = "data-overwrite"


class Syncs(StrEnum):
    """The effect of a sync on the cache."""

    HONOUR = "honour"
    IGNORE = "ignore"


ALONE = "none"
"""--coalesce: each block is written alone."""
SEGMENTED = "slru"
PROTECTED = 75
"""Percent of a segmented LRU cache that its protected segment has."""
NO_ALLOCATION = [f"--write-policy {WritePolicy.NO_ALLOCATE}", f"--write-policy {WritePolicy.DATA_OVERWRITE}"]
NO_SYNCS = {f"--syncs {Syncs.HONOUR}": "these caches ignore syncs"}
DISK_ACCESSES = {
    **dict.fromkeys(["--policy", "--by", "--plot", "--inodes-per-block", *NO_ALLOCATION], ""),
    **NO_SYNCS,
}
"""Options that the simulation of disk reads and writes does not have."""
SLICES = [
    "--warm-up",
    "--by",
    "--policy",
    "--fetch",
    "--coalesce",
    "--state",
    "--resume",
    "--since",
    "--last",
]
"""Options with which slices of a trace do not merge."""


@dataclass(frozen=True, kw_only=True)
class CurveOptions(Group):
    """Which caches are simulated, and for which requests."""

    block: str | None = declared(
        None, "The block's size: 128, 4K, 1M.", "-b", show_default="4K", kind=Kind.UNIT
    )
    objects: ObjectOptions
    sizes: str | None = declared(
        None, "Only these cache sizes: 4K,1M,...", "-s", metavar="SIZE,...", kind=Kind.UNIT
    )
    inodes_per_block: InodesOption = declared(None, only_for=Caches.BLOCKS, kind=Kind.UNIT)
    by: str | None = declared(
        None,
        "Count separately by type, process, program, path, or an SQL expression.",
        metavar="SQL",
        kind=Kind.POPULATION,
    )
    split: bool = declared(
        False,
        "Give each value of --by a separate cache.",
        needs=["--by"],
        conflicts=[NOT_PREFIXES],
        kind=Kind.POPULATION,
    )
    where: WhereOption = declared(None, only_for=Caches.BLOCKS, kind=Kind.POPULATION)
    population: PopulationOption = declared(None, only_for=Caches.BLOCKS, kind=Kind.POPULATION)
    policy: str | None = declared(
        None,
        f"Compare {', '.join(VARIANTS)}, {ALL}, linux at --sizes; --policy {EXPLAIN} explains.",
        metavar="NAME,...",
        callback=explained,
        is_eager=True,
        conflicts={**dict.fromkeys(["--by", "--plot", *NO_ALLOCATION, NOT_PREFIXES], ""), **NO_SYNCS},
        kind=Kind.QUESTION,
    )
    protected: int = declared(
        PROTECTED,
        "Percent that is protected.",
        needs=[f"--policy {SEGMENTED} or {ALL}"],
        only_for=Caches.BLOCKS,
        min=0,
        max=100,
        rare=True,
        kind=Kind.QUESTION,
    )
    fetch: str | None = declared(
        None,
        "Disk reads at --sizes: a read miss fetches a block of this size.",
        metavar="SIZE,...",
        only_for=Caches.BLOCKS,
        conflicts=DISK_ACCESSES,
        kind=Kind.QUESTION,
    )
    coalesce: str | None = declared(
        None,
        "Disk writes: join adjacent dirty blocks in this last part of the LRU stack; none: write each alone.",
        metavar="PERCENT|none",
        show_default="100",
        only_for=Caches.BLOCKS,
        conflicts=DISK_ACCESSES,
        exempt=[ALONE],
        kind=Kind.QUESTION,
    )
    states: StateOptions
    write_policy: WritePolicy = declared(
        WritePolicy.ALLOCATE,
        "What a write does.",
        only_for=Caches.BLOCKS,
        rare=True,
        kind=Kind.SETTING,
    )
    deletes: DeletesOption = declared(Deletes.HONOUR, only_for=Caches.BLOCKS, kind=Kind.SETTING)
    syncs: Syncs | None = declared(
        None,
        "Whether syncs write dirty blocks.",
        show_default="honour",
        only_for=Caches.BLOCKS,
        rare=True,
        kind=Kind.SETTING,
    )
    warm_up: str | None = declared(
        None,
        "Simulate but do not count the first requests, or time (10s, 5min).",
        metavar="TIME|REQUESTS",
        only_for=Caches.BLOCKS,
        conflicts=dict.fromkeys(["--since", "--last"], "earlier requests warm the cache"),
        kind=Kind.SETTING,
    )
    sample: SampleOptions
    workers: WorkersOption = declared("1", only_for=Caches.BLOCKS, conflicts=SLICES, kind=Kind.SETTING)
    wait_for_workers: WaitForWorkersOption = declared(
        None, needs=NEEDS_WORKERS, only_for=Caches.BLOCKS, kind=Kind.SETTING
    )
    force_workers: bool = declared(
        False,
        "Use the cluster even if it ends later.",
        needs=NEEDS_WORKERS,
        only_for=Caches.BLOCKS,
        rare=True,
        kind=Kind.SETTING,
    )
    part: CachePart
    costs: Costs
    plot: Place | None = declared(
        None,
        "Also draw the curve into this HTML file.",
        kind=Kind.SETTING,
        only_for=Caches.BLOCKS,
        parser=page_path,
        metavar="FILE",
    )
    budget: BudgetOption = declared(Budget.CURVE.value, kind=Kind.SETTING, only_for=Caches.BLOCKS)

    def caches(self, store: "Store") -> Caches:
        """Return whether the caches are of objects or of blocks."""
        is_of_objects = store.family.has_objects and (self.block is None or self.objects.unit is not None)
        return Caches.OBJECTS if is_of_objects else Caches.BLOCKS

    def check(self) -> None:
        """Raise UsageError for a value that is not valid, before a trace is read."""
        self.sample.check()
        self.disk_access()
        self.sizes_bytes()
        self.worker_spec()
        if self.objects.flash_log is not None:
            self.objects.segment_bytes(self.sizes_bytes() or [])

    def worker_spec(self) -> "WorkerSpec":
        """Return what takes slices of the trace; raises UsageError as `parsed`."""
        return parsed(self.workers, self.wait_for_workers)

    def by_tenant(self) -> bool:
        """Return whether caches of objects are counted by tenant; raises UsageError for another --by."""
        if self.by not in (None, TENANT):
            raise UsageError(
                f"--by: only {TENANT} is supported for caches of objects; for caches of blocks give --block SIZE"
            )
        return self.by is not None

    def policies(self) -> list[str]:
        """Return the policies named, none for LRU's curve; raises UsageError for a name that is none."""
        return [] if self.policy is None else named(self.policy)

    @property
    def coalesce_percent(self) -> int:
        """The last portion of the LRU stack in which evictions are coalesced; raises UsageError for what is none."""
        if self.coalesce is None:
            return 100
        if self.coalesce == ALONE:
            return 0
        if not self.coalesce.isdecimal() or not 1 <= int(self.coalesce) <= 100:
            raise UsageError(
                f"--coalesce is 1 to 100 percent of the LRU stack, or {ALONE}, not {self.coalesce!r}"
            )
        return int(self.coalesce)

    @property
    def syncs_value(self) -> "SyncsChoice | None":
        """The effect of syncs, None where that is not given."""
        return None if self.syncs is None else self.syncs.value

    def disk_access(self) -> "DiskAccess | None":
        """Return what is fetched and coalesced, None for LRU's curve."""
        from iotrace.analysis.curves.disk_accesses import DiskAccess

        percent = self.coalesce_percent
        if self.fetch is None and self.coalesce in (None, ALONE):
            return None
        sizes = [] if self.fetch is None else self.fetch.split(",")
        fetch_bytes = dict.fromkeys(units.size_bytes(size) for size in sizes)
        return DiskAccess(tuple(fetch_bytes), percent)

    def requests(self, store: "Store", budget: BlockBudget) -> "Requests":
        """Return the requests that are cached."""
        from iotrace.analysis.curves.requests import Requests

        return Requests(store, budget, self.where, self.population, self.by)

    def sizes_bytes(self) -> list[int] | None:
        """Return the sizes chosen; None for all."""
        return None if self.sizes is None else [units.size_bytes(size) for size in self.sizes.split(",")]

    def cache(self) -> "Cache":
        """Return the cache, except for what syncs do to it; raises UsageError for settings that are not valid."""
        requests, time_ns = self._warm_up()
        settings = cache(
            self.block or "4K",
            self.deletes,
            self.inodes_per_block,
            self.costs,
            write_policy=self.write_policy.value,
            warm_up_requests=requests,
            warm_up_ns=time_ns,
        )
        if self.block is not None:
            settings.sizes_blocks(self.sizes_bytes() or [])  # so that a bad size is reported at once
        return settings

    def _warm_up(self) -> tuple[int, int | None]:
        if self.warm_up is None:
            return 0, None
        whole = units.is_whole(self.warm_up)
        return (int(self.warm_up), None) if whole else (0, units.time_ns(self.warm_up))
