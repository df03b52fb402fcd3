"""From loop nests to the rows of a program, vectorised, a bounded number of them at a time."""

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from iotrace.generate.loops.description import Nest, Nests
from iotrace.generate.loops.sections import Sections, sections
from iotrace.generate.loops.tiles import Tiles, joined, tiles
from iotrace.generate.program import NONE, Operation, Rows
from iotrace.generate.spread import spelt_out

MOST_TILES = 1 << 15
"""Tiles of all processes at a time."""
MOST_ROWS = 1 << 18
"""Rows at a time."""
PICOSECONDS = 1000
"""In a nanosecond."""
COMPUTE = -1
"""Stands for the computation among the requests of a tile that reads nothing."""


def rows(nests: Nests, most_tiles: int = MOST_TILES, most_rows: int = MOST_ROWS) -> Iterator[Rows]:
    """Yield the program's rows: phase = nest, file = array, the processes' rows interleaved tile by tile.

    Processes are numbered node by node. A nest that no loop distributes is run by process 0. Memory is bounded by
    ``most_tiles`` tiles (at least one of each process) and ``most_rows`` rows. Raises IotraceError if a subscript
    leaves its array.
    """
    for _ in range(nests.value("iterations")):
        for phase, nest in enumerate(nests.nests):
            yield from _nest_rows(nests, phase, nest, most_tiles, most_rows)


def reference_counts(nests: Nests) -> np.ndarray:
    """Return the compiler's count for each array: references times the steps of the loops around them (section 4)."""
    counts = np.zeros(len(nests.arrays), np.int64)
    for nest in nests.nests:
        steps = sum(int(part.steps().sum()) for part in tiles(nest, 0, 1, MOST_TILES))
        for reference in nest.references:
            counts[reference.array] += steps * len(reference.at)
    return counts * nests.value("iterations")


def row_count(nests: Nests, most_tiles: int = 1 << 21) -> tuple[int, bool]:
    """Return how many rows the program has if one process runs it, and whether all tiles were counted.

    After ``most_tiles`` tiles it is the number of rows of those. More processes make hardly more rows. Raises
    IotraceError where a subscript leaves its array.
    """
    largest, rows, counted = nests.value("largest_request_bytes"), 0, 0
    for nest in nests.nests:
        for part in tiles(nest, 0, 1, MOST_TILES):
            for reference in nest.references:
                section = sections(reference, nests.arrays[reference.array], part, nest.name)
                rows += int(_requests(section, largest).sum())
            counted += part.count
            if counted > most_tiles:
                return rows * nests.value("iterations"), False
    return rows * nests.value("iterations"), True


def _nest_rows(nests: Nests, phase: int, nest: Nest, most_tiles: int, most_rows: int) -> Iterator[Rows]:
    processes = nests.value("nodes") * nests.value("processes_per_node")
    at_once = max(1, most_tiles // processes)
    for parts in zip_longest(*(tiles(nest, process, processes, at_once) for process in range(processes))):
        mine = [(process, part) for process, part in enumerate(parts) if part is not None]
        process = np.repeat([process for process, _ in mine], [part.count for _, part in mine])
        turn = np.concatenate([np.arange(part.count) for _, part in mine])
        order = np.lexsort((process, turn))
        interleaved = joined([part for _, part in mine]).take(order, len(order))
        yield from _tile_rows(nests, phase, interleaved, process[order], most_rows)


def _tile_rows(nests: Nests, phase: int, part: Tiles, process: np.ndarray, most_rows: int) -> Iterator[Rows]:
    """Yield the rows of tiles, each: reads, computation (in the last read's row), writes."""
    nest = nests.nests[phase]
    largest = nests.value("largest_request_bytes")
    parts = [sections(access, nests.arrays[access.array], part, nest.name) for access in nest.references]
    compute_ns = nest.compute_ps * part.steps() // PICOSECONDS
    reads = sum(not access.write for access in nest.references)
    kinds = list(range(len(parts)))
    requests = [_requests(section, largest) for section in parts]
    if not reads and nest.compute_ps:
        kinds, requests = [COMPUTE, *kinds], [np.ones(part.count, np.int64), *requests]
    counts = np.stack(requests, axis=1).ravel()
    for places, numbers in spelt_out(counts, most_rows):
        tile, column = np.divmod(places, len(kinds))
        kind = np.array(kinds)[column]
        last_read = (kind == reads - 1) & (numbers == counts[places] - 1)
        made = _Blank(len(places))
        for number, (reference, section) in enumerate(zip(nest.references, parts, strict=True)):
            these = kind == number
            start, length = _pieces(section, tile[these], numbers[these], largest)
            made.operation[these] = Operation.WRITE if reference.write else Operation.READ
            made.file[these], made.offset[these], made.length[these] = reference.array, start, length
        each = nests.value("processes_per_node")
        yield Rows(
            process=process[tile],
            node=process[tile] // each,
            phase=np.full(len(places), phase),
            operation=made.operation,
            file=made.file,
            offset=made.offset,
            length=made.length,
            compute_ns=np.where(last_read, compute_ns[tile], 0),
        )


class _Blank:
    """Columns to be filled in, of rows that only compute until they are."""

    def __init__(self, count: int) -> None:
        self.operation = np.full(count, Operation.COMPUTE, np.int64)
        self.file, self.offset, self.length = (np.full(count, NONE, np.int64) for _ in range(3))


def _requests(section: Sections, largest: int) -> np.ndarray:
    """Return how many requests each tile's section takes."""
    count: np.ndarray = section.runs * -(-section.run_bytes // largest)
    return count


def _pieces(
    section: Sections, tile: np.ndarray, numbers: np.ndarray, largest: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return where requests start and how long they are: runs in order, each cut after every ``largest`` bytes."""
    whole = section.run_bytes[tile]
    run, piece = np.divmod(numbers, -(-whole // largest))
    start = section.run_first_byte(tile, run) + piece * largest
    return start, np.minimum(largest, whole - piece * largest)
