"""Darshan's logs that cannot be read are refused with format and reason; what lacks records is named."""

import bz2
import random
from pathlib import Path

import darshan_logs
import pytest
from program import Run, refused

WHOLE = darshan_logs.log({"POSIX": darshan_logs.fixed("POSIX", 4, "<", 2, random.Random(1))})
REFUSED = {
    "header": (WHOLE[:200], "Darshan log of format 3.41: its header is cut short"),
    "job": (WHOLE[:1340], "Darshan log of format 3.41: its job record is cut short"),
    "1.x": (b"1.04\0\0\0\0" + bytes(2000), "Darshan log of format 1.04: it is of a format that is not read: iotrace"),
    "2.x": (bz2.compress(b"2.07\0\0\0\0" + WHOLE[8:]), "Darshan log of format 2.07: it is of a format that is not"),
    "partial": (bytes(8) + WHOLE[8:], "it is a Darshan log that was never finished, as files named .darshan_partial"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_why_a_log_cannot_be_read(run: Run, tmp_path: Path, name: str) -> None:
    content, why = REFUSED[name]
    (tmp_path / "t.darshan").write_bytes(content)
    assert why in refused(run("ingest", tmp_path / "t.darshan", "-o", tmp_path / "x.iotrace"))
    assert not (tmp_path / "x.iotrace").exists()


def test_modules_that_lack_records_are_named(run: Run, tmp_path: Path) -> None:
    regions = {"POSIX": darshan_logs.fixed("POSIX", 4, "<", 2, random.Random(1))}
    regions["DXT_POSIX"] = darshan_logs.dxt(1, "<", False, [(1, 0, "n", [(0, 16, 0.5, 0.6)], [])])
    (tmp_path / "t.darshan").write_bytes(darshan_logs.log(regions, partial=["POSIX", "DXT_POSIX"]))
    done = run("ingest", tmp_path / "t.darshan", "-o", tmp_path / "x.iotrace")
    said = done.stderr.decode()
    assert done.returncode == 0
    assert (
        "Darshan's memory ran out: module POSIX is not of all files, and its counters are lower bounds"
        in said
    )
    assert "Darshan's memory ran out: module DXT_POSIX holds only a part of what was done" in said


def test_a_damaged_log_is_read_in_part(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.darshan").write_bytes(WHOLE[:-20])
    done = run("ingest", tmp_path / "t.darshan", "-o", tmp_path / "x.iotrace")
    assert "module POSIX: the file ends before it: 20 of its" in done.stderr.decode()
    status = run("sql", tmp_path / "x.iotrace", "select status, damage from darshan_job", "-f", "csv")
    assert status.stdout.decode().splitlines()[1].startswith("damaged,")


def test_one_bad_log_among_several_is_named_and_passed(run: Run, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for job in (1, 3):
        regions = {"POSIX": darshan_logs.fixed("POSIX", 4, "<", 2, random.Random(job))}
        (logs / f"{job}.darshan").write_bytes(darshan_logs.log(regions, job_id=job))
    (logs / "2.darshan").write_bytes(WHOLE[:200])
    done = run("ingest", logs, "-o", tmp_path / "x.iotrace")
    assert "2.darshan: Darshan log of format 3.41: its header is cut short" in done.stderr.decode()
    rows = run(
        "sql", tmp_path / "x.iotrace", "select status, job_id from darshan_job order by job", "-f", "csv"
    )
    assert rows.stdout.decode().splitlines()[1:] == ["whole,1", "refused,", "whole,3"]
    counted = run("sql", tmp_path / "x.iotrace", "select count(*) from darshan_counter", "-f", "csv")
    assert counted.stdout.decode().splitlines()[1] == str(4 * 86)
