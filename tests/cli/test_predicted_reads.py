"""``iotrace memory``: pages that Linux reads at limits of memory."""

import csv
from pathlib import Path

import pytest
from program import Run, refused

import iotrace
from iotrace.errors import IotraceError, UsageError

COLUMNS = [
    "limit_bytes",
    "page_reads_linux",
    "page_reads_low",
    "page_reads_high",
    "page_reads_lru",
    "page_reads_optimum",
    "wait_s",
]
MB = 1 << 20


def log(rounds: int, megabytes: int) -> str:
    """A program that reads a file from end to end several times."""
    lines = [
        '1 0.0 openat(AT_FDCWD, "/data", O_RDONLY) = 3',
        f"1 0.1 fstat(3, {{st_mode=S_IFREG|0644, st_size={megabytes * MB}}}) = 0",
    ]
    for number in range(rounds):
        lines.append(f"1 {number + 1}.0 lseek(3, 0, SEEK_SET) = 0")
        lines += [
            f'1 {number + 1}.{place + 1:05} read(3, "", 65536) = 65536' for place in range(16 * megabytes)
        ]
    return "\n".join([*lines, "1 99.0 close(3) = 0", "1 99.1 +++ exited with 0 +++", ""])


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """Three scans of 16 MB."""
    place = tmp_path / "scans.log"
    place.write_text(log(3, 16))
    return place


def test_scans_hit_only_where_all_fits(run: Run, scans: Path) -> None:
    done = run("memory", scans, "--limits", "8M,64M", "--format", "csv")
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    assert list(rows[0]) == COLUMNS
    small, large = rows
    assert (int(large["page_reads_linux"]), int(large["page_reads_optimum"])) == (4096, 4096)
    # of what a cache that keeps pages of its choice saves, two lists save a part, and LRU nothing
    assert int(small["page_reads_lru"]) == 3 * 4096
    assert int(small["page_reads_optimum"]) == 3 * 4096 - 2 * 2048
    assert int(small["page_reads_optimum"]) <= int(small["page_reads_linux"]) <= 3 * 4096
    assert small["wait_s"] == ""


def test_the_first_sentence_says_what_memory_would_do(run: Run, scans: Path) -> None:
    shown = run("memory", scans, "--limits", "6M,12M,24M").stdout.decode()
    assert shown.startswith("A limit of 12 MB reads ")
    assert "twice as much, 24 MB, reads 4,096 pages (16 MB), -66.7 %" in shown
    assert "A cliff lies between 12 MB and 24 MB" in shown
    assert "The trace has no measured memory: the range assumes" in shown


def test_other_memory_takes_its_part(run: Run, scans: Path) -> None:
    def reads(*options: str) -> list[int]:
        done = run("memory", scans, "--limits", "20M", "--format", "csv", *options)
        (row,) = csv.DictReader(done.stdout.decode().splitlines())
        return [int(row[f"page_reads_{name}"]) for name in ("linux", "low", "high")]

    assert reads() == [4096, 4096, reads()[2]]
    assert reads()[2] > 4096
    assert reads("--other", "0") == [4096] * 3
    shrunk, low, high = reads("--other", "10M")
    assert low == 4096 < shrunk == high


def test_the_default_limits_reach_what_holds_all(run: Run, scans: Path) -> None:
    done = run("memory", scans, "--format", "csv")
    rows = list(csv.DictReader(done.stdout.decode().splitlines()))
    assert int(rows[-1]["limit_bytes"]) >= 16 * MB
    assert int(rows[-1]["page_reads_linux"]) == 4096


def test_python_has_the_same(scans: Path, run: Run) -> None:
    (row,) = iotrace.open(scans).memory([64 * MB]).to_pylist()
    assert list(row) == COLUMNS
    assert row["page_reads_linux"] == 4096


def test_files_opened_by_creat_are_known(run: Run, tmp_path: Path) -> None:
    """What creat opens is written, and its pages are read from memory."""
    lines = [
        '1 0.0 creat("/made", 0644) = 3',
        '1 0.1 write(3, "", 1048576) = 1048576',
        "1 0.2 close(3) = 0",
        '1 0.3 open("/made", O_RDONLY) = 3',
        '1 0.4 read(3, "", 1048576) = 1048576',
        '1 0.5 openat2(AT_FDCWD, "/made", {flags=O_RDONLY, resolve=0}, 24) = 4',
        '1 0.6 pread64(4, "", 1048576, 0) = 1048576',
        "1 0.7 +++ exited with 0 +++",
    ]
    (tmp_path / "made.log").write_text("\n".join([*lines, ""]))
    done = run("memory", tmp_path / "made.log", "--limits", "64M", "--format", "csv")
    (row,) = csv.DictReader(done.stdout.decode().splitlines())
    assert row["page_reads_linux"] == row["page_reads_lru"] == row["page_reads_optimum"] == "0"


def test_what_makes_no_sense_is_refused(run: Run, scans: Path) -> None:
    assert "below 1 MB" in refused(run("memory", scans, "--limits", "4K"), 2)
    assert "is not a size" in refused(run("memory", scans, "--limits", "much"), 2)
    assert "multiple of 4 KB" in refused(run("memory", scans, "--readahead", "5K"), 2)
    with pytest.raises(UsageError, match="below 1 MB"):
        iotrace.open(scans).memory([1])


def test_traces_of_disks_and_without_files_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none.log").write_text("1 0.0 getpid() = 1\n1 0.1 +++ exited with 0 +++\n")
    with pytest.raises(IotraceError, match="no file is read or written at a known offset"):
        iotrace.open(tmp_path / "none.log").memory()


def test_what_a_program_says_it_will_need_is_read(run: Run, tmp_path: Path) -> None:
    """Of 8 MB, 1,280 KB come in on each of two calls; of what is dropped 64 KB are read again."""
    log = tmp_path / "advised.strace"
    log.write_text(
        """7 0.00 openat(AT_FDCWD, "/data", O_RDONLY) = 3
7 0.01 fstat(3, {st_mode=S_IFREG|0644, st_size=8388608, ...}) = 0
7 0.02 fadvise64(3, 0, 0, POSIX_FADV_WILLNEED) = 0
7 0.03 readahead(3, 2097152, 4194304) = 0
7 0.04 fadvise64(3, 0, 65536, POSIX_FADV_DONTNEED) = 0
7 0.05 fadvise64(3, 0, 0, POSIX_FADV_RANDOM) = 0
7 0.06 pread64(3, ""..., 65536, 0) = 65536
"""
    )
    lines = run("memory", log, "--limits", "64M", "--format", "csv").stdout.decode().splitlines()
    assert lines[1].split(",")[1] == str(320 + 320 + 16)
