"""The best fixed thresholds, and the best static split between read and write cache (table 4.7)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

import pyarrow as pa

from iotrace.errors import UsageError
from iotrace.simulate.write_cache.settings import BLOCK_BYTES, Settings

Goal = Literal["thresholds", "split"]

Simulate = Callable[[Sequence[Settings]], pa.Table]

COARSE_PERCENT = (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)
FINE_PERCENT = (-8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8)


def search(goal: Goal, settings: Settings, simulate: Simulate) -> pa.Table:
    """Return all settings tried for a goal, the one with the fewest disk operations first.

    ``thresholds`` varies both thresholds of a controller that purges by two, first coarsely over all percentages, then
    by single percents around the best. ``split`` divides the memory of read and write cache, or what a single cache
    has, between the two, first by twentieths, then by hundredths around the best. Among equals the first tried wins.
    ``simulate`` returns one row for each of the settings that it is given.

    Raises UsageError for settings that leave nothing to search.
    """
    vary = _thresholds(settings) if goal == "thresholds" else _split(settings)
    coarse = list(vary(None))
    tried, rows = coarse, simulate(coarse)
    best = tried[_order(rows)[0]]
    finer = [setting for setting in vary(best) if setting not in tried]
    if finer:
        rows = pa.concat_tables([rows, simulate(finer)])
    return rows.take(pa.array(_order(rows)))


def _order(rows: pa.Table) -> list[int]:
    totals = rows["total_ios"].to_pylist()
    return sorted(range(len(totals)), key=totals.__getitem__)


def _thresholds(settings: Settings) -> Callable[[Settings | None], Iterable[Settings]]:
    if not settings.is_single and not settings.write_cache_bytes:
        raise UsageError("--search thresholds needs a write cache")
    if settings.purge != "two-thresholds":
        raise UsageError(f"--search thresholds cannot be combined with --purge {settings.purge}")

    def vary(best: Settings | None) -> Iterable[Settings]:
        pairs: list[tuple[float, float]]
        if best is None:
            pairs = [(high, low) for high in COARSE_PERCENT for low in (0, *COARSE_PERCENT) if low <= high]
        else:
            highs = [best.high_percent + step for step in FINE_PERCENT]
            lows = [best.low_percent + step for step in FINE_PERCENT]
            pairs = [(high, low) for high in highs for low in lows if 0 <= low <= high < 100]
        for high, low in pairs:
            yield replace(settings, purge="two-thresholds", high_percent=float(high), low_percent=float(low))

    return vary


def _split(settings: Settings) -> Callable[[Settings | None], Iterable[Settings]]:
    if settings.is_single and settings.purge == "dynamic":
        settings = replace(settings, purge="two-thresholds")
    total = settings.single_cache_bytes or settings.read_cache_bytes + settings.write_cache_bytes
    hundredth = total / 100
    if total < 100 * BLOCK_BYTES:
        raise UsageError("--search split needs a memory of at least 100 blocks")

    def vary(best: Settings | None) -> Iterable[Settings]:
        parts = list(range(0, 101, 5))
        if best is not None:
            part = round(best.write_cache_bytes / hundredth)
            parts = [percent for percent in range(part - 4, part + 5) if 0 <= percent <= 100]
        for part in parts:
            write = round(part * hundredth) // BLOCK_BYTES * BLOCK_BYTES
            yield replace(
                settings, single_cache_bytes=None, read_cache_bytes=total - write, write_cache_bytes=write
            )

    return vary
