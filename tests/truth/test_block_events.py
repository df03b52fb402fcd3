"""Events of Linux's block layer whose requests are known: flushes, times before 0, devices that lie on others."""

import json
from pathlib import Path
from typing import Any

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
