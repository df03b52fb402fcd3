"""The first look at a trace."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from tiny_store import connect, rows_from_text

from iotrace import queries, units
from iotrace.analysis.summary import Summary, summary

BUILD = rows_from_text(
    """
time_ns     use  file  type        operation  offset  length  file_size
0           -    0     inode       read       0       128     -
0           -    0     inode       update     0       128     -
0           -    1     directory   read       0       512     -
1000000     -    0     inode       read       0       128     -
1000000     -    0     inode       update     0       128     -
1000000     -    1     directory   read       0       512     -
2000000     0    2     executable  read       0       131072  131072
500000000   1    3     datafile    read       0       2048    -
500000000   1    3     datafile    read       2048    1000    -
2000000000  2    4     datafile    write      0       3048    -
2500000000  -    4     datafile    delete     -       -       -
"""
)
PROCESSES = [{"process": 0, "pid": 7, "program": "/bin/sh"}]
USES = rows_from_text("use file type\n0 2 executable\n1 3 datafile\n2 4 datafile")


def summarized(reference: list[dict[str, Any]], **others: list[dict[str, Any]]) -> Summary:
    found = summary(connect(reference=reference, **others))
    assert found.numbers.schema.equals(queries.table_schema("summary"), check_metadata=True)
    found.numbers.validate(full=True)
    return found


def test_a_small_build_in_five_sentences() -> None:
    assert list(summarized(BUILD, process=PROCESSES, use=USES).verdict) == [
        "1 process made 3 requests for data in 2.5 s; calls read 2.98 KB and wrote 2.98 KB of data. Apart from "
        "these, mappings and look-ups may read or write up to 130 KB: 128 KB of executables read whole, 1 KB of "
        "directories, 256 bytes of inodes and 256 bytes of access times.",
        "Most requests are look-ups: there are 2 requests for inodes and directories for each request for "
        "data.",
        "It reads as much as it writes, 2.98 KB each; of its datafiles, 50 % are only read, 50 % only written, and "
        "0 % both.",
        "100 % of its datafiles are at most 4 KB; it accesses files mostly sequentially (opens that are "
        "one sequential run move 100 % of the data, and are 100 % of the opens); 0 % of the data moves in runs longer "
        "than 64 KB (of all bytes 94.5 %, as executables are read whole); 100 % of the data requests are for at most "
        "8 KB.",
        "The files it touches take 134 KB; an average window of 26 ms touches 62.8 bytes of it; the average byte of "
        "its data moves 1.0 times; 100 % of what it writes is in blocks that are written again, "
        "even in part, or deleted later.",
    ]


def test_the_numbers() -> None:
    shown = {
        row["quantity"]: row["shown"] for row in summarized(BUILD, process=PROCESSES).numbers.to_pylist()
    }
    assert shown["duration"] == "2.5 s"
    assert shown["requests for data"] == "3"
    assert shown["requests for inodes and directories"] == "6"
    assert shown["of data that calls read"] == "2.98 KB"
    assert shown["that the model of the file system adds"] == "130 KB"
    assert shown["memory-mapped files, their I/O not measured"] == "0 bytes"


def test_reads_are_a_share_of_the_requests_that_calls_make() -> None:
    """The program that a mapping reads is not a request for data, and no read of them."""
    shown = {
        row["quantity"]: row["shown"] for row in summarized(BUILD, process=PROCESSES).numbers.to_pylist()
    }
    assert (shown["requests for data"], shown["of them reads"]) == ("3", "66.7 %")


def test_long_pieces_out_of_order_are_not_back_and_forth() -> None:
    """Two short reads of a header, then one of all that follows."""
    rows = [
        {"use": 0, "file": 0, "type": "datafile", "operation": "read", "offset": offset, "length": length}
        for offset, length in ((146_000_000, 500), (0, 500), (1000, 145_000_000))
    ]
    found = summarized(rows, use=[{"use": 0, "file": 0, "type": "datafile"}])
    assert "mostly in long pieces, with jumps" in " ".join(found.verdict)


def test_a_trace_without_times_look_ups_or_processes() -> None:
    rows = [
        {"file": 0, "type": "disk", "operation": operation, "offset": 0, "length": 512}
        for operation in ("write", "write", "read")
    ]
    found = summarized(rows)
    assert found.verdict[0] == "It holds 3 requests; they read 512 bytes and wrote 1 KB of data."
    assert found.verdict[1] == (
        "They are requests to 1 disk; the average request is for 512 bytes, and 33.3 % of the requests read."
    )
    assert found.verdict[2] == "It mostly writes, 2.0 bytes of data for each byte read."
    assert "window" not in found.verdict[4]
    assert {row["quantity"] for row in found.numbers.to_pylist() if row["value"] is None} == {
        "duration",
        "working set",
    }


def test_unseen_io_that_may_change_the_verdict_comes_first() -> None:
    small = [{"file": 3, "protection": "PROT_READ|MAP_PRIVATE", "length": 8, "offset": 0}]
    assert len(summarized(BUILD, process=PROCESSES, mapping=small).verdict) == 5
    stored = [{"file": 9, "protection": "PROT_READ|PROT_WRITE|MAP_SHARED", "length": 1 << 26, "offset": 0}]
    calls = [{"seq": 0, "call": "io_uring_enter"}]
    reads = [row for row in BUILD if row["operation"] != "write"]
    unseen, extent, *rest = summarized(reads, process=PROCESSES, mapping=stored, syscall=calls).verdict
    assert extent.startswith("1 process made 2 requests for data")
    assert unseen == (
        "Not measured: 64 MB of files are mapped into memory shared for writing and 1 asynchronous call moves data "
        "(such as io_uring); no system call shows how much of it is read or written, and no other number includes "
        "it."
    )
    assert "Its calls, which are not all of its I/O, only read data" in rest[1]


def test_what_reads_and_what_writes_may_be_unknown() -> None:
    rows = [{"file": 0, "type": "disk", "operation": "read", "offset": 0, "length": 512}]
    found = summarized(rows, disk_io=[{"seq": 0, "operation": None}])
    assert (
        "only reads" not in " ".join(found.verdict)
        and "Whether it reads or writes is unknown." in found.verdict
    )
    shown = {row["quantity"]: row["shown"] for row in found.numbers.to_pylist()}
    assert shown["of them reads"] == shown["read"] == shown["written"] == "unknown"


def test_sequentiality_is_by_bytes() -> None:
    """Nine short uses go straight through, one that moves most of the data does not."""
    rows = [
        {"use": use, "file": use, "type": "datafile", "operation": "read", "offset": 0, "length": 10}
        for use in range(9)
    ]
    rows += [
        {"use": 9, "file": 9, "type": "datafile", "operation": "read", "offset": offset, "length": 4096}
        for offset in (8192, 0)
    ]
    found = summarized(rows, use=[{"use": use, "file": use, "type": "datafile"} for use in range(10)])
    assert (
        "mostly non-sequentially (opens that are one sequential run move 1.09 % of the data"
        in found.verdict[3]
    )
    assert "though they are 90 % of the opens" in found.verdict[3]


def test_an_empty_trace() -> None:
    assert summarized([]).verdict == ("The trace holds no I/O requests.",)


@examples(60)
@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "file": st.integers(0, 3),
                "type": st.sampled_from(["inode", "directory", "executable", "datafile", "disk"]),
                "operation": st.sampled_from(["read", "write", "update", "truncate", "delete"]),
                "offset": st.none() | st.integers(0, 1 << 40),
                "length": st.none() | st.integers(0, 1 << 16),
                "time_ns": st.none() | st.integers(0, 10**12),
            }
        ),
        max_size=6,
    )
)
def test_any_trace_has_a_verdict(rows: list[dict[str, Any]]) -> None:
    found = summarized(rows)
    assert len(found.verdict) in (1, 5)
    assert all(sentence.endswith(".") and "None" not in sentence for sentence in found.verdict)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (units.size(0), "0 bytes"),
        (units.size(1), "1 byte"),
        (units.size(1023), "1,023 bytes"),
        (units.size(1024), "1 KB"),
        (units.size(1536), "1.5 KB"),
        (units.size(1023 * 1024), "1 MB"),
        (units.size(5 * 1024**4 * 1000), "5,000 TB"),
        (units.duration(15), "15 ns"),
        (units.duration(1_500_000), "1.5 ms"),
        (units.duration(90e9), "1.5 min"),
        (units.percent(0), "0 %"),
        (units.percent(0.01), "under 0.1 %"),
        (units.percent(-0.01), "over -0.1 %"),
        (units.percent(99.95), "over 99.9 %"),
        (units.percent(100), "100 %"),
        (units.count(1234567), "1,234,567"),
    ],
)
def test_units(written: str, expected: str) -> None:
    assert written == expected
