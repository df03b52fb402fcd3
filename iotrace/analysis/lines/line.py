"""A line of a figure over the size of a cache: which run, and which ratio of it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from iotrace import units
from iotrace.analysis.lines.counts import Numbers
from iotrace.analysis.lines.ratios import BYTES, RATIOS
from iotrace.analysis.lines.runs import Run, RunMemo


@dataclass(frozen=True)
class Line:
    """One line of a figure: a ratio of a run, over its own requests or bytes or over those of
    `population`."""

    label: str
    measure: str
    run: Run
    population: tuple[Run, ...] = ()


def read_lines(raw: dict[str, Any]) -> Iterator[Line]:
    """Read a line; one with several `blocks` or `inodes_per_block` stands for one line each."""
    run = Run.read(raw["run"])
    population = tuple(Run.read(raw_run) for raw_run in raw.get("population", ()))
    for block_bytes in raw.get("blocks", [run.block_bytes]):
        for inodes in raw.get("inodes_per_block", [run.inodes_per_block]):
            own_run = replace(run, block_bytes=block_bytes, inodes_per_block=inodes)
            label = raw["label"].format(block=units.size(block_bytes), inodes=inodes)
            yield Line(label, raw["measure"], own_run, population)


def parts(memo: RunMemo, line: Line, sizes: Numbers) -> tuple[Numbers, Numbers]:
    """Return what a line counts at each size in blocks, and what it is a part of."""
    counts = memo.counts(line.run)
    populations = [memo.counts(run) for run in line.population]
    if line.measure in BYTES:
        whole = sum(
            float(counted.of_directions(("read", "write"), "blocks", sizes[:1])[0]) * counted.block_bytes
            for counted in populations
        )
        return BYTES[line.measure](counts, sizes), np.full(len(sizes), whole)
    ratio = RATIOS[line.measure]
    demand = populations if populations else [counts]
    return ratio.counted(counts, sizes), np.sum([ratio.whole(counted, sizes) for counted in demand], axis=0)
