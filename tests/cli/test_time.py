"""``iotrace time``, as a user types it."""

import json
from pathlib import Path

import pytest
from program import Run

LOG = """\
10 1700000001.000000 openat(AT_FDCWD, "/data/a", O_RDONLY) = 3 <0.010000>
10 1700000001.020000 read(3, "x", 1) = 1 <0.030000>
10 1700000001.060000 pipe2([4, 5], 0) = 0 <0.000100>
10 1700000001.070000 read(4, "x", 1) = 1 <0.500000>
10 1700000001.600000 openat(AT_FDCWD, "/no", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000200>
10 1700000001.610000 fsync(3) = 0 <0.100000>
10 1700000001.720000 brk(NULL) = 0x55 <0.000010>
10 1700000002.000000 +++ exited with 0 +++
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    place = tmp_path / "t.strace"
    place.write_text(LOG, "utf-8")
    return place


def test_rows_have_the_columns_of_the_contract(run: Run, log: Path) -> None:
    rows = json.loads(run("time", log, "--format", "json").stdout)
    contract = (
        "by",
        "name",
        "calls",
        "total_s",
        "mean_us",
        "p50_us",
        "p95_us",
        "p99_us",
        "max_us",
        "waiting",
    )
    assert all(set(contract) <= set(row) for row in rows)
    assert {row["by"] for row in rows} == {"call", "file", "directory", "program", "process"}
    found = {(row["by"], row["name"], row["waiting"]): row for row in rows}
    read, waited = found["call", "read", False], found["call", "read", True]
    assert (read["calls"], read["total_s"], read["max_us"]) == (1, 0.03, 30_000)
    assert (waited["calls"], waited["total_s"]) == (1, 0.5)
    assert found["file", "/data/a", False]["total_s"] == pytest.approx(0.14)
    assert found["directory", "/data", False]["calls"] == 3
    assert found["file", "(not found)", False]["calls"] == 1
    assert found["file", "(pipe)", True]["calls"] == 1
    assert found["call", "brk", True]["class"] == "other"
    for by in ("call", "file", "directory", "program", "process"):
        assert sum(row["calls"] for row in rows if row["by"] == by) == 7
        assert sum(row["total_s"] for row in rows if row["by"] == by) == pytest.approx(0.64031)


def test_first_screen_says_where_the_time_goes(run: Run, log: Path) -> None:
    printed = run("time", log).stdout.decode()
    first, second, *_ = printed.splitlines()
    assert first.startswith("500 ms of 1 s (50 %) are waiting: ")
    assert "100 ms in 1 call of fsync" in second
    assert "140 ms in 3 calls on /data/a" in second
    words = [line.split()[:2] for line in printed.splitlines() if line]
    assert ["storage", "140"] in words
    assert ["not_recorded", "360"] in words
    assert "(pipe)" not in printed
    assert "(pipe)" in run("time", log, "--waiting", "include").stdout.decode()


def test_rows_can_be_cut_and_chosen(run: Run, log: Path) -> None:
    rows = json.loads(run("time", log, "--by", "call", "--top", "1", "-f", "json").stdout)
    assert [(row["by"], row["name"]) for row in rows] == [("call", "fsync")]
    rows = json.loads(run("time", log, "--waiting", "exclude", "-f", "json").stdout)
    assert {row["waiting"] for row in rows} == {False}
    done = run("time", log, "--by", "call,disk")
    assert done.returncode == 2
    assert "--by: disk is none of call, file, directory, program, process" in done.stderr.decode()


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ('1 read(3, "x", 1) = 1\n', "the log has no time stamps"),
        ('1 1700000001.000000 read(3, "x", 1) = 1\n', "does not record how long calls took"),
    ],
)
def test_a_trace_without_times_is_refused(run: Run, tmp_path: Path, log: str, why: str) -> None:
    (tmp_path / "t.strace").write_text(log, "utf-8")
    done = run("time", tmp_path / "t.strace")
    assert done.returncode == 1
    assert why in done.stderr.decode().splitlines()[-1]


def test_a_trace_of_requests_to_disks_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.spc").write_text("0,20941264,8192,W,0.551706\n0,20939840,8192,W,0.554041\n", "utf-8")
    done = run("time", tmp_path / "t.spc")
    assert done.returncode == 1
    assert "iotrace time shows the time in system calls; iotrace report" in done.stderr.decode()


def test_one_call_is_enough(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.strace").write_text("1 1700000001.000000 fsync(3) = 0 <0.000250>\n", "utf-8")
    printed = run("time", tmp_path / "t.strace").stdout.decode()
    assert printed.startswith("250 µs of 250 µs (100 %) are storage: ")


def test_a_clock_that_jumps_back_is_reported(run: Run, tmp_path: Path) -> None:
    lines = LOG.splitlines(keepends=True)
    (tmp_path / "t.strace").write_text("".join([*lines[:3], *lines[4:6], lines[3], *lines[6:]]), "utf-8")
    done = run("time", tmp_path / "t.strace")
    assert done.returncode == 0
    assert "time runs backwards" in done.stderr.decode()


def test_a_clock_that_jumps_forward_is_said_where_it_may_have(run: Run, tmp_path: Path) -> None:
    """200 reads of 5 ms each, an hour between the first half and the second."""
    starts_s = [1_700_000_000 + place * 0.01 + 3600 * (place >= 100) for place in range(200)]
    lines = [f'1 {start_s:.6f} read(3, "x", 4096) = 4096 <0.005000>\n' for start_s in starts_s]
    (tmp_path / "t.strace").write_text("".join(lines), "utf-8")
    said = b"no process makes a call: the trace does not show whether one computes, or the machine sleeps"
    assert b"For 1 h, from 995 ms on, " + said in run("time", tmp_path / "t.strace").stdout
    assert run("report", tmp_path / "t.strace", "-o", tmp_path / "t.html").returncode == 0
    assert said in (tmp_path / "t.html").read_bytes()
    assert b"no process makes a call" not in run("time", tmp_path / "t.strace", "--until", "1s").stdout


def test_a_coarse_clock_is_noted(run: Run, tmp_path: Path) -> None:
    lines = "10 01:55:15 fsync(3 <unfinished ...>\n11 01:55:15 getpid() = 11\n10 01:55:16 <... fsync resumed>) = 0\n"
    (tmp_path / "t.strace").write_text(lines, "utf-8")
    assert "The log's time stamps are to 1 s" in run("time", tmp_path / "t.strace").stdout.decode()
