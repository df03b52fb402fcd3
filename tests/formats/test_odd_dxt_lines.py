"""Rows of Darshan's extended tracing in odd spellings: each is read as a plain one, or skipped for a reason."""

from pathlib import Path

import pytest
from odd_lines import OddLines

HEADER = """# start_time: 1000
# DXT, file_id: 77, file_name: /a b/c
# DXT, rank: 3, hostname: n1
"""
PLAIN = "X_POSIX 3 write 0 512 16 0.25 0.75 [1] [12] 139"
ODD = [
    "\t X_POSIX  3\twrite 0\x0b512 \N{NO-BREAK SPACE}16 0.25 0.75 [  1][12] 139 \r",
    "X_POSIX 003 write 7 0512 016 .25 +0.75 [-1]139",
    "X_POSIX 3 write 99999999999999999999999 512 16 2.5e-1 0.7500000009 +139",
]
SKIPPED = [
    ("X_POSIX 3 write 0 512 16 0.25", "no row of eight columns or more"),
    ("X_posix 3 write 0 512 16 0.25 0.75", "no row of eight columns or more"),
    ("X_POSIX +3 write 0 512 16 0.25 0.75", "no row of eight columns or more"),
    ("X_POSIX 3 write 0 5.12 16 0.25 0.75", "no row of eight columns or more"),
    ("X_POSIX 3 write 0 512 16 0.25 0.75 139 140", "no row of eight columns or more"),
    ("X_POSIX 3 write 0 512 16 0.25 0.75 [1 139", "no row of eight columns or more"),
    ("X_POSIX 3 open 0 512 16 0.25 0.75", "unknown operation"),
    ("X_POSIX 999999999999999999999 write 0 512 16 0.25 0.75", "no process that can be read"),
    ("X_POSIX 3 write 0 512 16 soon 0.75", "no time that can be read"),
    ("X_POSIX 3 write 0 512 999999999999999999999 0.25 0.75", "no length that can be read"),
    ("X_POSIX -3 write 0 512 16 0.25 0.75", "process out of range"),
    ("X_POSIX 2147483648 write 0 512 16 0.25 0.75", "process out of range"),
    ("X_POSIX 3 write 0 -512 16 0.25 0.75", "negative offset"),
    ("X_POSIX 3 write 0 512 -16 0.25 0.75", "negative length"),
    ("X_POSIX 3 write 0 512 17592186044417 0.25 0.75", "length out of range"),
    ("X_POSIX 3 write 0 4611686018427387904 16 0.25 0.75", "offset out of range"),
    ("X_POSIX 3 write 0 512 16 5000000000 5000000000", "time out of range"),
    ("X_POSIX 3 write 0 512 16 0.25 99999999999", "duration out of range"),
    ("X_POSIX 3 write 0 512 16 0.25 0.75 99999999999999999999", "thread out of range"),
]

LINES = OddLines("darshan-dxt", HEADER, PLAIN)


@pytest.mark.parametrize("line", ODD)
def test_an_odd_row_is_read_as_a_plain_one(tmp_path: Path, line: str) -> None:
    row = LINES.read_as_plain(tmp_path, line)
    assert (row["thread"], row["duration_ns"]) == (139, 500_000_000)


@pytest.mark.parametrize(("line", "reason"), SKIPPED)
def test_a_row_that_is_no_call_has_a_reason(tmp_path: Path, line: str, reason: str) -> None:
    LINES.check_skipped(tmp_path, line, reason, "")


@pytest.mark.parametrize(
    ("end", "seen"), [("0.2", "negative_durations"), ("soon", "unreadable_durations"), ("0.25", None)]
)
def test_a_duration_that_is_none_is_unknown_and_counted(tmp_path: Path, end: str, seen: str | None) -> None:
    rows, report = LINES.calls(tmp_path, f"X_POSIX 3 read 0 512 16 0.25 {end}")
    assert [row["duration_ns"] for row in rows] == [None if seen else 0]
    counts = {key: count for key, count in report["seen"].items() if "durations" in key and count}
    assert counts == ({seen: 1} if seen else {})


def test_unknown_layers_offsets_and_threads_are_null(tmp_path: Path) -> None:
    rows, _ = LINES.calls(tmp_path, "X_HDF 3 read 0 -1 16 0.25 0.75 N/A")
    assert [(row["layer"], row["offset"], row["thread"]) for row in rows] == [(None, None, None)]


def test_rows_before_a_file_are_skipped(tmp_path: Path) -> None:
    rows, report = LINES.calls(tmp_path, PLAIN, *HEADER.splitlines(), PLAIN, header="")
    assert len(rows) == 1
    assert {reason: seen["lines"] for reason, seen in report["skipped"].items()} == {
        "no file that can be read": 1
    }
