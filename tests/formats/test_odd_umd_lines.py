"""Lines of UMD traces in odd spellings: each is read as a plain one, or skipped for a reason."""

from pathlib import Path

import pytest
from odd_lines import OddLines

HEADER = "1 2 2\n2 /a\n4 /b c\n"
PLAIN = "2 1 3 1 0.25 0.5 512 16"
ODD = [
    "\t2  1 3\x0b1 .25 x 512 \N{NO-BREAK SPACE}16 \r",
    "READ 01 003 01 +0.25 - 0512 016",
    "002 -7 3 1 2.5e-1 1.2.3 512 16",
    "Read 99999999999999999999999 3 1 0.2500000009 0 512 16",
]
SKIPPED = [
    ("2 1 3 1 0.25 0.5 512", "no record of eight fields"),
    ("2 1 3 1 0.25 0.5 512 16 1", "no record of eight fields"),
    ("0002 1 3 1 0.25 0.5 512 16", "no record of eight fields"),
    ("re4d 1 3 1 0.25 0.5 512 16", "no record of eight fields"),
    ("2 +1 3 1 0.25 0.5 512 16", "no record of eight fields"),
    ("2 1 3 one 0.25 0.5 512 16", "no record of eight fields"),
    ("2 1 3 1 0.25 0.5 5.12 16", "no record of eight fields"),
    ("2 2 2", "no record of eight fields"),
    ("6 1 3 1 0.25 0.5 512 16", "unknown operation"),
    ("stat 1 3 1 0.25 0.5 512 16", "unknown operation"),
    ("2 1 999999999999999999999 1 0.25 0.5 512 16", "no process that can be read"),
    ("2 1 3 1 soon 0.5 512 16", "no time that can be read"),
    ("2 1 -3 1 0.25 0.5 512 16", "process out of range"),
    ("2 1 2147483648 1 0.25 0.5 512 16", "process out of range"),
    ("2 1 99999999999999999999 1 0.25 0.5 512 16", "process out of range"),
    ("2 1 3 1 0.25 0.5 -512 16", "negative offset"),
    ("2 1 3 1 0.25 0.5 512 -16", "negative length"),
    ("2 1 3 1 0.25 0.5 512 17592186044417", "length out of range"),
    ("2 1 3 1 0.25 0.5 4611686018427387904 16", "offset out of range"),
    ("2 1 3 1 5000000000 0.5 512 16", "time out of range"),
]

LINES = OddLines("umd-ascii", HEADER, PLAIN)


@pytest.mark.parametrize("line", ODD)
def test_an_odd_record_is_read_as_a_plain_one(tmp_path: Path, line: str) -> None:
    row = LINES.read_as_plain(tmp_path, line)
    assert (row["file"], row["offset"], row["length"]) == ("/b c", 512, 16)


@pytest.mark.parametrize(("line", "reason"), SKIPPED)
def test_a_line_that_is_no_record_has_a_reason(tmp_path: Path, line: str, reason: str) -> None:
    LINES.check_skipped(tmp_path, line, reason, "", "# a comment")


def test_names_end_with_the_first_record_whatever_the_header_says(tmp_path: Path) -> None:
    rows, _ = LINES.calls(tmp_path, PLAIN, "2 1 3 2 0.25 0.5 512 16", header="1 1 1\n2 /a\n  4 /b c \n/c\n")
    assert [row["file"] for row in rows] == ["/b c", "file 2"]


def test_records_before_a_header_are_read(tmp_path: Path) -> None:
    rows, report = LINES.calls(tmp_path, PLAIN, "1 0 1", header="")
    assert [row["file"] for row in rows] == ["file 1"]
    assert report["remarks"] == {"records of files that the header does not name": 1}


def test_a_number_of_a_file_in_another_spelling_is_that_file(tmp_path: Path) -> None:
    numbers = ("1", "01", "-1", "99999999999999999999", "999999999999999999999")
    rows, report = LINES.calls(tmp_path, *(f"2 1 3 {number} 0.25 0.5 512 16" for number in numbers))
    assert [row["file"] for row in rows] == ["/b c", "/b c", *(f"file {number}" for number in numbers[2:])]
    assert report["remarks"] == {"records of files that the header does not name": 3}
