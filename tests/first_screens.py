"""Ten small traces of all families whose answers are counted by hand; first_screens.toml has the answers."""

import gzip
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any


def strace(calls: Iterable[tuple[float, str, float]]) -> str:
    """Return a log of calls of one process: when each begins, its text, and how long it takes, in seconds."""
    return "".join(f"7 {1700000000 + at:.6f} {call} <{taken:.6f}>\n" for at, call, taken in calls)


CALLS = strace(
    [
        (0.0, 'execve("/bin/db", ["db"], 0x7ffd /* 1 var */) = 0', 0.1),
        (0.1, 'openat(AT_FDCWD, "/data/a", O_RDONLY) = 3', 0.1),
        (0.2, 'read(3, "x"..., 4096) = 4096', 0.4),
        (0.6, "lseek(3, 0, SEEK_SET) = 0", 0.1),
        (0.7, 'read(3, "x"..., 4096) = 4096', 0.2),
        (9.9, "close(3) = 0", 0.1),
    ]
)
"""10 s, of which 1 s in storage calls: 0.6 s in 2 reads, of one block of 4 KB, the second of which hits."""

QUIET = strace(
    [
        (0.0, 'openat(AT_FDCWD, "/data/a", O_RDONLY) = 3', 0.000010),
        (0.1, 'read(3, "x"..., 4096) = 4096', 0.000020),
        (10.0, "close(3) = 0", 0.000010),
    ]
)
"""10 s, of which 40 µs in calls: nothing is to be changed."""

DISKS = "".join(
    f"{1286 * 10**14 + at * 10_000},web,0,{op},{block * 4096},4096,{taken * 10_000}\n"
    for at, op, block, taken in [
        (0, "Read", 0, 3),
        (10, "Write", 1, 1),
        (20, "Read", 0, 3),
        (30, "Read", 0, 3),
    ]
)
"""Requests of MSR Cambridge, in ms: 3 reads of 3 ms of one block, a write of 1 ms of another; 2 of 4 blocks hit."""

KEYS = "time,key,size,op\n" + "".join(
    f"{at},{key},{size},get\n"
    for at, (key, size) in enumerate([("a", 100), ("b", 100), ("a", 100), ("c", 100), ("a", 100), ("b", 100)])
)
"""6 gets of 3 objects of 100 bytes: an unlimited cache misses 3; LRU of 200 bytes misses 4."""

RANKS = """# darshan log version: 3.21
# start_time: 1000

# DXT, file_id: 77, file_name: /a
# DXT, rank: 0, hostname: n1
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
 X_POSIX       0  write        0               0      4096      0.0000      1.0000
 X_POSIX       0   read        0               0      4096      3.0000      3.5000
# DXT, file_id: 77, file_name: /a
# DXT, rank: 1, hostname: n1
 X_POSIX       1  write        0            4096      4096      0.0000      0.5000
 X_POSIX       1   read        0            4096      4096      3.5000      4.0000
"""
"""2 ranks for 4 s: 1.5 s of 8 s write, 1 s read; each reads the block that it wrote."""

SYNCS = strace(
    [
        (0.0, 'openat(AT_FDCWD, "/data/log", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3', 0.0005),
        *[
            (0.01 + 0.02 * place + part, call, taken)
            for place in range(49)
            for part, call, taken in [
                (0.0, 'write(3, "x"..., 512) = 512', 0.00001),
                (0.001, "fsync(3) = 0", 0.018),
            ]
        ],
        (0.9995, "close(3) = 0", 0.0005),
    ]
)
"""1 s: 49 syncs of 18 ms are 882 ms of it; 49 writes of 10 µs, an open and a close are 1.49 ms more."""

POLLS = strace(
    [
        (0.0, 'openat(AT_FDCWD, "/run/lock", O_RDONLY) = 3', 0.00001),
        *[
            (0.05 * step + part, call, taken)
            for step in range(1, 200)
            for part, call, taken in [
                (
                    0.0,
                    'newfstatat(AT_FDCWD, "/run/ready", 0x7ffd, 0) = -1 ENOENT (No such file or directory)',
                    0.00001,
                ),
                (0.0001, "clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=49000000}, NULL) = 0", 0.049),
            ]
        ],
        (10.0, "close(3) = 0", 0.00001),
    ]
)
"""10 s: 199 look-ups of 10 µs, each before a sleep of 49 ms, which make 9.75 s; the first is not a repetition."""

LOST = """\
     0.000 ( 0.005 ms): prog/7 openat(dfd: CWD, filename: "/log", flags: WRONLY|CREAT|TRUNC) = 3
   100.000 (300.000 ms): prog/7 write(fd: 3, buf: 0x7f0000001000, count: 4096) = 4096
LOST 2 events!
   500.000 (300.000 ms): prog/7 write(fd: 3, buf: 0x7f0000001000, count: 4096) = 4096
   900.000 (100.000 ms): prog/7 close(fd: 3) = 0
"""
"""1 s, of which 0.7 s are in storage calls; two events are lost."""

DAMAGED = gzip.compress(CALLS.encode() + b"7 1700000010.000000 close(4) = 0 <0.100000>\n" * 9)[:-12]
"""The end of the archive is cut off: its checksum is missing, and what it holds before may be, too."""


def _job() -> bytes:
    """Return the counters of 4 ranks that run for 9.5 s, and take 2 s each to write 20 MB to a file."""
    from counted_jobs import MB, Machine, Made, own_files

    made = Made(ranks=4)
    own_files(made, "write", 5, 4 * MB, Machine(request_s=0, bytes_per_s=10 * MB))
    return made.log(9.5)


TRACES: Mapping[str, tuple[str, str]] = {
    "calls": ("db.strace", CALLS),
    "quiet": ("quiet.strace", QUIET),
    "disks": ("web.csv", DISKS),
    "ranks": ("ranks.dxt", RANKS),
    "keys": ("keys.csv", KEYS),
    "syncs": ("syncs.strace", SYNCS),
    "polls": ("polls.strace", POLLS),
    "lost": ("lost.txt", LOST),
}
"""Those that are text."""
BINARY = {"damaged": "db.strace.gz", "job": "job.darshan"}
"""Those that are not."""
OPTIONS = {"keys": ("--columns", "time=time,key=key,size=size,op=op")}
"""How a trace is read that does not say it."""
ANSWERS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
"""By trace, what the first screen of its page says, in the words of each answer."""


def written(name: str, folder: Path) -> Path:
    """Write a trace into a folder, and return its path."""
    if name in BINARY:
        place = folder / BINARY[name]
        place.write_bytes(DAMAGED if name == "damaged" else _job())
        return place
    file, text = TRACES[name]
    (folder / file).write_text(text, "utf-8")
    return folder / file


def numbers(answer: Any) -> dict[str, float]:
    """Return the numbers of an answer as JSON has it, by their names."""
    return {number["name"]: number["value"] for number in answer["numbers"]}
