"""Recordings of BPF programs, appended to one store: the sums of those of each as `iotrace record` made it."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest
from program import Run, refused

from iotrace import units
from iotrace.analysis.advice.ask import advise
from iotrace.ingest import capture
from iotrace.store import appended
from iotrace.store.part.build import part_of
from iotrace.store.part.selection import Selection
from iotrace.store.store import read

NO_BPF = capture.refusal(attaches=True)
pytestmark = pytest.mark.skipif(NO_BPF is not None, reason=f"BPF programs cannot attach here: {NO_BPF}")

LOOKER = """
import os, time
print("ready", flush=True)
while True:
    os.stat("data")
    time.sleep(0.001)
"""
COPY = ("sh", "-c", "cat data data > copy; head -c 5000 copy > data; rm copy")
RECORD = ("record", "--backend", "bpf", "-o")
APPEND = ("ingest", "--append", "fleet.iotrace")
MISSES = ("read_block_misses", "write_block_misses", "read_request_misses", "write_request_misses")


def answer(run: Run, *words: str | Path, folder: Path) -> str:
    """Return the standard output of a command that succeeds."""
    done = run(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def rows(run: Run, folder: Path, *words: str) -> list[dict[str, str]]:
    return list(csv.DictReader(answer(run, *words, "-f", "csv", folder=folder).splitlines()))


@pytest.fixture
def hosts(run: Run, tmp_path: Path) -> list[str]:
    """Record a process that opens nothing, and then a program twice; return the names of the stores."""
    (tmp_path / "data").write_bytes(bytes(40_000))
    with subprocess.Popen([sys.executable, "-S", "-c", LOOKER], cwd=tmp_path, stdout=PIPE) as looker:
        assert looker.stdout is not None
        assert looker.stdout.readline() == b"ready\n"
        answer(run, "record", "-o", "web0.iotrace", "-p", str(looker.pid), "--seconds", "1", folder=tmp_path)
        looker.kill()
    for number in (1, 2):
        answer(run, *RECORD, f"web{number}.iotrace", "--", *COPY, folder=tmp_path)
    return ["web0", "web1", "web2"]


def test_counts_and_misses_are_the_sums(run: Run, tmp_path: Path, hosts: list[str]) -> None:
    for host in hosts:
        known = ("--known-files", f"{host}.iotrace/known_file.parquet")
        answer(run, *APPEND, f"{host}.iorec", "--partition", host, *known, folder=tmp_path)
    both, *each = (
        json.loads(answer(run, "info", f"{name}.iotrace", "-f", "json", folder=tmp_path))
        for name in ("fleet", *hosts)
    )
    assert both["jobs"] == hosts
    for name in ("lines", "calls", "references", "files", "processes", "uses"):
        assert both[name] == sum(one[name] for one in each) > 0, name
    assert "opened_inode" not in each[0]["tables"]
    assert "known_file" not in both["tables"]
    for table in both["tables"]:
        assert both["tables"][table] == sum(one["tables"].get(table, 0) for one in each), table

    both, *each = (
        rows(run, tmp_path, "curve", f"{name}.iotrace", "--sizes", "4K,8K,16K,32K,1M")
        for name in ("fleet", *hosts)
    )
    for place, row in enumerate(both):
        for column in MISSES:
            assert int(row[column]) == sum(int(one[place][column]) for one in each), (place, column)
    in_cgroups = [
        rows(run, tmp_path, "characterize", f"{name}.iotrace", "by_cgroup") for name in ("fleet", *hosts)
    ]
    both, *each = (sum(int(row["processes"]) for row in cgroups) for cgroups in in_cgroups)
    assert both == sum(each)
    jobs = "select job from opened_file join file using (file) where file.path like '%/copy' order by job"
    assert [row["job"] for row in rows(run, tmp_path, "sql", "fleet.iotrace", jobs)] == ["1", "2"]


def test_time_between_recordings_is_in_no_state(run: Run, tmp_path: Path, hosts: list[str]) -> None:
    """The clock's time is that of both recordings, and the first screen says how long nothing was recorded."""
    periods = []
    for host in hosts[1:]:
        answer(run, *APPEND, f"{host}.iorec", "--partition", host, folder=tmp_path)
        manifest = json.loads((tmp_path / f"{host}.iotrace" / "manifest.json").read_bytes())
        periods.append((manifest["times"]["first_ns"], manifest["counts"]["duration_ns"]))
    (first_ns, first_lasts_ns), (second_ns, second_lasts_ns) = periods
    states = rows(run, tmp_path, "characterize", "fleet.iotrace", "wall_time_by_state")
    clock_ns = sum(int(row["wall_ns"]) for row in states if row["scope"] == "clock")
    assert clock_ns == first_lasts_ns + second_lasts_ns
    between = units.duration(second_ns - first_ns - first_lasts_ns)
    said = f"Nothing was recorded for {between}, between recordings."
    assert said in answer(run, "fleet.iotrace", folder=tmp_path)
    assert said in answer(run, "time", "fleet.iotrace", folder=tmp_path)
    assert "Nothing was recorded" not in answer(run, "web1.iotrace", folder=tmp_path)
    wall_s = advise(read(tmp_path / "fleet.iotrace")).whole.wall_s
    assert wall_s == pytest.approx((first_lasts_ns + second_lasts_ns) / 1e9)


def test_a_part_says_how_much_of_it_nothing_was_recorded(run: Run, tmp_path: Path, hosts: list[str]) -> None:
    for host in hosts[1:]:
        answer(run, *APPEND, f"{host}.iorec", "--partition", host, folder=tmp_path)
    store = read(tmp_path / "fleet.iotrace")
    first, second = store.manifest[appended.KEY]
    length_ns, end_ns = first["duration_ns"], second["times"]["first_ns"] - first["times"]["first_ns"]
    for since_ns, until_ns, between_ns in (
        (0, None, end_ns - length_ns),
        (length_ns // 2, None, end_ns - length_ns),
        (length_ns // 2, end_ns + second["duration_ns"] // 2, end_ns - length_ns),
        (0, length_ns // 2, 0),
        (end_ns, None, 0),
    ):
        part = part_of(store, Selection(since_ns=since_ns, until_ns=until_ns)).store
        assert appended.between_ns(part.manifest) == between_ns


def test_what_cannot_be_one_of_several_is_refused(run: Run, tmp_path: Path) -> None:
    def refusal(*words: str, code: int = 1) -> str:
        return refused(run("ingest", *words, folder=tmp_path), code)

    for name, *words in (
        ("one",),
        ("kernel", "--kernel"),
        ("sample", "--sample-files", "50%"),
        ("strace", "--backend", "strace"),
    ):
        answer(run, "record", *words, "-o", f"{name}.iotrace", "--", "ls", folder=tmp_path)
    answer(run, *APPEND, "one.iorec", folder=tmp_path)
    before = (tmp_path / "fleet.iotrace" / "manifest.json").read_bytes()
    for store in ("fleet.iotrace", "other.iotrace"):
        append = ("--append", store)
        assert "kernel.iorec: has more than calls (scheduler, " in refusal(*append, "kernel.iorec")
        assert "sample.iorec: is of a sample of files (--sample-files)" in refusal(*append, "sample.iorec")
    assert "of format strace, and fleet.iotrace iorec" in refusal(*APPEND[1:], "strace.strace.zst")
    alone = "is the store of one recording, with its command and costs: append one.iorec to a new store"
    assert alone in refusal("--append", "one.iotrace", "strace.strace.zst")
    assert "append one after the other" in refusal("one.iorec", "kernel.iorec", "-o", "both.iotrace", code=2)
    assert (tmp_path / "fleet.iotrace" / "manifest.json").read_bytes() == before
    assert not (tmp_path / "other.iotrace").exists()
