"""Limited non-volatile memory, simulated: references in, a row for each of the settings out."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.passes import references_read, settings_read, tallied
from iotrace.analysis.curves.stream import Components, batches, prepare
from iotrace.engine import available_cores, native
from iotrace.errors import UsageError
from iotrace.option import described
from iotrace.simulate.nonvolatile.settings import TIMED, Settings, condition_of


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

    def is_idle(self, settings: Settings) -> bool:
        """Return whether a write policy never writes anything in it: it is the same as copy-back."""
        if self.first_ns is None or self.last_ns is None:
            return False
        interval_ns = settings.interval_ns
        if settings.write_policy == "periodic":
            return self.first_ns // interval_ns == self.last_ns // interval_ns
        return settings.write_policy == "deadline" and self.last_ns - self.first_ns < interval_ns


def with_memory(settings: Iterable[Settings], cache: Cache) -> list[Settings]:
    """Return settings, without those that have no memory; raises UsageError if none has."""
    chosen = [setting for setting in settings if any(setting.blocks(cache.block_bytes))]
    if not chosen:
        raise UsageError("a cache needs at least one block, volatile or non-volatile")
    return chosen


def run(
    references: Any, settings: Sequence[Settings], cache: Cache | None = None, threads: int | None = None
) -> pa.Table:
    """Return what caches of volatile and non-volatile memory would have written, and lost in a crash.

    ``references`` are those of `iotrace.analysis.curves.curve`; the columns time_ns and flags are used where present.
    Of ``cache`` all but the write policy and syncs is used. Settings with data that may be lost need a column
    may_be_lost (bool) of the references, those with memory for processes a column processes (int32, how many run);
    `iotrace.simulate.nonvolatile.columns` makes both. A sync of a file (not of its inode), and a synchronous
    write, write those of its blocks that are at risk; those that are safe stay, and are written when they would move
    to the volatile part, since what was synced must not come to be at risk. Blocks deleted or written again before
    are not written.

    The result has a row for each of the settings with any memory, in their order; its columns are those of the result
    limited_nonvolatile, and its metadata has the ``tally``. What depends on time is null if a reference has none.

    Settings are spread over ``threads``, by default all cores.

    Raises UsageError for invalid settings, IotraceError for references that are invalid or lack the
    time that periodic and deadline need.
    """
    cache = cache or Cache()
    chosen = with_memory(settings, cache)
    further = _columns_needed(chosen)
    simulator = _simulator(chosen, cache, threads or available_cores())
    with references_read():
        for batch in batches(references):
            inodes = cache.inodes_per_block is not None
            ready = prepare(batch, None, Components(), inodes=inodes, synchronous=True)
            simulator.push(_with_columns(ready, batch, further))
        counts = simulator.tally()
        rows = pa.table(pa.record_batch(simulator.finish(**cache.pricing())))
    schema = queries.table_schema("limited_nonvolatile")
    columns = [_columns(setting, cache.block_bytes) for setting in chosen]
    for index, name in enumerate(columns[0]):
        values = pa.array([row[name] for row in columns], schema.field(name).type)
        rows = rows.add_column(index, schema.field(name), values)
    return tallied(rows.select(schema.names), schema, counts)


FURTHER = {"may_be_lost": "component", "processes": "processes"}
"""Columns of references that some settings need, by the engine's names of them."""


def _columns_needed(settings: Sequence[Settings]) -> list[str]:
    needs_processes = any(setting.process_memory_bytes for setting in settings)
    return ["may_be_lost"] * (condition_of(settings) is not None) + ["processes"] * needs_processes


def _with_columns(ready: pa.RecordBatch, batch: pa.RecordBatch, names: Iterable[str]) -> pa.RecordBatch:
    """Return what the engine reads with further columns of the references; a null is false or unknown."""
    for name in names:
        if name not in batch.schema.names:
            raise UsageError(f"the references have no column '{name}'")
        column = batch.column(name).cast(pa.int32())
        column = pc.fill_null(column, 0) if name == "may_be_lost" else column
        ready = ready.append_column(FURTHER[name], column)
    return ready


def _columns(settings: Settings, block_bytes: int) -> dict[str, Any]:
    """Return one of the settings as columns of the result, its sizes rounded down to blocks."""
    volatile, nonvolatile = settings.blocks(block_bytes)
    held = replace(
        settings,
        volatile_bytes=volatile * block_bytes,
        nonvolatile_bytes=nonvolatile * block_bytes,
        process_memory_bytes=settings.process_blocks(block_bytes) * block_bytes,
    )
    return described(held) | {"volatile_blocks": volatile, "nonvolatile_blocks": nonvolatile}


def _for_engine(settings: Settings, block_bytes: int) -> Any:
    """Return one of the settings as the engine reads it."""
    volatile, nonvolatile = settings.blocks(block_bytes)
    policy = settings.write_policy
    return {
        "memory": {
            "volatile_blocks": volatile,
            "nonvolatile_blocks": nonvolatile,
            "process_blocks": settings.process_blocks(block_bytes),
        },
        "write_policy": {policy: settings.interval_ns} if policy in TIMED else policy,
        "spares_what_may_be_lost": settings.may_be_lost is not None,
    }


def _simulator(settings: Sequence[Settings], cache: Cache, threads: int) -> native.StreamSimulator:
    with settings_read():
        return native.nonvolatile_simulator(
            cache.for_engine(),
            json.dumps([_for_engine(setting, cache.block_bytes) for setting in settings]),
            threads=threads,
        )
