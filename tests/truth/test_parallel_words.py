"""Traces of parallel programs: what is left out of their numbers is counted, and their ranks have names."""

import csv
import io
import json
from pathlib import Path

from program import Run

EVENT = (
    '{{"id":{at},"name":"{name}","cat":"POSIX","pid":5,"tid":6,"ts":{at}0,"dur":3,"ph":"X","args":{{"fname":"/f",'
    '"hostname":"n","ret":0,"count":20,"fd":18}}}}\n'
)


def test_calls_of_dftracer_on_names_are_operations_with_their_time(run: Run, tmp_path: Path) -> None:
    names = ["__xstat", "opendir", "__fxstat", "access", "read", "write"]
    text = "[\n" + "".join(EVENT.format(at=10 + at, name=name) for at, name in enumerate(names))
    (tmp_path / "t.pfw").write_text(text)
    assert run("ingest", "t.pfw", "-o", "made.store", folder=tmp_path).returncode == 0
    known = json.loads(run("info", "made.store", "--format", "json", folder=tmp_path).stdout)
    assert known["remarks"] == {} and known["warnings"] == []
    sql = "select operation, count(*), sum(duration_ns) from parallel_io group by 1 order by min(seq)"
    rows = run("sql", "made.store", sql, "--format", "csv", folder=tmp_path).stdout.decode().split()
    assert rows[1:] == ["stat,2,6000", "opendir,1,3000", "access,1,3000", "read,1,3000", "write,1,3000"]
    sql = "select count(*) from parallel_io where file is null or length > 0 and operation <> 'write'"
    assert run("sql", "made.store", sql, "--format", "csv", folder=tmp_path).stdout.decode().split()[1:] == [
        "0"
    ]


def test_a_trace_of_dftracer_without_files_has_its_time(run: Run, tmp_path: Path) -> None:
    lines = [EVENT.format(at=10 + at, name="read").replace('"fname":"/f",', "") for at in range(8)]
    (tmp_path / "t.pfw").write_text("[\n" + "".join(lines))
    done = run("ingest", "t.pfw", "-o", "made.store", folder=tmp_path)
    assert done.returncode == 0
    assert "does not say on which file 8 of 8 calls were" in " ".join(done.stderr.decode().split())
    rows = run("characterize", "made.store", "rank_time", "--format", "csv", folder=tmp_path).stdout.decode()
    (row,) = csv.DictReader(io.StringIO(rows))
    assert (row["kind"], row["calls"], float(row["taken_s"])) == ("read", "8", 8 * 3e-6)
    assert run("report", "made.store", "-o", "page.html", folder=tmp_path).returncode == 0


def test_a_rank_is_no_program_from_before_the_trace(run: Run, tmp_path: Path) -> None:
    lines = ["# darshan log version: 3.21", "# start_time: 1000", "# DXT, file_id: 77, file_name: /a"]
    for rank, seconds in enumerate((0.1, 0.1, 0.1, 0.1, 3.0)):
        lines += [f"# DXT, rank: {rank}", f" X_POSIX {rank} write 0 {rank}00 16 0.5 {0.5 + seconds}"]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n")
    assert run("ingest", "t.txt", "-o", "made.store", folder=tmp_path).returncode == 0
    shown = run("advice", "made.store", folder=tmp_path).stdout.decode()
    assert "process 4 spends far more time in I/O than the typical rank" in " ".join(shown.split())
    assert "before the trace" not in shown
