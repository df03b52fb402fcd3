"""Whole Darshan logs that PyDarshan cannot open are not called damaged; what lacks records is named."""

import bz2
import struct
from pathlib import Path

import pytest
from program import Run

MAGIC = struct.pack("<q", 6567223)
HEADS = {
    "2.x": (
        b"2.06\0\0\0\0" + MAGIC + b"\0" * 64,
        "it is of Darshan's log format 2.06; PyDarshan reads formats from 3.0",
    ),
    "bzip2": (
        b"3.41\0\0\0\0" + MAGIC + b"\1" + b"\0" * 64,
        "it is compressed with bzip2, which PyDarshan as pip installs it lacks, or it is damaged; darshan-convert LOG",
    ),
    "zlib": (b"3.41\0\0\0\0" + MAGIC + b"\0" * 64, "the log is damaged or cut short"),
}
BACKEND = """
def log_open(path):
    return {"handle": OPENED}


def log_get_modules(log):
    return {"POSIX": {"len": 1, "partial_flag": True}, "DXT_POSIX": {"len": 1, "partial_flag": False}}


def log_get_name_records(log):
    return {77: "/a"}


def log_get_job(log):
    return {"jobid": 1, "nprocs": 1, "start_time_sec": 1000, "start_time_nsec": 0}


def log_get_exe(log):
    return "app"


def log_get_record(log, module, dtype):
    return None


rest = [
    {
        "rank": 0,
        "hostname": "n",
        "id": 77,
        "read_segments": [],
        "write_segments": [{"offset": 0, "length": 16, "start_time": 0.5, "end_time": 0.6}],
    }
]


def log_get_dxt_record(log, module, dtype):
    return rest.pop() if rest else None
"""
"""A stand-in for PyDarshan."""


def ingested(run: Run, folder: Path, log: bytes, opened: bool) -> str:
    """Ingest a log through the stand-in; return what is said."""
    (folder / "darshan" / "backend").mkdir(parents=True)
    for name in ("__init__.py", "backend/__init__.py"):
        (folder / "darshan" / name).write_text("")
    (folder / "darshan/backend/cffi_backend.py").write_text(
        BACKEND.replace("OPENED", "1" if opened else "None")
    )
    (folder / "t.darshan").write_bytes(log)
    done = run.shell(f"PYTHONPATH={folder} $IOTRACE ingest t.darshan -o x.iotrace", folder)
    assert done.returncode == (0 if opened else 1)
    return done.stderr.decode()


@pytest.mark.parametrize("name", HEADS)
def test_why_a_log_cannot_be_opened(run: Run, tmp_path: Path, name: str) -> None:
    head, why = HEADS[name]
    said = ingested(run, tmp_path, head, opened=False)
    assert why in said and ("damaged or cut short" in said) == (name == "zlib")


def test_a_compressed_log_of_2_x_says_so_too(run: Run, tmp_path: Path) -> None:
    said = ingested(run, tmp_path, bz2.compress(HEADS["2.x"][0]), opened=False)
    assert "log format 2.06" in said


def test_counters_that_lack_records_are_named(run: Run, tmp_path: Path) -> None:
    said = ingested(run, tmp_path, HEADS["zlib"][0] + b"\0" * 100, opened=True)
    assert "Darshan's memory ran out: the counters of module POSIX are not of all files" in said
