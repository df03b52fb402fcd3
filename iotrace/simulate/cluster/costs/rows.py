"""The rows of tables 1 and 2: the ways that a request can take through the levels of caching."""

from enum import StrEnum

KB = 1024
BLOCK_BYTES = 4 * KB
"""The block of both caches (section 3.2)."""
STRIPE_BYTES = 32 * KB
"""The bytes that one daemon holds before the next one follows (section 3.3)."""
SIZES_KB = (4, 8, 16, 32, 64, 128, 256)
"""The sizes of requests that the tables have."""
IODS = (1, 2, 3, 4)
"""The numbers of I/O daemons that the tables have."""


class CostRow(StrEnum):
    """A row of table 1 (reads) or of table 2 (writes)."""

    PVFS = "pvfs"
    LOCAL_HIT = "local_hit"
    LOCAL_MISS = "local_miss"
    GLOBAL_HIT = "global_hit"
    GLOBAL_MISS = "global_miss"
    WRITE_PVFS = "write_pvfs"
    WRITE_CACHING = "write_caching"

    @property
    def table(self) -> str:
        """The table that has it."""
        return "2" if self in (CostRow.WRITE_PVFS, CostRow.WRITE_CACHING) else "1"

    @property
    def label(self) -> str:
        """Its name in the table."""
        return LABELS[self]

    @property
    def is_local(self) -> bool:
        """Whether the local cache is consulted."""
        return self not in (CostRow.PVFS, CostRow.WRITE_PVFS)


LABELS = {
    CostRow.PVFS: "Pvfs",
    CostRow.LOCAL_HIT: "Local Hit",
    CostRow.LOCAL_MISS: "Local Miss",
    CostRow.GLOBAL_HIT: "Global Hit (Local Miss)",
    CostRow.GLOBAL_MISS: "Global Miss (Local Miss)",
    CostRow.WRITE_PVFS: "Pvfs",
    CostRow.WRITE_CACHING: "Caching",
}
