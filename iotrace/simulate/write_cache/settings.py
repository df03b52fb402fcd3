"""Settings of a controller's caches: the policies of Biswas, Ramakrishnan and Towsley (1993), and later ones.

The defaults are a controller of today; the paper's are in iotrace/papers/biswas/data/tables.toml.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.option import COUNT, PERCENT, RATIO, SIZE, check, option, options, word_of

BLOCK_BYTES = 512
"""The simulation is at the level of disk blocks (3.2)."""
LARGEST_BYTES = (BLOCK_BYTES << 31) - 1

WORDS = native.write_cache_words()
"""The words of what the engine decides, by setting; they are declared and explained in the engine's settings."""


SINGLE = {"--single": "it replaces both caches"}
DYNAMIC = ["--purge dynamic"]
NO_WRITE_CACHE = ["--write-cache 0"]
NO_THRESHOLDS = ["--purge full", "--purge asap", "--search thresholds", *NO_WRITE_CACHE]


@dataclass(frozen=True)
class Settings:
    """One controller: its caches, and when, what and with what it writes.

    Sizes are in bytes, rounded down to blocks, for all disks together. ``purge`` says when dirty blocks are written
    while no write waits for space: ``full`` never (write behind, 2.1); ``one-threshold`` on an idle disk from when
    more than ``high_percent`` of the cache is dirty until less is, ``two-thresholds`` until less than ``low_percent``
    is (2.2); ``asap`` whenever the disk is idle; ``linear`` on an idle disk, the nearest unit, if it is no farther
    than a part of all cylinders that grows linearly from none at the low threshold to all at the high one (our reading
    of linear threshold scheduling, Varma and Jacobson 1998); ``dynamic`` as two-thresholds, which after each
    ``interval`` reads and writes become the share of blocks written in it and ``low_share`` of that (4.7; for the
    single cache only). Thresholds act when exceeded, so a high one of 100 % never does. When a write finds no space,
    one unit after the other is purged at once, in the queue's order, until there is. ``admission``: it enters as a
    ``whole``, when all of it fits, and later ones behind it. Or, in the paper, by ``blocks``: it takes what each purge
    frees, since purging is discontinued "as soon as there are any free buffers" (2.2), and as only that gives table
    4.2's many writes at a high threshold of 100 % (printed 42 to 68 %; on made traces of these loads 43 to 71 %,
    against 16 to 32 % for whole writes); large writes are thereby cut to pieces, each of which may become the next
    purge, so that W_wc can pass 100 %.

    ``unit`` is what a purge writes, and where a read may take blocks along: the track (embedded servo) or the cylinder
    (dedicated servo). ``piggyback``: none; ``free``, what passes before the read begins; ``full``, that and then the
    rest of each unit that the read visits, from the last unit back, before the read ends (2.3). ``victim``: which unit
    is purged; the engine's `Victim` says how each is chosen. ``write_effect`` is on copies in the read cache (2.3).

    ``forced`` says where writes that must be on stable storage (FUA) go: the cache that takes them is
    (``cached``), or they go straight to the disk (``through``).

    With ``single_cache_bytes`` there is one non-volatile LRU cache for reads and writes (4.7) and the other sizes do
    not count. Raises UsageError for invalid settings.
    """

    read_cache_bytes: int = option(
        128 << 20,
        "The volatile read cache.",
        SIZE,
        name="read-cache",
        least=0,
        most=LARGEST_BYTES,
        conflicts=SINGLE,
    )
    write_cache_bytes: int = option(
        256 << 20,
        "The non-volatile write cache; 0 for none.",
        SIZE,
        name="write-cache",
        least=0,
        most=LARGEST_BYTES,
        conflicts=SINGLE,
    )
    single_cache_bytes: int | None = option(
        None,
        "One non-volatile cache for reads and writes instead.",
        SIZE,
        name="single",
        least=0,
        most=LARGEST_BYTES,
    )
    sharing: str = option(
        "common",
        "Whether several disks share the caches or have equal parts.",
        word_of(WORDS["sharing"]),
        rare=True,
    )
    purge: str = option(
        "two-thresholds",
        "When dirty blocks are written before a write has to wait for space.",
        word_of(WORDS["purge"]),
        conflicts=NO_WRITE_CACHE,
    )
    high_percent: float = option(
        95.0,
        "High watermark: above this share of dirty blocks an idle disk purges (WC-HILIM).",
        PERCENT,
        name="hilim",
        least=0,
        most=100,
        conflicts=NO_THRESHOLDS,
    )
    low_percent: float = option(
        40.0,
        "Low watermark: below this share of dirty blocks it stops (WC-LOLIM).",
        PERCENT,
        name="lolim",
        least=0,
        most=100,
        conflicts=["--purge one-threshold", *NO_THRESHOLDS],
    )
    interval: int = option(
        10_000,
        "After how many requests dynamic thresholds change.",
        COUNT,
        least=1,
        needs=DYNAMIC,
        rare=True,
    )
    low_share: float = option(
        0.4,
        "The low threshold over the high one.",
        RATIO,
        least=0,
        most=1,
        needs=DYNAMIC,
        rare=True,
    )
    unit: str = option(
        "track", "The unit of purges and piggybacking: a track or a cylinder.", word_of(WORDS["unit"])
    )
    piggyback: str = option(
        "none", "Which dirty blocks are written along with a read.", word_of(WORDS["piggyback"])
    )
    victim: str = option("most-dirty", "Which unit is purged.", word_of(WORDS["victim"]))
    write_effect: str = option(
        "purge",
        "What a write does to copies in the read cache.",
        word_of(WORDS["write_effect"]),
        conflicts=SINGLE,
        rare=True,
    )
    admission: str = option(
        "whole",
        "How a write enters a cache full of dirty blocks: when all of it fits, or block by block (the paper).",
        word_of(WORDS["admission"]),
        rare=True,
    )
    forced: str = option(
        "cached",
        "Forced writes (FUA): into the write cache, which is non-volatile, or straight to the disk.",
        word_of(WORDS["forced"]),
        rare=True,
    )
    queue: str = option(
        "fifo", "The order in which a disk serves requests.", word_of(WORDS["queue"]), rare=True
    )

    def __post_init__(self) -> None:
        check(self)
        if 0 < self.write_cache_bytes < BLOCK_BYTES:
            raise UsageError(
                f"--write-cache is {self.write_cache_bytes}: at least a block of {BLOCK_BYTES} bytes, or 0"
            )
        if self.low_percent > self.high_percent and self.purge in ("two-thresholds", "linear", "dynamic"):
            raise UsageError(
                f"the low threshold, {self.low_percent:g} %, is above the high one, {self.high_percent:g} %"
            )
        if self.purge == "dynamic" and not self.is_single:
            raise UsageError("--purge dynamic needs --single: it is for one cache for reads and writes")

    @property
    def is_single(self) -> bool:
        """Whether one cache is for reads and writes."""
        return self.single_cache_bytes is not None

    @property
    def has_write_cache(self) -> bool:
        """Whether the cache can hold a dirty block."""
        return self.is_single or self.write_cache_bytes > 0


def for_engine(settings: Settings, disks: int, replay: str) -> dict[str, Any]:
    """Return settings as the engine reads them, with the memories in blocks."""
    given = {option.field: getattr(settings, option.field) for option in options(Settings)}
    read, write, single = (given.pop(f"{kind}_cache_bytes") for kind in ("read", "write", "single"))
    memories: dict[str, dict[str, int]] = {
        "separate": {"read": read // BLOCK_BYTES, "write": write // BLOCK_BYTES}
    }
    if single is not None:
        memories = {"single": {"blocks": single // BLOCK_BYTES}}
    return given | {"memories": memories, "disks": disks, "replay": replay}
