"""``iotrace curve --policy``: other replacement policies at chosen sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from iotrace.cli.terminal import print
from iotrace.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.analysis.block_budget import BlockBudget
    from iotrace.analysis.curves import Cache
    from iotrace.analysis.population import Population
    from iotrace.store.store import Store


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


def compared(
    store: Store,
    cache: Cache,
    policies: Sequence[str],
    sizes_bytes: Sequence[int] | None,
    where: str | None,
    population: Population | None,
    protected_percent: int,
    budget: BlockBudget,
) -> tuple[pa.Table, dict[str, int]]:
    """Return the table of policies and sizes, and what the stream contained."""
    from iotrace.analysis.curves import tally
    from iotrace.analysis.curves.policies import simulate_policies
    from iotrace.analysis.curves.references import chosen

    references, _ = chosen(store, where, None, population=population)
    rows = simulate_policies(budget.watched(references), cache, policies, sizes_bytes, protected_percent)
    return rows, tally(rows)


def for_reading(rows: pa.Table) -> pa.Table:
    """Turn counts into ratios, size by size, with the LRU cache that does as well."""
    import pyarrow as pa

    from iotrace import units
    from iotrace.analysis.curves.ratios import RATIOS, ratio

    order = [("size_bytes", "ascending")]
    rows = rows.take(pa.compute.sort_indices(rows, sort_keys=order))
    sizes, equal = rows["size_bytes"].to_pylist(), rows["equal_lru_size_bytes"].to_pylist()
    columns = {"size": pa.array([units.size(size) for size in sizes]), "policy": rows["policy"]}
    columns |= {name: ratio(rows, name) for name in RATIOS}
    columns["as_good_as_lru_of"] = pa.array([units.size(size) for size in equal])
    columns["times_its_size"] = pa.array([lru / size for lru, size in zip(equal, sizes, strict=True)])
    return pa.table(columns)


def say_whether_segmented_lru_doubles(rows: pa.Table) -> None:
    """Print whether segmented LRU misses no more than LRU of twice the size (Richardson 1994, 1.2)."""
    from iotrace import units

    segmented = [row for row in rows.to_pylist() if row["policy"] == "slru"]
    told = [
        f"{units.size(row['size_bytes'])}: LRU of {units.size(row['equal_lru_size_bytes'])},"
        f" {row['equal_lru_size_bytes'] / row['size_bytes']:.2f} times"
        for row in segmented
    ]
    as_good = sum(row["equal_lru_size_bytes"] >= 2 * row["size_bytes"] for row in segmented)
    print(
        f"Segmented LRU is as good as LRU of twice the size or more at {as_good} of {len(segmented)} sizes"
        f" ({'; '.join(told)})."
    )
