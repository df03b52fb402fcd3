"""The memories of a cache of which a part is non-volatile, and when it writes dirty blocks to the disk."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.option import SIZE, TIME, check, option, word_of

WRITE_POLICIES = tuple(native.nonvolatile_write_policies())
TIMED = ("periodic", "deadline")
"""The write policies that need a trace with time stamps."""


def _without_interval(settings: "Settings") -> str | None:
    return None if settings.write_policy in TIMED else f"with --write-policy {settings.write_policy}"


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

    Raises UsageError for settings that make no sense.
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
        "For periodic and deadline.",
        TIME,
        name="interval",
        least=1,
        no_effect=_without_interval,
    )

    def __post_init__(self) -> None:
        check(self)

    def blocks(self, block_bytes: int) -> tuple[int, int]:
        """Return how many blocks the volatile and the non-volatile memory hold.

        Raises UsageError for a memory of less than one block, or both together of 2^32.
        """
        for size in (self.volatile_bytes, self.nonvolatile_bytes):
            if 0 < size < block_bytes:
                raise UsageError(
                    f"a memory of {size} bytes is less than one block of {block_bytes} bytes; it has at least one"
                    " block, or none"
                )
        volatile, nonvolatile = self.volatile_bytes // block_bytes, self.nonvolatile_bytes // block_bytes
        if volatile + nonvolatile >= 2**32:
            raise UsageError(f"memories are less than 2^32 blocks of {block_bytes} bytes together")
        return volatile, nonvolatile


def possible(settings: Iterable[Settings], times: Mapping[str, Any]) -> list[Settings]:
    """Return settings, without those that need times for a trace that has none by its manifest's ``times``."""
    timed = times.get("resolution_ns") is not None
    return [setting for setting in settings if timed or setting.write_policy not in TIMED]
