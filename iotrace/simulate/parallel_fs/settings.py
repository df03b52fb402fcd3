"""Settings of a parallel file system: Kotz and Ellis (1991), sections 3.1, 3.3 and 4.1, and beyond."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.generate.patterns import settings as patterns
from iotrace.option import (
    BLOCKS,
    COUNT,
    FLAG,
    NAME,
    SIZE,
    TIME,
    Kind,
    Option,
    check,
    choice,
    option,
    optional,
    options,
    word_of,
)
from iotrace.option.rules import Runs
from iotrace.simulate import sweep
from iotrace.simulate.parallel_fs.overheads import ZERO, preset

WORDS = native.parallel_words()
"""The words of what the engine decides, by setting; they are declared and explained in the engine's settings."""
POLICIES = tuple(WORDS["policy"])

LIMITS = native.parallel_limits()
"""The largest numbers that the engine takes, by setting."""
LARGEST_BLOCK = 1 << 40
LONGEST_SERVICE_NS = 3600 * 10**9
TOO_FEW_BUFFERS = (
    "{buffers} buffers are fewer than {processes} processes: the policy needs one buffer a process; give --buffers"
    " {processes} or more, or 0 for no cache"
)

BUFFERS_PER_PROCESS = 4
"""80 of them for 20 processes, the paper's base (section 4.1)."""


def _policy(text: str) -> str:
    """Read a write policy: ``WriteBack``, ``writeback``, ``write-back``, ``back``."""
    word = text.strip().lower().replace("-", "").removeprefix("write")
    for known in POLICIES:
        if word in (known.lower().removeprefix("write"), {"WriteThru": "through"}.get(known)):
            return known
    raise UsageError(f"{text.strip()!r} is not a write policy: {', '.join(POLICIES)}")


POLICY = Kind("POLICY", _policy, str, is_number=False, words={word: word for word in POLICIES})


NO_CACHE = ["--no-cache", "--buffers 0"]


@dataclass(frozen=True)
class Settings:
    """One file system, and the pattern that runs on it; the defaults are the paper's base parameters (section 4.1).

    Files are interleaved over the disks, ``stripe_blocks`` blocks of ``block_bytes`` at a time, from disk 0 on or, with
    ``first_disk`` ``file``, from the disk of the file's number. Each disk serves its requests in their order, each in
    ``service_ns``, or as a ``drive`` of the library does (then seeks and rotation count).

    ``buffers`` is the size of a cache in blocks; 0: no cache, and None four for each process, 80 of them for the
    paper's 20. Each file has a cache of its own (3.3: a cache is of one open file), in which each process keeps a block
    until it ends; with ``shared_cache`` all files have one together. ``block_bytes`` None is the workload's. ``policy``
    says when a dirty buffer is written to
    disk (3.3): at each write request (WriteThru), when its buffer is needed for another block (WriteBack), when no
    process has it as its most recently used block any more (WriteFree), when as many bytes have been written to it as
    it holds (WriteFull). ``replacement`` toss is the paper's: each process keeps its most recently used block, and of
    the others the one that has been so the longest is taken; lru and fifo keep nothing for anyone, and take what was
    not used, or was brought in, the longest ago. ``prefetch`` reads ahead in portions, which are runs of contiguous
    records of a process, or of the shared list: one block (one-block), or all of the portion as buffers allow.

    A buffer that is being written may be written to, and is dirty again; without ``writes_while_writing`` the process
    waits for the disk. Where WriteFull's buffers do not get full, each process that waits for a buffer has a dirty one
    written. A file starts empty, so that the first partial write of a block need not read it, unless the block was read
    before; with ``files_exist`` it must. ``jitter_ns`` is drawn, ± 50 %, before each record: without it processes run
    in step, which real ones do not. ``overheads`` names a preset of delays (`.overheads`) or a
    file of them.

    Of those who wait for a buffer, any one looks when there may be one (``claim_order`` random), the one that has
    waited the longest (fifo) or the shortest (lifo), or the one with the lowest number (lowest). The paper does not
    say; with fifo processes that write segments stay in step and wait for the same disks. ``iotrace paper kotz
    --readings`` has what rests on it. If it gets one the next looks, until one gets none: another whose block came
    meanwhile waits until it is its turn. Nor does the paper say that; it matters where processes share blocks.

    ``pattern`` is what runs, instead of the workload; None if that is a trace. Raises UsageError for invalid
    settings.
    """

    disks: int = option(
        20,
        "The number of disks over which files are striped.",
        COUNT,
        also=("-d",),
        least=1,
        most=LIMITS["disks"],
    )
    buffers: int | None = option(
        None,
        f"Buffers of each file's cache, 0 for no cache; by default {BUFFERS_PER_PROCESS} a process.",
        COUNT,
        also=("-b",),
        least=0,
        most=LIMITS["buffers"],
    )
    shared_cache: bool = option(
        False,
        "One cache for all files, not one each.",
        FLAG,
        conflicts=NO_CACHE,
        only_for=Runs.TRACE,
    )
    policy: str = option(
        "WriteBack",
        f"When dirty buffers are written: {', '.join(POLICIES)}.",
        POLICY,
        conflicts=NO_CACHE,
    )
    block_bytes: int | None = option(
        None,
        "A block's length; 1K for patterns, 4K for traces.",
        SIZE,
        name="block",
        least=1,
        most=LARGEST_BLOCK,
    )
    stripe_blocks: int = option(
        1,
        "Stripe unit, in blocks.",
        BLOCKS,
        name="stripe",
        least=1,
        most=LARGEST_BLOCK,
        rare=True,
    )
    first_disk: str = option(
        "zero",
        "Where a file begins: disk zero, or the disk of the file's number.",
        word_of(WORDS["first_disk"]),
        rare=True,
    )
    service_ns: int = option(
        30_000_000,
        "The time that a constant disk takes for a block.",
        TIME,
        name="service",
        least=1,
        most=LONGEST_SERVICE_NS,
        conflicts={"--disk": "a drive has its own service times"},
    )
    drive: str | None = option(
        None,
        "constant, or a drive (ra81, hp-97560, ..., NAME.toml), which seeks and rotates.",
        optional(NAME, "constant"),
        name="disk",
    )
    replacement: str = option(
        "toss",
        "Which buffer is taken: toss is the paper's.",
        word_of(WORDS["replacement"]),
        conflicts=NO_CACHE,
        rare=True,
    )
    prefetch: str = option("none", "What to read ahead.", word_of(WORDS["prefetch"]), conflicts=NO_CACHE)
    writes_while_writing: bool = option(
        True,
        "Whether a write into a buffer that is being written to disk proceeds or waits.",
        choice(write=True, wait=False),
        name="while-writing",
        conflicts=NO_CACHE,
        rare=True,
    )
    files_exist: bool = option(
        False, "Partial writes of a block read it first, from the start.", FLAG, rare=True
    )
    claim_order: str = option(
        "random",
        "Which waiting process gets a free buffer.",
        word_of(WORDS["claim_order"]),
        conflicts=NO_CACHE,
    )
    overheads: str = option(
        ZERO, "zero, rapid-transit (fitted to the paper), or a file NAME.toml.", NAME, rare=True
    )
    jitter_ns: int = option(
        10_000,
        "Random delay before each record, ± 50 %, to avoid lockstep.",
        TIME,
        name="jitter",
        least=0,
        most=LONGEST_SERVICE_NS,
        rare=True,
    )
    pattern: patterns.Settings | None = None
    swept: str | None = None
    """The values that a sweep set here, in words."""

    def __post_init__(self) -> None:
        check(self)
        preset(self.overheads)

    def fitting(self, processes: int, block_bytes: int) -> "Settings":
        """Return settings whose buffers and blocks are those for a workload, where they are None.

        Raises UsageError if there are more processes than can run: each keeps a buffer.
        """
        fitted = replace(
            self,
            buffers=BUFFERS_PER_PROCESS * processes if self.buffers is None else self.buffers,
            block_bytes=block_bytes if self.block_bytes is None else self.block_bytes,
        )
        if 0 < (fitted.buffers or 0) < processes:
            raise UsageError(TOO_FEW_BUFFERS.format(buffers=f"{fitted.buffers:,}", processes=processes))
        return fitted


@dataclass(frozen=True)
class Trials:
    """How often each case runs: with the seeds from ``seed`` on."""

    trials: int = option(5, "Number of runs; each uses its own seed.", COUNT, least=1, most=1000, rare=True)
    seed: int = option(1, "The first run's seed.", COUNT, least=0, most=(1 << 63) - 1, rare=True)

    def __post_init__(self) -> None:
        check(self)


OF_PATTERNS = tuple(
    entry for entry in options(patterns.Settings) if entry.field not in ("block_bytes", "seed")
)
KNOWN = (*options(Settings), *OF_PATTERNS)
"""The options that can be swept; a pattern's blocks are the file system's."""


def swept_fields(sweeps: Sequence[str]) -> set[str]:
    """Return the fields of settings, and of their pattern, that sweeps vary."""
    return {option.field for option in next(iter(sweep.combinations(sweeps, KNOWN)), {})}


def varied(settings: Settings, sweeps: Sequence[str]) -> list[Settings]:
    """Return settings, and their pattern, with every combination of values; the first name varies slowest.

    Raises UsageError for an invalid sweep, and for one of a pattern's option without a pattern.
    """
    return sweep.varied(settings, sweeps, known=KNOWN, vary=_vary)


def _vary(settings: Settings, values: Mapping[Option, Any]) -> Settings:
    changed, pattern = sweep.changed(settings, values), settings.pattern
    of_patterns = {swept: value for swept, value in values.items() if swept in OF_PATTERNS}
    if pattern is not None:
        pattern = sweep.changed(
            replace(pattern, block_bytes=changed.block_bytes or pattern.block_bytes), of_patterns
        )
    elif of_patterns:
        name = next(iter(of_patterns)).name
        raise UsageError(f"--sweep {name}: is for patterns, not for traces")
    return replace(changed, pattern=pattern, swept=sweep.in_words(values) or None)
