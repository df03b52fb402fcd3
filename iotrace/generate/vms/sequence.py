"""Which request goes to which place: what is read and written, in order, and what of it is read and written again."""

from dataclasses import dataclass

import numpy as np

from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.places import Flags, places
from iotrace.generate.vms.shapes import Integers


@dataclass(frozen=True)
class Sequence:
    """Requests in order: whether each writes, and its place, dense from 0 in the order of their first use."""

    writes: Flags
    place: Integers

    @property
    def first(self) -> Integers:
        """Each place's first request."""
        return np.unique(self.place, return_index=True)[1]


def sequence(reads: int, writes: int, parameters: Parameters, rng: np.random.Generator) -> Sequence:
    """Draw the order of reads and writes, and the places that they go to."""
    is_write = operations(reads, writes, parameters.write_run_requests, rng)
    place = places(is_write, parameters, rng)
    return Sequence(is_write, place)


def operations(reads: int, writes: int, write_run: float, rng: np.random.Generator) -> Flags:
    """Return which requests write: runs of writes between runs of reads, cut at random, so that both counts are exact.

    The writes' runs have the given mean where there are as many reads as runs, and are longer where there are not.
    """
    runs = min(max(1, round(writes / write_run)), writes, reads)
    lengths = np.empty(2 * runs, np.int64)
    lengths[0::2], lengths[1::2] = _cut(reads, runs, rng), _cut(writes, runs, rng)
    return np.repeat(np.arange(2 * runs) % 2 == 1, lengths)


def _cut(whole: int, parts: int, rng: np.random.Generator) -> Integers:
    """Return the lengths of ``parts`` parts of a whole, cut at different places, all cuts equally probable."""
    cuts = np.sort(rng.permutation(whole - 1)[: parts - 1]) + 1
    return np.diff(cuts, prepend=0, append=whole)
