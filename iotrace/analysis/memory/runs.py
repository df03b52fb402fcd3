"""The runs of the page cache that make a prediction: the expected one, and one for each thing that is not known.

Each is an alternative that the kernel's source allows. The range of a prediction is from the fewest to the most pages
that they read; no share of the result is added to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PAGE_BYTES = 4096
ASSUMED_SHARE = 0.25
"""Of a limit: what programs and the kernel have at most where that is not measured. An assumption."""
LEAST_PAGES = 32
"""The page cache is taken to have at least as many pages as reclaim frees at a time."""
CHARGE_PAGES = 64
"""Pages that a processor charges to a cgroup ahead of their use (MEMCG_CHARGE_BATCH)."""
BATCH_FOLIOS = 31
"""Folios that wait on a processor before they are put on a list (PAGEVEC_SIZE)."""
CGROUP_START_PERCENT = 15
"""Of dirty pages in a cgroup of version 2: the middle of the background limit of 10 % and the hard one of 20 %."""
MACHINE_START_PERCENT = 10
"""Of dirty pages on a machine: the background limit."""

MEMORY = "how much memory is not the page cache's"
BATCHES = "pages that processors hold in batches"
STATISTICS = "how old the kernel's statistics of the lists are"
MAPPED = "how often mapped pages are touched"
DIRTY = "when dirty pages are written"
FOLIOS = "how large the folios of read-ahead are"
ORDER = "which of calls at the same time comes first"


@dataclass(frozen=True)
class Measured:
    """Memory and the device's waits, as a recording has them."""

    limit_bytes: int | None
    """The cgroup's limit, or the machine's memory."""
    scope: str | None
    """cgroup, cgroup-v1 or machine; None without samples."""
    other_bytes: int | None
    """The most memory of programs and of the kernel's objects at any time; None where it was not measured.

    Without a limit, what was measured is that of all programs.
    """
    has_slab: bool
    """Whether that has the kernel's objects."""
    processors: int
    """Of the machine; 1 where that is not known."""
    has_large_folios: bool
    """Whether pages came into the cache several at a time; else it is not known whether the file system does that."""
    shows_writes: bool
    """Whether the recording has requests that write pages of files to a disk."""
    shows_processors: bool
    """Whether it has the processors on which pages were brought in."""
    page_wait_ns: float | None
    """For how long programs waited for each page that was read from the device."""
    write_page_ns: float | None
    """The time in which the device had something to write, for each page that it wrote."""


@dataclass(frozen=True)
class Requests:
    """Kinds of requests that only some runs look at."""

    has_mapped: bool
    has_writes: bool
    overlap: bool
    """Whether there are calls at the same time."""


@dataclass(frozen=True)
class ModelRun:
    """A page cache of one limit."""

    cause: str
    """Why its reads may differ from those expected; empty for these."""
    pages: int
    has_other: bool = False
    large_folios: bool = True
    statistics: str = "recorded"
    touches: str = "faults"
    flusher: str = "woken"
    write_page_ns: int = 0
    dirty_start_percent: int | None = None
    batches: bool = False
    """Whether the last folios that a processor brought in wait in its batch."""
    is_compared: bool = False
    by_end: bool = False
    """Whether calls come in the order of their ends, not of their starts."""

    @property
    def choice(self) -> dict[str, Any]:
        """The run in the engine's words."""
        return {name: value for name, value in vars(self).items() if name not in ("cause", "by_end")}


def runs_at(
    limit_bytes: int, measured: Measured, requests: Requests, other_bytes: int | None
) -> list[ModelRun]:
    """Return the runs at a limit, the expected one first, then the one with the whole limit for the page cache."""
    whole = limit_bytes // PAGE_BYTES
    is_timed = other_bytes is None and measured.other_bytes is not None
    if other_bytes is not None:
        least = whole - other_bytes // PAGE_BYTES
    elif measured.other_bytes is not None:
        least = whole - measured.other_bytes // PAGE_BYTES
    else:
        least = whole - round(ASSUMED_SHARE * whole)
    expected = least if other_bytes is not None else whole
    spare = CHARGE_PAGES * measured.processors + BATCH_FOLIOS * (measured.processors - 1)
    starts = _dirty_starts(measured, requests)
    ages = ["current", "never"] if measured.scope is None else ["recorded", "current", "interval"]

    flushers = _flushers(measured, requests, least, spare)

    def run(cause: str, pages: int, **more: Any) -> ModelRun:
        settings = {
            "has_other": is_timed,
            "dirty_start_percent": starts[0],
            "statistics": ages[0],
            "flusher": flushers[0],
        } | more
        return ModelRun(cause, max(pages, LEAST_PAGES), **settings)

    runs = [
        run("", expected),
        run(MEMORY, whole, has_other=False, is_compared=True),
        run(MEMORY, least - spare, has_other=False),
        run(BATCHES, expected - spare),
        run(BATCHES, expected - spare // 2),
        *([run(BATCHES, expected, batches=True)] if measured.shows_processors else []),
        *(run(STATISTICS, expected, statistics=age) for age in ages[1:]),
        *([] if measured.has_large_folios else [run(FOLIOS, expected, large_folios=False)]),
        *(run(DIRTY, expected, dirty_start_percent=start) for start in starts[1:]),
    ]
    for flusher in flushers[1:]:
        runs.append(run(DIRTY, expected, flusher=flusher))
        if measured.shows_writes:  # which pages are dirty changes what batches and statistics do
            runs += [run(DIRTY, expected - pages, flusher=flusher) for pages in (spare, spare // 2)]
            runs += [run(DIRTY, expected, flusher=flusher, statistics=age) for age in ages[1:]]
    if requests.has_writes and measured.write_page_ns:
        runs.append(run(DIRTY, expected, flusher="woken", write_page_ns=round(measured.write_page_ns)))
    if requests.has_mapped:
        runs += [run(MAPPED, expected, touches=touches) for touches in ("rounds", "after_eviction")]
    if requests.overlap:
        runs.append(run(ORDER, expected, by_end=True))
    return runs


def _flushers(measured: Measured, requests: Requests, pages: int, spare: int) -> Sequence[str]:
    """Return when dirty pages that reclaim meets are written, the expected first, where the page cache has some pages.

    With fewer than in the recording, reclaim wakes the flusher no later than there; with more, maybe never.
    """
    if not requests.has_writes:
        return ["woken"]
    if not measured.shows_writes or measured.limit_bytes is None:
        return ["woken", "late"]
    recorded = (measured.limit_bytes - (measured.other_bytes or 0)) // PAGE_BYTES
    if pages + spare < recorded:
        return ["woken", "recorded"]
    return ["recorded", "woken", "late"] if pages > recorded else ["recorded", "woken"]


def _dirty_starts(measured: Measured, requests: Requests) -> Sequence[int | None]:
    """Return from which share of dirty pages on they are written, the expected one first; None: other limits apply.

    The dirty pages of a cgroup of version 1 count with those of the whole machine.
    """
    known = {"machine": MACHINE_START_PERCENT, "cgroup": CGROUP_START_PERCENT, "cgroup-v1": None}
    if measured.scope is not None:
        return [known[measured.scope]]
    return [MACHINE_START_PERCENT, None] if requests.has_writes else [MACHINE_START_PERCENT]
