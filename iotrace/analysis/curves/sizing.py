"""Which size of an LRU cache to buy: read off an exact curve."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from iotrace import units
from iotrace.analysis.curves.curves import Curves
from iotrace.analysis.curves.ratios import absorbed

SHARES = (50, 90, 99)
"""Percent of the hits that an unlimited cache has."""
CHOSEN = 90
"""The share whose size the other sentences are about."""
LEAST_STEP = 5.0
"""A doubling is a step of the curve where it saves at least these percent of the references, and most around."""
MOST_STEPS = 3
_PROBES = 62


@dataclass(frozen=True)
class Sizing:
    """What sizes of a cache give, in blocks that are referenced."""

    references: int
    hits: int
    """Of an unlimited cache."""
    sizes_bytes: dict[int, int]
    """By share of those hits in percent, the smallest size that has it."""
    doubled_percent: float
    """What twice the size for CHOSEN saves, in percent of the references."""
    absorbed: float | None
    """The part of the blocks written that such a write-back cache keeps from the disk for good; None without writes."""
    steps: tuple[tuple[int, int, float], ...]
    """Doublings that save much: from and to how many bytes, and what they save in percent of the references."""


def sizing(curves: Curves) -> Sizing | None:
    """Read off a curve without groups which sizes matter; None where nothing is ever hit."""
    grid = curves.doublings()
    rows = curves.table(grid)
    references = rows["block_references"][0].as_py()
    hits = _hits(rows)
    if not references or not hits[-1]:
        return None
    sizes = {share: _smallest(curves, grid, hits, share) for share in SHARES}
    chosen = sizes[CHOSEN]
    now, twice = _hits(curves.table([chosen, 2 * chosen]))
    share = absorbed(curves.table([chosen]))[0].as_py() if curves.cache.syncs == "honour" else None
    return Sizing(
        references,
        int(hits[-1]),
        sizes,
        100 * float(twice - now) / references,
        share,
        _steps(grid, hits, references),
    )


def _hits(rows: pa.Table) -> np.ndarray:
    return np.asarray(rows["block_references"].to_numpy() - rows["block_misses"].to_numpy())


def _smallest(curves: Curves, grid: list[int], hits: np.ndarray, share: int) -> int:
    """Return the smallest size in bytes with this share of the hits, whole blocks, exactly."""
    block, wanted = curves.cache.block_bytes, share * int(hits[-1])
    place = int(np.argmax(100 * hits >= wanted))
    low, high = (grid[place - 1] // block if place else 0), grid[place] // block
    while high - low > 1:
        probes = sorted({low + (high - low) * step // _PROBES for step in range(1, _PROBES)} - {low, high})
        reached = 100 * _hits(curves.table([block * probe for probe in probes])) >= wanted
        enough = [probe for probe, is_enough in zip(probes, reached, strict=True) if is_enough]
        short = [probe for probe, is_enough in zip(probes, reached, strict=True) if not is_enough]
        low, high = max(short, default=low), min(enough, default=high)
    return high * block


def _steps(grid: list[int], hits: np.ndarray, references: int) -> tuple[tuple[int, int, float], ...]:
    saved = 100 * np.diff(hits) / references
    around = np.concatenate([[0.0], saved, [0.0]])
    peaks = [
        place
        for place in range(len(saved))
        if saved[place] >= LEAST_STEP and saved[place] >= max(around[place], around[place + 2])
    ]
    largest = sorted(sorted(peaks, key=lambda place: -saved[place])[:MOST_STEPS])
    return tuple((grid[place], grid[place + 1], float(saved[place])) for place in largest)


def sentences(found: Sizing | None) -> list[str]:
    """Return what a buyer of a cache wants to know."""
    if found is None:
        return ["No block is referenced twice: no cache has a hit."]
    first, most, nearly = (units.size(found.sizes_bytes[share]) for share in SHARES)
    said = [
        f"A cache of any size hits at most {units.percent(100 * found.hits / found.references)} of the block"
        f" references, since the others are the first to their blocks. An LRU cache of {first} has half of these hits,"
        f" {most} has {CHOSEN} %, and {nearly} has 99 %.",
        f"Twice {most} would hit {units.percent(found.doubled_percent)} more of the references.",
    ]
    if found.absorbed is not None:
        said[1] += (
            f" As a write-back cache, {most} keeps {units.percent(100 * found.absorbed)} of the blocks written from the"
            " disk, syncs honoured."
        )
    if found.steps:
        steps = ", ".join(
            f"{units.size(low)} to {units.size(high)} ({units.percent(saved)} of the references)"
            for low, high, saved in found.steps
        )
        said.append(f"The curve's steepest doublings: {steps}.")
    return said
