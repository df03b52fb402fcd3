"""Which size of an LRU cache to buy: read off an exact curve, with what other policies would hit at that size."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from iotrace import units
from iotrace.analysis.curves.curves import Curves
from iotrace.analysis.curves.ratios import absorbed

SHARES = (50, 90, 99)
"""Percent of the hits that an unlimited cache has."""
CHOSEN = 90
"""The share whose size the other sentences are about."""
OTHER_POLICIES = {
    "arc": "ARC",
    "sieve": "SIEVE",
    "s3-fifo": "S3-FIFO",
    "w-tinylfu": "W-TinyLFU",
    "opt": "Belady's optimum",
}
"""The policies that are compared with LRU at the size for CHOSEN, and how they are written; the optimum is last."""
LEAST_STEP = 5.0
"""A doubling is a step of the curve where it saves at least these percent of the references, and most around."""
MOST_STEPS = 3
LEAST_GAIN = 0.1
"""Other policies are listed if the optimum hits this much more than LRU, in percent of the references."""
_PROBES = 62


class BlockHits(Protocol):
    """The block references that hit in LRU caches of one block size."""

    @property
    def block_bytes(self) -> int:
        """The size of a block."""

    @property
    def distinct_blocks(self) -> int:
        """The size in blocks from which on nothing changes."""

    @property
    def references(self) -> int:
        """All block references."""

    def at(self, sizes_blocks: Sequence[int]) -> npt.NDArray[Any]:
        """Return the hits at each size."""

    def absorbed(self, size_blocks: int) -> float | None:
        """Return the part of the blocks written that a write-back cache keeps from the disk for good.

        None without writes, where syncs are ignored, and after a warm-up.
        """


@dataclass(frozen=True)
class CurveHits:
    """The block hits of a curve without groups."""

    curves: Curves

    @property
    def block_bytes(self) -> int:
        """The size of a block."""
        return self.curves.cache.block_bytes

    @property
    def distinct_blocks(self) -> int:
        """The size in blocks from which on nothing changes."""
        return max(self.curves.counts["distinct_blocks"], 1)

    @cached_property
    def references(self) -> int:
        """All block references."""
        return int(self.curves.table([self.block_bytes])["block_references"][0].as_py())

    def at(self, sizes_blocks: Sequence[int]) -> npt.NDArray[Any]:
        """Return the hits at each size."""
        rows = self.curves.table([int(size) * self.block_bytes for size in sizes_blocks])
        return np.asarray(rows["block_references"].to_numpy() - rows["block_misses"].to_numpy())

    def absorbed(self, size_blocks: int) -> float | None:
        """Return the part of the blocks written that a write-back cache keeps from the disk; see `BlockHits`."""
        if not self.curves.knows_absorbed:
            return None
        share: float | None = absorbed(self.curves.table([size_blocks * self.block_bytes]))[0].as_py()
        return share


@dataclass(frozen=True)
class Sizing:
    """Hits by size of a cache, in blocks that are referenced."""

    references: int
    hits: int
    """Of an unlimited cache."""
    sizes_bytes: dict[int, int]
    """By share of those hits in percent, the smallest size that has it."""
    chosen_percent: float
    """Hits of the size for CHOSEN, in percent of the references."""
    doubled_percent: float
    """Additional hits of twice the size for CHOSEN, in percent of the references."""
    absorbed: float | None
    """The part of the blocks written that such a write-back cache keeps from the disk for good; None if unknown."""
    steps: tuple[tuple[int, int, float], ...]
    """Doublings that save much: from and to how many bytes, and what they save in percent of the references."""


@dataclass(frozen=True)
class Others:
    """Hits of caches of other replacement policies at one size."""

    hit_percent: Mapping[str, float] = field(default_factory=dict)
    """By policy, in percent of the block references."""
    rate: float = 1
    """The part of the blocks by which that was estimated; 1 where it is exact."""


def sizing(hits: BlockHits) -> Sizing | None:
    """Read off a curve which sizes matter; None where nothing is ever hit."""
    references, most = hits.references, int(hits.at([hits.distinct_blocks])[0])
    if not references or not most:
        return None
    sizes = {share: smallest_blocks(hits, share) for share in SHARES}
    chosen = sizes[CHOSEN]
    now, twice = hits.at([chosen, 2 * chosen])
    return Sizing(
        references,
        most,
        {share: blocks * hits.block_bytes for share, blocks in sizes.items()},
        100 * float(now) / references,
        100 * float(twice - now) / references,
        hits.absorbed(chosen),
        _steps(hits),
    )


def smallest_blocks(hits: BlockHits, share_percent: int) -> int:
    """Return the smallest size in blocks that has this share of the hits of an unlimited cache."""
    low, high = 0, hits.distinct_blocks
    needed_hits = share_percent * int(hits.at([high])[0])
    while high - low > 1:
        probes = sorted({low + (high - low) * step // _PROBES for step in range(1, _PROBES)} - {low, high})
        reached = 100 * hits.at(probes) >= needed_hits
        enough = [probe for probe, is_enough in zip(probes, reached, strict=True) if is_enough]
        short = [probe for probe, is_enough in zip(probes, reached, strict=True) if not is_enough]
        low, high = max(short, default=low), min(enough, default=high)
    return high


def _steps(hits: BlockHits) -> tuple[tuple[int, int, float], ...]:
    sizes = [2**exponent for exponent in range((hits.distinct_blocks - 1).bit_length() + 1)]
    saved = 100 * np.diff(hits.at(sizes)) / hits.references
    around = np.concatenate([[0.0], saved, [0.0]])
    peaks = [
        index
        for index in range(len(saved))
        if saved[index] >= LEAST_STEP and saved[index] >= max(around[index], around[index + 2])
    ]
    largest = sorted(sorted(peaks, key=lambda index: -saved[index])[:MOST_STEPS])
    block = hits.block_bytes
    return tuple((sizes[index] * block, sizes[index + 1] * block, float(saved[index])) for index in largest)


def which_size(
    curves: Curves, others: Callable[[Curves, Sizing], Others | None] = lambda curves, size: None
) -> list[str]:
    """Return what a buyer of a cache wants to know, with what `others` hit of the size that is enough for LRU.

    Nothing of curves without requests, of several components, or that were cut.
    """
    if not curves.counts["requests"] or curves.by is not None or curves.largest_blocks is not None:
        return []
    size = sizing(CurveHits(curves))
    return sentences(size, None if size is None else others(curves, size))


def sentences(sizing: Sizing | None, others: Others | None = None) -> list[str]:
    """Return what a buyer of a cache wants to know."""
    if sizing is None:
        return ["No block is referenced twice: no cache has a hit."]
    most = units.size(sizing.sizes_bytes[CHOSEN])
    gain = units.percent(sizing.doubled_percent) if sizing.doubled_percent else "none"
    lines = [
        f"A cache of any size hits at most {units.percent(100 * sizing.hits / sizing.references)} of the block"
        f" references, since the others are the first to their blocks. {_of_shares(sizing)}",
        f"Twice {most} would hit {gain} more of the references.",
    ]
    if sizing.absorbed is not None:
        lines[1] += (
            f" As a write-back cache, {most} keeps {units.percent(100 * sizing.absorbed)} of the blocks written from"
            " the disk, syncs honoured."
        )
    if others is not None and others.hit_percent:
        lines.append(_of_others(sizing, others))
    if sizing.steps:
        steps = ", ".join(
            f"{units.size(low)} to {units.size(high)} ({units.percent(saved)} of the references)"
            for low, high, saved in sizing.steps
        )
        lines.append(f"The curve's steepest doublings: {steps}.")
    return lines


def _of_shares(sizing: Sizing) -> str:
    """Return which sizes have the shares of the hits, or that one has them all."""
    first, most, nearly = (units.size(sizing.sizes_bytes[share]) for share in SHARES)
    if sizing.sizes_bytes[SHARES[0]] == sizing.sizes_bytes[SHARES[-1]]:
        return f"An LRU cache of {nearly} has 99 % of these hits, and a smaller one not even half of them."
    return f"An LRU cache of {first} has half of these hits, {most} has {CHOSEN} %, and {nearly} has 99 %."


def _of_others(sizing: Sizing, others: Others) -> str:
    size = units.size(sizing.sizes_bytes[CHOSEN])
    if max(others.hit_percent.values()) < sizing.chosen_percent + LEAST_GAIN:
        return (
            f"At {size}, LRU hits {units.percent(sizing.chosen_percent)} of the references; no other replacement policy"
            " would hit more, not even Belady's optimum, which knows the future."
        )
    hit = {name: units.percent(share) for name, share in others.hit_percent.items()}
    listed = ", ".join(f"{share} with {OTHER_POLICIES[name]}" for name, share in hit.items())
    estimated = f", as {100 * others.rate:.2g} % of the blocks show" if others.rate < 1 else ""
    return (
        f"At {size}, LRU hits {units.percent(sizing.chosen_percent)} of the references; others would hit {listed},"
        f" which knows the future{estimated}."
    )
