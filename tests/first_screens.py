"""Small traces of each family whose answers are counted by hand."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

CALLS = "".join(
    f"7 {1700000000 + at:.6f} {call} <{taken:.6f}>\n"
    for at, call, taken in [
        (0.0, 'execve("/bin/db", ["db"], 0x7ffd /* 1 var */) = 0', 0.1),
        (0.1, 'openat(AT_FDCWD, "/data/a", O_RDONLY) = 3', 0.1),
        (0.2, 'read(3, "x"..., 4096) = 4096', 0.4),
        (0.6, "lseek(3, 0, SEEK_SET) = 0", 0.1),
        (0.7, 'read(3, "x"..., 4096) = 4096', 0.2),
        (9.9, "close(3) = 0", 0.1),
    ]
)
"""10 s, of which 1 s in storage calls: 0.6 s in 2 reads, of one block of 4 KB, the second of which hits."""

QUIET = "".join(
    f"7 {1700000000 + at:.6f} {call} <{taken:.6f}>\n"
    for at, call, taken in [
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

TRACES: Mapping[str, tuple[str, str]] = {
    "calls": ("db.strace", CALLS),
    "quiet": ("quiet.strace", QUIET),
    "disks": ("web.csv", DISKS),
    "ranks": ("ranks.dxt", RANKS),
    "keys": ("keys.csv", KEYS),
}
OPTIONS = {"keys": ("--columns", "time=time,key=key,size=size,op=op")}
"""How a trace is read that does not say it."""


def written(name: str, folder: Path) -> Path:
    """Write a trace into a folder, and return its path."""
    file, text = TRACES[name]
    (folder / file).write_text(text, "utf-8")
    return folder / file


def numbers(answer: Any) -> dict[str, float]:
    """Return the numbers of an answer as JSON has it, by their names."""
    return {number["name"]: number["value"] for number in answer["numbers"]}
