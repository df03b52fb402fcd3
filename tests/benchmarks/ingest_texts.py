"""Text of strace and of parallel traces for ingest.py, seeded."""

import json
import random
from collections.abc import Iterator

FILES, PROCESSES = 4, 8
RANKS, CHUNK_BYTES = 64, 65536


def strace_lines(records: int, seed: int) -> Iterator[str]:
    """Give a log of ``strace -f -ttt -T -y``: processes that look up, open, read and close a program's sources."""
    chance = random.Random(seed)
    time_us, line, reader = 1_700_000_000_000_000, 0, 0
    while line < records:
        reader += 1
        pid = 7000 + reader % PROCESSES
        name = f"/home/user/source/part{chance.randrange(40)}/file{chance.randrange(300)}.c"
        size = chance.randrange(1, 60) * 1000
        at = "AT_FDCWD</home/user/source>"
        calls = [
            (f'newfstatat({at}, "{name}.gch", 0x7ffd2c0, 0)', "-1 ENOENT (No such file or directory)"),
            (f'openat({at}, "{name}", O_RDONLY|O_CLOEXEC)', f"3<{name}>"),
            (f'newfstatat(3<{name}>, "", {{st_mode=S_IFREG|0644, st_size={size}, ...}}, AT_EMPTY_PATH)', "0"),
            *[
                (f'read(3<{name}>, "int main(void) {{"..., 8192)', str(min(8192, size - offset)))
                for offset in range(0, size, 8192)
            ],
            (f'read(3<{name}>, "", 8192)', "0"),
            (f"lseek(3<{name}>, 0, SEEK_SET)", "0"),
            (f"close(3<{name}>)", "0"),
        ]
        for call, result in calls[: records - line]:
            line += 1
            time_us += chance.randrange(10, 300)
            stamp = f"{time_us // 10**6}.{time_us % 10**6:06d}"
            yield f"{pid} {stamp} {call} = {result} <0.{chance.randrange(5, 900):06d}>\n"


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
