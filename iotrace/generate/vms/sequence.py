"""Which request goes to which place: what is read and written, in order, and what of it is read and written again."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from iotrace.generate.vms.parameters import Parameters

Integers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


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


def places(is_write: Flags, parameters: Parameters, rng: np.random.Generator) -> Integers:
    """Return the requests' places, dense from 0 in the order of their first use."""
    parent = np.arange(len(is_write))
    p = parameters
    _repeat(
        parent,
        is_write,
        (p.rewrite_share, p.rewrite_distance_writes, p.rewrite_distance_spread),
        (p.write_after_read_share, p.write_after_read_distance_reads, p.write_after_read_distance_spread),
        rng,
    )
    _repeat(
        parent,
        ~is_write,
        (p.reread_share, p.reread_distance_reads, p.reread_distance_spread),
        (p.read_after_write_share, p.read_after_write_distance_writes, p.read_after_write_distance_spread),
        rng,
    )
    while not np.array_equal(further := parent[parent], parent):
        parent = further
    return np.unique(parent, return_inverse=True)[1].astype(np.int64)


Repeating = tuple[float, float, float]
"""A share, and the median and the spread of the distance."""


def _repeat(
    parent: Integers, own: Flags, same: Repeating, other: Repeating, rng: np.random.Generator
) -> None:
    """Point those requests of one operation that go to a place of before to the request that went there."""
    number = np.flatnonzero(own)
    others = np.flatnonzero(~own)
    choice = rng.random(len(number))
    distance_same = distances(same[1], same[2], len(number), rng)
    distance_other = distances(other[1], other[2], len(number), rng)
    back = np.arange(len(number)) - distance_same
    again = (choice < same[0]) & (back >= 0)
    parent[number[again]] = number[back[again]]
    others_before = np.searchsorted(others, number) - distance_other
    across = (choice >= same[0]) & (choice < same[0] + other[0]) & (others_before >= 0)
    parent[number[across]] = others[others_before[across]]


def distances(median: float, spread: float, count: int, rng: np.random.Generator) -> Integers:
    """Draw log-normal distances, whole numbers from 1."""
    drawn = median * np.exp(spread * rng.standard_normal(count))
    rounded: Integers = np.rint(drawn.clip(1, 1e12)).astype(np.int64)
    return rounded
