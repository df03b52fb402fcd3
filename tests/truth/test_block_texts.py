"""Texts of block traces with what is rare in them: columns, empty fields, times that are damaged."""

import json
from pathlib import Path
from typing import Any

import pytest
from program import Run

BIOSNOOP = """\
TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  {header}
0.000100    my app         411     nvme0n1   W 1093384    4096   {random}
0.000850    cp             2211    nvme0n1   R 2093384    131072 {sequential}
"""
PATTERNS = {
    "before the latency": ("PATTERN LAT(ms)", "RANDOM 0.10", "SEQUENTIAL 0.75"),
    "after it": ("LAT(ms) PATTERN", "0.10 RANDOM", "0.75 UNKNOWN"),
    "after the queue": ("QUE(ms) PATTERN LAT(ms)", "0.02 RANDOM 0.08", "0.01 SEQUENTIAL 0.74"),
    "before the queue": ("PATTERN QUE(ms) LAT(ms)", "RANDOM 0.02 0.08", "SEQUENTIAL 0.01 0.74"),
}
SYSTOR = """\
Timestamp,Response,IOType,LUN,Offset,Size
1456135200.013118000,0.000343,R,0,3112450560,8192
1456135200.023118000,,,0,3112450560,8192
1456135200.033118000,0.001343,W,2,3112460800,4096
1456135200.043118000,0.002343,W,2,3112464896,4096
"""
STAGES_FAR = """\
  8,0    1        1     0.000000000   911  Q  WS 1000 + 8 [app]
  8,0    1        2 1000000000.000000000   911  I  WS 1000 + 8 [app]
  8,0    1        3     0.000010000   911  D  WS 1000 + 8 [app]
  8,0    1        4     0.000510000     0  C  WS 1000 + 8 [0]
"""
Rows = list[dict[str, Any]]


def ingested(run: Run, folder: Path, name: str, text: str, *words: str) -> tuple[Rows, dict[str, Any], str]:
    """Ingest a trace; return its requests, what is known of the store, and what was said."""
    (folder / name).write_text(text)
    done = run("ingest", name, "-o", "made.store", *words, folder=folder)
    assert done.returncode == 0, done.stderr
    query = "select * exclude (program), program from disk_io left join process using (process) order by seq"
    rows = json.loads(run("sql", "made.store", query, "--format", "json", folder=folder).stdout)
    known = json.loads(run("info", "made.store", "--format", "json", folder=folder).stdout)
    return rows, known, done.stderr.decode()


@pytest.mark.parametrize("place", PATTERNS)
def test_biosnoop_with_patterns(run: Run, tmp_path: Path, place: str) -> None:
    header, random, sequential = PATTERNS[place]
    text = BIOSNOOP.format(header=header, random=random, sequential=sequential)
    rows, known, _ = ingested(run, tmp_path, "t.txt", text)
    assert known["format"] == "biosnoop" and known["skipped"] == {}
    measured = "latency_ns" if "QUE" in header else "service_ns"
    assert [(row["operation"], row["lbn"], row["blocks"], row[measured], row["program"]) for row in rows] == [
        ("write", 1093384, 8, 100_000, "my app"),
        ("read", 2093384, 256, 750_000, "cp"),
    ]


def test_medians_of_stages_are_those_of_latencies(run: Run, tmp_path: Path) -> None:
    lines = []
    for number, took in enumerate((110_000, 110_001, 123_457), 1):
        at = number * 1_000_000
        for action, after in (("Q", 0), ("D", 1), ("C", took)):
            time = f"{(at + after) // 10**9}.{(at + after) % 10**9:09d}"
            lines.append(f"8,0 0 {len(lines) + 1} {time} 9 {action} W {number * 64} + 8 [app]\n")
    ingested(run, tmp_path, "t.txt", "".join(lines))
    asked = {
        name: json.loads(run("characterize", "made.store", name, "--format", "json", folder=tmp_path).stdout)
        for name in ("stage_times", "answer_times")
    }
    (stage,) = (row for row in asked["stage_times"] if row["stage"] == "Q2C")
    (answer,) = (row for row in asked["answer_times"] if row["measure"] == "latency")
    for name in ("requests", "average_ns", "median_ns", "p99_ns", "p999_ns", "longest_ns"):
        assert stage[name] == answer[name]
    assert stage["median_ns"] == 110_001
