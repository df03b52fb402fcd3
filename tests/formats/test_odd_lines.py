"""Lines of block traces in odd spellings: each is read as a plain one, or skipped for a reason."""

from pathlib import Path
from typing import Any

import pytest
from requests_read import read

PLAIN = {
    "msr-cambridge": "128166372003061629,web,0,Read,512,4096,700",
    "systor17": "1456182000.25,0.5,W,3,512,4096",
    "alibaba": "64,R,512,4096,1577808000000000",
    "tencent": "1538323200,8,16,1,12",
    "spc": "1,448003,4096,R,62.5",
    "disksim": "62500.000 30 200 8 1",
    "mqsim": "62500000000 0 200 8 1",
}
ODD = [
    ("msr-cambridge", "128166372003061629,web,0,Read,512,4096,700\r"),
    ("msr-cambridge", "128166372003061629,web,0,Read,512,4096,700,more,fields"),
    ("msr-cambridge", " +128166372003061629 ,\tweb,0 ,READ, +0512,004096 ,+700"),
    ("msr-cambridge", '128166372003061629,"web","0","Read","512","4096","700"'),
    ("msr-cambridge", "128166372003061629,web\N{NO-BREAK SPACE},0\x0b,read\N{EM SPACE},512,4096,700"),
    ("systor17", "1456182000.25,0.5000000009,w,3,512,4096"),
    ("systor17", "1456182000.250,.5e0,W,3,512,4096"),
    ("systor17", "1456182000.25,500E-3,W,3,512,4096"),
    ("alibaba", "64,r,512,4096,+1577808000000000"),
    ("alibaba", "64,R,512,4096,00000001577808000000000"),
    ("tencent", "1538323200 , 8, 16, 1 ,12\r\r"),
    ("spc", "1,448003,4096,R,62.5,1,more"),
    ("spc", " 1, 448 003,4 096 , r,62.5 "),
    ("spc", "1,448003,4096,r,62.5000000001"),
    ("spc", "1,448003,4096,r,+6.25E+01"),
    ("disksim", "  62500.\t30 200  8 0x1"),
    ("disksim", '"62500.000" "30" "200" "8" "F"'),
    ("disksim", "62500 30 200 8 0X00000000001 more"),
    ("disksim", "6.25e4 30\x0b200\N{EM SPACE}+8 -1"),
    ("mqsim", "+62500000000\t0 200 +8 1 more"),
    ("mqsim", "62500000000 0 200 8 1\r"),
]
SKIPPED = [
    ("msr-cambridge", "128166372003061629,web,0,Read,512", "too few fields"),
    ("msr-cambridge", "128166372003061629,web,0,,512,4096,700", "unknown operation"),
    ("msr-cambridge", '128166372003061629,web,0,"Read,512,4096,700', "a quote that is not closed"),
    ("msr-cambridge", '128166372003061629,"w"eb,0,Read,512,4096,700', "a quote that is not closed"),
    ("msr-cambridge", "1.28e17,web,0,Read,512,4096,700", "no time that can be read"),
    ("msr-cambridge", "128166372003061629,web,0,Read,5 12,4096,700", "no block number that can be read"),
    ("msr-cambridge", "128166372003061629,web,0,Read,512,4096.0,700", "no length that can be read"),
    ("msr-cambridge", "128166372003061629,web,0,Read,-1,4096,700", "negative block number"),
    ("msr-cambridge", "128166372003061629,web,0,Read,512,-1,700", "negative length"),
    ("msr-cambridge", "128166372003061629,web,0,Read,512,4294967296,700", "length out of range"),
    (
        "msr-cambridge",
        "128166372003061629,web,0,Read,9223372036854775807,4096,700",
        "block number out of range",
    ),
    ("systor17", "1456182000.25,0.5,X,3,512,4096", "unknown operation"),
    ("systor17", "+1456182000.25,0.5,W,3,512,4096", "no time that can be read"),
    ("alibaba", "64,R,512,4096,9223372036854776", "no time that can be read"),
    ("alibaba", "64,R,512,4096,4611686018427388", "time out of range"),
    ("tencent", "1538323200,8,16,2,12", "unknown operation"),
    ("tencent", "1538323200,18446744073709551616,16,1,12", "no block number that can be read"),
    ("spc", "1,448003,4096,R,.5", "no time that can be read"),
    ("spc", '1,"448 003",4096,R,62.5', "no block number that can be read"),
    ("disksim", "62500.000 30 200 8", "too few fields"),
    ("disksim", "62500.000 30 200 8 g", "unknown operation"),
    ("mqsim", "62500000000.0 0 200 8 1", "no time that can be read"),
    ("mqsim", "62500000000 0 200 8 01", "unknown operation"),
]


def requests(tmp_path: Path, name: str, *lines: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    path = tmp_path / "t"
    path.write_text("".join(f"{line}\n" for line in lines), newline="")
    return read(path, name)


@pytest.mark.parametrize(("name", "line"), ODD)
def test_an_odd_line_is_read_as_a_plain_one(tmp_path: Path, name: str, line: str) -> None:
    rows, report = requests(tmp_path, name, PLAIN[name], line)
    assert report["skipped"] == {} and len(rows) == 2
    assert rows[0] == rows[1]


@pytest.mark.parametrize(("name", "line", "reason"), SKIPPED)
def test_a_line_that_is_no_request_has_a_reason(tmp_path: Path, name: str, line: str, reason: str) -> None:
    rows, report = requests(tmp_path, name, PLAIN[name], "", line, PLAIN[name])
    assert len(rows) == 2 and rows[0] == rows[1]
    assert report["skipped"] == {reason: {"lines": 1, "first_line": 3, "excerpt": line}}
    assert report["remarks"] == {"blank lines": 1}


@pytest.mark.parametrize(
    ("response", "latency_ns", "seen"),
    [
        ("", None, None),
        ("-1", None, "negative_latencies"),
        ("soon", None, "unreadable_latencies"),
        ("1000000000", None, "latencies_out_of_range"),
        ("1e-3", 1_000_000, None),
    ],
)
def test_a_response_time_that_is_none_is_unknown_and_counted(
    tmp_path: Path, response: str, latency_ns: int | None, seen: str | None
) -> None:
    rows, report = requests(tmp_path, "systor17", f"1456182000.25,{response},,3,512,4096")
    assert [(row["latency_ns"], row["operation"]) for row in rows] == [(latency_ns, None)]
    counts = {key: count for key, count in report["seen"].items() if "latencies" in key and count}
    assert counts == ({seen: 1} if seen else {})


def test_a_response_time_may_be_missing(tmp_path: Path) -> None:
    rows, _ = requests(tmp_path, "msr-cambridge", PLAIN["msr-cambridge"].rpartition(",")[0])
    assert [row["latency_ns"] for row in rows] == [None]


def test_times_may_be_before_the_start(tmp_path: Path) -> None:
    rows, report = requests(tmp_path, "spc", "1,8,512,R,-1.5", "1,8,512,R,0.5")
    assert [row["time_ns"] for row in rows] == [0, 2_000_000_000]
    assert report["times"]["first_ns"] == -1_500_000_000


def test_quoted_names_may_hold_separators_and_lines(tmp_path: Path) -> None:
    line = '128166372003061629,"a ""b"", c\nd ",0,Read,512,4096,700'
    rows, report = requests(tmp_path, "msr-cambridge", line, PLAIN["msr-cambridge"], "x")
    assert [row["device"] for row in rows] == ['a "b", c\nd _0', "web_0"]
    assert report["skipped"]["too few fields"]["first_line"] == 4
    assert report["counts"]["lines"] == 3


def test_bytes_that_are_not_utf8_are_shown_in_names(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(
        b"6\xff4,R,512,4096,1577808000000000\n" + "k\u00e4se,R,512,4096,1577808000000000\n".encode()
    )
    assert [row["device"] for row in read(path, "alibaba")[0]] == ["6\\xff4", "käse"]
