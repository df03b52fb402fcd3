"""The answer to which cache: an LRU curve, its knee, and what two or three sizes miss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import units
from iotrace.analysis.answers.screen import Amount, Cache, fitting
from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.analysis.curves.cache import usual_syncs
from iotrace.analysis.curves.object_requests import curve_of_store, policies_of_store
from iotrace.analysis.curves.objects import Unit
from iotrace.analysis.curves.sizing import CHOSEN, SHARES, BlockHits, sizing
from iotrace.analysis.lines.runs import Run, RunMemo
from iotrace.analysis.population import Population
from iotrace.errors import IotraceError
from iotrace.store.store import Store

DATA = Run(population=Population.DATA)
"""The cache of which a size is chosen."""
COUNTED = ("operation", "offset", "length", "file_size")
"""The columns of reference by which blocks are counted."""
NO_HITS = "No block is referenced twice: no cache has a hit."
NO_OBJECT_HITS = "No object is requested twice: no cache has a hit."
OTHERS = ("sieve", "s3-fifo", "w-tinylfu")
"""The policies that are compared with LRU at the knee, for caches of objects."""
MOST_REQUESTS = 5_000_000
"""Of traces with more requests, other policies are left to iotrace curve."""


def memo_of(store: Store) -> RunMemo:
    """Return a memo of the caches of a store.

    Deletions and truncations drop blocks; syncs write them, unless the store is by the model of 1994.
    """
    return RunMemo(store, "honour", usual_syncs(store.manifest["model"].get("model")))


def refusal(store: Store) -> str | None:
    """Return why caches of blocks are not simulated; None where they are."""
    budget = BlockBudget(
        Budget.CURVE.value, DATA.block_bytes, "iotrace curve takes larger blocks or --budget"
    )
    try:
        for batch in store.batches("reference", COUNTED):
            budget.count(batch)
    except IotraceError as error:
        return str(error)
    return None


def of_blocks(hits: BlockHits, command: str) -> Cache:
    """Return the answer for caches of blocks: misses in percent of the block references."""
    found = sizing(hits)
    if found is None:
        return Cache(NO_HITS if hits.references else "The trace moves no data.", command=command)
    chosen = sorted({found.sizes_bytes[share] for share in SHARES[1:]})
    sizes = sorted({*_doublings(hits.distinct_blocks), *(size // hits.block_bytes for size in chosen)})
    points = zip(sizes, hits.at(sizes), strict=True)
    misses = {size: _missed(int(hits.at([size // hits.block_bytes])[0]), found.references) for size in chosen}
    least = _missed(found.hits, found.references)
    written = _sizes(chosen)
    named = f"LRU of {_block(hits.block_bytes)} blocks"
    return Cache(
        _sentence(named, {written[size]: share for size, share in misses.items()}, "block references", least),
        tuple(_amount(written[size], share, size) for size, share in misses.items()),
        "percent",
        command,
        tuple((size * hits.block_bytes, _missed(int(count), found.references)) for size, count in points),
        knee=found.sizes_bytes[CHOSEN],
    )


def _sizes(sizes: Sequence[int]) -> dict[int, str]:
    """Return how sizes, ascending, are written: those not far above the smallest in its unit."""
    first = units.size(sizes[0])
    unit = first.partition(" ")[2]
    scale = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}.get(unit)
    written = {}
    for size in sizes:
        in_unit = size / scale if scale else math.inf
        written[size] = f"{in_unit:,.0f} {unit}" if 999.5 <= in_unit < 10_000 else units.size(size)
    return written


def _block(block_bytes: int) -> str:
    return units.size(block_bytes).replace(" ", "-")


def _doublings(most: int) -> list[int]:
    return [2**power for power in range((most - 1).bit_length())] + [most]


def _missed(hits: int, references: int) -> float:
    return 100 * (references - hits) / references


def _amount(name: str, share: float, size: int | None, key: str = "lru") -> Amount:
    return Amount(name, share, units.percent(share), key, size)


def _sentence(named: str, misses: Mapping[str, float], of: str, least: float) -> str:
    (first, share), *rest = misses.items()
    shown = [f"{named}: {first} misses {units.percent(share)} of {of}"]
    shown += [f"{size} {units.percent(missed)}" for size, missed in rest]
    return fitting([f"{', '.join(shown)}; no size misses less than {units.percent(least)}.", f"{shown[0]}."])


@dataclass
class ObjectCurves:
    """The curves of a trace of caches, computed once, when they are asked for."""

    store: Store

    @cached_property
    def curves(self) -> Mapping[Unit, pa.Table]:
        """The curves by what sizes count: objects, and bytes where the trace states the sizes of all objects."""
        found: dict[Unit, pa.Table] = {"objects": curve_of_store(self.store, "objects")}
        if found["objects"]["bytes"].null_count == 0 and len(found["objects"]):
            found["bytes"] = curve_of_store(self.store, "bytes")
        return found

    def size_for(self, unit: Unit, percent: int) -> int | None:
        """Return the smallest size that has this share of the hits of the largest; None where nothing hits."""
        curve = self.curves[unit]
        hits = pc.subtract(curve["requests"], curve["request_misses"]).to_numpy()
        most = int(hits.max(initial=0))
        if not most:
            return None
        return int(curve["size"][int((100 * hits >= percent * most).argmax())].as_py())


def of_objects(found: ObjectCurves, command: str) -> Cache:
    """Return the answer for caches of objects: misses in percent of the requests, and other policies at the knee."""
    unit: Unit = "bytes" if "bytes" in found.curves else "objects"
    curve = found.curves[unit]
    chosen = sorted({size for share in SHARES if (size := found.size_for(unit, share)) is not None})
    if not chosen:
        return Cache(NO_OBJECT_HITS, command=command)
    ratios = {
        row["size"]: 100 * row["request_misses"] / row["requests"]
        for row in curve.to_pylist()
        if row["requests"]
    }
    written = _sizes(chosen) if unit == "bytes" else {size: _objects(size) for size in chosen}
    misses = {size: ratios[size] for size in chosen}
    knee = found.size_for(unit, CHOSEN)
    assert knee is not None
    amounts = [
        _amount(written[size], share, size if unit == "bytes" else None) for size, share in misses.items()
    ]
    return Cache(
        _sentence(
            "LRU of whole objects",
            {written[size]: misses[size] for size in chosen[-2:]},
            "requests",
            min(ratios.values()),
        ),
        (*amounts, *_others(found.store, unit, knee, written[knee])),
        "percent",
        command,
        tuple(sorted(ratios.items())),
        is_of_objects=True,
        is_in_bytes=unit == "bytes",
        knee=knee,
    )


def _objects(number: float) -> str:
    return f"{units.count(number)} objects"


def _others(store: Store, unit: Unit, size: int, named: str) -> list[Amount]:
    """Return what other policies miss at one size."""
    if store.manifest["counts"].get("requests", 0) > MOST_REQUESTS:
        return []
    rows = policies_of_store(store, OTHERS, unit, [size]).to_pylist()
    return [
        _amount(
            f"{row['policy']}, {named}",
            100 * row["request_misses"] / row["requests"],
            size if unit == "bytes" else None,
            row["policy"],
        )
        for row in rows
        if row["requests"]
    ]
