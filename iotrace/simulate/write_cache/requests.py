"""A block trace as the simulator takes it: in order of time, and every block on the chosen disk."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.engine import native
from iotrace.engine.native import WriteCacheSimulator
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.write_cache.replaying import REPLAYS, Fit
from iotrace.store.store import Store
from iotrace.store.store_ref import StoreRef

Integers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
FITS: tuple[Fit, ...] = get_args(Fit)

OPERATIONS = ("read", "write", "discard", "flush")
"""By their codes in the engine."""
COLUMNS = ("seq", "time_ns", "device", "operation", "lbn", "blocks", "latency_ns", "flags")
OPTIONAL = ("seq", "latency_ns", "flags")
FORCED_WRITE = 4
"""A write with the flag forced."""
BATCH_ROWS = 1 << 18
MOST_BLOCKS = native.block_limits()["disk_blocks"]
LATEST_NS = native.trace_limits()["time_ns"]
BLOCK_BYTES = 512
BUDGET_BLOCK_BYTES = 4096
"""The size of the blocks in which the budget is given."""


@dataclass(frozen=True)
class Survey:
    """The facts about a trace that a simulation needs in advance."""

    devices: tuple[int, ...]
    """The devices with reads or writes, ascending; the simulator's disks are numbered in this order."""
    ends: tuple[int, ...]
    """One past each device's last block."""
    requests: int
    """Requests that are simulated."""
    without_blocks: int
    """Requests left out, since they name no block or have no length."""
    unsorted: int
    """Requests that came before the one that they follow in the trace."""
    unknown: int
    """Requests left out, since the trace does not say what they do."""


class Requests:
    """A block trace, to be gone through as often as need be.

    ``trace`` is a store with a table disk_io, or a table or record batches with its columns (latency_ns may be
    missing). Only the given devices are taken, or all. Raises IotraceError for a trace that cannot be simulated: one
    that never says what is read and what is written, lacks times, has negative block numbers, or of which the requests
    touch more blocks of 4,096 bytes than ``budget_blocks`` and 64 for each request. Of these devices' rows in the trace
    only the first ``most_rows`` are taken, if given. What precedes a part of a trace warms the caches, and is not
    counted (`iotrace.store.part.build.warmed_requests_of`).
    """

    def __init__(
        self,
        trace: Any,
        devices: Sequence[int] | None = None,
        budget_blocks: int = Budget.WRITE_CACHE,
        most_rows: int | None = None,
    ) -> None:
        self._most_rows = most_rows
        self.is_cut = False
        """Whether there are more rows than were taken."""
        self._sent = (trace, None if devices is None else tuple(devices), budget_blocks, most_rows)
        self._budget = BlockBudget(budget_blocks, BUDGET_BLOCK_BYTES, "raise it with --budget BLOCKS")
        self._devices = None if devices is None else sorted(set(devices))
        self._source = _source(trace)
        self.counted_from_ns = trace.counted_from_ns if isinstance(trace, Store) else None
        """When the requests begin that are counted; None for all."""
        self.survey = self._surveyed()
        if self.survey.unsorted:
            table = pa.Table.from_batches(list(self._taken()))
            self._source = _in_memory(table.sort_by([("time_ns", "ascending"), ("seq", "ascending")]))

    def _taken(self) -> Iterator[pa.RecordBatch]:
        """Give the rows that are simulated."""
        left = self._most_rows
        for rows in self._source():
            batch = _of_devices(rows, self._devices)
            if left is not None and batch.num_rows > left:
                self.is_cut = True
                yield batch.slice(0, left)
                return
            left = None if left is None else left - batch.num_rows
            yield batch

    def sent(self) -> "RemoteRequests":
        """Return what remote workers need to read the trace; raises UsageError if the trace is not a store."""
        trace, devices, budget_blocks, most_rows = self._sent
        if not isinstance(trace, Store):
            raise UsageError("remote workers read stores: this trace is a table in memory")
        return RemoteRequests(StoreRef.of(trace), devices, budget_blocks, most_rows)

    def _raw(self) -> "Iterator[_Batch]":
        for batch in self._taken():
            if batch.num_rows:
                yield _Batch.read(batch)

    def _surveyed(self) -> Survey:
        ends: dict[int, int] = {}
        requests = without_blocks = unsorted = unknown = 0
        last_ns: int | None = None
        has_operations = False
        for batch in self._raw():
            self._budget.spend(pa.array(batch.touched_bytes))
            used = batch.moves | (batch.operation == OPERATIONS.index("flush"))
            has_operations |= bool((batch.operation < len(OPERATIONS)).any())
            requests += int(used.sum())
            unknown += int((batch.operation == len(OPERATIONS)).sum())
            without_blocks += int((~used & (batch.operation < len(OPERATIONS))).sum())
            times = batch.time_ns[~batch.timeless]
            if len(times):
                before = times[0] if last_ns is None else last_ns
                unsorted += int((np.diff(times, prepend=before) < 0).sum())
                last_ns = int(times[-1])
            last = batch.lbn[batch.moves] + batch.blocks[batch.moves]
            devices = batch.device[batch.moves]
            for device in np.unique(devices):
                end = int(last[devices == device].max())
                ends[int(device)] = max(ends.get(int(device), 0), end)
        if requests == 0 and unknown:
            raise IotraceError(
                "the trace does not distinguish reads from writes: no write cache can be simulated"
            )
        if not ends:
            raise IotraceError(
                "the trace has no requests to a disk" + ("" if self._devices is None else " chosen")
            )
        devices_found = tuple(sorted(ends))
        return Survey(
            devices_found,
            tuple(ends[device] for device in devices_found),
            requests,
            without_blocks,
            unsorted,
            unknown,
        )

    def run(self, layout: "TraceLayout", simulator: WriteCacheSimulator) -> pa.RecordBatch:
        """Send the requests through a simulator: disk numbers, times and block numbers are as ``layout`` says."""
        previous = _Previous()
        for rows, is_first_counted in self._in_turn():
            if is_first_counted:
                simulator.count_from_next()
            simulator.push(layout.placed(_Batch.read(rows), self.survey, previous))
        return simulator.finish()

    def _in_turn(self) -> Iterator[tuple[pa.RecordBatch, bool]]:
        """Give the rows that are simulated, and of each batch whether counting begins with it."""
        from_ns = self.counted_from_ns
        for rows in self._taken():
            before = 0 if from_ns is None else int(np.searchsorted(_filled(rows["time_ns"], 0), from_ns))
            if before:
                yield rows.slice(0, before), False
            if before < rows.num_rows:
                yield rows.slice(before), from_ns is not None
                from_ns = None


@dataclass(frozen=True)
class RemoteRequests:
    """The requests of a store, to be read by remote workers."""

    store: StoreRef
    devices: tuple[int, ...] | None
    budget_blocks: int
    most_rows: int | None

    def read(self) -> Requests:
        """Return the requests; a worker that gets several parts of a sweep surveys them once."""
        return _read(self)


@lru_cache(maxsize=1)
def _read(sent: RemoteRequests) -> Requests:
    return Requests(sent.store.open(), sent.devices, sent.budget_blocks, sent.most_rows)


@dataclass
class _Previous:
    """The request before, for closed replay."""

    time_ns: int | None = None
    latency_ns: int = 0


@dataclass(frozen=True)
class _Batch:
    """Columns of requests, without nulls; an operation that is none of OPERATIONS is unknown."""

    seq: Integers
    time_ns: Integers
    timeless: Flags
    device: Integers
    operation: np.ndarray[Any, np.dtype[np.uint8]]
    is_forced: Flags
    lbn: Integers
    blocks: Integers
    latency_ns: Integers
    moves: Flags
    """Whether it reads, writes or discards blocks."""

    @property
    def touched_bytes(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Bytes of each read and write, as the budget counts them.

        For a discard the engine goes through what is cached, not through what the discard names.
        """
        counted = self.moves & (self.operation != OPERATIONS.index("discard"))
        bytes_: np.ndarray[Any, np.dtype[np.float64]] = self.blocks[counted].astype(np.float64) * BLOCK_BYTES
        return bytes_

    @classmethod
    def read(cls, batch: pa.RecordBatch) -> "_Batch":
        operation = batch["operation"]
        if pa.types.is_dictionary(operation.type):
            operation = operation.dictionary_decode()
        code = pc.index_in(operation, pa.array(OPERATIONS, operation.type))
        code = pc.fill_null(code, len(OPERATIONS)).to_numpy(zero_copy_only=False).astype(np.uint8)
        lbn, blocks = _filled(batch["lbn"], -1), _filled(batch["blocks"], 0)
        named = batch["lbn"].is_valid().to_numpy(zero_copy_only=False)
        seq = _filled(batch["seq"], 0)
        moves = named & (blocks != 0) & (code < OPERATIONS.index("flush"))
        bad = moves & ((lbn < 0) | (blocks < 0) | (lbn > MOST_BLOCKS) | (blocks > MOST_BLOCKS))
        if bad.any():
            first = int(bad.argmax())
            raise IotraceError(
                f"request {seq[first]}: block {lbn[first]} and {blocks[first]} blocks are on no disk"
            )
        times = _filled(batch["time_ns"], 0)
        if np.abs(times).max(initial=0) >= LATEST_NS:
            raise IotraceError("a time is more than a century from the trace's start")
        latency = (
            _filled(batch["latency_ns"], 0)
            if "latency_ns" in batch.schema.names
            else np.zeros(len(seq), np.int64)
        )
        timeless = ~batch["time_ns"].is_valid().to_numpy(zero_copy_only=False)
        return cls(
            seq,
            times,
            timeless,
            _filled(batch["device"], 0),
            code,
            _forced(batch) & (code == OPERATIONS.index("write")),
            lbn,
            blocks,
            latency.clip(min=0),
            moves,
        )


def _of_devices(batch: pa.RecordBatch, devices: Sequence[int] | None) -> pa.RecordBatch:
    if devices is None:
        return batch
    return batch.filter(pc.is_in(batch["device"], pa.array(devices, batch["device"].type)))


def _forced(batch: pa.RecordBatch) -> Flags:
    """Return which requests have the flag forced."""
    if "flags" not in batch.schema.names:
        return np.zeros(batch.num_rows, np.bool_)
    flags = batch["flags"]
    if pa.types.is_dictionary(flags.type):
        flags = flags.dictionary_decode()
    is_forced = pc.fill_null(pc.match_substring(flags, "forced"), False)
    forced: Flags = is_forced.to_numpy(zero_copy_only=False)
    return forced


def _filled(column: pa.Array, value: int) -> Integers:
    filled = pc.fill_null(column, value) if column.null_count else column
    values: Integers = filled.to_numpy(zero_copy_only=False).astype(np.int64)
    return values


@dataclass
class TraceLayout:
    """How a trace's blocks are mapped to a disk, and when its requests come.

    What lies beyond the disk's end is brought onto it by ``wrap`` (block numbers modulo the capacity), or ``scale``
    (all block numbers of that device times the capacity over its last block), or refused. A request that would then
    cross the end is moved before it; one larger than the disk is cut to its size. Times are multiplied by
    ``time_scale``. In closed replay a time is what passes between the answer to a request and the next one: the gap
    between their times, less the first one's latency if the trace has it, not below 0.
    """

    capacity_blocks: int
    fit: Fit = "wrap"
    replay: str = "open"
    time_scale: float = 1.0
    refitted: int = 0
    """How many requests were brought onto the disk, so far."""

    def __post_init__(self) -> None:
        if self.fit not in FITS:
            raise UsageError(f"fit is {', '.join(FITS)}, not {self.fit!r}")
        if self.replay not in REPLAYS:
            raise UsageError(f"replay is {', '.join(REPLAYS)}, not {self.replay!r}")
        if not 0 < self.time_scale < 1e9:
            raise UsageError("times are scaled by a number above 0")

    def placed(self, batch: _Batch, survey: Survey, previous: _Previous) -> pa.RecordBatch:
        """Return the requests of a batch as the engine takes them."""
        used = batch.moves | (batch.operation == OPERATIONS.index("flush"))
        used &= np.isin(batch.device, survey.devices)
        if (batch.timeless & used).any() and self.replay == "open":
            raise IotraceError("the trace has requests without times; give --replay closed")
        times = self._times(batch, used, previous)
        moves = batch.moves[used]
        disk = np.searchsorted(survey.devices, batch.device[used])
        lbn, blocks = self._on_disk(batch, used, disk, survey)
        return pa.record_batch(
            {
                "time_ns": pa.array(times),
                "disk": pa.array(disk.astype(np.uint32)),
                "operation": pa.array(
                    np.where(batch.is_forced, FORCED_WRITE, batch.operation)[used].astype(np.uint8)
                ),
                "lbn": pa.array(np.where(moves, lbn, 0).astype(np.uint64)),
                "blocks": pa.array(np.where(moves, blocks, 0).astype(np.uint64)),
            }
        )

    def _times(self, batch: _Batch, used: Flags, previous: _Previous) -> Integers:
        times: Integers = batch.time_ns[used]
        if self.replay == "closed" and len(times):
            latency = batch.latency_ns[used]
            first = int(times[0]) if previous.time_ns is None else previous.time_ns
            gaps = np.diff(times, prepend=first) - np.concatenate([[previous.latency_ns], latency[:-1]])
            previous.time_ns, previous.latency_ns = int(times[-1]), int(latency[-1])
            times = gaps.clip(min=0)
        if self.time_scale == 1.0:
            return times
        if np.abs(times).max(initial=0) * self.time_scale >= LATEST_NS:
            raise IotraceError("the times, scaled, are more than a century from the trace's start")
        scaled: Integers = np.rint(times * self.time_scale).astype(np.int64)
        return scaled

    def _on_disk(
        self,
        batch: _Batch,
        used: Flags,
        disk: Integers,
        survey: Survey,
    ) -> tuple[Integers, Integers]:
        capacity = self.capacity_blocks
        lbn, blocks = batch.lbn[used], batch.blocks[used]
        is_beyond = batch.moves[used] & (lbn + blocks > capacity)
        if self.fit == "reject" and is_beyond.any():
            first = int(is_beyond.argmax())
            raise IotraceError(
                f"request {batch.seq[used][first]}: block {lbn[first]} and {blocks[first]} blocks are beyond the"
                f" disk's end, {capacity} blocks; choose a larger --disk, or --fit wrap or scale"
            )
        if self.fit == "scale":
            ends = np.array([max(end, capacity) for end in survey.ends])[disk]
            is_beyond = batch.moves[used] & (ends > capacity)
            scaled = (lbn * (capacity / ends)).astype(np.int64)
            lbn = np.where(is_beyond, scaled, lbn)
        self.refitted += int(is_beyond.sum())
        blocks = blocks.clip(max=capacity)
        lbn = np.where(is_beyond, lbn % capacity, lbn)
        return np.minimum(lbn, capacity - blocks), blocks


def _source(trace: Any) -> Callable[[], Iterator[pa.RecordBatch]]:
    if isinstance(trace, Store):
        trace.family.check_answers("write-cache", trace.name)
        return lambda: trace.batches("disk_io", COLUMNS, BATCH_ROWS)
    if isinstance(trace, pa.RecordBatch):
        trace = pa.Table.from_batches([trace])
    if not isinstance(trace, pa.Table):
        trace = pa.table(trace)
    return _in_memory(_documented(trace))


def _documented(table: pa.Table) -> pa.Table:
    """Return the columns that count; raises IotraceError if one is missing."""
    missing = [name for name in COLUMNS if name not in table.column_names and name not in OPTIONAL]
    if missing:
        raise IotraceError(f"the table of requests lacks {', '.join(missing)}")
    if "seq" not in table.column_names:
        table = table.append_column("seq", pa.array(np.arange(table.num_rows)))
    return table.select([name for name in COLUMNS if name in table.column_names])


def _in_memory(table: pa.Table) -> Callable[[], Iterator[pa.RecordBatch]]:
    return lambda: iter(table.combine_chunks().to_batches(BATCH_ROWS))
