"""Text of parallel traces for ingest.py, seeded."""

import json
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


def dftracer_lines(records: int, seed: int) -> Iterator[str]:
    """Give DFTracer's events, each file named by a hash: reads at offsets, writes where the file pointer stands."""
    chance = random.Random(seed)
    common = {"pid": 4792, "tid": 4792}
    host = "6882804a826580cd"
    yield "[\n"
    names = [("HH", "n1", host), *(("FH", f"/data/{file}", f"{file:016x}") for file in range(FILES))]
    for kind, name, value in names:
        arguments = {"hhash": host, "name": name, "value": value}
        yield f"{_json({'name': kind, 'cat': 'dftracer', 'type': 1, **common, 'ph': 4, 'args': arguments})}\n"
    for number in range(records):
        reads, length = chance.random() < 0.6, chance.choice([512, 4096, 65536])
        arguments = {
            "hhash": host,
            "ret": length,
            "count": length,
            "fhash": f"{chance.randrange(FILES):016x}",
        }
        call = {
            "id": number,
            "name": "pread" if reads else "write",
            "cat": "POSIX",
            "type": 3,
            **common,
            "ts": 1795225434000000 + 10 * number,
            "dur": chance.randrange(1, 10),
            "ph": 1,
            "args": arguments | ({"offset": chance.randrange(1 << 20) * 512} if reads else {}),
        }
        yield f"{_json(call)}\n"


def _json(event: object) -> str:
    return json.dumps(event, separators=(",", ":"))


def recorder_lines(records: int, seed: int) -> Iterator[str]:
    """Give Recorder's text: reads and writes of some files, two thirds at offsets, and a tenth of calls of MPI-IO."""
    chance = random.Random(seed)
    for number in range(records):
        path, length = f"/scratch/out.{chance.randrange(FILES)}", chance.choice([512, 4096, 65536])
        place = chance.randrange(1 << 20) * 512
        name, kind, arguments = chance.choices(
            [
                ("pwrite", 0, f"{path} %p {length} {place}"),
                ("pread", 0, f"{path} %p {length} {place}"),
                ("write", 0, f"{path} %p {length}"),
                ("MPI_File_write_at", 1, f"0-0 {place} %p {length}"),
            ],
            [3, 3, 3, 1],
        )[0]
        yield f"{number / 1e5:.7f} {(number + 0.5) / 1e5:.7f} {name} 0 {kind} ( {arguments} )\n"
