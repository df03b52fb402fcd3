"""perf trace and perf script: the same calls as strace shows, whichever printed them; what is not known is said."""

import errno
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perf_logs import SCRIPT, TRACE
from perf_read import calls, shown
from property_tests import examples

from iotrace import formats

NUMBERS = {"read": 0, "write": 1, "close": 3, "pread64": 17, "pwrite64": 18}


def test_perf_trace(tmp_path: Path) -> None:
    rows, report = calls(tmp_path, TRACE)
    assert shown(rows, "time_ns", "duration_ns", "fd", "path", "result", "error") == [
        ("openat", 0, 5000, None, "/etc/passwd", 3, None),
        ("newfstatat", 22_000, 4000, None, "", 0, None),
        ("read", 30_000, 4000, 3, None, 1000, None),
        ("pread64", 40_000, 4000, 3, None, 100, None),
        ("clock_nanosleep", 48_000, 1_000_100_000, None, None, 0, None),
        ("lseek", 50_000, 4000, 3, None, 10, None),
        ("mmap", 60_000, 4000, 3, None, 0x7F0000, None),
        ("access", 70_000, 4000, None, '/a, "b" \\', -1, "ENOENT"),
        ("close", 80_000, 4000, 3, None, 0, None),
        ("rt_sigreturn", 90_000, None, None, None, None, None),
        ("statfs", 95_000, 1000, None, None, 0, None),
        ("exit_group", 1_080_000, None, None, None, None, None),
    ]
    by_call = {row["call"]: row for row in rows}
    assert by_call["openat"]["flags"] == "O_RDONLY|O_CLOEXEC"
    assert (by_call["pread64"]["offset"], by_call["pread64"]["count"]) == (0, 100)
    assert by_call["mmap"]["flags"] == "PROT_READ|PROT_EXEC|MAP_PRIVATE"
    assert report["counts"]["lines"] == 14 and report["counts"]["skipped_lines"] == 0
    assert report["times"]["base"] == "relative"
    assert report["seen"]["paths_as_pointers"] == 1


MIGRATED = [
    # a clone whose return is in the buffer of another processor, and an accept of which only the return is seen
    """\
     0.524 (         ): it/7 clone(clone_flags: CHILD_CLEARTID|CHILD_SETTID|0x11)               ...
         ? (         ): it/8  ... [continued]: clone())                                        =
     0.737 (800.546 ms): it/7  ... [continued]: accept())                                      = 5
""",
    # the return of a clone is taken for that of the accept that began later: its time is negative
    """\
     0.524 (         ): it/7 clone(clone_flags: CHILD_CLEARTID|CHILD_SETTID|0x11)               ...
     0.737 (18446744073709.541 ms): it/7 accept(fd: 4<socket:[5085]>)                          = 8
     0.737 (800.546 ms): it/7  ... [continued]: accept())                                      = 5
""",
    # an accept is seen before the clone that ended before it
    """\
     0.737 (         ): it/7 accept(fd: 4<socket:[5085]>)                                      ...
     0.524 ( 0.195 ms): it/7 clone(clone_flags: CHILD_CLEARTID|CHILD_SETTID|0x11)              = 8
     0.524 (800.759 ms): it/7  ... [continued]: accept())                                      = 5
""",
]


@pytest.mark.parametrize("text", MIGRATED)
def test_calls_out_of_order_take_no_time_of_each_other(tmp_path: Path, text: str) -> None:
    rows, _ = calls(tmp_path, text.encode())
    ended = [
        (row["call"], row["duration_ns"], row["result"]) for row in rows if row["duration_ns"] is not None
    ]
    first_ns = 524_000 if "(800.759" in text else 737_000
    assert ("accept", 801_283_000 - first_ns, 5) in ended
    assert set(ended) - {("accept", 801_283_000 - first_ns, 5)} <= {("clone", 195_000, 8)}


def test_perf_script(tmp_path: Path) -> None:
    rows, report = calls(tmp_path, SCRIPT)
    assert shown(rows, "time_ns", "duration_ns", "fd", "path", "count", "result", "error", "flags") == [
        ("openat", 0, 7000, None, None, None, 3, None, "O_RDONLY|O_CLOEXEC"),
        ("read", 9000, 5000, 3, None, 4096, 1000, None, None),
        ("nanosleep", 10_000, 1_000_000_000, None, None, None, 0, None, None),
        ("openat", 1_000_019_000, 2000, None, "/etc/a, b", None, 4, None, "O_RDONLY|O_CLOEXEC"),
        ("write", 1_000_022_000, 6000, 4, None, 16, -1, "EBADF", None),
    ]
    assert report["seen"]["paths_as_pointers"] == 1
    assert any("1 paths are pointers" in warning for warning in report["warnings"])
    assert report["counts"]["skipped_lines"] == 0
    assert report["remarks"]["comments"] == report["remarks"]["blank lines"] == 1


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("newfstatat(dfd: 4</d/x>, filename: 0x6fdb4dd5, statbuf: 0x7ffc, flag: 4096)", ""),
        (
            "newfstatat(dfd: 4</d/x>, filename: 0x6fdb4dd5, statbuf: 0x7ffc, flag: SYMLINK_NOFOLLOW|EMPTY_PATH)",
            "",
        ),
        ("statx(dfd: 4</d/x>, filename: 0x6fdb4dd5, flags: EMPTY_PATH, mask: 4095, buffer: 0x7ffc)", ""),
        ("newfstatat(dfd: 4</d/x>, filename: 0x6fdb4dd5, statbuf: 0x7ffc, flag: 256)", None),
        ('newfstatat(dfd: 4</d/x>, filename: "y", statbuf: 0x7ffc, flag: 4096)', "y"),
    ],
)
def test_a_pointer_with_at_empty_path_is_an_empty_path(tmp_path: Path, line: str, path: str | None) -> None:
    """As the C library's fstat calls it: the descriptor is that of the file, and not of a directory that holds it."""
    rows, report = calls(tmp_path, f"     0.000 ( 0.005 ms): cat/12 {line} = 0\n".encode(), "perf")
    assert [row["path"] for row in rows] == [path]
    assert report["seen"]["paths_as_pointers"] == (path is None)


def test_an_empty_path_of_a_raw_tracepoint(tmp_path: Path) -> None:
    head = "  x y  12 [001] "
    for flag, pointers in (("1000", 0), ("100", 1)):
        enter = (
            f"{head} 7.000000: raw_syscalls:sys_enter: NR 262 (4, 7fa46f8ba720, 7ffc1529cad0, {flag}, 0, 0)\n"
        )
        leave = f"{head} 7.000003:  raw_syscalls:sys_exit: NR 262 = 0\n"
        _, report = calls(tmp_path, (enter + leave).encode(), "perf")
        assert report["seen"]["paths_as_pointers"] == pointers


@dataclass(frozen=True)
class Call:
    """A call on a descriptor, and how each program prints it."""

    name: str
    fd: int
    count: int
    offset: int
    result: int
    thread: int

    @property
    def arguments(self) -> list[tuple[str, int]]:
        if self.name == "close":
            return [("fd", self.fd)]
        transfer = [("fd", self.fd), ("buf", 0x7FFD2BC73CC0), ("count", self.count)]
        return [*transfer, ("pos", self.offset)] if "64" in self.name else transfer

    def answer(self) -> str:
        if self.result >= 0:
            return str(self.result)
        return f"-1 {errno.errorcode[-self.result]} (error)"

    def strace(self, at_us: int) -> str:
        values = ", ".join(hex(value) if name == "buf" else str(value) for name, value in self.arguments)
        begin = f"{self.thread} {10**9}.{at_us:06}"
        return f"{begin} {self.name}({values} <unfinished ...>\n" + (
            f"{self.thread} {10**9}.{at_us + 3:06} <... {self.name} resumed>) = {self.answer()}\n"
        )

    def traced(self, at_us: int) -> str:
        values = ", ".join(f"{name}: {value}" for name, value in self.arguments if value)
        start = f"{at_us // 1000:6}.{at_us % 1000:03} ( 0.003 ms): x y/{self.thread}"
        return f"{start} {self.name}({values})   = {self.answer()}\n"

    def raw(self, at_us: int) -> str:
        values = [value for _, value in self.arguments]
        registers = ", ".join(f"{value:x}" for value in (*values, *[0] * (6 - len(values))))
        head = f"  x y  {self.thread} [001] "
        number = NUMBERS[self.name]
        return (
            f"{head} 7.{at_us:06}: raw_syscalls:sys_enter: NR {number} ({registers})\n"
            f"{head} 7.{at_us + 3:06}:  raw_syscalls:sys_exit: NR {number} = {self.result}\n"
        )

    def scripted(self, at_us: int) -> str:
        values = ", ".join(f"{name}: {value:#010x}" for name, value in self.arguments)
        head = f"  x y  {self.thread} [001] "
        return (
            f"{head} 7.{at_us:06}: syscalls:sys_enter_{self.name}: {values}\n"
            f"{head} 7.{at_us + 3:06}: syscalls:sys_exit_{self.name}: {self.result % 2**64:#x}\n"
        )


CALLS = st.lists(
    st.builds(
        Call,
        name=st.sampled_from(["read", "write", "pread64", "pwrite64", "close"]),
        fd=st.integers(0, 1000),
        count=st.integers(0, 2**31 - 1),
        offset=st.integers(0, 2**40),
        result=st.one_of(st.integers(0, 2**31 - 1), st.sampled_from([-errno.EBADF, -errno.EIO])),
        thread=st.integers(5, 7),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("form", ["traced", "raw", "scripted"])
@examples(40)
@given(made=CALLS)
def test_what_perf_prints_is_what_strace_prints(
    form: str, made: list[Call], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("perf")
    names = ("time_ns", "duration_ns", "fd", "count", "offset", "result", "error")

    def text(way: str) -> bytes:
        return "".join(getattr(call, way)(10 * place) for place, call in enumerate(made)).encode()

    expected, _ = calls(folder, text("strace"), "strace")
    found, report = calls(folder, text(form))
    assert shown(found, *names) == shown(expected, *names)
    assert report["counts"]["calls"] == len(made) and not report["skipped"]


def test_lines_that_are_no_calls_are_counted_with_their_place(tmp_path: Path) -> None:
    lines = TRACE.splitlines(keepends=True)
    _, report = calls(tmp_path, b"".join([*lines[:5], b"Lost 3 events!\n", *lines[5:]]))
    assert report["skipped"]["not a system call"] == {
        "lines": 1,
        "first_line": 6,
        "excerpt": "Lost 3 events!",
    }
    assert report["counts"]["lines"] == 15 and report["counts"]["skipped_lines"] == 1


@pytest.mark.parametrize("content", [TRACE, SCRIPT])
def test_it_is_recognised_and_nothing_else_is_meant(content: bytes) -> None:
    assert [one.name for one in formats.FORMATS if one.recognises(content)] == ["perf"]


def test_other_machines_and_other_texts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"was recorded on aarch64; .* record syscalls:"):
        calls(tmp_path, b"# arch : aarch64\n" + SCRIPT)
    with pytest.raises(ValueError, match="none of its 2 lines is a system call; line 1 is: so"):
        calls(tmp_path, b"so\nwhat\n", "perf")


SCRIPTED = """\
 prog  7 [000]   1.000001: {open}
 prog  7 [000]   1.000002: raw_syscalls:sys_exit: NR 257 = 3
 prog  7 [000]   1.000003: {read}
 prog  7 [000]   1.000004: raw_syscalls:sys_exit: NR 17 = 16
 prog  7 [000]   1.000005: {map}
 prog  7 [000]   1.000006: raw_syscalls:sys_exit: NR 9 = 140176517906432
"""
RAW = SCRIPTED.format(
    open="raw_syscalls:sys_enter: NR 257 (ffffffffffffff9c, 7f0000001000, 0, 0, 0, 0)",
    read="raw_syscalls:sys_enter: NR 17 (3, 7f0000002000, ffffff9c, ffffffff, 0, 0)",
    map="raw_syscalls:sys_enter: NR 9 (0, 1000, 3, 22, ffffffff, 0)",
)
NAMED = SCRIPTED.format(
    open='syscalls:sys_enter_openat: dfd: 0xffffff9c, filename: 0x7f00 "/a", flags: 0x00000000, mode: 0x00000000',
    read="syscalls:sys_enter_pread64: fd: 0x00000003, buf: 0x7f000, count: 0xffffff9c, pos: 0xffffffff",
    map="syscalls:sys_enter_mmap: addr: 0x0, len: 0x1000, prot: 0x3, flags: 0x22, fd: 0xffffffff, off: 0x00000000",
)


@pytest.mark.parametrize("text", [RAW, NAMED], ids=["raw", "named"])
def test_only_descriptors_are_negative_in_32_bits(tmp_path: Path, text: str) -> None:
    rows, _ = calls(tmp_path, text.encode())
    assert shown(rows, "fd", "dirfd", "offset", "count") == [
        ("openat", None, None, None, None),
        ("pread64", 3, None, 0xFFFFFFFF, 0xFFFFFF9C),
        ("mmap", None, None, 0, 0x1000),
    ]
