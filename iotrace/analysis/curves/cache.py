"""Settings of a simulated cache, and how many blocks a size in bytes holds."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from iotrace.analysis.curves.device import SSD, named
from iotrace.analysis.curves.passes import settings_read
from iotrace.engine.native import StackEngine, cache_limits
from iotrace.errors import UsageError

WritePolicy = Literal["allocate", "no-allocate", "data-overwrite"]
Deletes = Literal["honour", "ignore"]
Syncs = Literal["honour", "ignore"]

PAPER_MODEL = "1994"
"""The file-system model whose caches ignore syncs, as those of the paper do."""


def usual_syncs(model: str | None) -> Syncs:
    """Return what syncs do in caches for references of a file-system model, where nothing else is asked for."""
    return "ignore" if model == PAPER_MODEL else "honour"


LIMITS = cache_limits()
"""The most blocks of a cache, and the largest block, that the engine takes."""
_PRICES = ("overhead_ms", "transfer_ms_per_kb")


@dataclass(frozen=True)
class Cache:
    """A fully associative LRU cache except for its size, and the disk behind it; see
    `iotrace.analysis.curves.curve`."""

    block_bytes: int = 4096
    write_policy: WritePolicy = "allocate"
    deletes: Deletes = "honour"
    syncs: Syncs = "ignore"
    overhead_ms: float = SSD.overhead_ms
    transfer_ms_per_kb: float = SSD.transfer_ms_per_kb
    warm_up_requests: int = 0
    warm_up_ns: int | None = None
    inodes_per_block: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.block_bytes <= LIMITS["block_bytes"]:
            raise UsageError(f"the block size is 1 byte to 4 GB, not {self.block_bytes} bytes")
        if not (0 <= self.overhead_ms < 1e9 and 0 <= self.transfer_ms_per_kb < 1e9):
            raise UsageError("overhead and transfer time are milliseconds, 0 or more")

    @property
    def has_warm_up(self) -> bool:
        """Whether what comes first only warms it."""
        return self.warm_up_requests > 0 or self.warm_up_ns is not None

    def engine(self) -> StackEngine:
        """Return a new engine for it; raises UsageError for invalid settings."""
        with settings_read():
            return StackEngine(self.for_engine())

    def for_engine(self) -> str:
        """Return it as the engine reads it, in JSON; the disk's times are given at the end (`pricing`)."""
        given = {name: value for name, value in vars(self).items() if name not in _PRICES}
        return json.dumps(given, default=int)  # numbers of NumPy

    @property
    def device(self) -> str:
        """The label of the disk's times: the preset that has its costs, or ``as given``."""
        return named(self.overhead_ms, self.transfer_ms_per_kb)

    def pricing(self) -> dict[str, int]:
        """Return the disk's times in nanoseconds, as the engine takes them."""
        transfer_ns_per_kb = round(self.transfer_ms_per_kb * 1e6)
        return {"overhead_ns": round(self.overhead_ms * 1e6), "transfer_ns_per_kb": transfer_ns_per_kb}

    def sizes_blocks(self, sizes_bytes: Sequence[int]) -> list[int]:
        """Round sizes down to blocks; raises UsageError for one of less than a block or too many."""
        sizes = [size // self.block_bytes for size in sizes_bytes]
        for size, blocks in zip(sizes_bytes, sizes, strict=True):
            if blocks < 1:
                raise UsageError(
                    f"a cache of {size} bytes is less than one block of {self.block_bytes} bytes"
                )
            if blocks > LIMITS["blocks"]:
                raise UsageError(
                    f"a cache of {size} bytes is more than {LIMITS['blocks']:,} blocks of {self.block_bytes} bytes"
                )
        return sizes
