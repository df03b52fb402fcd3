"""A store's references seen by the caches of chapter 4: which references, which cache, and their counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from iotrace.locality import Cache, simulate_each
from iotrace.locality.cache import Deletes, Syncs, WritePolicy
from iotrace.locality.device import DEVICE_1994
from iotrace.locality.references import Selection
from iotrace.population import Population
from iotrace.reference_types import TYPES
from iotrace.working_sets.counts import Counts

if TYPE_CHECKING:
    from iotrace.store import Store


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
    def read(cls, raw: dict[str, Any]) -> Run:
        """Make a run from its description in TOML."""
        read: dict[str, Any] = {"types": tuple, "population": Population}
        return cls(**{name: read.get(name, lambda value: value)(value) for name, value in raw.items()})

    @property
    def selection(self) -> Selection:
        """The references."""
        return Selection(self.types, self.file_bytes_from, self.file_bytes_below, self.population)


@dataclass
class Study:
    """A store and the counts of the runs made on it so far."""

    store: Store
    deletes: Deletes = "ignore"
    syncs: Syncs = "ignore"
    _counts: dict[Run, Counts] = field(default_factory=dict)

    def prepare(self, runs: Iterable[Run]) -> None:
        """Make runs that will be asked for, those on the same references in one pass."""
        missing = [run for run in dict.fromkeys(runs) if run not in self._counts]
        for selection in dict.fromkeys(run.selection for run in missing):
            together = [run for run in missing if run.selection == selection]
            caches = [self._cache(run) for run in together]
            finished = simulate_each(selection.of(self.store), caches, "direction")
            self._counts |= dict(zip(together, map(Counts.of, finished), strict=True))

    def counts(self, run: Run) -> Counts:
        """Return a run's counts."""
        self.prepare([run])
        return self._counts[run]

    def _cache(self, run: Run) -> Cache:
        return Cache(
            run.block_bytes,
            run.write_policy,
            self.deletes,
            self.syncs,
            overhead_ms=DEVICE_1994.overhead_ms,
            transfer_ms_per_kb=DEVICE_1994.transfer_ms_per_kb,
            inodes_per_block=run.inodes_per_block,
        )
