"""Caches of which only a part is non-volatile (Richardson 1994, 6.2.3): disk writes, and what a crash would lose."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.analysis.curves.cache import Cache, Deletes
from iotrace.analysis.curves.device import SSD
from iotrace.analysis.curves.passes import references_read, settings_read, tallied
from iotrace.analysis.curves.stream import Components, batches, prepare
from iotrace.engine.native import NonvolatileSimulator
from iotrace.errors import UsageError

WritePolicy = Literal["copy-back", "write-through", "periodic", "deadline"]
WRITE_POLICIES: tuple[WritePolicy, ...] = ("copy-back", "write-through", "periodic", "deadline")
TIMED: tuple[WritePolicy, ...] = ("periodic", "deadline")
"""The write policies that need a trace with time stamps."""


def possible_write_policies(times: Mapping[str, Any]) -> list[WritePolicy]:
    """Return all write policies, without those that need times for a trace that has none by its manifest's `times`."""
    timed = times.get("resolution_ns") is not None
    return [policy for policy in WRITE_POLICIES if timed or policy not in TIMED]


@dataclass
class TimeSpan:
    """From when to when references are that a simulation has read; None before any with a time."""

    first_ns: int | None = None
    last_ns: int | None = None

    def watched(self, references: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give references on, batch by batch, and note their times."""
        for batch in references:
            ends = pc.min_max(batch["time_ns"]).as_py()
            if ends["min"] is not None:
                self.first_ns = ends["min"] if self.first_ns is None else min(self.first_ns, ends["min"])
                self.last_ns = ends["max"] if self.last_ns is None else max(self.last_ns, ends["max"])
            yield batch

    def idle_write_policies(self, interval_ns: int) -> list[WritePolicy]:
        """Return the write policies that never write anything in it: they are the same as copy-back."""
        if self.first_ns is None or self.last_ns is None:
            return []
        never: list[WritePolicy] = []
        if self.first_ns // interval_ns == self.last_ns // interval_ns:
            never.append("periodic")
        if self.last_ns - self.first_ns < interval_ns:
            never.append("deadline")
        return never


def limited_nonvolatile(
    references: Any,
    *,
    volatile_bytes: Sequence[int],
    nonvolatile_bytes: Sequence[int] = (0,),
    write_policies: Sequence[WritePolicy] = WRITE_POLICIES,
    interval_s: float = 30.0,
    block_bytes: int = 4096,
    deletes: Deletes = "honour",
    overhead_ms: float = SSD.overhead_ms,
    transfer_ms_per_kb: float = SSD.transfer_ms_per_kb,
    warm_up_requests: int = 0,
    warm_up_ns: int | None = None,
    inodes_per_block: int | None = None,
) -> pa.Table:
    """Return what caches of volatile memory beside non-volatile memory would have written, and lost in a crash.

    ``references`` and the other settings are those of `iotrace.analysis.curves.curve`; the columns time_ns and flags
    are used where present. Each cache is LRU over all its memory and misses as such. The blocks written last, as many
    as fit, are in the non-volatile part, safe; when it is full, the one whose last write is the oldest moves to the
    volatile part, still dirty. There the write policy (1.2) says when it is written to the disk: copy-back when it is
    expelled; write-through at once, and it stays, clean; periodic with all others at each multiple of ``interval_s``
    from the trace's start; deadline when it has been at risk for ``interval_s``. A sync of a file (not of its inode),
    and a synchronous write, write those of its blocks that are at risk; those that are safe stay, and are written
    when they would move to the volatile part, since what was synced must not come to be at risk. Blocks deleted or
    written again before are not written. That the newest writes are the safe ones, and that only those are kept
    there, is a choice: the dissertation leaves it open. Without non-volatile memory this is an ordinary volatile
    cache; all of it non-volatile, under copy-back, is the dissertation's.

    The result has a row for each write policy, volatile and non-volatile size, in that order; its columns are
    those of the result limited_nonvolatile, and its metadata has the ``tally``. Sizes are rounded down to blocks; a
    pair without any memory is left out.
    What depends on time is null where a reference has none.

    Raises UsageError for settings that make no sense, IotraceError for references that do not, or that lack the
    time that periodic and deadline need.
    """
    cache = Cache(
        block_bytes=block_bytes,
        deletes=deletes,
        overhead_ms=overhead_ms,
        transfer_ms_per_kb=transfer_ms_per_kb,
        warm_up_requests=warm_up_requests,
        warm_up_ns=warm_up_ns,
        inodes_per_block=inodes_per_block,
    )
    simulator = _simulator(cache, volatile_bytes, nonvolatile_bytes, write_policies, interval_s)
    with references_read():
        for batch in batches(references):
            inodes = inodes_per_block is not None
            simulator.push(prepare(batch, None, Components(), inodes=inodes, synchronous=True))
        counts = simulator.tally()
        rows = pa.table(pa.record_batch(simulator.finish(**cache.pricing())))
    return tallied(rows, queries.table_schema("limited_nonvolatile"), counts)


def _simulator(
    cache: Cache,
    volatile_bytes: Sequence[int],
    nonvolatile_bytes: Sequence[int],
    write_policies: Sequence[str],
    interval_s: float,
) -> NonvolatileSimulator:
    volatile = [size // cache.block_bytes for size in volatile_bytes]
    nonvolatile = [size // cache.block_bytes for size in nonvolatile_bytes]
    choices = [one for one in product(write_policies, volatile, nonvolatile) if one[1] or one[2]]
    if not choices:
        raise UsageError("a cache has at least one block, in one memory or the other")
    if max(volatile) + max(nonvolatile) >= 2**32:
        raise UsageError(f"memories are less than 2^32 blocks of {cache.block_bytes} bytes together")
    with settings_read():
        return NonvolatileSimulator(
            choices,
            block_bytes=cache.block_bytes,
            interval_ns=round(interval_s * 1e9),
            deletes=cache.deletes,
            warm_up_requests=cache.warm_up_requests,
            warm_up_ns=cache.warm_up_ns,
            inodes_per_block=cache.inodes_per_block,
            threads=len(os.sched_getaffinity(0)),
        )
