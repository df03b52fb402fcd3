"""Costs of the subcaches of one configuration, for any assignment of files to them."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from iotrace.analysis.curves import Cache
from iotrace.engine import available_cores
from iotrace.engine.native import StackCurve
from iotrace.errors import UsageError
from iotrace.simulate.attribute.curves import PLACE, subcache_curve
from iotrace.simulate.attribute.membership import (
    Batch,
    Mask,
    by_file,
    number_of_files,
    requests_and_files,
)
from iotrace.simulate.attribute.notation import Subcache
from iotrace.simulate.attribute.outcome import MEASURES, UNCACHED
from iotrace.simulate.attribute.passes import (
    COMPONENTS,
    UNCACHED_BLOCK_BYTES,
    Assigned,
    PassMemo,
    engine_columns,
    finished,
    is_removal,
)
from iotrace.simulate.attribute.settings import Objective

Places = npt.NDArray[np.int64]
Evaluation = tuple[int, Places]
"""A subcache, by its place, and the assignment of files for which its cost is computed."""
AT_ONCE = 8
"""How many evaluations share one reading of the references; each holds the blocks that its files touch."""


@dataclass(frozen=True)
class FileCounts:
    """Counts of each file in its subcache: requests, their costs, and the blocks brought in and touched."""

    requests: npt.NDArray[np.int64]
    costs: npt.NDArray[np.int64]
    blocks_missed: npt.NDArray[np.int64]
    bytes_touched: npt.NDArray[np.int64]


@dataclass(frozen=True)
class FixedSizes:
    """The subcaches of a configuration with all sizes, the last one standing for no subcache; and the measure."""

    memo: PassMemo
    assigned: Assigned
    subcaches: tuple[Subcache, ...]
    objective: Objective

    @classmethod
    def of(cls, memo: PassMemo, assigned: Assigned, objective: Objective) -> "FixedSizes":
        """Take a configuration with all sizes, whose classes are disjoint."""
        uncached = Subcache(0, UNCACHED_BLOCK_BYTES, UNCACHED)
        return cls(memo, assigned, (*assigned.configuration.subcaches, uncached), objective)

    def assignment(self) -> Places:
        """Return the place of each file's subcache by the configuration's classes; the last place is of no file.

        Raises UsageError for a rule under which files change their class.
        """
        if self.memo.rule.by_request:
            raise UsageError("advice needs classes that stay: no --reclassify, no --file-size each")
        keys = self.assigned.keys
        masks, _ = by_file(self.memo.store, self.memo.rule, keys)
        places = np.full(number_of_files(self.memo.store) + 1, len(keys), np.int64)
        for index, key in enumerate(keys):
            places[masks[key]] = index
        return places

    def costs(self, evaluations: Iterable[Evaluation]) -> list[int]:
        """Return what subcaches cost by the objective, each for its own assignment of files. Exact."""
        costs = []
        rest = iter(evaluations)
        while group := list(islice(rest, AT_ONCE)):
            for (index, _), curve in zip(group, self._curves(group), strict=True):
                costs.append(self._cost(index, curve))
        return costs

    def total(self, assignment: Places) -> int:
        """Return what all subcaches cost for an assignment."""
        return sum(self.costs([(index, assignment) for index in range(len(self.subcaches))]))

    def by_file(self, assignment: Places) -> FileCounts:
        """Return what each file does in its subcache; requests larger than it can cost more than one miss each."""
        counts = {name: np.zeros(len(assignment), np.int64) for name in FileCounts.__dataclass_fields__}
        places = range(len(self.subcaches))
        curves = self._curves([(index, assignment) for index in places], split_files=True)
        for index, curve in zip(places, curves, strict=True):
            blocks, block_bytes = self._blocks(index), self.subcaches[index].block_bytes
            for file in np.flatnonzero(assignment[: curve.components] == index).tolist():
                row = pa.record_batch(curve.table(file, [max(blocks, 1)])).to_pylist()[0]
                requests = row["read_requests"] + row["write_requests"]
                if not requests:
                    continue
                measured = [row[name] for name in MEASURES[self.objective]]
                missed = row["read_block_misses"] + row["write_block_misses"]
                counts["requests"][file] = requests
                counts["costs"][file] = sum(measured) if blocks else requests
                counts["blocks_missed"][file] = missed
                counts["bytes_touched"][file] = row["block_references"] * block_bytes
        return FileCounts(**counts)

    def _blocks(self, index: int) -> int:
        subcache = self.subcaches[index]
        return (subcache.size_bytes or 0) // subcache.block_bytes

    def _cache(self, index: int) -> Cache:
        return replace(self.memo.cache, block_bytes=self.subcaches[index].block_bytes)

    def _cost(self, index: int, curve: StackCurve) -> int:
        names, blocks = MEASURES[self.objective], self._blocks(index)
        if not blocks:
            counts = subcache_curve(curve, self._cache(index), COMPONENTS).at(0)
            return sum(int(of_type[PLACE[name]]) for of_type in counts.values() for name in names)
        rows = [pa.record_batch(curve.table(number, [blocks])) for number in range(curve.components)]
        return sum(int(row.column(name)[0].as_py()) for row in rows for name in names)

    def _curves(self, evaluations: Sequence[Evaluation], split_files: bool = False) -> list[StackCurve]:
        """Run each evaluation's files through a cache of its subcache's blocks, in one reading of the references."""
        engines = [self._cache(index).engine() for index, _ in evaluations]
        with ThreadPoolExecutor(max_workers=available_cores()) as pool:
            for ready, requests, files in self._references(split_files):
                removal = is_removal(ready)
                tasks = [
                    pool.submit(
                        engine.push, ready.filter(pa.array((requests & (of[files] == index)) | removal))
                    )
                    for engine, (index, of) in zip(engines, evaluations, strict=True)
                ]
                for task in tasks:
                    finished(task.result)
        pricing = self.memo.cache.pricing()
        return [engine.finish(**pricing) for engine in engines]

    def _references(self, split_files: bool) -> Iterator[tuple[pa.RecordBatch, Mask, Places]]:
        """Yield the columns that the engine reads, which rows are requests, and their files."""
        for batch, requests, files in requests_and_files(self.memo.store):
            ready = engine_columns(Batch(batch, requests, {}, np.zeros(len(requests), bool)))
            if split_files:
                index = ready.schema.get_field_index("component")
                ready = ready.set_column(index, "component", pa.array(files, pa.int32()))
            yield ready, requests, files
