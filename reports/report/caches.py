"""The lines of figures over the size of a cache, exact at no more points than can be seen, and which size matters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from iotrace.reports.pages.figures import Figure
from iotrace.reports.pages.schemas import table_schema

from iotrace.analysis.answers.cache import DATA
from iotrace.analysis.curves.device import SSD
from iotrace.analysis.curves.disk_times import write_times_ns
from iotrace.analysis.curves.others import others
from iotrace.analysis.curves.references import of_population, selected
from iotrace.analysis.curves.sizing import SHARES, BlockHits, sentences, sizing, smallest_blocks
from iotrace.analysis.lines.counts import DIRECTIONS, Numbers
from iotrace.analysis.lines.hits import RunHits
from iotrace.analysis.lines.line import Line, parts
from iotrace.analysis.lines.ratios import BYTES
from iotrace.analysis.lines.runs import Run, RunMemo
from iotrace.analysis.memory_needed import refuse_blocks
from iotrace.analysis.population import Population
from iotrace.errors import MemoryLimitError
from iotrace.files import memory
from iotrace.store.store import Store

SIDE_BY_SIDE = 20_000_000
"""References of which all caches are in memory together: at most about 30 bytes a block each."""
BLOCKS_SIDE_BY_SIDE = 4_000_000
"""The same for blocks of 4 KB that they touch; of few references that touch more, each cache has a pass."""
USUAL_BLOCK_BYTES = 4096
IN_VERDICT = 3
"""How many sentences on the size of a cache stand at the beginning of a report; all do next to their figure."""
OVERHEAD_S, TRANSFER_S_PER_BYTE = SSD.overhead_ms / 1000, SSD.transfer_ms_per_kb / 1000 / 1024
"""The time of a disk access (Richardson 1994, 2.5), on the device of the preset ssd."""


def lines(
    memo: RunMemo | None,
    figures: Sequence[Figure],
    progress: Callable[[str], None],
    left_out: dict[str, str] | None = None,
) -> dict[str, pa.Table]:
    """Return the tables of figures of caches: `figure_line`, or `capture` for those of that drawing.

    Runs on a store of few references share one reading of them, or each has one where they touch many blocks; of many,
    those on the same references, and where memory is limited those with the same size of blocks. Without a memo, where
    the requests touch too many blocks, tables have no rows. Lines of caches that take more memory than --memory allows
    are left out: `left_out` gets the reason by figure, or MemoryLimitError is raised.
    """
    if memo is None:
        return {figure.id: _no_rows(figure) for figure in figures}
    passes: dict[object, list[Run]] = {}
    shared = _shared_reading(memo.store)
    for figure in figures:
        for run in _runs(figure):
            passes.setdefault(shared(run), []).append(run)
    too_large: dict[Run, str] = {}
    for number, runs in enumerate(passes.values(), 1):
        progress(f"simulating caches, pass {number} of {len(passes)}")
        too_large |= _prepared(memo, runs)
    tables: dict[str, pa.Table] = {}
    for figure in figures:
        tables[figure.id], lacking = _drawn(memo, figure, too_large)
        if lacking and left_out is None:
            raise MemoryLimitError(next(iter(lacking.values())))
        if lacking and left_out is not None:
            left_out[figure.id] = _why_lacking(lacking, is_all=len(lacking) == len(figure.lines))
    return tables


def _runs(figure: Figure) -> list[Run]:
    return [run for line in figure.lines for run in _runs_of(line)]


def _runs_of(line: Line) -> tuple[Run, ...]:
    return (line.run, *line.population)


def _drawn(memo: RunMemo, figure: Figure, too_large: Mapping[Run, str]) -> tuple[pa.Table, dict[Line, str]]:
    """Return the rows of a figure's lines, and why there are none of some."""
    of_line = _captures if figure.draw == "capture" else _points
    rows: list[dict[str, Any]] = []
    lacking: dict[Line, str] = {}
    for line in figure.lines:
        if reasons := [too_large[run] for run in _runs_of(line) if run in too_large]:
            lacking[line] = reasons[0]
            continue
        try:
            rows += of_line(memo, figure, line)
        except MemoryLimitError as error:
            lacking[line] = str(error)
    return pa.Table.from_pylist(rows, schema=_no_rows(figure).schema), lacking


def _why_lacking(lacking: Mapping[Line, str], *, is_all: bool) -> str:
    """Return why lines of a figure were not simulated, and which, unless it is all for one reason."""
    labels: dict[str, list[str]] = {}
    for line, why in lacking.items():
        labels.setdefault(why, []).append(line.label)
    if is_all and len(labels) == 1:
        return next(iter(labels))
    return ", ".join(f"{', '.join(of_why)} ({why})" for why, of_why in labels.items())


def _no_rows(figure: Figure) -> pa.Table:
    return table_schema("capture" if figure.draw == "capture" else "figure_line").empty_table()


def _prepared(memo: RunMemo, runs: Sequence[Run]) -> dict[Run, str]:
    """Make runs in one reading, or each in its own where memory is limited and too little for all; return why some
    could not be made."""
    different = list(dict.fromkeys(runs))
    try:
        refuse_blocks(memo.store, [run.block_bytes for run in different])
        memo.prepare(runs)
    except MemoryLimitError as error:
        if len(different) == 1:
            return {different[0]: str(error)}
    else:
        return {}
    return {run: why for each in different for run, why in _prepared(memo, [each]).items()}


def _shared_reading(store: Store) -> Callable[[Run], object]:
    """Return what runs that share a reading of the references have in common."""
    if store.manifest["counts"]["references"] > SIDE_BY_SIDE:
        return lambda run: (run.selection, run.block_bytes if memory.limit_bytes() else None)
    if _touched_bytes(store) > BLOCKS_SIDE_BY_SIDE * USUAL_BLOCK_BYTES:
        return lambda run: run
    return lambda run: None


def _touched_bytes(store: Store) -> int:
    """Return how many bytes requests touch at most: of each file what they move, or its largest size if less."""
    uses = store.arrow("use", ["file", "bytes_read", "bytes_written"])
    sums = uses.group_by("file").aggregate([("bytes_read", "sum"), ("bytes_written", "sum")])
    files = store.arrow("file", ["file", "size_largest_bytes"]).join(sums, "file")
    moved = pc.add(*(pc.fill_null(files[f"bytes_{way}_sum"], 0) for way in ("read", "written")))
    known = pc.if_else(pc.greater(moved, 0), moved, None)
    return pc.sum(pc.min_element_wise(known, files["size_largest_bytes"])).as_py() or 0


def which_size(memo: RunMemo, progress: Callable[[str], None]) -> list[str]:
    """Return the sentences on the size of a cache for data, and on other policies at that size; none without hits."""
    knows_absorbed = memo.syncs == "honour" and memo.store.counted_from_ns is None
    sizes = sizing(RunHits(memo.counts(DATA), knows_absorbed))
    if sizes is None:
        return []
    progress("simulating other replacement policies")
    references = of_population(memo.store, Population.DATA, "time_ns")
    return sentences(sizes, others(references, memo.cache(DATA), sizes))


def disk_seconds(memo: RunMemo, run: Run, sizes: Numbers) -> Numbers:
    """The time of all disk requests: reads by request misses, writes by neighbours that are written together."""
    counts = memo.counts(run)
    misses, blocks = (
        counts.of_directions(("read",), name, sizes) for name in ("request_misses", "block_misses")
    )
    cache = replace(memo.cache(run), overhead_ms=SSD.overhead_ms, transfer_ms_per_kb=SSD.transfer_ms_per_kb)
    references = (batch for (batch,) in selected(memo.store, [run.selection]))
    written = write_times_ns(references, cache, sizes.astype(np.int64).tolist())
    writes = np.array([written[int(size)] / 1e9 for size in sizes])
    return np.asarray(misses * OVERHEAD_S + blocks * counts.block_bytes * TRANSFER_S_PER_BYTE + writes)


def disk_seconds_without(memo: RunMemo, run: Run, sizes: Numbers) -> Numbers:
    """The time of all requests without a cache, each an access for all its blocks."""
    counts = memo.counts(run)
    requests, blocks = (counts.of_directions(DIRECTIONS, name, sizes) for name in ("requests", "blocks"))
    return np.asarray(requests * OVERHEAD_S + blocks * counts.block_bytes * TRANSFER_S_PER_BYTE)


SECONDS = {each.__name__: each for each in (disk_seconds, disk_seconds_without)}
"""Measures of time, which are simulated at sizes that double."""


def _points(memo: RunMemo, figure: Figure, line: Line) -> list[dict[str, Any]]:
    counts = memo.counts(line.run)
    sizes = counts.doublings if line.measure in SECONDS else counts.drawn
    values = _values(memo, line, sizes, 1 if figure.arguments.get("unit") == "per request" else 100)
    return [
        {"line": line.label, "size_bytes": int(size) * counts.block_bytes, "value": float(value)}
        for size, value in zip(sizes, values, strict=True)
        if np.isfinite(value)
    ]


def _values(memo: RunMemo, line: Line, sizes: Numbers, whole_ratio: int) -> Numbers:
    """Return what a line shows at sizes in blocks: bytes, seconds, or ratios, of which 1 is ``whole_ratio``."""
    if line.measure in SECONDS:
        return SECONDS[line.measure](memo, line.run, sizes)
    counted, whole = parts(memo, line, sizes)
    if line.measure in BYTES:
        return counted
    nothing = np.full(len(sizes), np.nan)
    return np.asarray(whole_ratio * np.divide(counted, whole, out=nothing, where=whole != 0))


def _captures(memo: RunMemo, figure: Figure, line: Line) -> list[dict[str, Any]]:
    hits = RunHits(memo.counts(line.run))
    return captured(line.label, hits, sum(half.requests for half in hits.counts.halves.values()))


def captured(cache: str, hits: BlockHits, requests: int) -> list[dict[str, Any]]:
    """Return the row of a cache with the sizes that reach shares of an infinite cache's hits; none without hits."""
    most = int(hits.at([hits.distinct_blocks])[0])
    if not most:
        return []
    row = {
        "cache": cache,
        "block_bytes": hits.block_bytes,
        "requests": requests,
        "least_miss_percent": 100 * (1 - most / hits.references),
    }
    sizes = {
        f"size_for_{percent}_percent_bytes": smallest_blocks(hits, percent) * hits.block_bytes
        for percent in SHARES
    }
    return [row | sizes]
