"""The tiles of a nest, as each process runs through them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from iotrace.errors import IotraceError
from iotrace.generate.loops.description import MOST_COMPUTE_PS, Distribution, Loop, Nest
from iotrace.generate.spread import spelt_out

MOST_LOOP_STEPS = 1 << 32
MOST_TILE_STEPS = (1 << 62) // MOST_COMPUTE_PS


@dataclass(frozen=True)
class Tiles:
    """Tiles in the order of a process: for each loop's index, the first and last step of each tile."""

    low: dict[str, np.ndarray]
    high: dict[str, np.ndarray]
    count: int

    def steps(self) -> np.ndarray:
        """Return how many steps of the innermost loop each tile has."""
        steps = np.ones(self.count, np.int64)
        for index in self.low:
            steps *= self.high[index] - self.low[index] + 1
            if self.count and steps.max() > MOST_TILE_STEPS:
                raise IotraceError(f"a tile has more than {MOST_TILE_STEPS:,} steps")
        return steps

    def take(self, rows: np.ndarray | slice, count: int) -> "Tiles":
        """Return some of the tiles."""
        low = {index: values[rows] for index, values in self.low.items()}
        return Tiles(low, {index: values[rows] for index, values in self.high.items()}, count)


def tiles(nest: Nest, process: int, processes: int, most: int) -> Iterator[Tiles]:
    """Yield the tiles that a process runs, in order, exactly ``most`` at a time except for the last ones."""
    if not nest.distributed and process > 0:
        return
    waiting: list[Tiles] = []
    held = 0
    for part in _expanded(Tiles({}, {}, 1), nest.loops, process, processes, most):
        waiting.append(part)
        held += part.count
        while held >= most:
            whole = joined(waiting)
            yield whole.take(slice(0, most), most)
            held -= most
            waiting = [whole.take(slice(most, None), held)]
    if held:
        yield joined(waiting)


def _expanded(
    outer: Tiles, loops: tuple[Loop, ...], process: int, processes: int, most: int
) -> Iterator[Tiles]:
    """Put the next loop into each tile of the outer loops, and so on inwards."""
    if not loops:
        yield outer
        return
    loop = loops[0]
    first = loop.first.at(outer.low, outer.count)
    last = loop.last.at(outer.low, outer.count)
    if outer.count and (last - first).max() >= MOST_LOOP_STEPS:
        raise IotraceError(f"loop {loop.index} has more than {MOST_LOOP_STEPS:,} steps")
    if loop.distribution is Distribution.BLOCK:
        steps = np.maximum(0, last - first + 1)
        first, last = first + process * steps // processes, first + (process + 1) * steps // processes - 1
    begin, stride, counts = 0, 1, np.maximum(0, -((first - last - 1) // loop.tile))
    if loop.distribution is Distribution.CYCLIC:
        begin, stride, counts = process, processes, np.maximum(0, -((process - counts) // processes))
    for rows, numbers in spelt_out(counts, most):
        turns = counts[rows] - 1 - numbers if loop.reverse else numbers
        low = first[rows] + (begin + stride * turns) * loop.tile
        high = np.minimum(low + loop.tile - 1, last[rows])
        repeated = outer.take(rows, len(rows))
        inner = Tiles({**repeated.low, loop.index: low}, {**repeated.high, loop.index: high}, len(rows))
        yield from _expanded(inner, loops[1:], process, processes, most)


def joined(parts: list[Tiles]) -> Tiles:
    """Return the tiles of all parts, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    low = {index: np.concatenate([part.low[index] for part in parts]) for index in parts[0].low}
    high = {index: np.concatenate([part.high[index] for part in parts]) for index in parts[0].high}
    return Tiles(low, high, sum(part.count for part in parts))
