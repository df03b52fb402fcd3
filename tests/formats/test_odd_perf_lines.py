"""Lines of perf in odd spellings: each is read as a plain one, or skipped for a reason."""

from pathlib import Path

import pytest
from perf_read import calls

PLAIN = "     1.250 ( 0.500 ms): cat/12 pread64(fd: 3, buf: 0x7f00, count: 4096, pos: 512)   = 16"
ODD = [
    "1.250 (0.500000 ms): cat/12 pread64(fd: 3, buf: 0x7f00, count: 4096, pos: 512) =16\r",
    "  1.250 ( 0.500 ms): a/b c/12   pread64(count: 0x1000, fd: 0x3, pos: 01000, buf: 0x7f00)= 0x10",
    "\t1.250 ( 0.500 ms): 7/9/12 pread64(fd: 3</a>, count: 4096, pos: 512, buf: 1) = 16 (what it says)",
]
SCRIPT = """\
cat 12 [001] 7.001250: raw_syscalls:sys_enter: NR 17 (3, 7f00, 1000, 200, 0, 0)
cat 12 [001] 7.001750: raw_syscalls:sys_exit: NR 17 = 16
"""
ODD_SCRIPTS = [
    """\
   a b 12/12 [001] d..1. 7.00125:       1 raw_syscalls:sys_enter: NR 17 (00000003,7f00, 1000,200, 0, 0)
   a b 12/12 [001] d..1. 7.00175:       1 raw_syscalls:sys_exit: NR 17 = 0x10
""",
    """\
12 7.001250000: syscalls:sys_enter_pread64: fd: 0x3, buf: 0x7f00, count: 0x00001000, pos: 0x0000000000000200
12 7.001750000: syscalls:sys_exit_pread64: 0x10\r
""",
    """\
7 7 7 12 [001]\t7.001250: syscalls:sys_enter_pread64:   fd: 3, buf: 0x7f00, count: 4096, pos: 512
7 7 7 12 d... 7.001750: syscalls:sys_exit_pread64: 16
""",
]
SKIPPED = [
    ("so", "not a system call"),
    ("1.25 ( 0.500 ms): cat/12 close(fd: 3) = 0", "not a system call"),
    ("1.250 ( 0.500 s): cat/12 close(fd: 3) = 0", "not a system call"),
    ("1.250 ( 0.500 ms): cat/12 close(fd: 3) 0", "not a system call"),
    ("1.250 ( 0.500 ms): cat/12 close(fd: 3", "not a system call"),
    ("1.250 ( 0.500 ms): cat/12 close = 0", "not a system call"),
    ("cat 12 [001] soon: raw_syscalls:sys_enter: NR 3 (3, 0, 0, 0, 0, 0)", "not a system call"),
    ("cat 12 [001] 7.1: raw_syscalls:sys_enter: NR x (3, 0, 0, 0, 0, 0)", "not a system call"),
    ("cat 12 [001] 7.1: raw_syscalls:sys_exit: NR 3 = soon", "not a system call"),
    ("999999999999999.250 ( 0.500 ms): cat/12 close(fd: 3) = 0", "number out of range"),
    ("1.250 ( 0.500 ms): cat/12 read(fd: 3) = 9223372036854775808", "number out of range"),
    ("1.250 ( 0.500 ms): cat/12 read(fd: 3) = 2147483648", "number out of range"),
    ("1.250 ( 0.500 ms): cat/12 read(fd: 3, count: 99999999999999999999) = 0", "number out of range"),
    ("1.250 ( 0.500 ms): cat/12 close(fd: 4294967296) = 0", "bad descriptor"),
    ("cat 12 [001] 7.1: raw_syscalls:sys_enter: NR 3 (100000000, 0, 0, 0, 0, 0)", "bad descriptor"),
    ("1.250 ( 0.500 ms): cat/12 read(3, 0x7f00, 4096) = 16", "arguments without names"),
]


@pytest.mark.parametrize("line", ODD)
def test_an_odd_line_is_read_as_a_plain_one(tmp_path: Path, line: str) -> None:
    (plain,), _ = calls(tmp_path, f"{PLAIN}\n".encode(), "perf")
    (odd,), report = calls(tmp_path, f"{line}\n".encode(), "perf")
    assert odd == plain and report["skipped"] == {}
    assert (odd["fd"], odd["count"], odd["offset"], odd["result"]) == (3, 4096, 512, 16)
    assert odd["duration_ns"] == 500_000


@pytest.mark.parametrize("text", ODD_SCRIPTS)
def test_odd_tracepoints_are_read_as_plain_ones(tmp_path: Path, text: str) -> None:
    (plain,), _ = calls(tmp_path, SCRIPT.encode(), "perf")
    (odd,), report = calls(tmp_path, text.encode(), "perf")
    assert odd == plain and report["skipped"] == {}
    assert (odd["fd"], odd["count"], odd["offset"], odd["duration_ns"]) == (3, 4096, 512, 500_000)


@pytest.mark.parametrize(("line", "reason"), SKIPPED)
def test_a_line_that_is_no_call_has_a_reason(tmp_path: Path, line: str, reason: str) -> None:
    rows, report = calls(tmp_path, f"{PLAIN}\n\n{line}\n{PLAIN}\n".encode(), "perf")
    assert len(rows) == 2
    assert report["skipped"] == {reason: {"lines": 1, "first_line": 3, "excerpt": line}}
    assert report["counts"]["parsed"] == 2 and report["counts"]["lines"] == 4


ARGUMENTS = [
    ("openat(dfd: CWD, filename: \"/a, b: \"c\" \\n\", flags: RDWR|CREAT|0x8000)", "path", '/a, b: "c" \\n'),
    ("openat(dfd: CWD, filename: \"/a\", flags: RDWR|O_CREAT|0x8000)", "flags", "O_RDWR|O_CREAT|0x8000"),
    ('openat(filename: "/a")', "flags", "O_RDONLY"),
    ("fcntl(fd: 3, cmd: SETFL, arg: RDWR|APPEND)", "flags", "F_SETFL|O_RDWR|O_APPEND"),
    ("fcntl(fd: 3, cmd: 4, arg: 0x400)", "flags", "F_SETFL|O_RDONLY|O_APPEND"),
    ("fcntl(fd: 3, cmd: SETFD, arg: CLOEXEC)", "flags", "F_SETFD|FD_CLOEXEC"),
    ("lseek(fd: 3, offset: -10, whence: CUR)", "offset", -10),
    ("unlinkat(dfd: -100, pathname: \"x\", flag: REMOVEDIR)", "flags", "AT_REMOVEDIR"),
    ("mknodat(dfd: CWD, filename: \"x\", mode: 4480)", "flags", "S_IFIFO"),
    ("clone(clone_flags: VM|FS|0x11, newsp: 0x7f)", "flags", "CLONE_VM|CLONE_FS|0x11"),
    ("close(fd: 4294967196)", "fd", None),
    ("close(fd: 4294967295)", "fd", -1),
    ("close(fd: 3</tmp/x (deleted)>)", "fd", 3),
]  # fmt: skip


@pytest.mark.parametrize(("call", "column", "value"), ARGUMENTS)
def test_arguments(tmp_path: Path, call: str, column: str, value: str | int | None) -> None:
    (row,), report = calls(tmp_path, f"1.250 ( 0.500 ms): cat/12 {call} = 0\n".encode(), "perf")
    assert row[column] == value and report["skipped"] == {}


RESULTS = [
    ("-1 ENOENT (No such file or directory)", (-1, "ENOENT")),
    ("-1 (unknown)", (-1, None)),
    ("0 (Timeout)", (0, None)),
    ("0xfffffffffffffff7", (-9, None)),
    ("?", (None, None)),
    ("", (None, None)),
]


@pytest.mark.parametrize(("text", "expected"), RESULTS)
def test_results(tmp_path: Path, text: str, expected: tuple[int | None, str | None]) -> None:
    (row,), _ = calls(tmp_path, f"1.250 ( 0.500 ms): cat/12 close(fd: 3) = {text}\n".encode(), "perf")
    assert (row["result"], row["error"]) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-2", (-1, "ENOENT")),
        ("0xfffffffffffffffe", (-1, "ENOENT")),
        ("-512", (None, "ERESTARTSYS")),
        ("-4000", (-1, "ERRNO_4000")),
        ("-5000", (-5000, None)),
    ],
)
def test_results_of_tracepoints(tmp_path: Path, text: str, expected: tuple[int | None, str | None]) -> None:
    (row,), _ = calls(
        tmp_path,
        f"c 1 [0] 7.1: syscalls:sys_enter_close: fd: 0x3\nc 1 [0] 7.2: syscalls:sys_exit_close: {text}\n".encode(),
        "perf",
    )
    assert (row["result"], row["error"]) == expected


def test_a_return_without_its_call_has_a_reason(tmp_path: Path) -> None:
    text = "? (         ): a/7  ... [continued]: read()) = 0\n1.250 ( 0.500 ms): a/7  ... [continued]: accept()) = 5\n"
    rows, report = calls(tmp_path, f"{text}{PLAIN}\n".encode(), "perf")
    assert len(rows) == 1
    assert {reason: (seen["lines"], seen["first_line"]) for reason, seen in report["skipped"].items()} == {
        "return without call": (1, 2)
    }


def test_the_exec_of_another_thread_ends_the_first_of_its_group(tmp_path: Path) -> None:
    rows, _ = calls(
        tmp_path,
        b"a 7 [0] 1.1: syscalls:sys_enter_read: fd: 0x3\n"
        b'a 8 [0] 1.2: syscalls:sys_enter_execve: filename: 0x7f "/bin/sh", argv: 0x1, envp: 0x2\n'
        b"sh 7 [0] 1.3: syscalls:sys_exit_execve: 0x0\n",
        "perf",
    )
    assert [(row["call"], row["result"]) for row in sorted(rows, key=lambda row: row["seq"])] == [
        ("read", None),
        ("execve", 0),
        ("process_superseded", 8),
    ]
