"""What can be chosen of a parallel file system: Kotz and Ellis (1991), sections 3.1, 3.3 and 4.1, and beyond."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

from iotrace.errors import UsageError
from iotrace.simulate.parallel_fs.overheads import ZERO, preset

Policy = Literal["WriteThru", "WriteBack", "WriteFree", "WriteFull"]
Replacement = Literal["toss", "lru", "fifo"]
Prefetch = Literal["none", "one-block", "portion"]
FirstDisk = Literal["zero", "file"]
ClaimOrder = Literal["random", "fifo"]
POLICIES: tuple[Policy, ...] = get_args(Policy)

MOST_DISKS = 1_000_000
MOST_BUFFERS = 100_000_000
LARGEST_BLOCK = 1 << 40
LONGEST_SERVICE_NS = 3600 * 10**9
TOO_FEW_BUFFERS = (
    "{buffers} buffers are fewer than {processes} processes: the policy needs one buffer a process; give --buffers"
    " {processes} or more, or 0 for no cache"
)


@dataclass(frozen=True)
class Settings:
    """One file system; the defaults are the paper's base parameters (section 4.1).

    Files are interleaved over the disks, ``stripe_blocks`` blocks of ``block_bytes`` at a time, from disk 0 on or, with
    ``first_disk`` ``file``, from the disk of the file's number. Each disk serves its requests in their order, each in
    ``service_ns``, or as a ``drive`` of the library does (then seeks and rotation count).

    ``buffers`` is the size of the cache in blocks; 0 is no cache. ``policy`` says when a dirty buffer is written to
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

    Of those who wait for a buffer, any one looks when there may be one (``claim_order`` random), or the one that has
    waited the longest (fifo; the paper does not say, and with it processes that write segments stay in step and wait
    for the same disks, 12.4 s where the paper prints 7.2). If it gets one the next looks, until one gets none: another
    whose block came meanwhile waits until it is its turn. Nor does the paper say that; were they to see it at once, one
    calibrated cell of its tables would be another, gw's cached writes of quarter blocks, 8.1 s in the place of 8.9
    (printed 8.7), and no verdict on its findings.

    Raises UsageError for settings that make no sense.
    """

    disks: int = 20
    buffers: int = 80
    policy: Policy = "WriteBack"
    block_bytes: int = 1024
    stripe_blocks: int = 1
    first_disk: FirstDisk = "zero"
    service_ns: int = 30_000_000
    drive: str | None = None
    replacement: Replacement = "toss"
    prefetch: Prefetch = "none"
    writes_while_writing: bool = True
    files_exist: bool = False
    jitter_ns: int = 10_000
    overheads: str = ZERO
    claim_order: ClaimOrder = "random"

    def __post_init__(self) -> None:
        self._check_words()
        ranges = {
            "disks": (1, MOST_DISKS),
            "buffers": (0, MOST_BUFFERS),
            "block_bytes": (1, LARGEST_BLOCK),
            "stripe_blocks": (1, LARGEST_BLOCK),
            "service_ns": (1, LONGEST_SERVICE_NS),
            "jitter_ns": (0, LONGEST_SERVICE_NS),
        }
        for name, (least, most) in ranges.items():
            if not least <= getattr(self, name) <= most:
                unit = next((unit for unit in (" bytes", " ns") if name.endswith(f"_{unit[1:]}")), "")
                raise UsageError(f"{name}: {getattr(self, name):,} is not from {least:,} to {most:,}{unit}")
        preset(self.overheads)
        if not self.buffers and self.prefetch != "none":
            raise UsageError("without a cache there is no buffer to prefetch into")

    def _check_words(self) -> None:
        for name, hint in get_type_hints(type(self)).items():
            words, given = get_args(hint), getattr(self, name)
            if words and isinstance(words[0], str) and given not in words:
                raise UsageError(f"{name.replace('_', '-')} is {', '.join(words)}, not {given!r}")

    def check_processes(self, processes: int) -> None:
        """Raise UsageError where so many processes cannot run: each keeps a buffer."""
        if 0 < self.buffers < processes:
            raise UsageError(TOO_FEW_BUFFERS.format(buffers=f"{self.buffers:,}", processes=processes))


def described(settings: Settings) -> dict[str, Any]:
    """Return settings as columns of a result: what has no meaning with the others is None."""
    columns = {one.name: getattr(settings, one.name) for one in fields(settings)}
    if not settings.buffers:
        columns |= dict.fromkeys(("policy", "replacement", "prefetch", "claim_order", "writes_while_writing"))
    if settings.drive is not None:
        columns["service_ns"] = None
    return columns
