"""How large places are, so that the mean sizes of reads and of writes are those asked for."""

from typing import Any

import numpy as np

from iotrace.errors import IotraceError
from iotrace.generate.vms.load import Load
from iotrace.generate.vms.sequence import Sequence
from iotrace.generate.vms.shapes import Integers

LARGEST_BLOCKS = 127
"""The most blocks that a VMS driver moved in one request (a byte count below 2^16)."""
ROUNDS = 60
TOLERANCE_BLOCKS = 0.5


def sizes(sequence: Sequence, load: Load, spread: float, rng: np.random.Generator) -> Integers:
    """Draw each place's number of blocks: log-normal, rounded, scaled till reads and writes have their blocks.

    A place that is read and written counts for both, so that both are brought near together; what rounding leaves is
    given, block by block, to places used once, and then to written places of several uses. Raises IotraceError where
    a mean cannot be met to half a block.
    """
    of_writes = np.bincount(sequence.place, weights=sequence.writes).astype(np.int64)
    of_reads = np.bincount(sequence.place, weights=~sequence.writes).astype(np.int64)
    is_written_first = sequence.writes[sequence.first]
    mean_blocks = {False: load.read_blocks, True: load.written_blocks}
    uses = {False: of_reads, True: of_writes}
    shape = np.exp(spread * rng.standard_normal(len(sequence.writes))[sequence.first])
    scale = {False: load.read_blocks / load.reads, True: load.written_blocks / load.writes}
    for _ in range(ROUNDS):
        drawn = _rounded(shape * np.where(is_written_first, scale[True], scale[False]))
        for kind, blocks in mean_blocks.items():
            scale[kind] *= min(2.0, max(0.5, blocks / int(drawn @ uses[kind])))
    for kind, blocks in mean_blocks.items():
        _trim(drawn, uses[kind], uses[not kind] == 0, blocks - int(drawn @ uses[kind]), rng)
    if missing := load.written_blocks - int(drawn @ of_writes):
        _trim_together(drawn, of_writes, missing, rng)
        _trim(drawn, of_reads, of_writes == 0, load.read_blocks - int(drawn @ of_reads), rng)
    for kind, blocks in mean_blocks.items():
        _check(kind, int(drawn @ uses[kind]), blocks, int(uses[kind].sum()))
    return drawn


def _rounded(blocks: np.ndarray[Any, np.dtype[np.float64]]) -> Integers:
    rounded: Integers = np.rint(blocks.clip(1, LARGEST_BLOCKS)).astype(np.int64)
    return rounded


def _trim(
    drawn: Integers, uses: Integers, alone: np.ndarray[Any, Any], missing: int, rng: np.random.Generator
) -> None:
    """Make single-use places one block larger or smaller, chosen at random, till nothing is missing or none is left."""
    step = 1 if missing > 0 else -1
    while missing:
        may_change = alone & (uses == 1) & (drawn + step >= 1) & (drawn + step <= LARGEST_BLOCKS)
        candidates = np.flatnonzero(may_change)
        if not len(candidates):
            return
        chosen = rng.permutation(candidates)[: abs(missing)]
        drawn[chosen] += step
        missing -= step * len(chosen)


def _trim_together(drawn: Integers, uses: Integers, missing: int, rng: np.random.Generator) -> None:
    """Make places of several uses one block larger or smaller, each once, as many as what is missing allows."""
    step = 1 if missing > 0 else -1
    for index in rng.permutation(np.flatnonzero(uses)).tolist():
        if uses[index] <= abs(missing) and 1 <= drawn[index] + step <= LARGEST_BLOCKS:
            drawn[index] += step
            missing -= step * int(uses[index])


def _check(writes: bool, made: int, target: int, requests: int) -> None:
    if abs(made - target) > TOLERANCE_BLOCKS * requests:
        kind = "write" if writes else "read"
        raise IotraceError(
            f"the mean {kind} is {made / requests:.2f} blocks, not {target / requests:.2f}: too many places are both"
            " read and written, or a few are used too often; lower the shares of what is read or written again"
        )
