"""The programs of the figures, generated or those of the traces that are given, and the plans of the compiler."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

import pyarrow as pa

from iotrace.errors import IotraceError
from iotrace.generate import loops
from iotrace.generate.micro.generated import program_of
from iotrace.generate.micro.settings import Micro
from iotrace.papers.vilayannur.figures import Setting
from iotrace.simulate.cluster.access_sets import CacheCapacity
from iotrace.simulate.cluster.planning import coarse, fine
from iotrace.simulate.cluster.settings import Machine
from iotrace.simulate.programs.stores import of_store
from iotrace.store.store import Store

SEED = 1
HARVESTED_PERCENT = Machine().high_water_percent
"""The percentage of a cache that the harvester keeps free: a plan that fills the rest fits."""
IMITATION = "imitation"


@dataclass(frozen=True)
class Workload:
    """A program, with what the compiler knows of it: the references to each file and the files' sizes."""

    program: pa.Table
    reference_counts: tuple[int, ...] | None = None
    file_bytes: tuple[int, ...] | None = None

    def plan(self, setting: Setting, global_per_file: bool) -> pa.Table | None:
        """Return which segments go through the global cache (table cluster_bits); None where all do."""
        if setting.scheme not in ("coarse", "fine"):
            return None
        capacity = CacheCapacity(
            setting.global_blocks, global_per_file, setting.segment_blocks, free_percent=HARVESTED_PERCENT
        )
        if setting.scheme == "coarse":
            return coarse(self.program, capacity, self.reference_counts, self.file_bytes)
        return fine(self.program, capacity, self.file_bytes)


@dataclass
class Workloads:
    """The workloads by their names, made when they are first asked for; `stores` are the traces that are given."""

    stores: Mapping[str, Store]

    def of(self, setting: Setting) -> Workload:
        """Return the workload of a setting; the nests of the compiler's codes are spread over the machine's nodes."""
        parameters = dict(setting.parameters)
        if setting.workload == "micro":
            return Workload(program_of(Micro(**parameters), SEED))
        if setting.workload in self.stores:
            return self._traced[setting.workload]
        nests = loops.read(setting.workload, {**parameters, "nodes": setting.nodes})
        counts = tuple(int(count) for count in loops.reference_counts(nests))
        return Workload(loops.generate(nests), counts, nests.file_bytes)

    @cached_property
    def _traced(self) -> dict[str, Workload]:
        return {name: Workload(_program(name, store)) for name, store in self.stores.items()}

    @cached_property
    def imitations(self) -> tuple[str, ...]:
        """The traces that were generated: their store says so, or the names of their files begin with the word."""
        return tuple(name for name, store in self.stores.items() if _is_imitation(store))


def _program(name: str, store: Store) -> pa.Table:
    try:
        return of_store(store).records
    except IotraceError as error:
        raise type(error)(f"{name}: {error}") from None


def _is_imitation(store: Store) -> bool:
    if store.manifest.get("generated"):
        return True
    paths = store.arrow("file").column("path").to_pylist()
    return any(PurePosixPath(path).name.startswith(IMITATION) for path in paths if path)
