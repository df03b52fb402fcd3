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


def test_a_request_of_systor_without_a_type_is_of_unknown_direction(run: Run, tmp_path: Path) -> None:
    rows, known, said = ingested(run, tmp_path, "t.csv", SYSTOR)
    assert [row["operation"] for row in rows] == ["read", None, "write", "write"]
    assert [row["latency_ns"] for row in rows] == [343_000, None, 1_343_000, 2_343_000]
    assert known["skipped"] == {} and known["seen"]["unknown_operations"] == 1
    assert "the trace does not state of 1 of 4 requests whether they read or write" in said
    shown = run("characterize", "made.store", folder=tmp_path).stdout.decode()
    assert "Whether it reads or writes is unknown: the trace does not state it of 1 of 4 requests." in shown


def test_another_type_of_systor_is_skipped(run: Run, tmp_path: Path) -> None:
    text = SYSTOR.replace(",,,0,", ",,T,0,")
    rows, known, _ = ingested(run, tmp_path, "t.csv", text, "--max-skipped", "50")
    assert len(rows) == 3 and known["skipped"]["unknown operation"]["lines"] == 1


def test_times_of_stages_that_are_unknown_are_counted(run: Run, tmp_path: Path) -> None:
    ((row,), known, said) = ingested(run, tmp_path, "t.txt", STAGES_FAR)
    assert (row["inserted_ns"], row["issued_ns"], row["latency_ns"]) == (None, 10_000, 510_000)
    assert known["seen"]["stages_out_of_range"] == 1
    assert (
        "1 time at which requests were queued, issued or completed is more than 30 years from their arrival"
        in said
    )


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


def test_about_as_much_is_no_ratio(run: Run, tmp_path: Path) -> None:
    text = SYSTOR.splitlines()[0] + "\n"
    text += "".join(f"14561352{at:02}.0,0.1,R,0,{at * 4096},4096\n" for at in range(10, 61))
    text += "".join(f"14561352{at:02}.5,0.1,W,0,{at * 4096},4096\n" for at in range(10, 60))
    ingested(run, tmp_path, "t.csv", text)
    shown = run("characterize", "made.store", folder=tmp_path).stdout.decode()
    assert "It reads about as much as it writes: 204 KB and 200 KB" in " ".join(shown.split())
