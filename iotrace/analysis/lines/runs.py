"""A store's references seen by the caches of chapter 4: which references, which cache, and their counts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.cache import Deletes, Syncs, WritePolicy
from iotrace.analysis.curves.curves import simulate_streams
from iotrace.analysis.curves.device import DEVICE_1994
from iotrace.analysis.curves.population import condition
from iotrace.analysis.curves.references import Selection, selected
from iotrace.analysis.lines.counts import Counts
from iotrace.analysis.population import Population
from iotrace.schemas.reference_types import TYPES
from iotrace.store.store import Store


@dataclass(frozen=True)
class Run:
    """References and a cache for them: everything but the cache's size."""

    types: tuple[str, ...] = TYPES
    block_bytes: int = 4096
    write_policy: WritePolicy = "allocate"
    inodes_per_block: int | None = None
    file_bytes_from: int = 0
    file_bytes_below: int | None = None
    population: Population = Population.ALL

    @classmethod
    def read(cls, raw: dict[str, Any]) -> "Run":
        """Make a run from its description in TOML."""
        read: dict[str, Any] = {"types": tuple, "population": Population}
        return cls(**{name: read.get(name, lambda value: value)(value) for name, value in raw.items()})

    @property
    def selection(self) -> Selection:
        """The references."""
        return Selection(self.types, self.file_bytes_from, self.file_bytes_below, self.population)


@dataclass
class RunMemo:
    """A store and the counts of the runs made on it so far."""

    store: Store
    deletes: Deletes = "ignore"
    syncs: Syncs = "ignore"
    read: Callable[[int], None] = lambda references: None
    """Called with the number of references that were read."""
    _counts: dict[Run, Counts] = field(default_factory=dict)

    def prepare(self, runs: Iterable[Run]) -> None:
        """Make runs that will be asked for, all in one reading of the references."""
        missing = [run for run in dict.fromkeys(runs) if run not in self._counts]
        if not missing:
            return
        together: dict[Selection, list[Run]] = {}
        for run in missing:
            together.setdefault(run.selection, []).append(run)
        caches = [[self.cache(run) for run in of_selection] for of_selection in together.values()]
        finished = simulate_streams(selected(self.store, list(together), self.read), caches, "direction")
        for of_selection, curves in zip(together.values(), finished, strict=True):
            self._counts |= dict(zip(of_selection, map(Counts.of, curves), strict=True))

    def counts(self, run: Run) -> Counts:
        """Return a run's counts."""
        self.prepare([run])
        return self._counts[run]

    def cache(self, run: Run) -> Cache:
        """Return a run's cache."""
        return Cache(
            run.block_bytes,
            run.write_policy,
            self.deletes,
            self.syncs,
            overhead_ms=DEVICE_1994.overhead_ms,
            transfer_ms_per_kb=DEVICE_1994.transfer_ms_per_kb,
            warm_up_ns=self.store.counted_from_ns,
            inodes_per_block=run.inodes_per_block,
        )


def references_sql(run: Run) -> str:
    """Return the SQL that selects a run's references; deletions, truncations and syncs reach every cache."""
    conditions = []
    if run.types != Run().types:
        conditions.append("type in (" + ", ".join(f"'{kind}'" for kind in run.types) + ")")
    if run.file_bytes_from:
        conditions.append(f"coalesce(size_largest_bytes, 0) >= {run.file_bytes_from}")
    if run.file_bytes_below is not None:
        conditions.append(f"coalesce(size_largest_bytes, 0) < {run.file_bytes_below}")
    if run.population is not Population.ALL:
        conditions.append(condition(run.population))
    chosen = (
        f"\nwhere {' and '.join(conditions)}\n   or operation in ('truncate', 'delete', 'sync')"
        if conditions
        else ""
    )
    return f"select reference.*\nfrom reference left join file using (file){chosen}\norder by seq"
