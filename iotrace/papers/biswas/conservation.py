"""Written bytes are conserved: the volume that reaches the disk by purges and piggybacks, printed and simulated.

Table 4.3 prints how many purges there are and how large they are, and how many reads piggyback; tables 3.1 and 4.4 (A3
for tracks) have the requests of which these are parts. The size of a piggyback is printed only for the two further
disks of each site (tables A1 and A2), which bounds the volume. What does not reach the disk was overwritten in the
cache, or is still in it at the end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import PrintedRow, Table, tables

FULL = "full_piggyback"
UNITS = {"track": ("A1", "A3"), "cylinder": ("A2", "4.4")}
"""The tables of the further disks and of R_wc, by the unit of purges and piggybacks."""


@dataclass(frozen=True)
class Volume:
    """The volume that reaches the disk, in percent of the volume that requests wrote."""

    purged: float
    piggybacked_least: float
    piggybacked_most: float

    @property
    def least(self) -> float:
        """The least that reaches the disk."""
        return self.purged + self.piggybacked_least

    @property
    def most(self) -> float:
        """The most that does."""
        return self.purged + self.piggybacked_most


def conservation(memos: Sequence[PaperMemo]) -> pa.Table:
    """Return table write_cache_conservation: a row for each of the three disks, unit, and trace that is like it."""
    rows = [
        _row(disk, unit, memo) for disk in _disks() for unit in UNITS for memo in _like(disk, memos) or [None]
    ]
    return queries.result_table("write_cache_conservation", rows)


def _like(disk: str, memos: Sequence[PaperMemo]) -> list[PaperMemo | None]:
    return [memo for memo in memos if memo.subject.like is not None and memo.subject.like.name == disk]


def _row(disk: str, unit: str, memo: PaperMemo | None) -> dict[str, Any]:
    paper, ours = printed(disk, unit), None if memo is None else simulated(memo, disk, unit)
    return {
        "disk": disk,
        "unit": unit,
        "printed_purged": paper.purged,
        "printed_least": paper.least,
        "printed_most": paper.most,
        "trace": None if memo is None else memo.subject.name,
        "purged": ours.purged if ours else None,
        "reaches_disk": ours.least if ours else None,
    }


def printed(disk: str, unit: str) -> Volume:
    """Return the volume that the paper's tables imply."""
    load, table = _numbers("3.1", disk, "trace"), _numbers("4.3", disk, unit)
    further, of_reads = UNITS[unit]
    written_kbytes = load["writes"] * load["mean_write_kbytes"]
    purged = table["w_wc"] / 100 * load["writes"] * table["kbytes_per_purge"]
    disk_reads = _numbers(of_reads, disk, FULL)["r_wc"] / 100 * load["reads"]
    piggybacks = table["piggyback_success"] / 100 * disk_reads
    sizes = [
        _values(row, "kbytes_per_piggyback")
        for row in _table(further).rows
        if row.disk.startswith(f"{disk} ")
    ]
    return Volume(
        *(
            100 * kbytes / written_kbytes
            for kbytes in (purged, piggybacks * min(sizes), piggybacks * max(sizes))
        )
    )


def simulated(memo: PaperMemo, disk: str, unit: str) -> Volume | None:
    """Return the volume that a simulation counts; None where nothing is written."""
    row = next(row for row in _table("4.3").rows if (row.disk, row.policy) == (disk, unit))
    counts = memo.best(row.experiment)[1]
    written = counts["written_blocks"]
    if not written:
        return None
    purged, piggybacked = (100 * counts[name] / written for name in ("purged_blocks", "piggybacked_blocks"))
    return Volume(purged, piggybacked, piggybacked)


def _disks() -> list[str]:
    return list(dict.fromkeys(row.disk for row in _table("4.3").rows))


def _table(id: str, of: tuple[str, ...] = ("disk", "load")) -> Table:
    return next(table for table in tables() if table.id == id and table.of in of)


def _numbers(id: str, disk: str, policy: str) -> Mapping[str, float]:
    row = next(row for row in _table(id).rows if (row.disk, row.policy) == (disk, policy))
    return {metric: value for metric, value in row.printed.items() if value is not None}


def _values(row: PrintedRow, metric: str) -> float:
    value = row.printed[metric]
    if value is None:
        raise ValueError(f"{row.disk} has no {metric}")
    return value
