"""Advice: go through the global cache only for these files or segments, and what that is expected to save.

Every candidate is simulated, and the fastest is the advice. Candidates are: no caching at any level, nothing through
the global cache, everything, each of the most used files alone, the files that pay (added one by one, those first that
save most alone, as long as the time goes down), and the plans coarse and fine. A file's saving is what the
program takes longer without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries, units
from iotrace.libraries import pl
from iotrace.simulate.cluster import planning
from iotrace.simulate.cluster.access_sets import CacheCapacity, by_segment, requests

MOST_FILES = 12
"""Files that are tried alone, the most used ones."""
WORTH_IT = 0.001
"""The least share of time saved for which files and segments are worth choosing."""
Timing = Callable[[pa.Table], int]
"""Simulates the program with a plan (table cluster_bits; what no row names bypasses the global cache) and returns its
execution time in nanoseconds."""


@dataclass(frozen=True)
class Candidate:
    """A plan, what it is in words, and how long the program takes with it."""

    name: str
    what: str
    plan: pa.Table
    execution_ns: int


@dataclass(frozen=True)
class Advice:
    """The fastest plan among the candidates."""

    best: Candidate
    sentence: str
    candidates: pa.Table
    """Result cluster_candidates, the fastest first."""
    files: pa.Table
    """Result cluster_advice, those that save most first."""


def advise(
    program: pa.Table,
    capacity: CacheCapacity,
    timing: Timing,
    counts: Sequence[int] | None = None,
    file_bytes: Sequence[int] | None = None,
    names: Sequence[str] = (),
    most_files: int = MOST_FILES,
    without_caches_ns: int | None = None,
    local_blocks: int = 0,
) -> Advice:
    """Return what should go through the global cache of a machine that ``timing`` simulates.

    ``counts`` and ``file_bytes`` are as for ``planning.coarse``; ``names`` are the files'.
    ``without_caches_ns``: how long the program takes with no cache at all, a candidate where it is given. What local
    caches of ``local_blocks`` serve does not count for the segments of fine, as where disciplines are compared.
    """
    names_of_files = _Names(names)

    def tried(name: str, description: str, plan: pa.Table) -> Candidate:
        return Candidate(name, description, plan, timing(plan))

    def of_files(name: str, files: Sequence[int]) -> Candidate:
        return tried(name, names_of_files.list(files), planning.of_files(files))

    nothing = tried("nothing", "all bypasses the global cache", planning.of_files([]))
    everything = tried("everything", "all goes through it", planning.everything(program))
    alone = [of_files("one file", [file]) for file in _most_used(program, capacity, most_files)]
    paying = _paying(nothing, alone, lambda files: of_files("files that pay", files))
    coarse = planning.coarse(program, capacity, counts, file_bytes)
    fine = planning.fine(program, replace(capacity, local_blocks=local_blocks), file_bytes)
    candidates = [nothing, everything, *alone, *paying]
    candidates.append(tried("coarse", names_of_files.list(coarse["file"].to_pylist()), coarse))
    candidates.append(tried("fine", names_of_files.segments(fine), fine))
    if without_caches_ns is not None:
        sentence = "neither local caches nor the global one"
        candidates.append(Candidate("no caching", sentence, planning.of_files([]), without_caches_ns))
    return _advice(candidates, min(nothing.execution_ns, everything.execution_ns), timing, names_of_files)


def _most_used(program: pa.Table, capacity: CacheCapacity, most: int) -> list[int]:
    touches = by_segment(requests(program), capacity).group_by("file").agg(pl.col("touches").sum())
    return touches.sort("touches", "file", descending=[True, False])["file"].head(most).to_list()


def _paying(
    nothing: Candidate, alone: Iterable[Candidate], tried: Callable[[list[int]], Candidate]
) -> list[Candidate]:
    """Return the plan of files added as long as time goes down, if it has more than one."""
    helping = sorted(
        (candidate for candidate in alone if candidate.execution_ns < nothing.execution_ns),
        key=lambda candidate: candidate.execution_ns,
    )
    if len(helping) < 2:
        return []
    best = helping[0]
    for plan in helping[1:]:
        together = tried([*best.plan["file"].to_pylist(), *plan.plan["file"].to_pylist()])
        if together.execution_ns < best.execution_ns:
            best = together
    return [best] if best is not helping[0] else []


def _advice(candidates: list[Candidate], simple_ns: int, timing: Timing, names_of_files: _Names) -> Advice:
    best = min(candidates, key=lambda candidate: candidate.execution_ns)
    ranked = sorted(candidates, key=lambda candidate: candidate.execution_ns)
    rows = [
        (
            plan.name,
            plan.what,
            plan.execution_ns,
            saved := simple_ns - plan.execution_ns,
            100 * saved / max(1, simple_ns),
        )
        for plan in ranked
    ]
    saved_ns = simple_ns - best.execution_ns
    duration = f"{units.duration(best.execution_ns)} instead of {units.duration(simple_ns)}"
    if best.name == "nothing":
        sentence = f"bypass the global cache for everything: {units.duration(best.execution_ns)}"
    elif best.name == "no caching":
        percent = units.percent(100 * saved_ns / simple_ns) if simple_ns else "0 %"
        sentence = f"cache nothing, not even locally: {duration}, {percent} less"
    elif best.name == "everything":
        sentence = f"go through the global cache for everything: {units.duration(best.execution_ns)}"
    elif saved_ns == 0:
        sentence = f"no choice among files or segments saves time: {units.duration(simple_ns)}"
    else:
        percent = units.percent(100 * saved_ns / simple_ns)
        sentence = (
            f"go through the global cache only for {best.what} ({best.name}): {duration}, {percent} less"
        )
    if 0 < saved_ns < WORTH_IT * simple_ns:
        sentence = f"not worth it, under {100 * WORTH_IT:g} % saved: {sentence}"
    return Advice(
        best, sentence, queries.result_table("cluster_candidates", rows), _files(best, timing, names_of_files)
    )


def _files(best: Candidate, timing: Timing, names_of_files: _Names) -> pa.Table:
    """Return each file of the best plan with what the program takes longer without it."""
    rows: list[tuple[Any, ...]] = []
    for file in sorted(set(best.plan["file"].to_pylist())):
        mine = pc.equal(best.plan["file"], file)
        longer_ns = timing(best.plan.filter(pc.invert(mine))) - best.execution_ns
        part = best.plan.filter(mine)
        phases = set(part["phase"].to_pylist())
        rows.append(
            (
                file,
                names_of_files.of(file),
                None if None in phases else len(phases),
                _segments(part),
                longer_ns,
            )
        )
    rows.sort(key=lambda row: (-row[4], row[0]))
    return queries.result_table("cluster_advice", rows)


def _segments(part: pa.Table) -> int | None:
    """Return how many segments a file's rows name together; null for all."""
    if part["segments"].null_count:
        return None
    first, count = part["first_segment"].to_numpy(), part["segments"].to_numpy()
    order = np.argsort(first, kind="stable")
    starts, ends = first[order], (first + count)[order]
    reached = np.concatenate([[0], np.maximum.accumulate(ends)[:-1]])
    return int(np.maximum(0, ends - np.maximum(starts, reached)).sum())


class _Names:
    """The names of files in sentences."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def of(self, file: int) -> str | None:
        return self.names[file] if file < len(self.names) else None

    def list(self, files: Sequence[int]) -> str:
        """Name files, whole."""
        named = [self.of(file) or f"file {file}" for file in files]
        return ", ".join(named[:5]) + (f" and {len(named) - 5} more" if len(named) > 5 else "") or "no file"

    def segments(self, plan: pa.Table) -> str:
        """Say how many segments of which files a plan has."""
        files = sorted(set(plan["file"].to_pylist()))
        if not files:
            return "no segment"
        count = sum(_segments(plan.filter(pc.equal(plan["file"], file))) or 0 for file in files)
        return f"{units.count(count)} segments of {self.list(files)}"
