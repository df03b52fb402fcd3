"""Events of the block layer as text of ftrace, trace-cmd and perf: recordings of a load whose requests are known.

The folder ``events`` has two runs of the load on a loop device (Linux 6.18). The first was recorded by ftrace and by
perf at the same time, the second by ftrace, whose buffer trace-cmd printed as well, and by ftrace's tracer ``blk``.
"""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from requests_read import read

from iotrace import formats
from iotrace.errors import UsageError

EVENTS = Path(__file__).parent / "events"
RECORDINGS = ("first.ftrace", "first.perf", "second.ftrace", "second.trace-cmd", "second.blk")
STAGES = ("queued_ns", "allocated_ns", "inserted_ns", "issued_ns", "completed_ns")
LOAD = [
    *(("read", 128 * place, 8 * (1 + place % 4)) for place in range(20)),
    *(("write", 2048 | 128 * place, 16) for place in range(10)),
    ("flush", 0, 0),
    *(("write", 2048 | 128 * place, 16) for place in range(10, 20)),
    ("flush", 0, 0),
    ("discard", 8192, 2048),
    ("read", 16384, 2048),
]
"""20 reads of 4 to 16 KB, 20 writes of 8 KB with 2 fsync, a discard and a read of 1 MB: operation, sector, blocks."""

Row = dict[str, Any]


def rows_of(name: str, folder: Path) -> tuple[list[Row], dict[str, Any]]:
    (folder / name).write_bytes(gzip.decompress((EVENTS / f"{name}.gz").read_bytes()))
    return read(folder / name)


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_requests_are_those_of_the_load(name: str, tmp_path: Path) -> None:
    rows, report = rows_of(name, tmp_path)
    assert report["skipped"] == {}
    load = [row for row in rows if row["process"][1] == "python3"]
    assert [(row["operation"], row["lbn"], row["blocks"]) for row in load] == LOAD
    assert {row["device"] for row in rows} == {"7,0"}
    assert all(row["latency_ns"] > row["service_ns"] > 0 for row in load)
    assert all(row[stage] is not None for row in load for stage in STAGES if stage != "inserted_ns")
    # what flushes is not given to the scheduler
    assert [row["operation"] for row in load if row["inserted_ns"] is None] == ["flush", "flush"]


@pytest.mark.parametrize(
    ("one", "other", "most_ns"),
    [
        ("second.ftrace", "second.trace-cmd", 1_000),
        ("second.ftrace", "second.blk", 1_000),
        ("first.ftrace", "first.perf", 20_000),
    ],
)
def test_two_recorders_of_a_run_show_the_same_stages(
    one: str, other: str, most_ns: int, tmp_path: Path
) -> None:
    """ftrace prints whole microseconds; perf and ftrace take the time of an event one after the other.

    Each pair has the same clock. Of 218 events one was interrupted between two recorders.
    """
    (rows, report), (others, other_report) = (rows_of(name, tmp_path) for name in (one, other))
    apart = []
    for a, b in zip(rows, others, strict=True):
        for same in ("operation", "lbn", "blocks", "device", "process", "flags"):
            assert a[same] == b[same]
        for stage in STAGES:
            assert (a[stage] is None) == (b[stage] is None)
            if a[stage] is not None:
                apart.append(
                    abs(a[stage] + report["times"]["first_ns"] - b[stage] - other_report["times"]["first_ns"])
                )
    assert len(apart) == 218 and sorted(apart)[-2] <= most_ns and max(apart) < 30_000


OF_TRACER = re.compile(
    r"\s*(?P<program>\S+)-(?P<pid>\d+)\s+\[(?P<cpu>\d+)\] \S+\s+(?P<time>[\d.]+):\s+(?P<device>\S+)\s+(?P<rest>.*)"
)


def test_events_have_the_stages_that_blkparse_gives_them(tmp_path: Path) -> None:
    """The tracer's lines have blkparse's words, so that each can be written as blkparse would print it."""
    rows, _ = rows_of("second.blk", tmp_path)
    lines = []
    for line in (tmp_path / "second.blk").read_text().splitlines():
        if found := OF_TRACER.match(line):
            lines.append(
                "{device} {cpu} {0} {time}000 {pid} {rest}\n".format(len(lines) + 1, **found.groupdict())
            )
    (tmp_path / "trace.blkparse").write_text("".join(lines))
    assert read(tmp_path / "trace.blkparse")[0] == rows


def test_devices_above_others_are_named(tmp_path: Path) -> None:
    """A device mapper's request is remapped to the disk, queued there again, and ends at both."""
    lines = (
        "block_bio_queue: 253,2 R 1000 + 16 [fio]",
        "block_bio_remap: 8,0 R 88888 + 16 <- (253,2) 1000",
        "block_bio_queue: 8,0 R 88888 + 16 [fio]",
        "block_rq_issue: 8,0 R 8192 () 88888 + 16 [fio]",
        "block_rq_complete: 8,0 R () 88888 + 16 [0]",
        "block_bio_complete: 253,2 R 1000 + 16 [0]",
    )
    text = "".join(f" fio-7 [001] d..1. 5.00{place}000: {line}\n" for place, line in enumerate(lines))
    (tmp_path / "trace").write_text(text)
    rows, report = read(tmp_path / "trace")
    assert [(row["device"], row["latency_ns"]) for row in rows] == [("253,2", 5_000_000), ("8,0", 2_000_000)]
    assert [
        warning for warning in report["warnings"] if warning.startswith("253,2 lies on 8,0: 1 request (8 KB)")
    ]


def test_losses_and_unreadable_lines_are_told(tmp_path: Path) -> None:
    lines = gzip.decompress((EVENTS / "first.ftrace.gz").read_bytes()).splitlines(keepends=True)
    lines[3:3] = [
        b"CPU:1 [LOST 12 EVENTS]\n",
        b"nonsense\n",
        b" a-1 [000] 1.0: block_rq_issue: dev=8388608\n",
    ]
    (tmp_path / "trace").write_bytes(b"".join(lines)[:-6])
    _, report = read(tmp_path / "trace")
    reasons = {"not a line of an event": 5, "fields of the event are not in a known form": 6}
    assert {reason: found["first_line"] for reason, found in report["skipped"].items()} == reasons
    warnings = " ".join(report["warnings"])
    assert "12 events were lost" in warnings and "the last line has no end" in warnings


NVME = """\
             fio-2114    [003] .....   812.100001: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=12, nsid=1, \
flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=2048, len=7, ctrl=0x0, dsmgmt=0, reftag=0)
          <idle>-0       [003] d.h..   812.100092: nvme_complete_rq: nvme0: disk=nvme0n1, qid=4, cmdid=12, res=0x0, \
retries=0, flags=0x0, status=0x0
             fio-2114    [003] .....   812.100101: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=13, nsid=1, \
flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=4096, len=31, ctrl=0x4000, dsmgmt=0, reftag=0)
          <idle>-0       [003] d.h..   812.100132: nvme_complete_rq: nvme0: disk=nvme0n1, qid=4, cmdid=13, res=0x0, \
retries=0, flags=0x0, status=0x0
"""


@pytest.mark.parametrize(("form", "factor"), [(None, 1), ("nvme-events:512", 1), ("nvme-events:4096", 8)])
def test_commands_of_nvme_have_service_times(form: str | None, factor: int, tmp_path: Path) -> None:
    """When they were queued is not known, and neither is their latency."""
    (tmp_path / "trace").write_text(NVME)
    (first, second), report = read(tmp_path / "trace", form)
    assert (first["device"], first["process"], first["operation"]) == ("nvme0n1", (2114, "fio"), "read")
    assert (first["lbn"], first["blocks"]) == (2048 * factor, 8 * factor)
    assert (second["lbn"], second["blocks"], second["flags"]) == (4096 * factor, 32 * factor, "forced")
    assert [row["service_ns"] for row in (first, second)] == [91_000, 31_000]
    assert (second["time_ns"], second["issued_ns"], second["latency_ns"]) == (100_000, 100_000, None)
    assert report["skipped"] == {}
    assert [w for w in report["warnings"] if "do not say how long logical blocks are" in w] == [
        w for w in report["warnings"] if form is None
    ]


def test_a_logical_block_has_a_possible_length() -> None:
    with pytest.raises(UsageError, match="nvme-events:500: a logical block has 512, 1024"):
        formats.named("nvme-events:500")


def test_commands_beside_events_of_the_block_layer_are_no_requests_of_their_own(tmp_path: Path) -> None:
    block = " a-1 [003] ..... 812.1: block_rq_issue: 259,0 R 4096 () 2048 + 8 [a]\n"
    (tmp_path / "trace").write_text(NVME + block)
    rows, report = read(tmp_path / "trace")
    assert len(rows) == 1 and report["remarks"]["events of other kinds"] == 4
