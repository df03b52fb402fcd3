"""The memories of a cache of which a part is non-volatile, and when it writes dirty blocks to the disk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.option import SIZE, TIME, Kind, check, option, word_of

MOST_BLOCKS = native.cache_limits()["blocks"]
WRITE_POLICIES = tuple(native.nonvolatile_write_policies())
TIMED = ("periodic", "deadline")
"""The write policies that need a trace with time stamps."""


VOLATILE = ["--volatile 0"]
DATA = Kind("temporary|SQL", str.strip, str, is_number=False)


@dataclass(frozen=True)
class Settings:
    """One cache: its memories, rounded down to blocks, and what happens to dirty blocks in the volatile one.

    Each cache is LRU over all its memory and misses as such. The blocks written last, as many as fit, are in the
    non-volatile part, safe; when it is full, the one whose last write is the oldest moves to the volatile part, still
    dirty. There the ``write_policy`` (1.2) says when it is written to the disk: copy-back when it is expelled;
    write-through at once, and it stays, clean; periodic with all others at each multiple of ``interval_ns`` from the
    trace's start; deadline when it has been at risk for ``interval_ns``. That the newest writes are the safe ones, and
    that only those are kept there, is a choice: the dissertation leaves it open. Without non-volatile memory this is
    an ordinary volatile cache; all of it non-volatile, under copy-back, is the dissertation's.

    Data that ``may_be_lost`` (a write attribute, 6.2.3) stay in the volatile part, unsecured, until they are expelled:
    neither the write policy nor a sync writes them. Where the volatile part is full of dirty blocks, they are treated
    as all others. Each running process takes ``process_memory_bytes`` of the volatile memory, so that the cache
    shrinks and grows with what the workload needs (6.2.3, dynamic allocation); it expels what no longer fits.

    Raises UsageError for invalid settings.
    """

    write_policy: str = option(
        "copy-back",
        f"When dirty blocks in volatile memory are written: {', '.join(WRITE_POLICIES)}.",
        word_of(WRITE_POLICIES),
        several=WRITE_POLICIES,
    )
    volatile_bytes: int = option(
        16 << 20, "Sizes of the volatile memory.", SIZE, name="volatile", several=(1 << 20, 16 << 20)
    )
    nonvolatile_bytes: int = option(
        0, "Sizes of the non-volatile memory.", SIZE, name="nonvolatile", several=(0, 256 << 10, 1 << 20)
    )
    interval_ns: int = option(
        30 * 10**9,
        "The time after which dirty blocks are written.",
        TIME,
        name="interval",
        least=1,
        needs=[f"--write-policy {' or '.join(TIMED)}"],
    )
    may_be_lost: str | None = option(
        None,
        "Data that stay in volatile memory, unsecured: temporary (of files that the trace creates and deletes, which is"
        " known only afterwards), or an SQL condition over reference, file and process. Shown next to rows without.",
        DATA,
        conflicts=VOLATILE,
    )
    process_memory_bytes: int = option(
        0,
        "Volatile memory that each running process takes from the cache.",
        SIZE,
        name="process-memory",
        least=0,
        conflicts=VOLATILE,
    )

    def __post_init__(self) -> None:
        check(self)
        if self.may_be_lost == "":
            raise UsageError("may_be_lost is empty")

    def blocks(self, block_bytes: int) -> tuple[int, int]:
        """Return how many blocks the volatile and the non-volatile memory hold.

        Raises UsageError for a memory of less than one block, or both together of too many.
        """
        for size in (self.volatile_bytes, self.nonvolatile_bytes):
            if 0 < size < block_bytes:
                raise UsageError(
                    f"a memory of {size} bytes is less than one block of {block_bytes} bytes; it has at least one"
                    " block, or none"
                )
        volatile, nonvolatile = self.volatile_bytes // block_bytes, self.nonvolatile_bytes // block_bytes
        if volatile + nonvolatile > MOST_BLOCKS:
            raise UsageError(
                f"both memories together have at most {MOST_BLOCKS:,} blocks of {block_bytes} bytes"
            )
        return volatile, nonvolatile

    def process_blocks(self, block_bytes: int) -> int:
        """Return the blocks that each process takes, rounded up; more than there are is as good as all."""
        return min(-(-self.process_memory_bytes // block_bytes), MOST_BLOCKS)


def compared(settings: Iterable[Settings]) -> list[Settings]:
    """Return settings, before each that has data that may be lost the same without."""
    pairs = ((replace(setting, may_be_lost=None), setting) for setting in settings)
    return list(dict.fromkeys(setting for pair in pairs for setting in pair if _differs(setting)))


def _differs(setting: Settings) -> bool:
    return setting.may_be_lost is None or setting.volatile_bytes > 0


def condition_of(settings: Iterable[Settings]) -> str | None:
    """Return which data may be lost in settings; raises UsageError where that differs between them."""
    conditions = sorted({setting.may_be_lost for setting in settings if setting.may_be_lost is not None})
    if len(conditions) > 1:
        raise UsageError("may_be_lost has one value at a time")
    return conditions[0] if conditions else None


def possible(settings: Iterable[Settings], times: Mapping[str, Any]) -> list[Settings]:
    """Return settings, without those that need times for a trace that has none by its manifest's ``times``."""
    timed = times.get("resolution_ns") is not None
    return [setting for setting in settings if timed or setting.write_policy not in TIMED]
