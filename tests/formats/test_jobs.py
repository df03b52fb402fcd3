"""Several jobs, several formats, the same file twice: what is refused, what is split, what is counted once."""

import gzip
import json
import tarfile
from pathlib import Path

import pytest
from calls_read import read_calls
from program import Run, refused
from test_parallel_texts import RECORDER, dftracer

from iotrace import formats
from iotrace.errors import IotraceError
from iotrace.ingest import pipeline


def dxt(path: Path, job: int, ranks: int = 2, length: int = 16) -> Path:
    """Write DXT as text of a job whose ranks each write once."""
    lines = ["# darshan log version: 3.21", f"# jobid: {job}", f"# start_time: {1000 + job}"]
    for rank in range(ranks):
        lines += [
            "# DXT, file_id: 1, file_name: /f",
            f"# DXT, rank: {rank}, hostname: n1",
            f" X_POSIX {rank} write 0 0 {length} 0.1000 0.2000",
        ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_folder_of_several_jobs_is_refused_with_the_jobs(tmp_path: Path, run: Run) -> None:
    for job in (7, 8):
        dxt(tmp_path / f"{job}.txt", job)
    done = run("ingest", tmp_path, "-o", tmp_path.with_suffix(".iotrace"))
    assert done.returncode == 1
    error = done.stderr.decode()
    assert (
        "holds logs of 2 jobs" in error
        and "job 7 (7.txt); job 8 (8.txt)" in error
        and "--split-jobs" in error
    )
    assert not tmp_path.with_suffix(".iotrace").exists()


def test_split_jobs_writes_a_store_for_each(tmp_path: Path, run: Run) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    dxt(logs / "7.txt", 7, ranks=2)
    dxt(logs / "8.txt", 8, ranks=3)
    dxt(logs / "8b.txt", 8, ranks=1, length=32)
    done = run("ingest", logs, "--split-jobs", "-o", tmp_path / "all.iotrace")
    assert done.returncode == 0, done.stderr
    counts = {
        path.name: json.loads((path / "manifest.json").read_text())["counts"]["requests"]
        for path in tmp_path.glob("*.iotrace")
    }
    assert counts == {"all.job-7.iotrace": 2, "all.job-8.iotrace": 4}


def test_split_jobs_unpacks_no_more_than_it_may(tmp_path: Path, run: Run) -> None:
    with tarfile.open(tmp_path / "logs.tar", "w") as archive:
        archive.add(dxt(tmp_path / "7.txt", 7), "7.txt")
    words = ("ingest", tmp_path / "logs.tar", "--split-jobs", "-o", tmp_path / "all.iotrace")
    assert "--max-unpacked SIZE allows more" in refused(run(*words, "--max-unpacked", "1K"))
    assert "unpack it first" in refused(run(*words), 2)


def test_the_same_log_twice_is_counted_once(tmp_path: Path) -> None:
    dxt(tmp_path / "a.txt", 7)
    (tmp_path / "copy.txt").write_bytes((tmp_path / "a.txt").read_bytes())
    (tmp_path / "packed").write_bytes(gzip.compress((tmp_path / "a.txt").read_bytes()))
    rows, report = read_calls(tmp_path)
    assert len(rows) == 2
    assert report["warnings"] == [
        "2 files are there twice, with the same content, and counted once: copy.txt, packed"
    ]
    rows, report = read_calls([tmp_path / "a.txt", tmp_path / "a.txt"])
    assert len(rows) == 2 and len(report["warnings"]) == 1


def test_ranks_of_equal_content_are_no_copies(tmp_path: Path) -> None:
    for rank in range(3):
        (tmp_path / f"{rank}.txt").write_text(RECORDER)
    rows, report = read_calls(tmp_path)
    assert len(rows) == 21 and report["warnings"] == []


def test_two_runs_of_recorder_are_refused(tmp_path: Path) -> None:
    paths = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        paths.append(tmp_path / name / "0.txt")
        paths[-1].write_text(RECORDER)
    with pytest.raises(IotraceError, match=r"holds logs of 2 jobs.*one \(0.txt\); .*two \(0.txt\)"):
        read_calls(paths)
    assert set(pipeline.files_by_job(paths)) == {"one", "two"}


def test_a_process_with_two_files_of_dftracer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pfw").write_text(dftracer(2))
    (tmp_path / "b.pfw").write_text(dftracer(2).replace('"ts":', '"ts":1'))
    with pytest.raises(IotraceError, match=r"holds logs of 2 jobs.*process 5@.*a.pfw"):
        read_calls(tmp_path)


def test_formats_that_are_mixed_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.pfw.gz").write_bytes(gzip.compress(dftracer(2).encode()))
    (tmp_path / "b.darshan").write_bytes(b"3.21\0\0\0\0" + (6567223).to_bytes(8, "little") + bytes(100))
    with pytest.raises(IotraceError, match=r"b.darshan: is a darshan trace among files of format dftracer"):
        formats.source([tmp_path / "a.pfw.gz", tmp_path / "b.darshan"])
    with pytest.raises(IotraceError, match=r"a.pfw.gz: is a dftracer trace among files of format darshan"):
        formats.source([tmp_path])
    (tmp_path / "b.darshan").unlink()
    (tmp_path / "README").write_text("about\n")
    assert formats.source([tmp_path]).name == "dftracer"


def test_split_jobs_is_refused_where_nothing_has_jobs(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.strace").write_text('1 1.0 read(0</f>, "", 1) = 0 <0.1>\n')
    done = run("ingest", tmp_path / "a.strace", "--split-jobs")
    assert done.returncode == 2 and b"--split-jobs: a strace trace has no jobs" in done.stderr
