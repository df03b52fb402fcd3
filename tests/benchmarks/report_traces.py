"""Traces of `report.py`, made from seeds piece by piece: the process stays small."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

BLOCKS = 8_000_000
BLOCK_BYTES = 4096
SECTORS = BLOCK_BYTES // 512
SCAN = 4096
SCANNED = 0.3
REQUESTS_A_SECOND = 10_000
PIECE = 1 << 20
ORACLE = np.dtype([("time_s", "<u4"), ("object", "<u8"), ("bytes", "<u4"), ("next", "<i8")])
VSCSI = np.dtype([
    ("serial", "<u4"), ("bytes", "<u4"), ("entries", "<u4"), ("command", "<u2"), ("version", "<u2"), ("lbn", "<u8"),
    ("us", "<u8"),
])  # fmt: skip
SPREAD = 2_654_435_761
"""A prime: ranks times it, modulo `BLOCKS`, spread the popular blocks over the disk."""
RANKS, WRITES, WRITE_BYTES = 64, 400_000, 64 << 10


def blocks(requests: int, seed: int = 7) -> Iterator[np.ndarray]:
    """Give block numbers: Zipf with exponent 0.9, mixed with scans of neighbouring blocks from random places."""
    chance = np.random.default_rng(seed)
    weights = np.cumsum(np.arange(1, BLOCKS + 1, dtype=np.float64) ** -0.9)
    for first in range(0, requests, PIECE):
        count = min(PIECE, requests - first)
        scans = int(count * SCANNED) // SCAN
        ranks = np.searchsorted(weights, chance.random(count - scans * SCAN) * weights[-1])
        drawn = ranks * SPREAD % BLOCKS
        starts = chance.integers(0, BLOCKS - SCAN, scans)
        parts = np.array_split(drawn, scans + 1)
        scanned = (np.arange(start, start + SCAN) for start in starts)
        yield np.concatenate(
            [parts[0], *(row for pair in zip(scanned, parts[1:], strict=True) for row in pair)]
        )


def oracle_general(place: Path, requests: int) -> None:
    """Write a block trace without operations."""
    first = 0
    with place.open("wb") as file:
        for numbers in blocks(requests):
            records = np.zeros(len(numbers), ORACLE)
            records["time_s"] = (first + np.arange(len(numbers))) // REQUESTS_A_SECOND
            records["object"], records["bytes"], records["next"] = numbers * SECTORS, BLOCK_BYTES, -1
            file.write(records.tobytes())
            first += len(numbers)


def vscsi(place: Path, requests: int) -> None:
    """Write a block trace of 60 % reads, in version 2 of the vscsi format."""
    chance, first = np.random.default_rng(8), 0
    with place.open("wb") as file:
        for numbers in blocks(requests):
            records = np.zeros(len(numbers), VSCSI)
            records["bytes"], records["entries"], records["version"] = BLOCK_BYTES, 1, 0x100
            records["command"] = np.where(chance.random(len(numbers)) < 0.6, 0x28, 0x2A)
            records["lbn"], records["us"] = numbers * SECTORS, (first + np.arange(len(numbers))) * 100
            file.write(records.tobytes())
            first += len(numbers)


def dxt(place: Path) -> None:
    """Write the text of a Darshan DXT log: each rank writes a contiguous segment of a shared file."""
    chance = np.random.default_rng(9)
    of_rank = WRITES // RANKS
    with place.open("w") as file:
        file.write(
            "# darshan log version: 3.41\n# exe: ./write_segments\n# uid: 1000\n# jobid: 1\n# start_time: 1700000000\n"
            f"# end_time: 1700000100\n# nprocs: {RANKS}\n# run time: 100.0000\n\n"
            "# ***************************************************\n# DXT_POSIX module data\n"
            "# ***************************************************\n"
        )
        for rank in range(RANKS):
            starts = np.sort(chance.random(of_rank)) * 99
            file.write(
                "\n# DXT, file_id: 4717412367120104345, file_name: /scratch/shared.dat\n"
                f"# DXT, rank: {rank}, hostname: node{rank // 16}\n"
                f"# DXT, write_count: {of_rank}, read_count: 0\n"
                "# DXT, mnt_pt: /scratch, fs_type: lustre\n"
                "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)\n"
            )
            file.writelines(
                f" X_POSIX  {rank:6d}  write  {number:7d}  {(rank * of_rank + number) * WRITE_BYTES:14d}"
                f"  {WRITE_BYTES:11d}  {start:10.4f}  {start + 0.001:10.4f}\n"
                for number, start in enumerate(starts)
            )
