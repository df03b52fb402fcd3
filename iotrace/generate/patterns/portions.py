"""A pattern's portions: who accesses which contiguous bytes, in order."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from iotrace.generate.patterns.record_boundaries import boundaries, records_within
from iotrace.generate.patterns.settings import Pattern, Settings

Integers = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Portions:
    """Portions, each owner's in the order of access: parallel arrays of owner, first byte and bytes."""

    owner: Integers
    """The process; 0 for all where the records are self-scheduled."""
    start: Integers
    length: Integers


def portions(settings: Settings, lengths: np.random.Generator, places: np.random.Generator) -> Portions:
    """Return the portions in blocks' bytes; random lengths and places come from the two generators."""
    if settings.pattern is Pattern.RND:
        return _random_records(settings, places)
    if settings.pattern.has_random_portions:
        return _random(settings, lengths, places)
    if settings.pattern.has_fixed_portions:
        return _fixed(settings)
    return _whole(settings)


def _whole(settings: Settings) -> Portions:
    share = settings.bytes_per_process
    if settings.pattern in (Pattern.GW, Pattern.LW1):
        return Portions(*(np.array([number], np.int64) for number in (0, 0, share * settings.processes)))
    owner = np.arange(settings.processes, dtype=np.int64)
    start = owner * share if settings.pattern is Pattern.SEG else np.zeros_like(owner)
    return Portions(owner, start, np.full_like(owner, share))


def _fixed(settings: Settings) -> Portions:
    owners, share = _owners_and_share(settings)
    length = settings.portion_length_blocks
    turns = -(-share // length)
    owner = np.repeat(np.arange(owners, dtype=np.int64), turns)
    turn = np.tile(np.arange(turns, dtype=np.int64), owners)
    start = (turn * owners + owner) * (length + settings.gap_length_blocks)
    blocks = np.where(turn == turns - 1, share - (turns - 1) * length, length)
    return Portions(owner, start * settings.block_bytes, blocks * settings.block_bytes)


def _random(settings: Settings, lengths: np.random.Generator, places: np.random.Generator) -> Portions:
    owners, share = _owners_and_share(settings)
    blocks = _lengths_of(settings, owners, share, lengths)
    before = np.cumsum(blocks, axis=1) - blocks
    blocks = np.minimum(blocks, share - before).clip(0)
    owner, _ = np.nonzero(blocks)
    length = blocks[blocks > 0]
    start = places.integers(0, settings.extent_blocks - length, endpoint=True)
    return Portions(owner.astype(np.int64), start * settings.block_bytes, length * settings.block_bytes)


def _lengths_of(settings: Settings, owners: int, share: int, rng: np.random.Generator) -> Integers:
    """Draw enough lengths for each owner to reach its share: a row for each owner."""
    least, largest = settings.least_portion_blocks, settings.largest_portion_blocks
    drawn: Integers = np.empty((owners, 0), np.int64)
    while not drawn.size or drawn.sum(axis=1).min() < share:
        columns = 8 + share // settings.portion_length_blocks
        drawn = np.hstack([drawn, rng.integers(least, largest, (owners, columns), endpoint=True)])
    return drawn


def _random_records(settings: Settings, places: np.random.Generator) -> Portions:
    """Return records anywhere, each a portion: as many for each process as its share has, the last one whole."""
    record = settings.exact_record_bytes
    extent_bytes = settings.extent_blocks * settings.block_bytes
    each, records = records_within(np.array([settings.bytes_per_process, extent_bytes + 1]), record)
    owner = np.repeat(np.arange(settings.processes, dtype=np.int64), each)
    # the record that begins nearest to the file's end, if not at it, is not whole
    number = places.integers(0, records - 1, len(owner))
    start = boundaries(number, record)
    return Portions(owner, start, boundaries(number + 1, record) - start)


def _owners_and_share(settings: Settings) -> tuple[int, int]:
    """Return how many own portions, and the blocks of each."""
    if settings.pattern.is_global:
        return 1, settings.total_blocks
    return settings.processes, settings.blocks_per_process
