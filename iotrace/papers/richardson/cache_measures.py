"""Numbers that the findings of chapter 4 are judged by, each described in data (``data``).

A measure's ``how`` names the function here that takes it; the other keys are that function's arguments.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np

from iotrace.analysis.lines.counts import Counts
from iotrace.analysis.lines.line import Line, parts
from iotrace.analysis.lines.ratios import BYTES
from iotrace.analysis.lines.runs import Run, RunMemo
from iotrace.papers.richardson.captured import capturing_blocks, part_captured, ratio_at

CAPTURED = 0.9
"""A size captures a working set when it has this part of the hits that an infinite cache has. (The
dissertation sees knees in figures; at 128 inodes, where it sees the set captured, it speaks of 90 % in
4.2.1.)"""

Raw = Mapping[str, Any]


def numbers(memo: RunMemo, raw: Raw) -> tuple[float, ...]:
    """Return what a measure says of the trace: one number or several; none where there is nothing to measure."""
    taken = HOW[raw["how"]](memo, raw)
    several = [float(taken)] if isinstance(taken, (int, float)) else [float(number) for number in taken]
    return tuple(several) if all(np.isfinite(several)) else ()


def runs(raw: Raw) -> Iterator[Run]:
    """Yield the runs that a measure needs."""
    for part in raw.get("parts", ()):
        yield from runs(part)
    if "run" not in raw:
        return
    blocks = [*raw.get("blocks", [None]), *([raw["reference_block"]] if "reference_block" in raw else [])]
    if raw.get("how") == "half_blocks":
        blocks += [block // 2 for block in blocks]
    for block_bytes in blocks:
        yield _run(raw, block_bytes)
        if "other" in raw:
            yield _other(raw, block_bytes)
    if "inodes_per_block" in raw:
        yield _placed(raw)
    if "of" in raw:
        yield Run.read(raw["of"])


def _run(raw: Raw, block_bytes: int | None = None) -> Run:
    return Run.read(raw["run"] if block_bytes is None else {**raw["run"], "block_bytes": block_bytes})


def _other(raw: Raw, block_bytes: int | None) -> Run:
    """The run that differs from the measure's by what `other` says."""
    return _run({"run": raw["run"] | raw["other"]}, block_bytes)


def _placed(raw: Raw) -> Run:
    """The run with several inodes in each 4-KB block."""
    return Run(types=tuple(raw["run"]["types"]), inodes_per_block=raw["inodes_per_block"])


def at(memo: RunMemo, raw: Raw) -> float | list[float]:
    """A ratio at `size_blocks` or at each of `sizes_blocks` (else in an infinite cache), times `times` (1)."""
    counts, times = memo.counts(_run(raw)), float(raw.get("times", 1))
    if "sizes_blocks" in raw:
        ratios = ratio_at(counts, raw["ratio"], np.array(raw["sizes_blocks"], float))
        return [times * float(ratio) for ratio in ratios]
    size = np.array([float(raw["size_blocks"])]) if "size_blocks" in raw else counts.infinite
    return times * float(ratio_at(counts, raw["ratio"], size)[0])


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
    first, second = _of_parts(memo, raw)
    return first / second if second else np.nan


def reduction(memo: RunMemo, raw: Raw) -> float:
    """By how many percent the second of two measures is below the first."""
    first, second = _of_parts(memo, raw)
    return 100 * (1 - second / first) if first else np.nan


def _of_parts(memo: RunMemo, raw: Raw) -> tuple[float, float]:
    """Return the numbers of a measure's two parts; not numbers where one has none."""
    both = [numbers(memo, part) for part in raw["parts"]]
    first, second = (part_numbers[0] if len(part_numbers) == 1 else np.nan for part_numbers in both)
    return first, second


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


def block_doublings(memo: RunMemo, raw: Raw) -> float:
    """Return the change of a ratio when the block doubles: `statistic` over `blocks`, in caches of `cache_bytes`."""
    quotients = []
    for cache_bytes in raw["cache_bytes"]:
        values = [_value(memo, raw, block, cache_bytes) for block in raw["blocks"] if block <= cache_bytes]
        if not all(value > 0 for value in values[:-1]):
            return np.nan
        quotients += [second / first for first, second in pairwise(values)]
    return STATISTICS[raw["statistic"]](quotients) if quotients else np.nan


def first_doubling(memo: RunMemo, raw: Raw) -> float:
    """Return the part of a ratio that the first doubling of the block leaves, over the mean of the later ones."""
    first, *later = (
        block_doublings(memo, {**raw, "blocks": pair, "statistic": "mean"})
        for pair in pairwise(raw["blocks"])
    )
    return first / fmean(later) if fmean(later) > 0 else np.nan


def half_blocks(memo: RunMemo, raw: Raw) -> list[float]:
    """A ratio with two blocks of half the size over that with one, for each of `blocks`."""
    both = [
        (_value(memo, raw, block // 2, block), _value(memo, raw, block, block)) for block in raw["blocks"]
    ]
    return [two / with_one if with_one > 0 else np.nan for two, with_one in both]


def differences(memo: RunMemo, raw: Raw) -> float:
    """By how many points a miss ratio differs between two curves: the `statistic` of what it is, whichever is higher.

    A run is compared with itself in `reference_block`, or with the `other` run, for each of `blocks`, in caches of
    `cache_bytes` that hold such a block. The ratios are parts of the run's own requests, or of those of the run `of`.
    """
    points = []
    for block in raw["blocks"]:
        run, against = _run(raw, block), _run(raw, raw.get("reference_block"))
        if "other" in raw:
            against = _other(raw, block)
        sizes = [size for size in raw["cache_bytes"] if size >= max(block, against.block_bytes)]
        first, second = ([_of_all(memo, raw, value, size) for size in sizes] for value in (run, against))
        points += [abs(value - other) for value, other in zip(first, second, strict=True)]
    return 100 * STATISTICS[raw["statistic"]](points) if points else np.nan


def first_entries(memo: RunMemo, raw: Raw) -> float:
    """By how much a miss ratio falls from one block to `entries`, over its fall from there to half the working set.

    Not a number where the working set is captured by twice the entries, or the ratio does not fall after them.
    """
    counts = memo.counts(_run(raw))
    half = capturing_blocks(counts, raw["hits"], CAPTURED) / 2
    if not half > raw["entries"]:
        return np.nan
    at_one, some, most = ratio_at(counts, raw["ratio"], np.array([1.0, raw["entries"], half]))
    return float((at_one - some) / (some - most)) if some > most else np.nan


def placement(memo: RunMemo, raw: Raw) -> list[float]:
    """By how many points single inodes hit more often than several in each 4-KB block.

    At sizes that double from one 4-KB block on, up to `part` of the inodes' data.
    """
    single, placed = memo.counts(_run(raw)), memo.counts(_placed(raw))
    most = raw["part"] * float(single.infinite[0]) * single.block_bytes
    sizes, size = [], float(placed.block_bytes)
    while size <= most:
        sizes.append(size)
        size *= 2
    return [100 * (_at(single, raw["ratio"], size) - _at(placed, raw["ratio"], size)) for size in sizes]


def placement_gain(memo: RunMemo, raw: Raw) -> float:
    """Return the hits that several inodes in a block add to an infinite cache, over what 4.2.1's formula allows."""
    single, placed = (
        float(ratio_at(counts, raw["ratio"], counts.infinite)[0])
        for counts in (memo.counts(_run(raw)), memo.counts(_placed(raw)))
    )
    allowed = (1 - single) * (1 - 1 / raw["inodes_per_block"])
    return (placed - single) / allowed if allowed > 0 else np.nan


def block_doubling_of_capture(memo: RunMemo, raw: Raw) -> float:
    """Return the change of the bytes that capture the working set when the block doubles: the mean quotient over
    `blocks`."""
    values = []
    for block_bytes in raw["blocks"]:
        counts = memo.counts(_run(raw, block_bytes))
        values.append(capturing_blocks(counts, raw["ratio"], CAPTURED) * block_bytes)
    pairs = list(pairwise(values))
    if not all(first > 0 for first, _ in pairs):
        return np.nan
    return fmean(second / first for first, second in pairs)


def _value(memo: RunMemo, raw: Raw, block_bytes: int, cache_bytes: int) -> float:
    return _at(memo.counts(_run(raw, block_bytes)), raw["ratio"], cache_bytes)


def _of_all(memo: RunMemo, raw: Raw, run: Run, cache_bytes: float) -> float:
    """Return a ratio as a part of the requests of the run `of`, or else of its own."""
    counts = memo.counts(run)
    if "of" not in raw:
        return _at(counts, raw["ratio"], cache_bytes)
    size = np.array([float(cache_bytes // counts.block_bytes)])
    counted, whole = parts(memo, Line("", raw["ratio"], run, (Run.read(raw["of"]),)), size)
    return float(counted[0] / whole[0]) if whole[0] else np.nan


def _at(counts: Counts, ratio: str, cache_bytes: float) -> float:
    """Return a ratio, or bytes, in a cache of this size."""
    size = np.array([float(cache_bytes // counts.block_bytes)])
    return float((BYTES[ratio](counts, size) if ratio in BYTES else ratio_at(counts, ratio, size))[0])


STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {"mean": fmean, "largest": max}
HOW: dict[str, Callable[[RunMemo, Raw], float | list[float]]] = {
    one.__name__: one
    for one in (
        at, captured, capturing_size, quotient, reduction, halves, doubling_drop, block_doublings, first_doubling,
        half_blocks, differences, first_entries, placement, placement_gain, block_doubling_of_capture,
    )
}  # fmt: skip
"""How a measure can be taken, by name."""
