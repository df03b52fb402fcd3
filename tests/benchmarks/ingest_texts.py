"""Text of parallel traces for ingest.py, seeded."""

import random
from collections.abc import Iterator

FILES, PROCESSES = 4, 8
RANKS, CHUNK_BYTES = 64, 65536


def umd_lines(records: int, seed: int) -> Iterator[str]:
    """Give a UMD trace: processes that open files, read and write them by chunks at random, and close them."""
    chance = random.Random(seed)
    yield f"{PROCESSES} {FILES} {records}\n"
    yield from (f"{len(name)} {name}\n" for name in (f"/data/{number}" for number in range(FILES)))
    for number in range(records):
        operation = 2 if chance.random() < 0.7 else 3
        process, file = chance.randrange(PROCESSES), chance.randrange(FILES)
        offset = chance.randrange(1 << 16) * 4096
        yield f"{operation} 1 {process} {file} {number / 1e4:.6f} {number / 2e4:.6f} {offset} 4096\n"


def dxt_lines(records: int, seed: int) -> Iterator[str]:
    """Give Darshan's DXT as text: each rank writes a file of its own in chunks, one after the other."""
    chance = random.Random(seed)
    yield "# darshan log version: 3.21\n# jobid: 7\n# nprocs: 64\n# start_time: 1500000000\n"
    for rank in range(RANKS):
        rows = records // RANKS + (rank < records % RANKS)
        yield f"\n# DXT, file_id: {rank + 1}, file_name: /scratch/out.{rank}\n"
        yield f"# DXT, rank: {rank}, hostname: n{rank // 8}\n"
        yield f"# DXT, write_count: {rows}, read_count: 0\n# DXT, mnt_pt: /scratch, fs_type: lustre\n"
        yield "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)\n"
        at = 0.0
        for segment in range(rows):
            at += chance.random() / 100
            yield (
                f" X_POSIX {rank:8d}  write  {segment:7d}  {segment * CHUNK_BYTES:14d} {CHUNK_BYTES:12d}"
                f"  {at:10.4f}  {at + 0.001:10.4f}\n"
            )
