"""A store's references seen by the subcaches of attribute caches: one pass per class and block size."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import units
from iotrace.analysis.block_budget import BlockBudget, Budget, lengths_of
from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.stream import NAMES, REMOVALS
from iotrace.engine import available_cores
from iotrace.engine.native import StackEngine
from iotrace.errors import IotraceError, UsageError
from iotrace.schemas.reference_types import TYPES
from iotrace.simulate.attribute.classes import ClassKey
from iotrace.simulate.attribute.curves import SubcacheCurve, subcache_curve
from iotrace.simulate.attribute.membership import Batch, Mask, Rule, batches, example_files
from iotrace.simulate.attribute.notation import Configuration
from iotrace.simulate.attribute.settings import CUT_OFF_BYTES
from iotrace.simulate.attribute.staircase import Numbers
from iotrace.store.store import Store

UNCACHED_BLOCK_BYTES = 4096
"""In which blocks the requests that no subcache takes are counted: the baseline's."""
ADVICE = "raise it with --budget BLOCKS"
COMPONENTS = [(kind, direction) for kind in TYPES for direction in ("read", "write")]

Group = frozenset[ClassKey]
"""The classes of one configuration."""
Pass = tuple[ClassKey | Group, int]
"""Whose requests go through a cache, and its block size; a group stands for what none of its classes takes."""


@dataclass(frozen=True)
class Assigned:
    """A configuration with its classes found."""

    configuration: Configuration
    keys: tuple[ClassKey, ...]

    @property
    def group(self) -> Group:
        """Its classes."""
        return frozenset(self.keys)

    @property
    def passes(self) -> list[Pass]:
        """One pass for each subcache, and one for what they leave."""
        blocks = [subcache.block_bytes for subcache in self.configuration.subcaches]
        return [*zip(self.keys, blocks, strict=True), (self.group, UNCACHED_BLOCK_BYTES)]


@dataclass
class PassMemo:
    """A store, the rule by which its references find their class, and the curves made so far.

    Of `cache` the block size is not used.
    """

    store: Store
    rule: Rule = field(default_factory=Rule)
    cache: Cache = field(default_factory=Cache)
    strict: bool = False
    progress: Callable[[int, int], None] | None = None
    budget_blocks: int = Budget.ATTRIBUTE
    """The most blocks that the requests of a class may touch, beyond 64 for each request."""
    requests: int = 0
    """All requests of the store; known after the first pass."""
    unknown_size_requests: int = 0
    """Requests whose class the cut-off decided without knowing the file's size."""
    _curves: dict[Pass, SubcacheCurve] = field(default_factory=dict)
    _disjoint: set[Group] = field(default_factory=set)
    outcomes: dict[Hashable, Any] = field(default_factory=dict)
    """Results of `outcome` so far."""

    def assigned(self, configuration: Configuration, cut_off_bytes: int = CUT_OFF_BYTES) -> Assigned:
        """Find a configuration's classes; raises UsageError for one that there is not, or that stands twice."""
        keys = tuple(
            self.rule.classes.key(subcache.category, cut_off_bytes) for subcache in configuration.subcaches
        )
        for index, key in enumerate(keys):
            if key in keys[:index]:
                raise UsageError(f"'{configuration}' has the class {key.name} twice")
        return Assigned(configuration, keys)

    def curve(self, pass_: Pass) -> SubcacheCurve:
        """Return a pass's curve; it must have been prepared."""
        return self._curves[pass_]

    def unclassified(self, assigned: Assigned) -> int:
        """Return how many requests no subcache of a prepared configuration takes."""
        return self._curves[assigned.group, UNCACHED_BLOCK_BYTES].requests()

    def prepare(self, configurations: Iterable[Assigned]) -> None:
        """Make the passes that configurations need, all in one reading of the references.

        Raises UsageError if two classes of a configuration overlap, IotraceError for SQL that DuckDB refuses and,
        with `strict`, where a request has no subcache.
        """
        requested = list(configurations)
        missing = [
            item
            for item in dict.fromkeys(p for each in requested for p in each.passes)
            if item not in self._curves
        ]
        if missing:
            self._run(
                missing, [assigned.group for assigned in requested if assigned.group not in self._disjoint]
            )
        for item in requested if self.strict else ():
            if left := self.unclassified(item):
                raise IotraceError(
                    f"no subcache of '{item.configuration}' takes {units.count(left)} of {units.count(self.requests)}"
                    " requests, which --strict forbids"
                )

    def _run(self, passes: Sequence[Pass], groups: Sequence[Group]) -> None:
        keys = list(
            dict.fromkeys(
                [classes for classes, _ in passes if isinstance(classes, ClassKey)]
                + [
                    key
                    for classes, _ in passes
                    if not isinstance(classes, ClassKey)
                    for key in sorted(classes, key=str)
                ]
                + [key for group in groups for key in sorted(group, key=str)]
            )
        )
        from_ns = self.store.counted_from_ns
        warmed = replace(self.cache, warm_up_ns=from_ns)
        engines: dict[Pass, StackEngine] = {
            pass_: replace(warmed, block_bytes=pass_[1]).engine() for pass_ in passes
        }
        budgets = {pass_: BlockBudget(self.budget_blocks, pass_[1], ADVICE) for pass_ in passes}
        whose = list(dict.fromkeys(classes for classes, _ in passes))
        done = requests = unknown = 0
        total = self.store.manifest["tables"]["reference"]
        with ThreadPoolExecutor(max_workers=available_cores()) as pool:
            for batch in batches(self.store, self.rule, keys):
                self._refuse_overlaps(batch, groups)
                ready = engine_columns(batch)
                removals, lengths = is_removal(ready), _request_bytes(batch)
                members = {classes: _member(batch, classes) for classes in whose}
                streams = {
                    classes: _stream(ready, member | removals, _left(batch, classes))
                    for classes, member in members.items()
                }
                for (whose_requests, _), budget in budgets.items():
                    budget.spend_bytes(lengths[members[whose_requests]])
                tasks = [
                    pool.submit(engine.push, streams[of_classes])
                    for (of_classes, _), engine in engines.items()
                    if streams[of_classes].num_rows
                ]
                for task in tasks:
                    finished(task.result)
                counted = _counted(batch, from_ns)
                requests += int((batch.requests & counted).sum())
                unknown += int((batch.unknown_size & counted).sum())
                done += batch.references.num_rows
                if self.progress:
                    self.progress(done, max(total, done))
        self.requests = requests
        self.unknown_size_requests = max(unknown, self.unknown_size_requests)
        self._disjoint.update(groups)
        for (of_classes, block_bytes), engine in engines.items():
            cache = replace(self.cache, block_bytes=block_bytes)
            curve = engine.finish(**cache.pricing())
            self._curves[of_classes, block_bytes] = subcache_curve(curve, cache, COMPONENTS)

    def _refuse_overlaps(self, batch: Batch, groups: Sequence[Group]) -> None:
        for group in groups:
            keys = sorted(group, key=str)
            for index, key in enumerate(keys):
                for other in keys[:index]:
                    if both := np.flatnonzero(batch.members[key] & batch.members[other])[:1000].tolist():
                        numbers = pc.unique(batch.references.column("file").take(pa.array(both))).to_pylist()[
                            :3
                        ]
                        names = ", ".join(example_files(self.store, numbers))
                        raise UsageError(
                            f"classes {other.name} and {key.name} overlap: both have {names};"
                            " a request goes whole to one subcache (define one as what the other is not:"
                            f" --class 'Rest: {key.name} and not {other.name}')"
                        )


def engine_columns(batch: Batch) -> pa.RecordBatch:
    """Return the columns that the engine reads, the component being the request's type and direction."""
    references = batch.references
    kinds = references.column("type")
    number = {kind: 2 * index for index, kind in enumerate(TYPES)}
    by_name = np.array([number[name] for name in kinds.dictionary.to_pylist()] or [0], np.int32)
    kind = by_name[kinds.indices.fill_null(0).to_numpy()]
    operation = references.column("operation")
    names = operation.dictionary.to_pylist()
    writes = np.array([name != "read" for name in names] or [False])
    return pa.record_batch(
        {
            "file": references.column("file"),
            "operation": operation.cast(NAMES),
            "offset": references.column("offset"),
            "length": references.column("length"),
            "file_size": references.column("file_size"),
            "component": pa.array(kind + writes[operation.indices.to_numpy()], pa.int32()),
            "time_ns": references.column("time_ns"),
        }
    )


def _request_bytes(batch: Batch) -> Numbers:
    """Return the length in bytes of each request, 0 of an unknown one and of what is not a request."""
    bytes_ = np.zeros(batch.references.num_rows)
    requests = batch.references.select(["length", "file_size", "offset"]).filter(pa.array(batch.requests))
    bytes_[batch.requests] = pc.fill_null(lengths_of(requests), 0).to_numpy()
    return bytes_


def _counted(batch: Batch, from_ns: int | None) -> Mask:
    """Mark what does not only warm the caches."""
    if from_ns is None:
        return np.ones(len(batch.requests), bool)
    return np.asarray(batch.references.column("time_ns").fill_null(-1).to_numpy() >= from_ns)


def _stream(ready: pa.RecordBatch, taken: Mask, left: Mask) -> pa.RecordBatch:
    """Return a class's requests, and all truncations and deletions; what leaves the class is expelled."""
    kept = taken | left
    if left.any():
        ready = _expelling(ready, left)
    return ready if kept.all() else ready.filter(pa.array(kept))


def is_removal(ready: pa.RecordBatch) -> Mask:
    """Mark truncations and deletions, which every pass sees."""
    removals = REMOVALS.to_pylist()
    names = ready.column("operation").dictionary.to_pylist()
    return np.array([name in removals for name in names] or [False])[_codes(ready)]


def _member(batch: Batch, whose: ClassKey | Group) -> Mask:
    if isinstance(whose, ClassKey):
        return batch.members[whose]
    taken = np.zeros(len(batch.requests), bool)
    for key in whose:
        taken |= batch.members[key]
    return batch.requests & ~taken


def _left(batch: Batch, whose: ClassKey | Group) -> Mask:
    """Mark where a file leaves a class; what no subcache takes has no blocks to lose."""
    if isinstance(whose, ClassKey) and whose in batch.left:
        return batch.left[whose]
    return np.zeros(len(batch.requests), bool)


def _codes(ready: pa.RecordBatch) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.asarray(ready.column("operation").indices.to_numpy(), np.int32)


def _expelling(ready: pa.RecordBatch, left: Mask) -> pa.RecordBatch:
    """Return the batch with the marked rows as expulsions of their files."""
    names = [*ready.column("operation").dictionary.to_pylist(), "evict"]
    codes = np.where(left, len(names) - 1, _codes(ready)).astype(np.int32)
    operation = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names))
    return ready.set_column(1, "operation", operation)


def finished(result: Callable[[], None]) -> None:
    """Take what a push returned; what the engine refuses is an error that the user sees."""
    try:
        result()
    except ValueError as error:
        raise IotraceError(str(error)) from error
