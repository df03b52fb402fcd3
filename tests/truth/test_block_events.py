"""Events of Linux's block layer whose requests are known: flushes, times before 0, devices that lie on others."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from program import Run

FLUSH = """\
  8,0    1        1     0.000000000   911  Q FWS [app]
  8,0    1        2     0.000001000   911  G FWS [app]
  8,0    1        3     0.000002000   911  I FWS [app]
  8,0    1        4     0.000009000    44  D  FF 0 + 0 [kworker/1:1H]
  8,0    1        5     0.002009000     0  C  FF 0 [0]
  8,0    1        6     0.003000000   911  Q  WS 1000 + 8 [app]
  8,0    1        7     0.003004000   911  D  WS 1000 + 8 [app]
  8,0    1        8     0.003104000     0  C  WS 1000 + 8 [0]
"""
WRAPPED = """\
  8,0    1        1     0.000000000   911  Q  WS 1000 + 8 [app]
  8,0    1        2     0.000010000   911  D  WS 1000 + 8 [app]
  8,0    1        3     0.000510000     0  C  WS 1000 + 8 [0]
  8,0    0        1 1266874889.699551616   912  Q  R 5000 + 8 [app]
  8,0    0        2 1266874889.699561616   912  D  R 5000 + 8 [app]
  8,0    0        3     0.001000000     0  C  R 5000 + 8 [0]
"""
STACKED = """\
  8,0    1        1     0.000000000  2432  A   W 77777 + 8 <- (8,1) 75729
  8,1    1        2     0.000000500  2432  Q   W 77777 + 8 [fio]
  8,1    1        3     0.000005000  2432  D   W 77777 + 8 [fio]
  8,1    1        4     0.001005000     0  C   W 77777 + 8 [0]
253,2    1        5     0.002000000  2432  Q   R 1000 + 16 [fio]
  8,0    1        6     0.002000100  2432  A   R 88888 + 16 <- (253,2) 1000
  8,0    1        7     0.002001000  2432  Q   R 88888 + 16 [fio]
  8,0    1        8     0.002004000  2432  D   R 88888 + 16 [fio]
  8,0    1        9     0.003004000     0  C   R 88888 + 16 [0]
253,2    1       10     0.003005000     0  C   R 1000 + 16 [0]
"""
THROUGH_A_PARTITION = """\
253,2    1        1     0.000000000  2432  Q   R 1000 + 16 [fio]
  8,1    1        2     0.000000100  2432  A   R 3048 + 16 <- (253,2) 1000
  8,0    1        3     0.000000200  2432  A   R 5096 + 16 <- (8,1) 3048
{device}    1        4     0.000001000  2432  Q   R 5096 + 16 [fio]
{device}    1        5     0.000004000  2432  D   R 5096 + 16 [fio]
{device}    1        6     0.001004000     0  C   R 5096 + 16 [0]
253,2    1        7     0.001005000     0  C   R 1000 + 16 [0]
"""
ALL = """select time_ns, operation, lbn, blocks, latency_ns, service_ns, allocated_ns, inserted_ns, program
from disk_io left join process using (process) order by seq"""


def requests(run: Run, folder: Path, text: str) -> tuple[list[dict[str, Any]], dict[str, Any], str]:
    """Ingest a text of blkparse; return its requests, what is known of the store, and what was said."""
    (folder / "trace.txt").write_text(text)
    done = run("ingest", "trace.txt", "-o", "made.store", folder=folder)
    assert done.returncode == 0, done.stderr
    rows = json.loads(run("sql", "made.store", ALL, "--format", "json", folder=folder).stdout)
    known = json.loads(run("info", "made.store", "--format", "json", folder=folder).stdout)
    return rows, known, done.stderr.decode()


def test_a_flush_without_a_sector_is_a_request_of_its_process(run: Run, tmp_path: Path) -> None:
    (flush, write), known, _ = requests(run, tmp_path, FLUSH)
    assert (flush["operation"], flush["time_ns"], flush["blocks"]) == ("flush", 0, 0)
    assert (flush["latency_ns"], flush["service_ns"]) == (2_009_000, 2_000_000)
    assert (flush["allocated_ns"], flush["inserted_ns"], flush["program"]) == (1000, 2000, "app")
    assert write["latency_ns"] == 104_000 and known["skipped"] == {}


def test_times_before_0_are_printed_modulo_2_to_64(run: Run, tmp_path: Path) -> None:
    """blkparse prints -10 ms as 2**64 ns less 10 ms, of which the seconds are cut to 32 bits."""
    (read, write), known, _ = requests(run, tmp_path, WRAPPED)
    assert (read["operation"], read["time_ns"], read["latency_ns"]) == ("read", 0, 11_000_000)
    assert read["service_ns"] == 10_990_000
    assert (write["operation"], write["time_ns"], write["latency_ns"]) == ("write", 10_000_000, 510_000)
    assert known["times"]["first_ns"] == -10_000_000 and known["remarks"]["events before time 0"] == 2


def test_a_device_that_lies_on_another_is_named(run: Run, tmp_path: Path) -> None:
    """A partition is none: its request is queued once."""
    rows, known, said = requests(run, tmp_path, STACKED)
    warning = (
        "253,2 lies on 8,0: 1 request (8 KB) passed from 253,2 to 8,0 is counted at each of the two, and so twice in"
        " numbers of all disks; --path 253,2 analyses that disk alone"
    )
    assert known["warnings"] == [warning] and warning in said
    assert [row["latency_ns"] for row in rows] == [1_004_500, 1_005_000, 1_003_000]
    words = ("characterize", "made.store", "totals", "--path", "253,2", "--format", "json")
    (totals,) = json.loads(run(*words, folder=tmp_path).stdout)
    assert (totals["requests"], totals["bytes_read"], totals["bytes_written"]) == (1, 8192, 0)


@pytest.mark.parametrize("device", ["  8,0", "  8,1"])
def test_a_device_on_a_partition_lies_on_what_queues_its_requests(
    run: Run, tmp_path: Path, device: str
) -> None:
    _, _, said = requests(run, tmp_path, THROUGH_A_PARTITION.format(device=device))
    assert f"253,2 lies on {device.strip()}: 1 request (8 KB) passed" in said


def test_a_partition_alone_lies_on_nothing(run: Run, tmp_path: Path) -> None:
    _, known, _ = requests(run, tmp_path, "".join(STACKED.splitlines(keepends=True)[:4]))
    assert known["warnings"] == []


def test_binary_events_name_it_too(run: Run, tmp_path: Path) -> None:
    disk, mapped, queued, issued, completed, remapped = 8 << 20, 253 << 20 | 2, 1, 7, 8, 15
    events = [
        (0, mapped, queued, 1000, b""),
        (100, disk, remapped, 88888, struct.pack(">IIQ", mapped, disk, 1000)),
        (1000, disk, queued, 88888, b""),
        (4000, disk, issued, 88888, b""),
        (9000, disk, completed, 88888, b""),
        (9500, mapped, completed, 1000, b""),
    ]
    records = [
        struct.pack(
            "<IIQQIIIIIHH", 0x65617407, 1, at, sector, 8192, 1 << 16 | action, 9, device, 0, 0, len(data)
        )
        + data
        for at, device, action, sector, data in events
    ]
    (tmp_path / "sda.blktrace.0").write_bytes(b"".join(records))
    done = run("ingest", "sda.blktrace.0", "-o", "made.store", folder=tmp_path)
    assert done.returncode == 0
    assert "253,2 lies on 8,0: 1 request (8 KB) passed from 253,2 to 8,0" in done.stderr.decode()
