"""Lines of Recorder's text in odd spellings: each is read as a plain one, or skipped for a reason."""

from pathlib import Path

import pytest
from calls_read import reported
from odd_lines import OddLines

PLAIN = "0.25 0.75 pwrite 0 0 ( /a b %p 16 512 )"
ODD = [
    "0.25 0.75 pwrite -12 -1 (/a b %p 16 512) \t\N{NO-BREAK SPACE}\r",
    "0.25 0.75 pwrite64 0 999999999 (\t/a \x0b b\N{NO-BREAK SPACE}%p  +16 00512  )",
    ".25 .75 pwrite 007 00 ( /a b %p 0016 512)",
    "2.5e-1 7.5e-01 pwrite 0 0 ( /a b x 16 +512 )",
    "0.2500000009 0.7500000009 pwritev 0 4 ( /a b ) 16 512 )",
]
NO_CALL, TOO_FEW = "no call with its arguments in brackets", "too few arguments"
SKIPPED = [
    ("0.25 0.75 pwrite 0 0", NO_CALL),
    ("0.25 0.75 pwrite 0 0 /a %p 16 512", NO_CALL),
    ("0.25 0.75 pwrite 0 0 ( /a %p 16 512", NO_CALL),
    ("0.25 0.75 pwrite 0 0 ( /a %p 16 512 ) more", NO_CALL),
    (" 0.25 0.75 pwrite 0 0 ( /a %p 16 512 )", NO_CALL),
    ("0.25  0.75 pwrite 0 0 ( /a %p 16 512 )", NO_CALL),
    ("0.25 0.75\tpwrite 0 0 ( /a %p 16 512 )", NO_CALL),
    ("0.25 0.75 pwrite 0 ( /a %p 16 512 )", NO_CALL),
    ("0.25 0.75 pwrite x 0 ( /a %p 16 512 )", NO_CALL),
    ("0.25 0.75 pwrite 0 +0 ( /a %p 16 512 )", NO_CALL),
    ("0.25 0.75 pwrite 0 1234567890 ( /a %p 16 512 )", NO_CALL),
    ("soon 0.75 pwrite 0 0 ( /a %p 16 512 )", NO_CALL),
    ("+0.25 0.75 pwrite 0 0 ( /a %p 16 512 )", NO_CALL),
    ("1_0 0.75 pwrite 0 0 ( /a %p 16 512 )", NO_CALL),
    ("0.25 7e pwrite 0 0 ( /a %p 16 512 )", NO_CALL),
    ("0.25 0.75 pwrite 0 0 ( %p 16 512 )", TOO_FEW),
    ("0.25 0.75 read 0 0 ( /a 16 )", TOO_FEW),
    ("0.25 0.75 fread 0 0 ( %p 1 16 )", TOO_FEW),
    ("0.25 0.75 lseek 0 0 ( 0 0 )", TOO_FEW),
    ("0.25 0.75 ftruncate 0 0 ( 0 )", TOO_FEW),
    ("0.25 0.75 open 0 0 ( )", TOO_FEW),
    ("0.25 0.75 fopen 0 0 ()", TOO_FEW),
    ("0.25 0.75 close 0 0 (\t)", TOO_FEW),
    ("0.25 0.75 fread 0 0 ( %p one 16 /a )", "no length that can be read"),
    ("0.25 0.75 fwrite 0 0 ( %p 1 999999999999999999999 /a )", "no length that can be read"),
    (". 0.75 pwrite 0 0 ( /a %p 16 512 )", "no time that can be read"),
    ("1.2.3 0.75 pwrite 0 0 ( /a %p 16 512 )", "no time that can be read"),
    ("1e999 0.75 MPI_Barrier 0 0 ( )", "no time that can be read"),
    ("0.25 0.75 pwrite 0 0 ( /a %p 16 -512 )", "negative offset"),
    ("0.25 0.75 lseek 0 0 ( /a -512 0 )", "negative offset"),
    ("0.25 0.75 pwrite 0 0 ( /a %p -16 512 )", "negative length"),
    ("0.25 0.75 fread 0 0 ( %p -1 16 /a )", "negative length"),
    ("0.25 0.75 pwrite 0 0 ( /a %p 17592186044417 512 )", "length out of range"),
    ("0.25 0.75 fread 0 0 ( %p 9999999999 9999999999 /a )", "length out of range"),
    ("0.25 0.75 pwrite 0 0 ( /a %p 16 4611686018427387904 )", "offset out of range"),
    ("0.25 0.75 lseek 0 0 ( /a -9999999999999999999 1 )", "offset out of range"),
    ("5000000000.0 5000000000.0 pwrite 0 0 ( /a %p 16 512 )", "time out of range"),
    ("99999999999999999999 0.75 pwrite 0 0 ( /a %p 16 512 )", "time out of range"),
    ("0.25 99999999999 pwrite 0 0 ( /a %p 16 512 )", "duration out of range"),
]
REMARKS = [
    ("0.25 0.75 MPI_File_open 1 1 ( comm /f 1 )", "other calls of MPI-IO"),
    ("0.25 0.75 H5Fopen 1 3 ()", "other calls of HDF5"),
    ("9.9.9 . stat\N{SNOWMAN} 1 4 ( /f ( ) )", "other calls of user functions"),
    ("0.25 0.75 pwrite6464 1 005 ( /f )", "other calls of type 5"),
    ("0.25 0.75 x 1 -1 ( /f )", "other calls of type -1"),
]
FILES = [
    ("open", "/a  b 577 438", "/a b", "create|truncate"),
    ("open64", "/a 1089", "/a", "append|create"),
    ("open", "/a 1 2 3", "/a 1", None),
    ("open", "/a -1 +438", "/a", None),
    ("open", "577", None, None),
    ("creat", "/a x", "/a x", None),
    ("fopen", "/a b a+", "/a b", "append|create"),
    ("fopen", "w", "w", "create|truncate"),
    ("fsync", "/a\N{NO-BREAK SPACE} b", "/a b", None),
    ("unlink", "(a)", "(a)", None),
]
LINES = OddLines("recorder-text", "", PLAIN)


@pytest.mark.parametrize("line", ODD)
def test_an_odd_line_is_read_as_a_plain_one(tmp_path: Path, line: str) -> None:
    row = LINES.read_as_plain(tmp_path, line)
    assert (row["process"], row["file"], row["offset"], row["length"]) == (7, "/a b", 512, 16)
    assert row["duration_ns"] == 500_000_000


@pytest.mark.parametrize(("line", "reason"), SKIPPED)
def test_a_line_that_is_no_call_has_a_reason(tmp_path: Path, line: str, reason: str) -> None:
    LINES.check_skipped(tmp_path, line, reason, "", " \t")


@pytest.mark.parametrize(("line", "remark"), REMARKS)
def test_a_call_that_is_not_kept_is_counted(tmp_path: Path, line: str, remark: str) -> None:
    rows, report = LINES.calls(tmp_path, PLAIN, line, PLAIN, line)
    assert len(rows) == 2 and report["skipped"] == {}
    assert report["remarks"] == {remark: 2}


@pytest.mark.parametrize(("name", "arguments", "file", "flags"), FILES)
def test_a_path_may_have_spaces(
    tmp_path: Path, name: str, arguments: str, file: str | None, flags: str | None
) -> None:
    rows, _ = LINES.calls(tmp_path, f"0.25 0.75 {name} 0 0 ( {arguments} )")
    assert reported(rows, "file", "flags") == [(file or f"fd:7:{arguments}", flags)]


def test_numbers_that_cannot_be_read_are_unknown(tmp_path: Path) -> None:
    calls = ("lseek 0 0 ( /a x y )", "lseek 0 0 ( /a -5 1 )", "ftruncate 0 0 ( /a x )", "read 0 0 ( /a x y )")
    rows, _ = LINES.calls(tmp_path, *(f"0.25 0.75 {call}" for call in calls))
    assert reported(rows, "offset", "whence", "length") == [
        (None, "end", None), (-5, "current", None), (None, None, None), (None, None, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("end", "seen"), [("0.2", "negative_durations"), ("9.9.9", "unreadable_durations"), ("0.25", None)]
)
def test_a_duration_that_is_none_is_unknown_and_counted(tmp_path: Path, end: str, seen: str | None) -> None:
    rows, report = LINES.calls(tmp_path, f"0.25 {end} close 0 0 ( /a )")
    assert [row["duration_ns"] for row in rows] == [None if seen else 0]
    counts = {key: count for key, count in report["seen"].items() if "durations" in key and count}
    assert counts == ({seen: 1} if seen else {})
