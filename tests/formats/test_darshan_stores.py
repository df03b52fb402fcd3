"""Stores of Darshan's logs: views of counters, jobs, what commands say of them, and many logs at once."""

import csv
import io
import json
import random
import struct
import tarfile
from pathlib import Path
from typing import Any

import pytest
from darshan_logs import COUNTERS, Region, dxt, fixed, log, old_log, one_of_each, packed
from program import Run, refused

from iotrace import queries

POSIX = fixed("POSIX", 4, "<", 2, random.Random(1), ranks=[0])


def rows_of(run: Run, *words: object) -> list[dict[str, Any]]:
    done = run(*words, "-f", "json")
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def listed(run: Run, *words: object, status: int = 0) -> list[dict[str, str]]:
    done = run("jobs", *words, "-f", "csv")
    assert done.returncode == status, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


@pytest.mark.parametrize("form", ["3.41", "3.10"])
def test_views_of_modules_have_the_counters_of_their_records(run: Run, tmp_path: Path, form: str) -> None:
    regions = one_of_each("<", random.Random(2), form)
    (tmp_path / "t.darshan").write_bytes(log(regions, form))
    store = tmp_path / "x.iotrace"
    run("ingest", tmp_path / "t.darshan", "-o", store)
    views = {name: queries.query(name) for name in queries.counter_views()}
    checked = 0
    prefixes = {"POSIX": "POSIX", "MPI-IO": "MPIIO", "H5F": "H5F", "BG/Q": "BGQ", "MDHIM": "MDHIM"}
    for module, prefix in prefixes.items():
        view = views[f"darshan_{prefix.lower()}"]
        assert [column.name for column in view.columns[4:]] == [
            name.removeprefix(f"{prefix}_").lower() for name, _ in COUNTERS[module]
        ]
        rows = rows_of(run, "sql", store, f"from {view.name} order by record")
        for row, (_, rank, found) in zip(rows, regions[module].records, strict=True):
            assert row["rank"] == rank
            for name, is_real in COUNTERS[module]:
                value = found[name]
                unknown = (value == 0 and name.endswith("TIMESTAMP")) or (value == -1 and not is_real)
                assert row[name.removeprefix(f"{prefix}_").lower()] == (None if unknown else value)
                checked += 1
    assert checked > 400
    bins = rows_of(run, "sql", store, "from heat_map order by record, bin")
    assert [(row["rank"], row["bin"], row["bytes_written"], row["bytes_read"]) for row in bins] == [
        (rank, place, place + 1 if place < count else 0, 100 + place if place < count else 0)
        for rank, count in ((0, 8), (1, 8), (2, 7))
        for place in range(count)
    ]


def test_the_columns_of_jobs_are_those_of_the_contract(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.darshan").write_bytes(log({"POSIX": POSIX}))
    (row,) = listed(run, tmp_path / "t.darshan")
    assert {*row} >= {
        *("log", "job", "uid", "program", "start", "nodes", "ranks", "run_s", "io_share", "bytes_read"),
        *("bytes_written", "bandwidth", "wall_bandwidth", "finding", "status"),
    }
    assert (row["job"], row["uid"], row["program"], row["ranks"]) == ("7", "1000", "./a.out --all", "4")
    assert (row["start"], row["run_s"], row["status"], row["nodes"]) == (
        "2023-11-14 22:13:20",
        "10.5",
        "whole",
        "",
    )


def test_logs_of_a_program_that_forks_are_one_job(run: Run, tmp_path: Path) -> None:
    """Five processes of one number, one of them 9 s later, and one of another user's job of several ranks."""
    starts = (0, 5, 11, 12, 40)
    for place, start in enumerate(starts):
        content = log(
            {"POSIX": POSIX}, "3.21", ranks=1, start=1_700_000_000 + start, run=6, program=f"p{place}"
        )
        (tmp_path / f"{place}.darshan").write_bytes(content)
    (tmp_path / "5.darshan").write_bytes(log({"POSIX": POSIX}, "3.21", ranks=2))
    rows = listed(run, tmp_path, "--sort", "start")
    assert sorted((row["logs"], row["ranks"]) for row in rows) == [("1", "1"), ("1", "2"), ("4", "4")]
    (merged,) = (row for row in rows if row["logs"] == "4")
    assert merged["run_s"] == "18.0" and merged["log"].endswith("0.darshan") and merged["program"] == "p0"
    assert len(listed(run, tmp_path, "--no-merge-jobs")) == 6


def test_the_same_content_twice_is_one_log(run: Run, tmp_path: Path) -> None:
    for name in ("a.darshan", "b.darshan"):
        (tmp_path / name).write_bytes(log({"POSIX": POSIX}))
    done = run("jobs", tmp_path, "-f", "csv")
    assert done.stdout.count(b"\n") == 2 and b"1 file is there twice" in done.stderr


def test_folders_in_folders_and_archives_are_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "2024/1").mkdir(parents=True)
    (tmp_path / "2024/1/a.darshan").write_bytes(log({"POSIX": POSIX}, job_id=1))
    (tmp_path / "2024/1/README").write_text("not a log\n")
    (tmp_path / "2024/b.darshan").write_bytes(packed(old_log("2.06", ">", 2, random.Random(1))[0], "gzip"))
    assert len(listed(run, tmp_path / "2024")) == 2
    with tarfile.open(tmp_path / "logs.tar", "w") as archive:
        archive.add(tmp_path / "2024/1/a.darshan", "a.darshan")
        archive.add(tmp_path / "2024/b.darshan", "b.darshan")
    assert len(listed(run, tmp_path / "logs.tar")) == 2


def test_jobs_are_chosen_and_sorted(run: Run, tmp_path: Path) -> None:
    for job in range(1, 6):
        content = log({"POSIX": POSIX}, job_id=job, ranks=job, start=1_700_000_000 + 100 * job)
        (tmp_path / f"{job}.darshan").write_bytes(content)
    (tmp_path / "6.darshan").write_bytes(b"3.41\0\0\0\0" + b"\x37\x35\x64" + bytes(40))
    rows = listed(run, tmp_path, "--where", "ranks > 2 or status = 'refused'", "--sort", "ranks", status=1)
    assert [row["ranks"] for row in rows] == ["5", "4", "3", ""]
    assert rows[-1]["finding"] == "Darshan log of format 3.41: its header is cut short"
    assert [row["job"] for row in listed(run, tmp_path, "--sort", "-start", "--top", "2", status=1)] == [
        "1",
        "2",
    ]
    for words, status, why in (
        (["--sort", "x"], 2, b"--sort: x is none of log, logs, job"),
        (["--where", "nothing > 1"], 1, b"SQL of --where"),
        (["--where", "1) union select (1"], 1, b"SQL of --where"),
        (["--where", "exists (select 1)"], 2, b"one SQL expression without a query inside"),
    ):
        done = run("jobs", tmp_path, *words)
        assert done.returncode == status and why in done.stderr.splitlines()[-1]


def test_a_log_with_accesses_is_listed_too(run: Run, tmp_path: Path) -> None:
    accesses = [(0, 16, 0.5, 0.6)]
    regions = {"POSIX": POSIX, "DXT_POSIX": dxt(1, "<", False, [(1, 0, "n", accesses, [])])}
    for job in (1, 2):
        (tmp_path / f"{job}.darshan").write_bytes(log(regions, job_id=job))
    assert len(listed(run, tmp_path)) == 2
    store = tmp_path / "x.iotrace"
    run("ingest", tmp_path / "1.darshan", "-o", store)
    (row,) = listed(run, store)
    assert row["nodes"] == "1"
    assert b"posix" in run("time", store).stdout
    assert run("sql", store, "select count(*) from parallel_io", "-f", "csv").stdout.split()[1] == b"1"


def test_commands_that_need_accesses_refuse_in_a_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.darshan").write_bytes(log({"POSIX": POSIX}))
    store = tmp_path / "x.iotrace"
    run("ingest", tmp_path / "t.darshan", "-o", store)
    for words in (["curve"], ["patterns"], ["attribute"], ["cluster"]):
        said = refused(run(words[0], store, *words[1:]))
        assert (
            "is made of counters of jobs, and " in said and "iotrace report and iotrace time are for" in said
        )
    assert "--by: call is none of layer, file, rank, node, uid" in refused(
        run("time", store, "--by", "call"), 2
    )
    assert "--waiting is for traces of calls" in refused(run("time", store, "--waiting", "include"), 2)
    assert run("characterize", store).returncode == 0 and run("info", store).returncode == 0
    assert "has no counters of jobs" in refused(run("jobs", _strace(run, tmp_path)))


def _strace(run: Run, folder: Path) -> Path:
    (folder / "a.strace").write_text('1 1.0 read(0</f>, "", 1) = 0 <0.1>\n')
    run("ingest", folder / "a.strace", "-o", folder / "calls.iotrace")
    return folder / "calls.iotrace"


def test_counters_of_any_size_end_no_command(run: Run, tmp_path: Path) -> None:
    """Sums beyond 63 bits are unknown, and the other jobs are listed."""
    names = [name for name, is_real in COUNTERS["MPI-IO"] if not is_real]
    for job in range(1, 4):
        content = b"".join(
            struct.pack("<Qq51q17d", file, 0, *[2**62] * len(names), *[0.5] * 17) for file in (1, 2, 3)
        )
        accesses = [(0, 16, 0.5, 0.6)]
        regions = {"MPI-IO": Region(3, content), "DXT_POSIX": dxt(1, "<", False, [(1, 0, "n", accesses, [])])}
        (tmp_path / f"{job}.darshan").write_bytes(log(regions, job_id=job))
    rows = listed(run, tmp_path)
    assert [row["bytes_written"] for row in rows] == [""] * 3 and {row["status"] for row in rows} == {"whole"}
    store = tmp_path / "x.iotrace"
    assert run("ingest", tmp_path / "1.darshan", "-o", store).returncode == 0
    for command in ("time", "characterize", "info", "jobs", "advice"):
        assert run(command, store).returncode == 0


def test_an_empty_log_is_a_job_without_io(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.darshan").write_bytes(log({}))
    (row,) = listed(run, tmp_path / "t.darshan")
    assert (row["finding"], row["io_share"], row["status"]) == ("No time in I/O is counted", "", "whole")


def test_split_jobs_goes_on_after_a_log_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for job in (1, 3):
        (logs / f"{job}.darshan").write_bytes(log({"POSIX": POSIX}, job_id=job))
    (logs / "2.darshan").write_bytes(log({"STDIO": Region(2)}, job_id=2)[:1400])
    done = run("ingest", logs, "--split-jobs", "-o", tmp_path / "all.iotrace")
    assert done.returncode == 1 and b"2.darshan" in done.stderr
    assert sorted(path.name for path in tmp_path.glob("*.iotrace")) == [
        "all.job-1.iotrace",
        "all.job-3.iotrace",
    ]
