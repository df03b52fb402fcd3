"""Demand paging against fetching whole executables (Richardson 1994, 4.1.2, equations 4.1 and 4.2)."""

import math
from dataclasses import dataclass

import pyarrow as pa

from iotrace import queries
from iotrace.errors import UsageError
from iotrace.store.store import Store


@dataclass(frozen=True)
class Disk:
    """A disk access's overhead and rate, and the size of a page; the dissertation's typical values."""

    overhead_ms: float = 18.8
    transfer_kb_per_ms: float = 2.0
    page_bytes: int = 4096

    def __post_init__(self) -> None:
        if self.overhead_ms < 0 or self.transfer_kb_per_ms <= 0 or self.page_bytes < 1:
            raise UsageError(
                "the overhead is 0 ms or more; the transfer rate and the page's size are above 0"
            )

    def break_even(self, executable_bytes: float) -> float:
        """Return the fraction of an executable's pages whose single fetches take as long as fetching it
        whole.

        Equation 4.2: X = (O + B/T) / ((O + Psz/T) P), with P the executable's size in whole pages.
        """
        pages = max(math.ceil(executable_bytes / self.page_bytes), 1)
        whole_ms = self.overhead_ms + executable_bytes / 1024 / self.transfer_kb_per_ms
        page_ms = self.overhead_ms + self.page_bytes / 1024 / self.transfer_kb_per_ms
        return whole_ms / (page_ms * pages)


PAPER_EXECUTABLE_BYTES = 135 * 1024


def mean_executable_bytes(store: Store) -> float | None:
    """Return the mean size of the executables that the trace used, each counted once at its largest size.

    None where there is none, or none of known size.
    """
    ((mean,),) = (
        store.sandboxed(views=[])
        .execute(
            "select avg(size_largest_bytes) from file"
            " where file in (select file from reference where type = 'executable')"
        )
        .fetchall()
    )
    return None if mean is None else float(mean)


def demand_paging(store: Store, disk: Disk | None = None) -> pa.Table:
    """Return the break-even for the trace's mean executable, and the dissertation's.

    One row per quantity of equation 4.2: what it is, ours and the paper's. Ours is missing where the trace
    has no executable of known size.
    """
    disk, paper = disk or Disk(), Disk()
    mean = mean_executable_bytes(store)
    printed = PAPER_EXECUTABLE_BYTES

    def pages(of: Disk, size: float) -> float:
        return float(math.ceil(size / of.page_bytes))

    rows = [
        ("O", "overhead of a disk access", "ms", disk.overhead_ms, paper.overhead_ms),
        ("Tx", "transfer rate", "KB/ms", disk.transfer_kb_per_ms, paper.transfer_kb_per_ms),
        ("Psz", "size of a page", "bytes", float(disk.page_bytes), float(paper.page_bytes)),
        ("B", "mean size of an executable", "bytes", mean, float(printed)),
        (
            "P",
            "pages of an executable",
            "pages",
            None if mean is None else pages(disk, mean),
            pages(paper, printed),
        ),
        (
            "X",
            "fraction of the pages from which on fetching the executable whole is faster",
            "percent",
            None if mean is None else 100 * disk.break_even(mean),
            100 * paper.break_even(printed),
        ),
    ]
    return queries.result_table("demand_paging", rows)
