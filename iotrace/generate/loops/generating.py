"""From loop nests to the rows of a program, vectorised, a bounded number of them at a time."""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import zip_longest

import numpy as np

from iotrace.generate.loops.description import Nest, Nests, Reference
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
"""Stands for the computation among the requests of a tile that may read nothing last."""


def rows(nests: Nests, most_tiles: int = MOST_TILES, most_rows: int = MOST_ROWS) -> Iterator[Rows]:
    """Yield the program's rows: phase = nest, file = array, the processes' rows interleaved tile by tile.

    Processes are numbered node by node. A nest that no loop distributes is run by process 0. Memory is bounded by
    ``most_tiles`` tiles (at least one of each process) and ``most_rows`` rows. Raises IotraceError if a subscript
    leaves its array.
    """
    for iteration in range(nests.value("iterations")):
        for phase in range(len(nests.nests)):
            yield from _nest_rows(nests, phase, iteration, most_tiles, most_rows)


def reference_counts(nests: Nests, profile: bool = False) -> np.ndarray:
    """Return the compiler's count for each array: references times the steps of the loops around them (section 4).

    A reference in a branch counts half, or with ``profile`` as often as its conditional holds.
    """
    counts = np.zeros(len(nests.arrays), np.int64)
    for nest in nests.nests:
        steps = sum(int(part.steps().sum()) for part in tiles(nest, 0, 1, MOST_TILES))
        for reference in nest.references:
            counts[reference.array] += steps * len(reference.at) * nest.percent(reference, profile) // 100
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
                done = is_done(nest, reference, part, 0)
                rows += int((_requests(section, largest) * done).sum())
            counted += part.count
            if counted > most_tiles:
                return rows * nests.value("iterations"), False
    return rows * nests.value("iterations"), True


def is_done(nest: Nest, reference: Reference, part: Tiles, iteration: int) -> np.ndarray:
    """Return for which tiles a reference is made: drawn anew for each tile and iteration, always alike."""
    if reference.when is None:
        return np.ones(part.count, bool)
    conditional = nest.conditionals[reference.when.conditional]
    name = int.from_bytes(blake2b(f"{nest.name}/{conditional.name}".encode(), digest_size=8).digest(), "big")
    drawn = np.full(part.count, name, np.uint64)
    for values in (*part.low.values(), np.full(part.count, iteration)):
        drawn = _mixed(drawn ^ values.astype(np.uint64))
    holds: np.ndarray = drawn % np.uint64(100) < np.uint64(conditional.percent)
    return holds if reference.when.holds else ~holds


def _mixed(values: np.ndarray) -> np.ndarray:
    """Return SplitMix64 of each value."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    last: np.ndarray = mixed ^ (mixed >> np.uint64(31))
    return last


def _nest_rows(nests: Nests, phase: int, iteration: int, most_tiles: int, most_rows: int) -> Iterator[Rows]:
    nest = nests.nests[phase]
    processes = nests.value("nodes") * nests.value("processes_per_node")
    at_once = max(1, most_tiles // processes)
    for parts in zip_longest(*(tiles(nest, process, processes, at_once) for process in range(processes))):
        mine = [(process, part) for process, part in enumerate(parts) if part is not None]
        process = np.repeat([process for process, _ in mine], [part.count for _, part in mine])
        turn = np.concatenate([np.arange(part.count) for _, part in mine])
        order = np.lexsort((process, turn))
        interleaved = joined([part for _, part in mine]).take(order, len(order))
        yield from _tile_rows(nests, phase, iteration, interleaved, process[order], most_rows)


def _tile_rows(
    nests: Nests, phase: int, iteration: int, part: Tiles, process: np.ndarray, most_rows: int
) -> Iterator[Rows]:
    """Yield the rows of tiles, each: reads, computation (in the last read's row), writes."""
    nest = nests.nests[phase]
    largest = nests.value("largest_request_bytes")
    parts = [sections(access, nests.arrays[access.array], part, nest.name) for access in nest.references]
    compute_ns = nest.compute_ps * part.steps() // PICOSECONDS
    reads = sum(not access.write for access in nest.references)
    kinds = list(range(len(parts)))
    requests = [
        _requests(section, largest) * is_done(nest, access, part, iteration)
        for access, section in zip(nest.references, parts, strict=True)
    ]
    computes_in = reads - 1
    if nest.compute_ps and (not reads or nest.references[reads - 1].when):
        computes_in = COMPUTE
        kinds.insert(reads, COMPUTE)
        requests.insert(reads, np.ones(part.count, np.int64))
    counts = np.stack(requests, axis=1).ravel()
    for places, numbers in spelt_out(counts, most_rows):
        tile, column = np.divmod(places, len(kinds))
        kind = np.array(kinds)[column]
        last_read = (kind == computes_in) & (numbers == counts[places] - 1)
        filled = _Blank(len(places))
        for number, (reference, section) in enumerate(zip(nest.references, parts, strict=True)):
            these = kind == number
            start, length = _pieces(section, tile[these], numbers[these], largest)
            filled.operation[these] = Operation.WRITE if reference.write else Operation.READ
            filled.file[these], filled.offset[these], filled.length[these] = reference.array, start, length
        each = nests.value("processes_per_node")
        yield Rows(
            process=process[tile],
            node=process[tile] // each,
            phase=np.full(len(places), phase),
            operation=filled.operation,
            file=filled.file,
            offset=filled.offset,
            length=filled.length,
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
