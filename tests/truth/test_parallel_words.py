"""Traces of parallel programs: what is left out of their numbers is counted, and their ranks have names."""

import json
from pathlib import Path

from program import Run

EVENT = (
    '{{"id":{at},"name":"{name}","cat":"POSIX","pid":5,"tid":6,"ts":{at}0,"dur":3,"ph":"X","args":{{"fname":"/f",'
    '"hostname":"n","ret":0,"count":20,"fd":18}}}}\n'
)


def test_calls_of_dftracer_that_move_no_bytes_are_counted(run: Run, tmp_path: Path) -> None:
    names = ["__xstat", "opendir", "__fxstat", "access", "read", "write"]
    text = "[\n" + "".join(EVENT.format(at=10 + at, name=name) for at, name in enumerate(names))
    (tmp_path / "t.pfw").write_text(text)
    done = run("ingest", "t.pfw", "-o", "made.store", folder=tmp_path)
    known = json.loads(run("info", "made.store", "--format", "json", folder=tmp_path).stdout)
    (warning,) = [said for said in known["warnings"] if "move no bytes" in said]
    assert warning.startswith("4 of ") and warning.endswith("left out of all numbers")
    assert warning in done.stderr.decode() and known["remarks"]["calls that move no bytes"] == 4


def test_a_rank_is_no_program_from_before_the_trace(run: Run, tmp_path: Path) -> None:
    lines = ["# darshan log version: 3.21", "# start_time: 1000", "# DXT, file_id: 77, file_name: /a"]
    for rank, seconds in enumerate((0.1, 0.1, 0.1, 0.1, 3.0)):
        lines += [f"# DXT, rank: {rank}", f" X_POSIX {rank} write 0 {rank}00 16 0.5 {0.5 + seconds}"]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n")
    assert run("ingest", "t.txt", "-o", "made.store", folder=tmp_path).returncode == 0
    shown = run("advice", "made.store", folder=tmp_path).stdout.decode()
    assert "process 4 spends far more time in I/O than the typical rank" in " ".join(shown.split())
    assert "before the trace" not in shown
