"""How blocks are sampled: a rate, a size, or what memory and time allow."""

import json
from dataclasses import dataclass

from iotrace import units
from iotrace.analysis.memory_needed import EXACT_BYTES_PER_BLOCK, READING_BYTES, limit_for
from iotrace.errors import MemoryLimitError, UsageError
from iotrace.files.memory import KEPT_FREE, megabytes

GROUPS = 16
"""Groups of the sample, of which one is left out at a time."""
HEAD_SAMPLED_BLOCKS = 64
"""The exact head reaches to caches that have as many sampled blocks: below, few blocks decide, and bands
are too narrow."""
MINIATURE_BLOCKS = 8
"""The smallest miniature cache of a policy."""
BYTES_PER_BLOCK = 150
"""Memory for a block of the sample in one set of caches, measured at 5 % of 4 million blocks."""
BASE_BYTES = 40 << 20
"""Memory of all caches of a small sample."""
SAMPLED_NS = 200.0
"""Time for a reference of the sample in one set of caches, on one core of a busy machine."""
REFERENCE_NS = 60.0
"""Time for any reference: to read and to hash it."""
HEAD_NS = 300.0
"""Time for any reference in the exact head."""
FEWEST_REFERENCES = 10_000
FEWEST_BLOCKS = 1_000
"""The smallest sample that iotrace chooses."""
MOST_HEAD_BLOCKS = 1 << 16
"""The largest exact head of a sample of fixed size."""
_RATES = tuple(1 / 2**power for power in range(21))


@dataclass(frozen=True)
class Sampling:
    """A sample of the blocks by their hash: of a fixed rate, or with a limit of its blocks."""

    rate: float | None = None
    """The part of all blocks; None for a sample of fixed size."""
    most_blocks: int | None = None
    seed: int = 1
    head_blocks: int | None = None
    """Caches up to this size are simulated exactly, 0 for none; None for what suits the sample."""
    groups: int = GROUPS
    reason: str = ""
    """Why it was chosen, where iotrace chose."""

    def __post_init__(self) -> None:
        if (self.rate is None) == (self.most_blocks is None):
            raise UsageError("a sample has either a rate or a number of blocks")
        if self.rate is not None and not 0 < self.rate <= 1:
            raise UsageError(f"a sampling rate is above 0 and at most 1 (0.01 or 1%), not {self.rate:g}")
        if self.most_blocks is not None and self.most_blocks < 1:
            raise UsageError("a sample has at least one block")

    @property
    def head(self) -> int:
        """The size of the largest cache that is simulated exactly, in blocks."""
        if self.head_blocks is not None:
            return self.head_blocks
        if self.most_blocks is not None:
            return min(self.most_blocks, MOST_HEAD_BLOCKS)
        return min(round(HEAD_SAMPLED_BLOCKS / (self.rate or 1)), 1 << 20) if self.rate != 1 else 0

    def for_engine(self, *, has_whole_files: bool = False) -> str:
        """Return it as the engine reads it, in JSON.

        ``has_whole_files`` is whether no request states a file's size, and removals and syncs are of whole files.
        """
        return json.dumps(
            {
                "rate": 1.0 if self.rate is None else self.rate,
                "most_blocks": self.most_blocks,
                "seed": self.seed,
                "groups": self.groups,
                "head_blocks": self.head,
                "has_whole_files": has_whole_files,
            }
        )


def parsed(text: str, seed: int = 1) -> Sampling:
    """Read a rate (``0.01``, ``1%``) or a number of blocks (``8192 blocks``); raises UsageError for anything else."""
    spec = text.strip().lower()
    if spec.endswith("blocks"):
        return Sampling(most_blocks=units.whole(spec.removesuffix("blocks")), seed=seed)
    try:
        rate = float(spec.removesuffix("%")) / (100 if spec.endswith("%") else 1)
    except ValueError:
        raise UsageError(
            f"{text.strip()!r} is not a sample: give a rate (0.01 or 1%), a number of blocks ('8192 blocks'), or auto"
        ) from None
    return Sampling(rate=rate, seed=seed)


def _bytes_of(blocks: float) -> float:
    """Return the memory of a sample of this many blocks, in all sets of caches."""
    return BASE_BYTES + blocks * 2 * (GROUPS + 1) * BYTES_PER_BLOCK


def _blocks_in(memory_bytes: int) -> int:
    """Return how many blocks of a sample fit in this memory."""
    return (memory_bytes - BASE_BYTES) // (2 * (GROUPS + 1) * BYTES_PER_BLOCK)


def within_memory(
    limit_bytes: int, left_bytes: int, most_blocks: int, tried: MemoryLimitError | None = None
) -> Sampling | None:
    """Choose a sample for a curve of which memory has no room for all blocks; None where it has.

    Of the limit ``left_bytes`` are left. ``tried`` is why all blocks did not fit where that was tried. Raises
    MemoryLimitError where no sample fits.
    """
    limit, whole_bytes = units.size(limit_bytes), most_blocks * EXACT_BYTES_PER_BLOCK
    if whole_bytes + READING_BYTES <= left_bytes and tried is None:
        return None
    needed_bytes = limit_for(whole_bytes) if tried is None else tried.limit_bytes or 2 * limit_bytes
    exact = f"of up to {most_blocks:,} blocks; --memory {megabytes(needed_bytes)} gives the exact curve"
    sample_bytes = left_bytes - READING_BYTES
    blocks = _blocks_in(sample_bytes)
    if blocks < FEWEST_BLOCKS:
        least_bytes = limit_bytes + int((_bytes_of(FEWEST_BLOCKS) - sample_bytes) / (1 - KEPT_FREE))
        sample = f", and {megabytes(least_bytes)} a sample" if least_bytes < needed_bytes else ""
        raise MemoryLimitError(f"{limit} of --memory are too little for a curve {exact}{sample}")
    reason = f"{limit} of --memory are too little for a curve {exact}"
    return Sampling(most_blocks=blocks, reason=reason)


def chosen(
    references: int, memory_bytes: int, time_ns: int | None, seed: int = 1, most_blocks: int | None = None
) -> Sampling:
    """Choose a sample for a stream of as many references, of which memory and time allow as much as possible.

    All blocks, of which there are `most_blocks` at most, are simulated exactly where these fit: in one set of caches
    they take less time than most samples do in many. Without a time a sample is of fixed size, and its rate all that
    memory has room for. With one, the highest rate that fits both, if each reference were to a block of its own.
    Raises UsageError where neither suffices for a useful sample.
    """
    sets = GROUPS + 1
    blocks = references if most_blocks is None else most_blocks
    is_whole = blocks * EXACT_BYTES_PER_BLOCK <= memory_bytes - BASE_BYTES
    if is_whole and (time_ns is None or references * (REFERENCE_NS + SAMPLED_NS) <= time_ns):
        return Sampling(rate=1.0, seed=seed, reason=f"all of {references:,} references fit")
    blocks = _blocks_in(memory_bytes)
    if blocks < FEWEST_BLOCKS:
        raise UsageError(
            f"{units.size(memory_bytes)} of memory is too little for a sample of {FEWEST_BLOCKS:,} blocks, which needs"
            f" {units.size(_bytes_of(FEWEST_BLOCKS))}: allow more with --sample-memory, and --memory where it is given"
        )
    if time_ns is None:
        reason = f"{blocks:,} blocks fit in {units.size(memory_bytes)} of memory"
        return Sampling(most_blocks=blocks, seed=seed, reason=reason)
    by_memory, fewest = blocks / max(references, 1), min(FEWEST_REFERENCES, references)
    for has_head, each_ns in ((True, REFERENCE_NS + HEAD_NS), (False, REFERENCE_NS)):
        by_time = (time_ns / max(references, 1) - each_ns) / (SAMPLED_NS * sets)
        fitting = [rate for rate in _RATES if rate <= min(by_time, by_memory)]
        if fitting and fitting[0] * references >= fewest:
            limit = "time" if by_time < by_memory else "memory"
            allowed = units.duration(time_ns) if limit == "time" else units.size(memory_bytes)
            reason = f"{limit} allows no more: {references:,} references, {allowed}"
            if not has_head:
                reason += ", too little time for exact small caches"
            return Sampling(fitting[0], seed=seed, head_blocks=None if has_head else 0, reason=reason)
    least = references * min(rate for rate in _RATES if rate * references >= fewest)
    least_ns = references * REFERENCE_NS + least * SAMPLED_NS * sets
    raise UsageError(
        f"{units.duration(time_ns)} and {units.size(memory_bytes)} are too little for {references:,} references, which"
        f" take about {units.duration(least_ns)} and {units.size(_bytes_of(least))} at least: allow more with"
        " --sample-time or --sample-memory, and --memory where it is given"
    )
