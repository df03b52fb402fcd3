"""Any text whose lines are events (`--columns action=`), or have the end of a request (`end=`)."""

from pathlib import Path
from typing import Any

import pytest
from requests_read import read

from iotrace import formats
from iotrace.errors import UsageError

IOSNOOP = """\
Tracing block I/O. Ctrl-C to end.

STARTs         ENDs           COMM         PID    TYPE DEV      BLOCK        BYTES     LATms
5982800.302061 5982800.302679 supervise    1809   W    202,1    17039600     4096       0.62
5982800.302423 5982800.302842 supervise    1809   W    202,1    17039608     4096       0.42
5982800.304962 5982800.305446 supervise    1801   R    202,1    17039616     4096       0.48
"""
BLKPARSE = """\
0.000000000, 911, app, Q, 1000, 8
0.000002000, 911, app, G, 1000, 8
0.000005000, 911, app, Q, 2000, 16
0.000009000, 911, app, D, 1000, 8
0.000011000, 911, app, D, 2000, 16
0.000209000, 0, swapper, C, 1000, 8
0.000309000, 0, swapper, C, 2000, 16
0.000400000, 0, swapper, C, 3000, 8
0.000500000, 911, app, D, 4000, 8
0.000600000, 0, swapper, C, 4000, 8
0.000700000, 911, app, Q, 5000, 8
"""
TAGS = "time\twhat\ttag\tlba\tlen\n" + "".join(
    f"{time}\t{what}\t{tag}\t{place}\n"
    for time, what, tag, place in (
        (10, "begin", "a", "1\t8"),
        (20, "begin", "b", "2\t8"),
        (25, "end", "b", "\t"),
        (30, "begin", "b", "3\t8"),
        (50, "begin", "a", "4\t8"),
        (60, "end", "a", "\t"),
        (90, "end", "b", "\t"),
    )
)

Row = dict[str, Any]


def described(folder: Path, text: str, columns: str) -> tuple[list[Row], dict[str, Any]]:
    (folder / "trace").write_text(text)
    return read(folder / "trace", f"csv:{columns}")


def test_the_end_of_a_request_gives_its_latency(tmp_path: Path) -> None:
    by_number = "time=1,end=2,program=3,pid=4,op=5,device=6,offset=7:512,length=8,separator=space,skip=3"
    by_name = "time=STARTs,end=ENDs,program=COMM,pid=PID,op=TYPE,device=DEV,offset=BLOCK:512,length=BYTES"
    for columns in (by_number, f"{by_name},separator=space,skip=2"):
        rows, report = described(tmp_path, IOSNOOP, columns)
        assert [row["latency_ns"] for row in rows] == [618_000, 419_000, 484_000]
        assert rows[2]["process"] == (1801, "supervise") and rows[2]["lbn"] == 17039616
        assert (
            report["skipped"] == {} and report["remarks"]["lines before the text"] == columns.count("=1,") + 2
        )


def test_queue_issue_and_completion_of_blkparse_pair_up(tmp_path: Path) -> None:
    rows, report = described(tmp_path, BLKPARSE, "time=1,pid=2,program=3,action=4,offset=5:512,length=6:512")
    assert [(row["lbn"], row["blocks"], row["latency_ns"], row["service_ns"]) for row in rows] == [
        (1000, 8, 209_000, 200_000),
        (2000, 16, 304_000, 298_000),
        (4000, 8, None, 100_000),
        (5000, 8, None, None),
    ]
    assert [row["time_ns"] for row in rows] == [0, 5_000, 500_000, 700_000]
    assert [row["queued_ns"] for row in rows] == [0, 5_000, None, 700_000]
    assert rows[0]["issued_ns"] == 9_000 and rows[0]["completed_ns"] == 209_000
    assert rows[0]["process"] == (911, "app") and report["skipped"] == {}
    assert report["remarks"] == {
        "events of no request": 1,
        "completions of what was never seen": 1,
        "requests without completion": 1,
    }


def test_events_of_a_request_have_a_key(tmp_path: Path) -> None:
    columns = "time=time:us,action=what:begin/end,pair=tag,offset=lba:512,length=len:512,separator=tab"
    rows, report = described(tmp_path, TAGS, columns)
    assert [(row["time_ns"], row["lbn"], row["service_ns"]) for row in rows] == [
        (0, 1, None),
        (10_000, 2, 5_000),
        (20_000, 3, 60_000),
        (40_000, 4, 10_000),
    ]
    assert report["remarks"] == {"headers": 1, "requests without completion": 1}


def test_pairs_are_found_across_blocks_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iotrace.formats.reading.bytes_in.TEXT_BYTES", 1)
    text = "".join(
        f"{at}.{action},{'QDC'[action]},{at + action},{8}\n".replace(f",{at + action},", f",{at},")
        for at in range(1, 3000)
        for action in range(3)
    )
    rows, report = described(tmp_path, text, "time=1:ms,action=2,offset=3:512,length=4:512")
    assert len(rows) == 2999 and {row["latency_ns"] for row in rows} == {200_000}
    assert report["remarks"] == {} and report["skipped"] == {}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("offset=1,end=2", "end needs time"),
        ("offset=1,time=2,end=3,latency=4", "latency follows from end"),
        ("offset=1,time=2,action=3,service=4", "service follows from action"),
        ("offset=1,pair=2", "pair needs action"),
        ("offset=1,time=2,action=3:D", "the unit of action is"),
        ("offset=1,time=2,action=3:D/d", "the unit of action is"),
        ("offset=1,skip=0", "skip is a number of lines"),
    ],
)
def test_columns_that_do_not_go_together_are_refused(columns: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        formats.named(f"csv:{columns}")
