"""io_uring: what its calls wait for is of unknown kind, and what it moves is not measured."""

import re
from pathlib import Path

import pytest
from program import Run

WAITS = """\
7 1700000002.000000 openat(AT_FDCWD, "/srv/big", O_RDONLY) = 3 <0.000010>
7 1700000002.000020 write(3, "x"..., 4096) = 4096 <0.000010>
7 1700000002.000040 read(3, "x"..., 512) = 512 <0.000010>
7 1700000002.000060 io_uring_setup(8, {flags=0, sq_entries=8}) = 4 <0.000100>
""" + "".join(
    f"7 17000000{3 + at:02}.000000 io_uring_enter(4, 8, 8, IORING_ENTER_GETEVENTS, NULL, 0) = 8 <0.900000>\n"
    for at in range(5)
)
ELSE = WAITS.replace("io_uring_enter(4, 8, 8, IORING_ENTER_GETEVENTS, NULL, 0) = 8", "getpid() = 7").replace(
    "io_uring_setup(8, {flags=0, sq_entries=8}) = 4", "getpid() = 7"
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Five waits of 0.9 s."""
    place = tmp_path / "log.strace"
    place.write_text(WAITS)
    return place


def test_waits_are_of_unknown_kind_and_said_first(run: Run, log: Path) -> None:
    first, second, *_ = run("time", log).stdout.decode().splitlines()
    assert first.startswith("5 asynchronous calls do I/O that no system call shows")
    assert (
        "are unknown: calls whose length, or whose descriptor, the trace does not record, or that wait for"
        in second
    )
    rows = run("time", log, "--by", "call", "--waiting", "include", "--format", "csv").stdout.decode()
    (row,) = (line for line in rows.splitlines() if "io_uring_enter" in line)
    assert ",unknown," in row and ",other," not in row


def test_what_is_mostly_done_is_not_said(run: Run, log: Path, tmp_path: Path) -> None:
    def verdict() -> str:
        page = tmp_path / "page.html"
        done = run("report", log, "-o", page, "--force")
        assert done.returncode == 0, done.stderr
        return re.sub(r"<[^>]+>", "", page.read_text())

    page = verdict()
    assert "It mostly writes" not in page
    assert "Whether it mostly reads or writes is unknown" in page
    assert page.index("Not measured: 5 asynchronous calls move data") < page.index("1 process made")
    log.write_text(
        "\n".join(line for line in WAITS.splitlines() if " write(" not in line and " read(" not in line)
    )
    page = verdict()
    assert (
        "Its calls only look things up" in page
        and "Its calls, which are not all of its I/O, move no data" in page
    )
    assert "It only looks things up" not in page
    log.write_text(ELSE)
    page = verdict()
    assert "It mostly writes" in page and "Not measured" not in page
