"""Real logs of Darshan: every counter as PyDarshan reads it, except for those that it misreads."""

import importlib.util
import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from program import Run
from test_darshan_logs import records_of

FOLDER = Path(os.environ.get("IOTRACE_TRACES", "")) / "parallel/darshan"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="IOTRACE_TRACES names no folder of traces")
needs_darshan = pytest.mark.skipif(
    importlib.util.find_spec("darshan") is None, reason="PyDarshan is not installed (extra peers)"
)
LOGS = sorted(path for path in FOLDER.glob("*.darshan*")) if FOLDER.is_dir() else []
NEW = [path for path in LOGS if not path.name.startswith(("v1.", "v2."))]
OLD = [path for path in LOGS if path.name.startswith(("v1.", "v2."))]
RECORDS = {
    "8a_benchmark_write_parallel_12": 9218,
    "dxt": 215,
    "imbalanced-io": 3030,
    "noposix": 521,
    "v2.00-partshared-2048": 2048,
    "v2.06-ppc64-be": 1,
}
PYDARSHAN = """
import json, sys
import darshan.backend.cffi_backend as backend

log = backend.log_open(sys.argv[1])
modules = backend.log_get_modules(log)
job, names = backend.log_get_job(log), backend.log_get_name_records(log)
records = {}
for module in set(modules) & {"POSIX", "MPI-IO", "STDIO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "DFS", "DAOS"}:
    records[module] = []
    while (record := backend.log_get_record(log, module, dtype="dict")) is not None:
        counters = {key: int(value) for key, value in record["counters"].items()}
        real = {key: float(value).hex() for key, value in record["fcounters"].items()}
        records[module].append([names.get(record["id"]), int(record["rank"]), counters, real])
versions = {name: module["ver"] for name, module in modules.items()}
print(json.dumps({"job": [job["uid"], job["jobid"], job["nprocs"]], "exe": backend.log_get_exe(log),
                  "mounts": sorted(map(list, backend.log_get_mounts(log))), "versions": versions, "records": records}))
"""
SKIPPED_FLOATS = ("POSIX_F_META_TIME", "POSIX_F_MAX_READ_TIME", "POSIX_F_MAX_WRITE_TIME")
MOVED_FLOATS = ("POSIX_F_VARIANCE_RANK_TIME", "POSIX_F_VARIANCE_RANK_BYTES")


def misread(module: str, version: int, order: str) -> tuple[str, ...]:
    """Return the counters that darshan-util 3.5 misreads: it converts old records of POSIX wrongly.

    It moves 16 bytes too few, and does not swap three real numbers of big-endian logs.
    """
    if module != "POSIX" or version > 3:
        return ()
    return (*MOVED_FLOATS, *(SKIPPED_FLOATS if order == "big" else ()))


@needs_darshan
@pytest.mark.parametrize("path", NEW, ids=lambda path: path.name)
def test_every_counter_is_that_of_pydarshan(path: Path) -> None:
    done = subprocess.run([sys.executable, "-P", "-c", PYDARSHAN, path], capture_output=True, check=True)
    theirs = json.loads(done.stdout)
    records, about = records_of(path.read_bytes())
    assert [about["uid"], about["job_id"], about["processes"]] == theirs["job"]
    assert about["program"] == theirs["exe"] or theirs["exe"] == ""
    assert sorted(about["mounts"]) == theirs["mounts"]
    ours: dict[str, list[Any]] = {}
    for record in records:
        ours.setdefault(record[0], []).append(record)
    compared = 0
    for module, of_module in theirs["records"].items():
        assert len(ours.get(module, [])) == len(of_module)
        for record, (name, rank, counters, real) in zip(ours[module], of_module, strict=True):
            _, version, our_name, our_rank, found = record
            assert version == theirs["versions"][module] and our_rank == rank
            assert our_name is None or our_name == name
            values = counters | {key: float.fromhex(value) for key, value in real.items()}
            for key in set(found) - set(misread(module, version, about["byte_order"])):
                same = found[key] == values[key] or math.isnan(values[key])
                assert same, (module, name, key, found[key], values[key])
                compared += 1
            not_recorded = {values[key] for key in set(values) - set(found)}
            assert not_recorded <= {-1, 0}, (module, not_recorded)
    assert compared or not theirs["records"]


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.name)
def test_bins_of_old_formats_add_up(path: Path) -> None:
    """The sizes of reads and writes are those of POSIX and of streams together."""
    records, about = records_of(path.read_bytes())
    assert records and about["damage"] == []
    for _, _, _, _, found in records:
        for direction in ("READ", "WRITE"):
            bins = sum(
                value
                for name, value in found.items()
                if name.startswith(f"CP_SIZE_{direction}_") and "AGG" not in name
            )
            assert bins == found[f"CP_POSIX_{direction}S"] + found[f"CP_POSIX_F{direction}S"]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_every_log_is_read_whole(path: Path) -> None:
    records, about = records_of(path.read_bytes())
    assert about["damage"] == []
    wanted = RECORDS.get(path.name.removesuffix(".gz").removesuffix(".darshan"))
    assert wanted is None or sum("DXT" not in module for module, *_ in records) == wanted
    names = Counter(module["name"] for module in about["modules"])
    assert max(names.values(), default=1) == 1


def test_a_folder_of_logs_of_counters_is_one_store(run: Run, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for path in OLD:
        (logs / path.name).symlink_to(path)
    store = tmp_path / "x.iotrace"
    done = run("ingest", logs, "-o", store)
    assert done.returncode == 0, done.stderr
    query = "select sum(value) from darshan_counter where counter = 'CP_POSIX_WRITES'"
    expected = sum(
        record[4]["CP_POSIX_WRITES"] for path in OLD for record in records_of(path.read_bytes())[0]
    )
    done = run("sql", store, query, "-f", "csv")
    assert int(done.stdout.decode().split()[1]) == expected
    refused = run("patterns", store)
    assert refused.returncode == 1 and b"is made of counters of jobs, and patterns are of" in refused.stderr


SENTENCES = {
    "8a_benchmark_write_parallel_12": "I/O is 93.8 % of the run (4,320 s at MPI-IO of 384 ranks x 12 s), 98.9 % of it"
    " writes; all writes at MPI-IO are collective; 24.1 GB are read below MPI-IO only to be written again (data",
    "imbalanced-io": "I/O is 77.7 % of the run (570,210 s at MPI-IO of 496 ranks x 1,479 s), 92.1 % of it writes; 99.7"
    " % of the writes at MPI-IO are collective; what POSIX counts is not of all files",
    "noposix": "I/O is under 0.1 % of the run (398 s of 512 ranks x 39,213 s)",
    "v2.05-ppc64-be": "I/O is 57.7 % of the run (12,991 s at MPI-IO of 1,024 ranks x 22 s); no write at MPI-IO is",
    "mpi-io-test-x86_64-3.5.0": "I/O is 69.7 % of the run (0.143 s at MPI-IO of 4 ranks x 0.0513 s); no write at",
    "dxt": "I/O adds up to 764 % of the run (11,218 s of 1 rank x 1,469 s): calls of several threads overlap, or a",
}
"""Checked by hand: the sums of the three times of MPI-IO, and of POSIX and STDIO for other files."""


def test_the_first_sentences_of_jobs(run: Run) -> None:
    done = run("jobs", FOLDER, "--format", "json")
    found = {Path(row["log"]).name: row["finding"] for row in json.loads(done.stdout)}
    assert len(found) == len(LOGS)
    for name, sentence in SENTENCES.items():
        (finding,) = (found[log] for log in found if log.removesuffix(".gz") == f"{name}.darshan")
        assert finding.startswith(sentence)


def test_a_share_beyond_the_run_says_why_on_the_first_screen(run: Run) -> None:
    (log,) = (path for path in LOGS if path.name == "dxt.darshan")
    said = run(log).stdout.decode().replace("\n", " ")
    assert "I/O adds up to 764 % of the run: calls of several threads overlap, or a clock is wrong." in said


def test_the_line_of_a_job_has_its_length_ranks_and_day(run: Run) -> None:
    (log,) = (path for path in LOGS if path.name == "imbalanced-io.darshan")
    first = run(log).stdout.decode().partition("\n")[0]
    assert first.endswith("jobs · 24.6 min · 496 ranks · ran 14 Apr 2021 · format darshan")
