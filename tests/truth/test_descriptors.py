"""Files without a name, descriptors of other processes, and opens whose path is unknown: known by construction."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from program import Run
from recorders import needs_bpf, needs_strace

PROGRAM = """
import os, socket, sys
folder = sys.argv[1]
place = os.open(folder, os.O_RDONLY)  # without it, Python's link does not follow a link
def unnamed():
    fd = os.open(folder, os.O_RDWR | os.O_TMPFILE, 0o644)
    os.write(fd, b"x" * 5000)
    return fd
linked = unnamed()
os.link(f"/proc/self/fd/{linked}", "linked", dst_dir_fd=place)
os.write(linked, b"y" * 1000)
os.close(linked)
by_number = unnamed()
os.link(f"/proc/{os.getpid()}/fd/{by_number}", "first", dst_dir_fd=place)
os.rename(folder + "/first", folder + "/renamed")
os.link(folder + "/renamed", folder + "/second")
os.close(by_number)
os.close(unnamed())
with open(folder + "/linked", "rb") as again:
    again.read()
ours, theirs = socket.socketpair()
if os.fork() == 0:
    data = os.open(folder + "/data", os.O_RDONLY)
    os.read(data, 4096)
    socket.send_fds(theirs, [b"x"], [data])
    os._exit(0)
os.wait()
_, (received,), _, _ = socket.recv_fds(ours, 1, 1)
os.read(received, 4096)
"""


STRACE = ("strace", "-f", "-ttt", "-T", "-o", "log")
RECORDERS = {
    "plain": STRACE,
    "y": (*STRACE, "-y"),
    "yy": (*STRACE, "-yy"),
    "bpf": (
        str(Path(sys.executable).with_name("iotrace")),
        *["record", "--backend", "bpf", "-o", "log", "--"],
    ),
}


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=needs_bpf if name == "bpf" else needs_strace) for name in RECORDERS],
)
def files(
    run: Run, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Callable[[str], list[dict[str, Any]]]:
    """What SQL says of the program above, traced with and without the kernel's own paths."""
    place = tmp_path_factory.mktemp("traced")
    (place / "data").write_bytes(b"d" * 8192)
    traced = [*RECORDERS[request.param], sys.executable, "-I", "-c", PROGRAM, str(place)]
    done = subprocess.run(traced, cwd=place, capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"the program cannot be traced here: {done.stderr.decode()[-200:]}")
    return lambda text: asked(run, place / "log", text)


def asked(run: Run, trace: Path, text: str) -> list[dict[str, Any]]:
    """Return the rows of a query of a trace."""
    done = run("sql", trace, text, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


MOVED = """
select regexp_extract(path_last, '[^/]*$') as name, deleted, sum(length) filter (operation = 'write') as written,
       sum(length) filter (operation = 'read') as read
from reference join file using (file)
where type = 'datafile' and regexp_matches(path_last, '/traced[^/]*/') and operation in ('read', 'write')
group by all order by name
"""


def test_a_file_made_without_a_name_lives_under_the_one_it_gets(
    files: Callable[[str], list[dict[str, Any]]],
) -> None:
    moved = {row["name"]: row for row in files(MOVED)}
    unnamed = moved.pop(next(name for name in moved if name.startswith("#")))
    assert (unnamed["deleted"], unnamed["written"]) == (True, 5000)
    assert moved["linked"] == {"name": "linked", "deleted": False, "written": 6000, "read": 6000}
    assert moved["renamed"] == {"name": "renamed", "deleted": False, "written": 5000, "read": None}
    assert set(moved) == {"linked", "renamed", "data"}


def test_a_passed_descriptor_shares_its_position(files: Callable[[str], list[dict[str, Any]]]) -> None:
    reads = """select "offset", length, offset_source from reference join file using (file)
               where path_last like '%/data' and type = 'datafile' and operation = 'read' order by seq"""
    assert [(row["offset"], row["length"]) for row in files(reads)] == [(0, 4096), (4096, 4096)]
    assert {row["offset_source"] for row in files(reads)} == {"tracked"}


LINKED = "\n".join(
    f"4001 1700000004.{at:06} {call} <0.001000>"
    for n in range(40)
    for at, call in (
        (n * 5000 + 1, 'openat(AT_FDCWD, "/srv/out", O_RDWR|O_TMPFILE, 0644) = 3'),
        (n * 5000 + 1010, 'write(3, "x"..., 1048576) = 1048576'),
        (n * 5000 + 2020, f'linkat({{}}, "/srv/out/f{n}", {{}}) = 0'),
        (n * 5000 + 3030, "close(3) = 0"),
    )
)
FORMS = [
    ('AT_FDCWD, "/proc/self/fd/3", AT_FDCWD', "AT_SYMLINK_FOLLOW"),
    ('AT_FDCWD, "/proc/thread-self/fd/3", AT_FDCWD', "AT_SYMLINK_FOLLOW"),
    ('AT_FDCWD, "/proc/4001/fd/3", AT_FDCWD', "AT_SYMLINK_FOLLOW"),
    ('3, "", AT_FDCWD', "AT_EMPTY_PATH"),
]


@pytest.mark.parametrize(("start", "flag"), FORMS)
def test_no_advice_on_temporary_files_that_are_none(run: Run, tmp_path: Path, start: str, flag: str) -> None:
    log = tmp_path / "log.strace"
    log.write_text(LINKED.replace("linkat({}", f"linkat({start}").replace("{}", flag) + "\n")
    advice = run("advice", log).stdout.decode()
    assert "written and deleted again" not in advice
    log.write_text("\n".join(line for line in LINKED.splitlines() if "linkat" not in line) + "\n")
    assert "written and deleted again" in run("advice", log).stdout.decode()


UNPAIRED = """\
7 1.000001 recvmsg(3, {msg_name=NULL, msg_iov=[{iov_base="SCM_RIGHTS, cmsg_data=[9]}", iov_len=1}], msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[6]}], msg_flags=0}, 0) = 1
7 1.000002 read(6, "x"..., 8192) = 8192
"""  # noqa: E501


def test_a_descriptor_from_an_unknown_sender_is_of_an_unknown_file(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.strace"
    log.write_text(UNPAIRED)
    rows = asked(
        run, log, "select path_last, offset_source from reference join file using (file) where length > 128"
    )
    assert rows == [{"path_last": "fd:7:6", "offset_source": "relative"}]
    assert b"1 descriptor whose opening the trace does not show" in run("ingest", log, "--force").stderr


POINTER = """\
 prog  7 [000]   1.000010: raw_syscalls:sys_enter: NR 257 (ffffff9c, 7f0000001000, {flags}, 0, 0, 0)
 prog  7 [000]   1.000020: raw_syscalls:sys_exit: NR 257 = 3
 prog  7 [000]   1.000030: raw_syscalls:sys_enter: NR {call} (3, 7f0000002000, 1000, 0, 0, 0)
 prog  7 [000]   1.000040: raw_syscalls:sys_exit: NR {call} = 4096
"""


@pytest.mark.parametrize(("flags", "call", "source"), [("0", 0, "tracked"), ("401", 1, "relative")])
def test_an_open_in_the_log_begins_at_the_start(
    run: Run, tmp_path: Path, flags: str, call: int, source: str
) -> None:
    """Not where it appends (O_WRONLY and O_APPEND are 0x401)."""
    log = tmp_path / "log.txt"
    log.write_text(POINTER.format(flags=flags, call=call))
    rows = asked(run, log, "select \"offset\", offset_source from reference where type = 'datafile'")
    assert rows == [{"offset": 0, "offset_source": source}]
    assert b"whose opening the trace does not show" not in run("ingest", log, "--force").stderr


@pytest.mark.parametrize(
    ("stamps", "base", "duration_ns"),
    [
        (["12.345678", "12.345700", "13.000000"], "epoch", 654_322_000),
        (["     0.000000", "     0.000100", "     0.000200"], "relative", 300_000),
        (["0.000000", "0.000100", "0.000200"], "relative", 300_000),
        (["0.000100", "0.000300", "0.000200"], "relative", 500_000),
    ],
)
def test_small_times_that_never_step_back_are_absolute(
    run: Run, tmp_path: Path, stamps: list[str], base: str, duration_ns: int
) -> None:
    log = tmp_path / "log.strace"
    log.write_text("".join(f'7 {stamp} openat(AT_FDCWD, "/a", O_RDONLY) = 3\n' for stamp in stamps))
    done = run("info", log, "--format", "json")
    manifest = json.loads(done.stdout)
    assert (manifest["times"]["base"], manifest["duration_ns"]) == (base, duration_ns)
