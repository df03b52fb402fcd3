"""System calls as ftrace and trace-cmd print them: a recording of programs that strace traced at the same time.

The folder ``calls`` has what ftrace and strace recorded of a shell that runs dd, cat and mv (Linux 6.18).
"""

import gzip
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from perf_read import calls, shown

from iotrace import formats

CALLS = Path(__file__).parent / "calls"
TEXTS = ("raw.ftrace", "named.ftrace", "named.trace-cmd")

Row = dict[str, Any]


def rows_of(name: str, folder: Path, form: str | None = None) -> tuple[list[Row], dict[str, Any]]:
    return calls(folder, gzip.decompress((CALLS / f"{name}.gz").read_bytes()), form)


def by_thread(rows: list[Row]) -> dict[int, list[tuple[Any, ...]]]:
    """Return each thread's calls, from the exec that strace makes; returns from signals and ends differ."""
    threads: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        if row["call"] not in ("rt_sigreturn", "process_exited") and (threads or row["call"] == "execve"):
            names = ("call", "fd", "fd2", "dirfd", "count", "result", "error", "flags")
            threads[row["thread"]].append(tuple(row[name] for name in names))
    return threads


@pytest.mark.parametrize("name", TEXTS)
def test_calls_are_those_that_strace_shows(name: str, tmp_path: Path) -> None:
    rows, report = rows_of(name, tmp_path)
    expected, _ = rows_of("run.strace", tmp_path, "strace")
    assert by_thread(rows) == by_thread(expected) and len(expected) > 500
    assert report["skipped"] == {} and report["times"]["resolution_ns"] == 1000
    assert all(row["duration_ns"] > 0 for row in rows if row["call"] == "openat")
    moved = [
        sum(row["result"] for row in made if row["call"] in ("read", "write")) for made in (rows, expected)
    ]
    assert moved[0] == moved[1] > 40_000


def test_ftrace_of_older_kernels_leaves_0x_out(tmp_path: Path) -> None:
    text = b"""\
 cat-7 [001] ....   1.000001: sys_openat(dfd: ffffff9c, filename: 7fe3c1c2e0b1, flags: 80000, mode: 0)
 cat-7 [001] ....   1.000003: sys_openat -> 0x3
 cat-7 [001] ....   1.000004: sched_switch: prev_comm=cat
CPU:1 [LOST 5 EVENTS]
 cat-7 [001] ....   1.000005: sys_read(fd: 3, buf: 7fe3, count: 10)
 cat-7 [001] ....   1.000006: sys_read -> 0x10
 cat-7 [001] ....   1.000007: sys_read -> what
"""
    rows, report = calls(tmp_path, text)
    assert shown(rows, "count", "result", "flags", "duration_ns") == [
        ("openat", None, 3, "O_RDONLY|O_CLOEXEC", 2000),
        ("records_lost", None, 5, None, None),
        ("read", 16, 16, None, 1000),
    ]
    assert report["remarks"] == {"events of other kinds": 1, "records of losses": 1}
    assert {reason: skipped["first_line"] for reason, skipped in report["skipped"].items()} == {
        "not a system call": 7
    }


@pytest.mark.parametrize("name", TEXTS)
def test_it_is_recognised_alone(name: str) -> None:
    content = gzip.decompress((CALLS / f"{name}.gz").read_bytes())
    assert [one.name for one in formats.FORMATS if one.recognises(content)] == ["ftrace"]
