"""Tables of opensnoop: what bpftrace printed of a shell that runs dd, cat, mv and sync, and strace at the same time."""

import gzip
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from perf_read import calls, shown

from iotrace import formats

CALLS = Path(__file__).parent / "calls"
BCC = b"""\
TIME(s)       UID   PID    COMM               FD ERR FLAGS    PATH
0.000102000   1000  1234   a 5 0 /b            3   0 02000000 /etc/a b
0.000202000   1000  1234567 cat               -1   2 00000000 none
0.000302000   1000  1234   a 5 0 /b           x   0 02000000 /etc/a b
"""
LIBBPF = b"""\
TIME     PID    COMM              FD ERR PATH
23:59:59 12     cat                3   0 /a
00:00:01 12     cat               -1  13 /b
"""


def opened(rows: list[dict[str, Any]]) -> dict[int, list[tuple[Any, ...]]]:
    """Return the results of each process's opens."""
    found = defaultdict(list)
    for row in rows:
        if row["call"] == "openat":
            found[row["thread"]].append((row["result"], row["error"], row["path"]))
    return found


def test_opens_are_those_that_strace_shows(tmp_path: Path) -> None:
    content, log = (
        gzip.decompress((CALLS / f"opens.{name}.gz").read_bytes()) for name in ("opensnoop", "strace")
    )
    rows, report = calls(tmp_path, content)
    expected, _ = calls(tmp_path, log, "strace")
    assert opened(rows) == opened(expected) and len(rows) > 100
    assert report["skipped"] == {} and report["remarks"] == {"headers": 1, "lines before the header": 2}
    assert report["times"]["base"] == "none"
    assert any("one kind of call" in warning for warning in report["warnings"])


def test_the_layouts_of_bcc_and_libbpf(tmp_path: Path) -> None:
    rows, report = calls(tmp_path, BCC)
    assert shown(rows, "time_ns", "thread", "path", "result", "error", "flags") == [
        ("openat", 0, 1234, "/etc/a b", 3, None, "O_RDONLY|O_CLOEXEC"),
        ("openat", 100_000, 1234567, "none", -1, "ENOENT", "O_RDONLY"),
    ]
    assert report["skipped"]["not a line of the table's columns"]["first_line"] == 4
    rows, report = calls(tmp_path, LIBBPF)
    assert shown(rows, "time_ns", "path", "error") == [
        ("openat", 0, "/a", None),
        ("openat", 2_000_000_000, "/b", "EACCES"),
    ]
    assert report["times"]["base"] == "time_of_day"


def test_syncs_and_losses(tmp_path: Path) -> None:
    text = b"""\
Attaching 7 probes...
Tracing sync syscalls... Hit Ctrl-C to end.
TIME      PID    COMM             EVENT
17:30:28  14334  dd               tracepoint:syscalls:sys_enter_fsync
Lost 3 events
"""
    rows, report = calls(tmp_path, text)
    assert shown(rows, "thread", "result") == [("fsync", 14334, None), ("records_lost", 0, 3)]
    assert report["seen"]["lost_records"] == 3


def test_paths_that_bpftrace_may_have_cut_are_counted(tmp_path: Path) -> None:
    text = f"PID    COMM               FD ERR PATH\n12     cat                3   0 /{'a' * 62}\n"
    _, report = calls(tmp_path, text.encode())
    assert any(warning.startswith("1 paths have 63 bytes") for warning in report["warnings"])


@pytest.mark.parametrize("content", [BCC, LIBBPF])
def test_it_is_recognised_alone(content: bytes) -> None:
    assert [one.name for one in formats.FORMATS if one.recognises(content)] == ["opensnoop"]
