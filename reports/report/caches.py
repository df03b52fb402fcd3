"""The lines of figures over the size of a cache: exact counts at no more points than can be seen."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from iotrace.reports.pages.figures import Figure
from iotrace.reports.pages.schemas import table_schema

from iotrace.analysis.curves.cache import usual_syncs
from iotrace.analysis.curves.device import SSD
from iotrace.analysis.lines.captured import capturing_blocks
from iotrace.analysis.lines.counts import Counts, Numbers
from iotrace.analysis.lines.line import Line, parts
from iotrace.analysis.lines.ratios import BYTES, RATIOS
from iotrace.analysis.lines.runs import RunMemo
from iotrace.store.store import Store

MOST_POINTS = 300
"""How many points of a line are drawn at most."""
CAPTURED_PERCENT = (50, 90, 99)
OVERHEAD_S, TRANSFER_S_PER_BYTE = SSD.overhead_ms / 1000, SSD.transfer_ms_per_kb / 1000 / 1024
"""What a disk access takes (Richardson 1994, 2.5), on the device of the preset ssd."""


def lines(
    store: Store | None, figures: Sequence[Figure], progress: Callable[[str], None]
) -> dict[str, pa.Table]:
    """Return the tables of figures of caches: `figure_line`, or `capture` for those of that drawing.

    Deletions and truncations drop blocks; syncs write them, unless the store is by the model of 1994. Runs on the same
    references share a pass, and passes are made two at a time. Without a store, where its requests touch too many
    blocks, tables have no rows.
    """
    if store is None:
        shapes = {figure.id: "capture" if figure.draw == "capture" else "figure_line" for figure in figures}
        return {id_: table_schema(shape).empty_table() for id_, shape in shapes.items()}
    memo = RunMemo(store, "honour", usual_syncs(store.manifest["model"].get("model")))
    wanted = [run for figure in figures for line in figure.lines for run in (line.run, *line.population)]
    # the longest first
    passes = sorted(dict.fromkeys(run.selection for run in wanted), key=lambda group: -len(group.types))
    with ThreadPoolExecutor(max_workers=2) as pool:
        made = pool.map(lambda group: memo.prepare(run for run in wanted if run.selection == group), passes)
        for count, _ in enumerate(made, 1):
            progress(f"simulating caches, pass {count} of {len(passes)}")
    return {
        figure.id: (_captures if figure.draw == "capture" else _points)(memo, figure) for figure in figures
    }


def disk_seconds(counts: Counts, sizes: Numbers) -> Numbers:
    """The time of all disk requests: reads by request misses, writes by blocks expelled (2.6.5)."""
    transfer = counts.block_bytes * TRANSFER_S_PER_BYTE
    misses, blocks = (
        counts.of_directions(("read",), name, sizes) for name in ("request_misses", "block_misses")
    )
    expelled = counts.of_directions(("write",), "disk_writes", sizes)
    return np.asarray(misses * OVERHEAD_S + blocks * transfer + expelled * (OVERHEAD_S + transfer))


def _points(memo: RunMemo, figure: Figure) -> pa.Table:
    rows: list[dict[str, Any]] = []
    for line in figure.lines:
        counts = memo.counts(line.run)
        sizes = _thinned(counts.changes)
        values = _values(memo, line, sizes, 1 if figure.arguments.get("unit") == "per request" else 100)
        rows += [
            {"line": line.label, "size_bytes": int(size) * counts.block_bytes, "value": float(value)}
            for size, value in zip(sizes, values, strict=True)
            if np.isfinite(value)
        ]
    return pa.Table.from_pylist(rows, schema=table_schema("figure_line"))


def _values(memo: RunMemo, line: Line, sizes: Numbers, whole_ratio: int) -> Numbers:
    """Return what a line shows at sizes in blocks: bytes, seconds, or ratios, of which 1 is ``whole_ratio``."""
    if line.measure == disk_seconds.__name__:
        return disk_seconds(memo.counts(line.run), sizes)
    counted, whole = parts(memo, line, sizes)
    if line.measure in BYTES:
        return counted
    nothing = np.full(len(sizes), np.nan)
    return np.asarray(whole_ratio * np.divide(counted, whole, out=nothing, where=whole != 0))


def _thinned(sizes: npt.NDArray[np.uint32]) -> Numbers:
    """Keep at most `MOST_POINTS` sizes, evenly over their logarithm, the first and the last included."""
    if len(sizes) <= MOST_POINTS:
        return sizes.astype(float)
    grid = np.geomspace(float(sizes[0]), float(sizes[-1]), MOST_POINTS - 1)
    places = np.searchsorted(sizes, grid, side="right") - 1
    return np.asarray(sizes[np.unique([0, *places.clip(0), len(sizes) - 1])], float)


def _captures(memo: RunMemo, figure: Figure) -> pa.Table:
    """Return for each line's cache the sizes that reach given shares of an infinite cache's hits; none without hits."""
    rows = []
    for line in figure.lines:
        counts, run = memo.counts(line.run), line.run
        sizes = {
            percent: capturing_blocks(counts, line.measure, percent / 100) for percent in CAPTURED_PERCENT
        }
        if not all(np.isfinite(blocks) for blocks in sizes.values()):
            continue
        hits = float(RATIOS[line.measure].at(counts, counts.infinite)[0])
        rows.append(
            {
                "cache": line.label,
                "block_bytes": run.block_bytes,
                "requests": sum(half.requests for half in counts.halves.values()),
                "least_miss_percent": 100 * (1 - hits),
            }
            | {
                f"size_for_{percent}_percent_bytes": int(size) * run.block_bytes
                for percent, size in sizes.items()
            }
        )
    return pa.Table.from_pylist(rows, schema=table_schema("capture"))
