"""The options of ``iotrace curve``, and the cache that they describe."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from iotrace import units
from iotrace.analysis.block_budget import BlockBudget
from iotrace.cli.inputs import PopulationOption
from iotrace.cli.options.cache import Deletes, DeletesOption, InodesOption, WhereOption, cache
from iotrace.cli.options.device import Costs
from iotrace.cli.options.groups import Group, declared
from iotrace.cli.options.objects import TENANT, ObjectOptions, Question
from iotrace.cli.options.objects import Unit as ObjectUnit
from iotrace.cli.options.part import CachePart
from iotrace.cli.options.policies import FURTHER_VARIANTS, VARIANTS, named
from iotrace.cli.options.workers import WorkersOption
from iotrace.cli.output import page_path, written_option
from iotrace.errors import UsageError
from iotrace.workers.spec import parsed

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.cache import Syncs as SyncsChoice
    from iotrace.analysis.curves.curves import Curves
    from iotrace.analysis.curves.disk_accesses import DiskAccess
    from iotrace.analysis.curves.requests import Requests
    from iotrace.store.store import Store
    from iotrace.workers.spec import WorkerSpec


class WritePolicy(StrEnum):
    """What a write does to the cache."""

    ALLOCATE = "allocate"
    NO_ALLOCATE = "no-allocate"
    DATA_OVERWRITE = "data-overwrite"


class Syncs(StrEnum):
    """What a sync does to the cache."""

    HONOUR = "honour"
    IGNORE = "ignore"


ALONE = "none"
"""--coalesce: each block is written alone."""
PROTECTED = 75
"""Percent of a segmented LRU cache that its protected segment has."""
PlotOption = Annotated[
    Path | None, written_option("--plot", help="Also draw the curve into this HTML file.", parser=page_path)
]


@dataclass(frozen=True, kw_only=True)
class CurveOptions(Group):
    """Which caches are simulated, and for which requests."""

    block: str | None = declared(None, "The block's size: 128, 4K, 1M.", "-b", show_default="4K")
    objects: ObjectOptions
    sizes: str | None = declared(None, "Only these cache sizes: 4K,1M,...", "-s")
    by: str | None = declared(
        None,
        "Count separately by a column (type, process, program, path, ...) or any SQL expression over"
        " reference, file and process.",
        metavar="SQL",
    )
    where: WhereOption = None
    population: PopulationOption = None
    policy: str | None = declared(
        None,
        f"Compare policies at --sizes: {', '.join(VARIANTS)}, all; for keys {', '.join(FURTHER_VARIANTS)}.",
        metavar="NAME,...",
    )
    protected: int = declared(
        PROTECTED, "For slru: percent of the cache that its protected segment has.", min=0, max=100, rare=True
    )
    fetch: str | None = declared(
        None,
        "Fetch blocks of this size on a read miss, a multiple of --block: simulated at --sizes, since a larger cache"
        " can miss more.",
        metavar="SIZE,...",
    )
    coalesce: str | None = declared(
        None,
        "Write adjacent dirty blocks in one access if in this last percentage of the LRU stack; none: each alone.",
        metavar="PERCENT|none",
        show_default="100",
    )
    split: bool = declared(False, "Give each value of --by a separate cache.")
    write_policy: WritePolicy = declared(WritePolicy.ALLOCATE, "What a write does to the cache.", rare=True)
    deletes: DeletesOption = Deletes.HONOUR
    syncs: Syncs | None = declared(
        None,
        "Whether syncs and synchronous writes write dirty blocks to the disk; ignore is as in the paper, and "
        "the default with --model 1994.",
        show_default="honour",
        rare=True,
    )
    warm_up: str | None = declared(
        None,
        "Requests, or time (10s, 5min), from the start that are simulated but not counted.",
        metavar="TIME|REQUESTS",
    )
    inodes_per_block: InodesOption = None
    workers: WorkersOption = "1"
    part: CachePart
    costs: Costs

    def asked_of_objects(
        self, store: "Store", others: Mapping[str, bool]
    ) -> tuple[Question, ObjectUnit] | None:
        """Return what is asked of caches of objects, None for blocks; raises UsageError for what does not fit.

        `others` are the options of the command's other groups, and whether each was given.
        """
        is_of_keys = store.family.has_objects
        for name in (name for name, value in self.objects.given().items() if value):
            if not is_of_keys:
                raise UsageError(
                    f"{store.name}: {name} is for traces of keys; this one's caches are of blocks"
                )
            if self.block is not None and name != "--unit":
                raise UsageError(f"{store.name}: {name} is for caches of objects; this one's are of blocks")
        if not is_of_keys or (self.objects.unit is None and self.block is not None):
            return None
        if self.by is not None and self.by != TENANT:
            raise UsageError(
                f"--by cannot be combined with caches of objects but for --by tenant{self.objects.hint}"
            )
        given = {
            "--block": self.block,
            "--by": self.by,
            "--split": self.split,
            "--where": self.where,
            "--population": self.population,
            "--policy": self.policy,
            "--protected": self.protected != PROTECTED,
            "--fetch": self.fetch,
            "--coalesce": self.coalesce,
            "--write-policy": self.write_policy is not WritePolicy.ALLOCATE,
            "--deletes": self.deletes is not Deletes.HONOUR,
            "--syncs": self.syncs,
            "--warm-up": self.warm_up,
            "a part of the trace": self.part.is_used,
            "--inodes-per-block": self.inodes_per_block,
            "--workers": self.workers != "1",
            "--device": self.costs.device,
            "--overhead or --transfer": (self.costs.overhead, self.costs.transfer) != (None, None),
            **others,
        }
        return self.objects.question(given, self.sizes is not None)

    def policies(self, is_drawn: bool) -> list[str]:
        """Return the policies named, none for LRU's curve; raises UsageError for what does not fit."""
        if self.split and self.by is None:
            raise UsageError("--split needs --by: each of its values gets a cache")
        if self.policy is None:
            return []
        names = named(self.policy)
        if self.by is not None or is_drawn or self.write_policy is not WritePolicy.ALLOCATE:
            raise UsageError(
                "--policy cannot be combined with --by or --plot, and needs --write-policy allocate"
            )
        if self.syncs is Syncs.HONOUR:
            raise UsageError("--syncs honour cannot be combined with --policy: its caches ignore syncs")
        return names

    @property
    def is_coalesced(self) -> bool:
        """Whether a portion of the LRU stack in which evictions are coalesced is given."""
        return self.coalesce not in (None, ALONE)

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
        """What syncs do, None where that is not given."""
        return None if self.syncs is None else self.syncs.value

    def worker_spec(self, is_state: bool) -> "WorkerSpec":
        """Return the workers that take slices of the trace; raises UsageError where slices do not merge."""
        wanted = parsed(self.workers)
        if wanted.is_one:
            return wanted
        given = {
            "--by": self.by,
            "--policy": self.policy,
            "--fetch": self.fetch,
            "--coalesce": self.is_coalesced,
            "--state or --resume": is_state,
            "--since or --last": self.part.has_start,
        }
        for other in (name for name, value in given.items() if value):
            raise UsageError(f"--workers cannot be combined with {other}")
        return wanted

    def disk_access(self, is_drawn: bool) -> "DiskAccess | None":
        """Return what is fetched and coalesced, None for LRU's curve; raises UsageError for what does not fit."""
        from iotrace.analysis.curves.disk_accesses import DiskAccess

        percent = self.coalesce_percent
        given = {"--fetch": self.fetch is not None, "--coalesce": self.is_coalesced}
        named = " and ".join(name for name, is_given in given.items() if is_given)
        if not named:
            return None
        others = {
            "--policy": self.policy is not None,
            "--by": self.by is not None,
            "--plot": is_drawn,
            "--inodes-per-block": self.inodes_per_block is not None,
            f"--write-policy {self.write_policy.value}": self.write_policy is not WritePolicy.ALLOCATE,
            "--syncs honour: these caches ignore syncs": self.syncs is Syncs.HONOUR,
        }
        for other, is_given in others.items():
            if is_given:
                raise UsageError(f"{named} cannot be combined with {other}")
        sizes = [] if self.fetch is None else self.fetch.split(",")
        fetch_bytes = dict.fromkeys(units.size_bytes(size) for size in sizes)
        return DiskAccess(tuple(fetch_bytes), percent)

    def requests(self, store: "Store", budget: BlockBudget) -> "Requests":
        """Return the requests that are cached."""
        from iotrace.analysis.curves.requests import Requests

        return Requests(store, budget, self.where, self.population, self.by)

    def curves(
        self, requests: "Requests", cache: "Cache", wanted: "WorkerSpec", *, are_doublings: bool
    ) -> "Curves":
        """Return the curves of LRU caches of every size; the workers wanted take slices.

        Neighbours are written together at the sizes given, and of few references at those that double if
        `are_doublings` are shown, where that can be simulated.
        """
        if wanted.is_one:
            references = requests.store.manifest["counts"]["references"]
            written = self._written_blocks(cache, references if are_doublings else None)
            return requests.curves(cache, self.syncs_value, self.split, written_blocks=written)
        with wanted.started() as workers:
            return requests.curves(cache, self.syncs_value, self.split, workers)

    def _written_blocks(self, cache: "Cache", references: int | None) -> list[int]:
        """Return the sizes in blocks at which neighbours are written together.

        `references` is how many the trace has if sizes that double are shown.
        """
        from iotrace.analysis.curves.disk_times import DOUBLINGS, FOLLOWED_AT_ONCE

        is_plain = self.write_policy is WritePolicy.ALLOCATE and self.inodes_per_block is None
        if self.coalesce == ALONE or self.by is not None or not is_plain:
            return []
        if self.sizes is not None:
            return cache.sizes_blocks(self.sizes_bytes() or [])
        return DOUBLINGS if references is not None and references <= FOLLOWED_AT_ONCE else []

    def sizes_bytes(self) -> list[int] | None:
        """Return the sizes chosen; None for all."""
        return None if self.sizes is None else [units.size_bytes(size) for size in self.sizes.split(",")]

    def cache(self) -> "Cache":
        """Return the cache, but for what syncs do to it; raises UsageError for one that makes no sense."""
        requests, time_ns = self._warm_up()
        made = cache(
            self.block or "4K",
            self.deletes,
            self.inodes_per_block,
            self.costs,
            write_policy=self.write_policy.value,
            warm_up_requests=requests,
            warm_up_ns=time_ns,
        )
        if self.block is not None:
            made.sizes_blocks(self.sizes_bytes() or [])  # so that a bad size is reported at once
        return made

    def _warm_up(self) -> tuple[int, int | None]:
        if self.warm_up is None:
            return 0, None
        if self.part.has_start:
            raise UsageError(
                "--warm-up cannot be combined with --since or --last: what precedes warms the cache"
            )
        whole = units.is_whole(self.warm_up)
        return (int(self.warm_up), None) if whole else (0, units.time_ns(self.warm_up))
