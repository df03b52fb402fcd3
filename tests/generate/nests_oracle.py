"""An interpreter of loop nests in plain Python: it runs every step of every loop, and sorts the bytes it refers to."""

from dataclasses import dataclass
from itertools import product

Step = dict[str, int]
Row = tuple[int, int, str, int | None, int | None, int | None, int]
"""Process, phase, operation, file, offset, length, compute_ns."""


@dataclass(frozen=True)
class ToyLoop:
    index: str
    first: str
    last: str
    tile: int | str
    distribute: str | None
    reverse: bool


@dataclass(frozen=True)
class ToyArray:
    extents: tuple[int, ...]
    element: int
    order: str
    whole: bool


@dataclass(frozen=True)
class ToyNest:
    loops: tuple[ToyLoop, ...]
    references: tuple[tuple[int, tuple[str, ...], str], ...]
    """Array, subscripts of each joined reference, operation."""
    compute_ps: int


def tiles(loops: tuple[ToyLoop, ...], outer: Step, process: int, processes: int) -> list[list[Step]]:
    if not loops:
        return [[outer]]
    loop, inner = loops[0], loops[1:]
    steps = list(range(eval(loop.first, {}, outer), eval(loop.last, {}, outer) + 1))
    if loop.distribute == "block":
        steps = steps[process * len(steps) // processes : (process + 1) * len(steps) // processes]
    size = max(1, len(steps)) if loop.tile == "all" else int(loop.tile)
    groups = [steps[at : at + size] for at in range(0, len(steps), size)]
    if loop.distribute == "cyclic":
        groups = groups[process::processes]
    found = []
    for group in groups[::-1] if loop.reverse else groups:
        each = [tiles(inner, {**outer, loop.index: step}, process, processes) for step in group]
        found += [[step for part in same for step in part] for same in zip(*each, strict=True)]
    return found


def section(array: ToyArray, at: tuple[str, ...], steps: list[Step]) -> list[tuple[int, int]]:
    """Runs of bytes of the smallest box of subscripts, one element after another."""
    box = []
    fastest = 0 if array.order == "column" else len(array.extents) - 1
    for dimension, extent in enumerate(array.extents):
        used = [eval(one.split(",")[dimension], {}, step) for one in at for step in steps]
        whole = array.whole and dimension == fastest
        box.append(range(1, extent + 1) if whole else range(min(used), max(used) + 1))
    places = []
    for subscripts in product(*box):
        place, stride = 0, 1
        dimensions = list(zip(subscripts, array.extents, strict=True))
        for subscript, extent in dimensions if array.order == "column" else dimensions[::-1]:
            place, stride = place + (subscript - 1) * stride, stride * extent
        places.append(place * array.element)
    runs: list[tuple[int, int]] = []
    for place in sorted(places):
        if runs and sum(runs[-1]) == place:
            runs[-1] = (runs[-1][0], runs[-1][1] + array.element)
        else:
            runs.append((place, array.element))
    return runs


def run(
    arrays: list[ToyArray], nests: list[ToyNest], processes: int, iterations: int, largest: int
) -> list[Row]:
    rows: list[Row] = []
    for _, (phase, nest) in product(range(iterations), enumerate(nests)):
        shared = any(loop.distribute for loop in nest.loops)
        mine = [
            tiles(nest.loops, {}, one, processes) if shared or one == 0 else [] for one in range(processes)
        ]
        for turn, process in product(range(max(map(len, mine))), range(processes)):
            if turn < len(mine[process]):
                rows += tile_rows(arrays, nest, phase, process, mine[process][turn], largest)
    return rows


def tile_rows(
    arrays: list[ToyArray], nest: ToyNest, phase: int, process: int, steps: list[Step], largest: int
) -> list[Row]:
    made: dict[str, list[Row]] = {"read": [], "write": []}
    for array, at, operation in nest.references:
        for start, length in section(arrays[array], at, steps):
            for piece in range(0, length, largest):
                size = min(largest, length - piece)
                made[operation].append((process, phase, operation, array, start + piece, size, 0))
    compute_ns = nest.compute_ps * len(steps) // 1000
    if made["read"]:
        made["read"][-1] = (*made["read"][-1][:6], compute_ns)
    elif nest.compute_ps:
        made["read"] = [(process, phase, "compute", None, None, None, compute_ns)]
    return made["read"] + made["write"]
