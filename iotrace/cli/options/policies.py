"""``iotrace curve --policy``: other replacement policies at chosen sizes."""

from __future__ import annotations

from collections.abc import Iterable

from iotrace.errors import UsageError

VARIANTS = {
    "lru": "least recently used",
    "slru": "segmented LRU, two segments: protected (--protected percent of the blocks, 75, rounded down) and"
    " probationary; misses enter probationary, hits move to protected, whose oldest block falls back to probationary;"
    " eviction from probationary, which has no limit of its own (libCacheSim: by default four equal segments; each has"
    " a limit, and misses enter a higher one where only that has room)",
    "2q": "2Q, full version: A1in 25 % of the blocks, A1out remembers 50 % (libCacheSim's defaults too)",
    "arc": "ARC of 2003, figure 4; it has no parameters",
    "clock": "one reference bit, which is set when a block enters and at each hit (libCacheSim: by default not set when"
    " it enters)",
    "fifo": "first in, first out",
    "lfu": "counts uses since the block entered; of equal counts the least recently used goes",
    "s3-fifo": "algorithm 1 of 2023: small queue 10 %, main 90 %, ghost as many identifiers as main holds; counters to"
    " 3; a block with two hits or more moves from small to main, with its counter cleared (libCacheSim: the same"
    " parameters by default, but main is filled first until the first eviction and may then exceed 90 %)",
    "sieve": "SIEVE of 2024: one queue; the visited bit is off when a block enters",
    "opt": "Belady's optimum; of blocks that are never used again the least recently used goes",
}
"""Which variant of each policy is simulated; the defaults of libCacheSim are those of release 0.3.5."""


def variants(names: Iterable[str]) -> str:
    """Return a line for each policy that says which variant it is."""
    return "\n".join(f"{name}: {VARIANTS[name]}" for name in names)


def chosen(text: str) -> list[str]:
    """Return the policies named, or all for ``all``; raises UsageError for a name that is none."""
    from iotrace.analysis.curves import POLICIES

    named = list(POLICIES) if text.strip() == "all" else [name.strip().lower() for name in text.split(",")]
    for name in named:
        if name not in POLICIES:
            raise UsageError(f"--policy: {name!r} is not one of {', '.join(POLICIES)}")
    return list(dict.fromkeys(named))
