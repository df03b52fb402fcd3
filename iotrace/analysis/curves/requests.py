"""The requests of a store that go through caches, within a budget of blocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.curves.cache import Cache, Syncs, usual_syncs
from iotrace.analysis.curves.curves import Curves, simulate, simulate_split
from iotrace.analysis.curves.disk_accesses import DiskAccess, simulate_disk_accesses
from iotrace.analysis.curves.policies import simulate_policies
from iotrace.analysis.curves.references import chosen
from iotrace.analysis.population import Population
from iotrace.store.store import Store


@dataclass(frozen=True)
class Requests:
    """A store's requests that fulfil a condition in SQL and are of a population; see `references.chosen`."""

    store: Store
    budget: BlockBudget
    where: str | None = None
    population: Population | None = None
    by: str | None = None
    """By what they are counted separately: a column, or an expression in SQL."""

    def references(self, *further: str) -> Iterator[pa.RecordBatch]:
        """Yield them in order, with further columns; raises IotraceError beyond the budget."""
        return self._counted(*further)[0]

    def curves(self, cache: Cache, syncs: Syncs | None = None, is_split: bool = False) -> Curves:
        """Run them through a cache of every size, or with `is_split` each value of `by` through a separate cache.

        Syncs do in it what is usual for references of the store's file-system model, unless given.
        """
        usual = usual_syncs(self.store.manifest["model"].get("model"))
        cache = replace(cache, syncs=syncs or usual)
        references, column = self._counted("flags")
        if is_split and column is not None:
            return simulate_split(references, cache, column)
        return simulate(references, cache, column)

    def policies(
        self, cache: Cache, names: Sequence[str], sizes_bytes: Sequence[int] | None, protected_percent: int
    ) -> pa.Table:
        """Run them through caches of several replacement policies and sizes; see `compare_policies`."""
        return simulate_policies(self.references(), cache, names, sizes_bytes, protected_percent)

    def disk_accesses(self, cache: Cache, access: DiskAccess, sizes_bytes: Sequence[int] | None) -> pa.Table:
        """Run them through LRU caches that fetch ahead and coalesce writes; see `disk_accesses`."""
        within = replace(access, budget_blocks=self.budget.blocks)
        return simulate_disk_accesses(self.references(), cache, within, sizes_bytes)

    def _counted(self, *further: str) -> tuple[Iterator[pa.RecordBatch], str | None]:
        references, column = chosen(self.store, self.where, self.by, further, self.population)
        return self.budget.watched(references), column
