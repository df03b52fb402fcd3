"""Settings of a parallel access pattern: Kotz and Ellis (1991), sections 3.2 and 4.1."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from iotrace.errors import UsageError
from iotrace.option import BLOCKS, COUNT, PARTS_OF_BLOCKS, SIZE, TIME, Kind, check_rules, option
from iotrace.option.rules import Runs
from iotrace.units import time_ns, typed_time

MOST_RECORDS = 200_000_000
LARGEST_BYTES = 2**60


class Pattern(StrEnum):
    """The paper's patterns, by its names, and the words that it explains them with."""

    LW = "lw"
    LFP = "lfp"
    LRP = "lrp"
    SEG = "seg"
    GW = "gw"
    GFP = "gfp"
    GRP = "grp"
    RND = "rnd"
    LW1 = "lw1"

    @property
    def sentence(self) -> str:
        """A sentence that describes the pattern."""
        return SENTENCES[self]

    @property
    def is_global(self) -> bool:
        """Whether the records are self-scheduled: taken by whichever process is free."""
        return self in (Pattern.GW, Pattern.GFP, Pattern.GRP)

    @property
    def has_fixed_portions(self) -> bool:
        """Whether the portions are of one length, in regular places."""
        return self in (Pattern.LFP, Pattern.GFP)

    @property
    def has_random_portions(self) -> bool:
        """Whether the portions are of random length, in random places."""
        return self in (Pattern.LRP, Pattern.GRP)


SENTENCES = {
    Pattern.LW: "local whole file: every process accesses the entire file from beginning to end",
    Pattern.LFP: "local fixed-length portions: each process accesses portions of one length, in turn with the others",
    Pattern.LRP: "local random portions: each process accesses portions of random length in random places",
    Pattern.SEG: "segmented: one contiguous segment of the file for each process",
    Pattern.GW: "global whole file: the processes take the file's records from beginning to end, self-scheduled",
    Pattern.GFP: "global fixed-length portions: the processes together access portions of one length, self-scheduled",
    Pattern.GRP: "global random portions: the processes together access portions of random length in random places,"
    " self-scheduled",
    Pattern.RND: "random: each process accesses records anywhere in the file",
    Pattern.LW1: "local whole file by one process: process 0 accesses the entire file, the others are idle",
}


class Operation(StrEnum):
    """The operation on the records."""

    READ = "read"
    WRITE = "write"


class Computation(StrEnum):
    """How the time for which a process computes after each record is distributed."""

    NONE = "none"
    CONSTANT = "constant"
    EXPONENTIAL = "exponential"


Compute = tuple[Computation | None, int]
"""How processes compute, None if only the mean is said, and the mean in nanoseconds."""


def _compute(text: str) -> Compute:
    """Read ``none``, ``constant:30ms``, ``exponential:30ms``, or ``30ms``."""
    kind, colon, mean = text.strip().rpartition(":")
    if not colon and mean == Computation.NONE:
        return Computation.NONE, 0
    try:
        return Computation(kind) if kind else None, time_ns(mean)
    except (UsageError, ValueError):
        raise UsageError(
            f"{text.strip()!r} is not none, constant:TIME, exponential:TIME or TIME, as in constant:30ms"
        ) from None


def _typed_compute(value: Compute | int) -> str:
    kind, mean_ns = value if isinstance(value, tuple) else (None, value)
    if not mean_ns:
        return Computation.NONE
    return f"{kind}:{typed_time(mean_ns)}" if kind else typed_time(mean_ns)


def _computing(value: Compute, others: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a computation: of the kind that there is, or exponential, where none is said."""
    kind, mean_ns = value
    if kind is None:
        is_none = others.get("computation", Computation.NONE) is Computation.NONE
        kind = Computation.EXPONENTIAL if is_none else others["computation"]
    return {"computation": kind if mean_ns else Computation.NONE, "compute_mean_ns": mean_ns}


COMPUTE = Kind("[KIND:]TIME", _compute, _typed_compute, numbers=TIME)


@dataclass(frozen=True)
class Settings:
    """One pattern; the defaults are the paper's base parameters (section 4.1).

    All processes together access ``processes * blocks_per_process`` blocks of ``block_bytes``, in records of
    ``record_blocks`` blocks, which need not be whole: record i of a portion ends at the whole byte nearest to i + 1
    times their exact length, so that n records of 1/n block are exactly a block. A portion's last record is shorter
    where the record's length does not divide the portion's. The paper prints no portion lengths: the defaults are those
    that were inferred from its tables (fixed: 11 blocks, or 10 blocks a process where processes share a portion, with
    gaps as long; random: a mean of 10 blocks, or 20 a process). Portions start and end at a block's edge, except
    for the last.

    Fixed portions lie one after another, ``gap_blocks`` apart, in turn for each process (lfp) or for all (gfp). Random
    portions are uniform from ``least_portion_blocks`` to as much above their mean as that is below it, and start at
    any block of the file at which they fit, uniformly: they may overlap. Random records (rnd) are drawn uniformly, with
    replacement, from the file's whole records.

    With a ``burst`` of more than one, that many records of each process follow one another at once, and the computation
    of all of them comes after the last. If records are self-scheduled, their processes are not known: processes
    take a burst for each together, then each computes its share (`bursts`). Raises UsageError if the parts do not
    fit together.
    """

    pattern: Pattern
    operation: Operation | None = option(
        None,
        "Read or write; by default lw1 writes and the others read (in iotrace parallel they write"
        " where --policy is given or swept).",
        only_for=Runs.PATTERN,
    )
    """None: lw1 writes and all others read. Every pattern may do either; the paper writes only with lw1, seg and gw."""
    processes: int = option(20, "The number of processes that run the pattern.", COUNT, also=("-p",))
    block_bytes: int = option(1024, "A block's length.", SIZE, name="block", also=("-b",))
    record_blocks: float = option(
        1.0,
        "A record's length in blocks: 1, 0.25, 1/4, 3.7; it ends at the nearest byte.",
        PARTS_OF_BLOCKS,
        name="record",
        also=("-r",),
        only_for=Runs.PATTERN,
    )
    blocks_per_process: int = option(
        200,
        "Blocks that each process accesses, in the mean.",
        COUNT,
        also=("--per-process",),
        only_for=Runs.PATTERN,
    )
    """In lw1, gw, gfp and grp the common share is this times the number of processes; in lw, the file's length."""
    file_blocks: int | None = option(
        None,
        "The file's length; by default what the pattern needs.",
        BLOCKS,
        rare=True,
        only_for=Runs.PATTERN,
    )
    """None: as long as the pattern needs; random portions and records spread over as many blocks as are accessed."""
    portion_blocks: int | None = option(
        None,
        "The length of portions, or its mean; the default is the one that the paper's tables imply.",
        BLOCKS,
        name="portion",
        rare=True,
        only_for=Runs.PATTERN,
    )
    """The length of fixed portions, the mean of random ones; None: as above, at most the file."""
    gap_blocks: int | None = option(
        None,
        "The gap between fixed portions; the default is the one that the paper's tables imply.",
        BLOCKS,
        name="gap",
        rare=True,
        only_for=Runs.PATTERN,
    )
    """Between fixed portions; None: 0 for lfp, the portion's length for gfp."""
    least_portion_blocks: int = option(
        1,
        "The shortest random portion.",
        BLOCKS,
        name="least-portion",
        rare=True,
        only_for=Runs.PATTERN,
    )
    computation: Computation = Computation.NONE
    compute_mean_ns: int = option(
        0,
        "Computation after each record: none, constant:TIME, exponential:TIME, or TIME for that.",
        COMPUTE,
        name="compute",
        changes=_computing,
        only_for=Runs.PATTERN,
    )
    burst: int = option(
        1,
        "Records that each process issues back to back before computing. Of self-scheduled"
        " records as many for each process are taken together, then all compute.",
        COUNT,
        rare=True,
        needs=["--compute"],
        only_for=Runs.PATTERN,
    )
    seed: int = option(1, "The same seed makes the same program.", COUNT)

    def __post_init__(self) -> None:
        check_rules([self])
        self._check_sizes()
        self._check_portions()
        self._check_extent()
        if (self.computation is Computation.NONE) != (self.compute_mean_ns == 0):
            raise UsageError(f"computation {self.computation} and a mean of {self.compute_mean_ns} ns")
        if self.compute_mean_ns < 0 or self.compute_mean_ns > 10**15:
            raise UsageError(f"compute_mean_ns is {self.compute_mean_ns}, not from 0 to 10^15 ns")
        if self.burst < 1:
            raise UsageError(f"a burst is at least 1 record, not {self.burst}")
        if self.seed < 0:
            raise UsageError(f"seed is {self.seed}: a whole number from 0")

    def _check_sizes(self) -> None:
        for name in ("processes", "block_bytes", "blocks_per_process"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}: at least 1")
        if not 0 < self.record_blocks < math.inf:
            raise UsageError(f"record_blocks is {self.record_blocks:g}: a number above 0")
        if self.exact_record_bytes < 1:
            raise UsageError(
                f"a record of {self.record_blocks:g} blocks of {self.block_bytes} bytes is shorter than a byte"
            )
        if self.record_bytes > self.bytes_per_process:
            raise UsageError(
                f"a record of {self.record_bytes} bytes is longer than each process's {self.bytes_per_process}"
            )
        if self.processes > 1_000_000 or self.total_blocks * self.block_bytes > LARGEST_BYTES:
            raise UsageError("at most a million processes and 2^60 bytes")
        if self.processes * (self.bytes_per_process // self.record_bytes) > MOST_RECORDS:
            raise UsageError(f"at most {MOST_RECORDS:,} records, made in memory")

    def _check_portions(self) -> None:
        pattern = self.pattern
        if not (pattern.has_fixed_portions or pattern.has_random_portions):
            if self.portion_blocks is not None:
                raise UsageError(f"pattern {pattern} has no portions to give a length")
        elif self.portion_length_blocks < 1:
            raise UsageError(f"portion_blocks is {self.portion_blocks}: at least 1")
        elif self.portion_length_blocks * self.block_bytes < self.record_bytes:
            raise UsageError(
                f"portions of {self.portion_length_blocks} blocks are shorter than a record of {self.record_blocks:g}"
            )
        if self.gap_blocks is not None and not pattern.has_fixed_portions:
            raise UsageError(f"pattern {pattern} has no gaps: its portions are not fixed")
        if self.gap_length_blocks < 0:
            raise UsageError(f"gap_blocks is {self.gap_blocks}: at least 0")
        if not pattern.has_random_portions and self.least_portion_blocks != 1:
            raise UsageError(
                f"least_portion_blocks is {self.least_portion_blocks}: pattern {pattern} has no random portions"
            )
        if pattern.has_random_portions and not 1 <= self.least_portion_blocks <= self.portion_length_blocks:
            raise UsageError(
                f"least_portion_blocks is {self.least_portion_blocks}, not from 1 to the mean,"
                f" {self.portion_length_blocks}"
            )

    def _check_extent(self) -> None:
        if self.needed_blocks * self.block_bytes > LARGEST_BYTES:
            raise UsageError("the pattern reaches beyond 2^60 bytes")
        if self.file_blocks is None:
            return
        if self.file_blocks < self.needed_blocks:
            raise UsageError(
                f"pattern {self.pattern} is longer than the file: it needs {self.needed_blocks:,} blocks,"
                f" not {self.file_blocks:,}"
            )
        if self.file_blocks * self.block_bytes > LARGEST_BYTES:
            raise UsageError("the file is longer than 2^60 bytes")

    @property
    def does(self) -> Operation:
        """The operation, the pattern's own where none is given."""
        default = Operation.WRITE if self.pattern is Pattern.LW1 else Operation.READ
        return default if self.operation is None else self.operation

    @property
    def exact_record_bytes(self) -> float:
        """A record's length in bytes, which need not be whole."""
        return self.record_blocks * self.block_bytes

    @property
    def record_bytes(self) -> int:
        """The same, rounded; records of a length that is not whole have this many bytes or one more or less."""
        return round(self.exact_record_bytes)

    @property
    def bytes_per_process(self) -> int:
        """The bytes that each process accesses."""
        return self.blocks_per_process * self.block_bytes

    @property
    def total_blocks(self) -> int:
        """The blocks that all processes access together."""
        return self.processes * self.blocks_per_process

    @property
    def sharers(self) -> int:
        """How many access a portion together."""
        return self.processes if self.pattern.is_global else 1

    @property
    def portion_length_blocks(self) -> int:
        """The length of fixed portions, the mean of random ones."""
        if self.portion_blocks is not None:
            return self.portion_blocks
        if self.pattern is Pattern.LFP:
            return min(11, self.blocks_per_process)
        share = self.total_blocks if self.pattern.is_global else self.blocks_per_process
        if self.pattern is Pattern.GRP:
            return min(20 * self.processes, -(-share // 2))
        return min(10 * self.sharers, -(-share // 2) if self.pattern.has_random_portions else share)

    @property
    def largest_portion_blocks(self) -> int:
        """The longest random portion."""
        return 2 * self.portion_length_blocks - self.least_portion_blocks

    @property
    def gap_length_blocks(self) -> int:
        """Blocks between fixed portions."""
        if self.gap_blocks is not None:
            return self.gap_blocks
        return self.portion_length_blocks if self.pattern is Pattern.GFP else 0

    @property
    def needed_blocks(self) -> int:
        """The shortest file on which the pattern fits."""
        if self.pattern is Pattern.LW:
            return self.blocks_per_process
        if self.pattern.has_random_portions:
            return self.largest_portion_blocks
        if self.pattern is Pattern.RND:
            return -(-self.record_bytes // self.block_bytes)
        if not self.pattern.has_fixed_portions:
            return self.total_blocks
        turns = self.processes // self.sharers
        share = self.blocks_per_process * self.sharers
        length, gap = self.portion_length_blocks, self.gap_length_blocks
        whole, rest = divmod(share - 1, length)
        return (whole * turns + turns - 1) * (length + gap) + rest + 1

    @property
    def extent_blocks(self) -> int:
        """The file's blocks over which the pattern spreads."""
        if self.file_blocks is not None:
            return self.file_blocks
        if self.pattern.has_random_portions or self.pattern is Pattern.RND:
            return max(self.needed_blocks, self.total_blocks)
        return self.needed_blocks
