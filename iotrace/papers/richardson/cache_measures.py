"""Numbers that the findings of chapter 4 are judged by, each described in data (``data``).

A measure's ``how`` names the function here that takes it; the other keys are that function's arguments.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from iotrace.analysis.lines.captured import capturing_blocks, part_captured, ratio_at
from iotrace.analysis.lines.runs import Run, RunMemo

CAPTURED = 0.9
"""A size captures a working set when it has this part of the hits that an infinite cache has. (The
dissertation sees knees in figures; at 128 inodes, where it sees the set captured, it speaks of 90 % in
4.2.1.)"""

Raw = Mapping[str, Any]


def take(memo: RunMemo, raw: Raw) -> float | None:
    """Return what a measure says of the trace; None where there is nothing to measure."""
    number = HOW[raw["how"]](memo, raw)
    return float(number) if np.isfinite(number) else None


def runs(raw: Raw) -> Iterator[Run]:
    """Yield the runs that a measure needs."""
    for part in raw.get("parts", ()):
        yield from runs(part)
    if "run" in raw:
        for block_bytes in raw.get("blocks", [None]):
            yield _run(raw, block_bytes)


def _run(raw: Raw, block_bytes: int | None = None) -> Run:
    return Run.read(raw["run"] if block_bytes is None else {**raw["run"], "block_bytes": block_bytes})


def at(memo: RunMemo, raw: Raw) -> float:
    """A ratio at `size_blocks` (in an infinite cache where that is not given), times `times` (1)."""
    counts = memo.counts(_run(raw))
    size = np.array([float(raw["size_blocks"])]) if "size_blocks" in raw else counts.infinite
    return float(ratio_at(counts, raw["ratio"], size)[0]) * float(raw.get("times", 1))


def captured(memo: RunMemo, raw: Raw) -> float:
    """The hits at `size_blocks` as a percentage of an infinite cache's."""
    counts = memo.counts(_run(raw))
    size = np.array([float(raw["size_blocks"])])
    return 100 * float(part_captured(counts, raw["ratio"], size)[0])


def capturing_size(memo: RunMemo, raw: Raw) -> float:
    """The smallest size that captures the working set (or `part` of it), in blocks, or in KB with `unit`."""
    counts = memo.counts(_run(raw))
    blocks = capturing_blocks(counts, raw["ratio"], float(raw.get("part", CAPTURED)))
    return blocks * counts.block_bytes / 1024 if raw["unit"] == "KB" else blocks


def quotient(memo: RunMemo, raw: Raw) -> float:
    """The first of two measures over the second."""
    first, second = (HOW[part["how"]](memo, part) for part in raw["parts"])
    return first / second if second else np.nan


def reduction(memo: RunMemo, raw: Raw) -> float:
    """By how many percent the second of two measures is below the first."""
    first, second = (HOW[part["how"]](memo, part) for part in raw["parts"])
    return 100 * (1 - second / first) if first else np.nan


def halves(memo: RunMemo, raw: Raw) -> float:
    """Read block misses of one cache over those of two of half its size, the `extreme` of `sizes_blocks`.

    The parts' runs are the shared cache's and the two others'.
    """
    shared, *others = (memo.counts(_run(part)) for part in raw["parts"])
    sizes = np.array(raw["sizes_blocks"], float)
    apart = np.sum([other.of_directions(("read",), "block_misses", sizes / 2) for other in others], axis=0)
    together = shared.of_directions(("read",), "block_misses", sizes)
    if not apart.all():
        return np.nan
    return float({"largest": np.max, "smallest": np.min}[raw["extreme"]](together / apart))


def doubling_drop(memo: RunMemo, raw: Raw) -> float:
    """By how many points a miss ratio falls when the cache doubles, between `from_blocks` and the working
    set.

    The median over the doublings. Not a number where the working set is captured before two of them.
    """
    counts = memo.counts(_run(raw))
    end = capturing_blocks(counts, raw["hits"], CAPTURED)
    sizes = counts.doublings
    ratios = ratio_at(counts, raw["ratio"], sizes[(sizes >= raw["from_blocks"]) & (sizes < end)])
    return 100 * float(np.median(ratios[:-1] - ratios[1:])) if len(ratios) > 1 else np.nan


def block_doubling(memo: RunMemo, raw: Raw) -> float:
    """What doubling the block does to a ratio in a cache of `cache_bytes`: the mean quotient over
    `blocks`."""
    values = []
    for block_bytes in raw["blocks"]:
        size = np.array([raw["cache_bytes"] / block_bytes])
        values.append(float(ratio_at(memo.counts(_run(raw, block_bytes)), raw["ratio"], size)[0]))
    return _mean_quotient(values)


def block_doubling_of_capture(memo: RunMemo, raw: Raw) -> float:
    """What doubling the block does to the bytes that capture the working set: the mean quotient over
    `blocks`."""
    values = []
    for block_bytes in raw["blocks"]:
        counts = memo.counts(_run(raw, block_bytes))
        values.append(capturing_blocks(counts, raw["ratio"], CAPTURED) * block_bytes)
    return _mean_quotient(values)


def _mean_quotient(values: list[float]) -> float:
    pairs = list(pairwise(values))
    if not all(first > 0 for first, _ in pairs):
        return np.nan
    return float(np.mean([second / first for first, second in pairs]))


HOW = {
    one.__name__: one
    for one in (
        at,
        captured,
        capturing_size,
        quotient,
        reduction,
        halves,
        doubling_drop,
        block_doubling,
        block_doubling_of_capture,
    )
}
"""How a measure can be taken, by name."""
