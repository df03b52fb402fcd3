"""Real parallel traces against counts that other programs made of them (grep, PyDarshan, json), and each other."""

import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

import pytest
from calls_read import read_calls
from program import Run

from iotrace import formats
from iotrace.formats.darshan import DarshanSource
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.run import ParallelRun

FOLDER = Path(os.environ.get("IOTRACE_TRACES", "")) / "parallel"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="IOTRACE_TRACES names no folder of traces")
needs_darshan = pytest.mark.skipif(
    importlib.util.find_spec("darshan") is None, reason="PyDarshan is not installed (extra peers)"
)
PAIRS = ("dxt", "mpi_io_test_with_dxt", "nonmpi_dxt_anonymized", "sample-dxt-simple")
WITH_DXT = (*PAIRS, "8a_benchmark_write_parallel_12", "mpi-io-test-ppc64-3.1.3", "partial_data_dxt")
WITHOUT_DXT = ("imbalanced-io", "mpi-io-test-x86_64-3.5.0")


def text_of(path: Path) -> str:
    """Return a file's text, uncompressed by an external program."""
    command = {".zst": ["zstdcat"], ".gz": ["zcat"]}.get(path.suffix, ["cat"])
    return subprocess.run([*command, path], capture_output=True, check=True).stdout.decode()


def tally(rows: list[dict[str, object]], *names: str) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row[name] for name in names) for row in rows)


@pytest.mark.parametrize("name", PAIRS)
def test_the_text_of_dxt_has_as_many_rows_as_grep_finds(name: str) -> None:
    path = FOLDER / "darshan" / f"{name}.dxt.txt.zst"
    rows, report = read_calls(path)
    found = re.findall(r"^ X_(\w+)\s+(\d+)\s+(read|write)", text_of(path), re.MULTILINE)
    layers = {"POSIX": "posix", "MPIIO": "mpiio"}
    assert tally(rows, "layer", "process", "operation") == Counter(
        (layers[layer], int(rank), operation) for layer, rank, operation in found
    )
    assert report["skipped"] == {} and report["warnings"] == []


@pytest.mark.parametrize("name", PAIRS)
def test_binary_and_text_of_a_log_agree_to_a_tenth_of_a_millisecond(name: str) -> None:
    binary, about = read_calls(FOLDER / "darshan" / f"{name}.darshan")
    text, _ = read_calls(FOLDER / "darshan" / f"{name}.dxt.txt.zst")
    columns = ("layer", "process", "node", "operation", "offset", "length")
    assert len(binary) == len(text) and tally(binary, *columns) == tally(text, *columns)
    files: dict[str, str] = {}
    for one, other in zip(binary, text, strict=True):
        assert [one[column] for column in columns] == [other[column] for column in columns]
        assert files.setdefault(one["file"], other["file"]) == other["file"]
        assert abs(one["time_ns"] - other["time_ns"]) <= 100_000
        assert abs(one["duration_ns"] - other["duration_ns"]) <= 100_000
    assert len(set(files.values())) == len(files) and about["times"]["first_ns"] > 10**18


@needs_darshan
@pytest.mark.parametrize("name", WITH_DXT)
def test_binary_logs_have_what_pydarshan_counts(name: str) -> None:
    path = FOLDER / "darshan" / f"{name}.darshan"
    code = (
        "import sys, json, darshan.backend.cffi_backend as b\n"
        "log = b.log_open(sys.argv[1]); found = {}\n"
        "for module in ('DXT_POSIX', 'DXT_MPIIO'):\n"
        "    while (r := b.log_get_dxt_record(log, module)):\n"
        "        for k in ('read', 'write'):\n"
        "            key = module + ' ' + k\n"
        "            found[key] = found.get(key, 0) + r[k + '_count']\n"
        "print(json.dumps(found))\n"
    )
    counted = subprocess.run([sys.executable, "-P", "-c", code, path], capture_output=True, check=True)
    expected = {tuple(key.split()): count for key, count in json.loads(counted.stdout).items() if count}
    rows, report = read_calls(path)
    names = {"posix": "DXT_POSIX", "mpiio": "DXT_MPIIO"}
    found = tally(rows, "layer", "operation")
    assert {(names[str(layer)], operation): count for (layer, operation), count in found.items()} == expected
    assert report["skipped"] == {}
    assert any("memory ran out" in warning for warning in report["warnings"]) == (name == "partial_data_dxt")


@pytest.mark.parametrize(
    ("name", "held", "counted"),
    [("partial_data_dxt", 65_536, 1_000_006), ("8a_benchmark_write_parallel_12", 17_525, 17_571)],
)
def test_a_log_with_dxt_says_what_share_of_its_operations_dxt_holds(
    name: str, held: int, counted: int
) -> None:
    _, report = read_calls(FOLDER / "darshan" / f"{name}.darshan")
    coverage = report["coverage"]
    assert (coverage["operations"], coverage["counted_operations"]) == (held, counted)


@pytest.mark.parametrize("name", WITHOUT_DXT)
def test_a_log_of_counters_becomes_a_store_without_calls(name: str, run: Run, tmp_path: Path) -> None:
    path = FOLDER / "darshan" / f"{name}.darshan"
    assert run("ingest", path, "-o", tmp_path / "x.iotrace").returncode == 0
    manifest = json.loads((tmp_path / "x.iotrace" / "manifest.json").read_text())
    assert "parallel_io" not in manifest["tables"] and manifest["tables"]["darshan_counter"] > 0


@pytest.mark.parametrize("size", [16, 100, 1000, 20_000])
def test_a_cut_log_is_read_in_part_or_refused_in_a_line(size: int, run: Run, tmp_path: Path) -> None:
    (tmp_path / "cut.darshan").write_bytes((FOLDER / "darshan" / "dxt.darshan").read_bytes()[:size])
    assert formats.source([tmp_path / "cut.darshan"]).name == "darshan"
    done = run("ingest", tmp_path / "cut.darshan", "-o", tmp_path / "x.iotrace")
    said = done.stderr.decode()
    assert done.returncode == 1 and "Traceback" not in said
    assert ("cut short" in said or "the file ends before it" in said) and said.count("\n") <= 3
    assert (tmp_path / "x.iotrace").exists() == (size >= 1000)


def calls_of(text: str) -> Counter[tuple[str, int]]:
    """Count the reads and writes of DFTracer's lines, and their bytes, as plain JSON."""
    found: Counter[tuple[str, int]] = Counter()
    for line in text.splitlines():
        event = json.loads(line) if line.strip() not in ("[", "]", "") else {}
        name = str(event.get("name")).removesuffix("64").lstrip("p")
        if event.get("cat") == "POSIX" and name in ("read", "write"):
            found[(name, int(event["args"]["ret"]))] += 1
    return found


@pytest.mark.parametrize("path", sorted((FOLDER / "dftracer").glob("*.pfw*")), ids=lambda path: path.name)
def test_dftracer_has_the_reads_and_writes_that_its_lines_tell(path: Path) -> None:
    rows, report = read_calls(path)
    moved = [row for row in rows if row["operation"] in ("read", "write")]
    assert tally(moved, "operation", "length") == calls_of(text_of(path))
    assert report["skipped"] == {}


def test_an_archive_of_dftracer_has_the_reads_and_writes_of_all_its_processes() -> None:
    path = FOLDER / "dfanalyzer" / "dftracer-dlio.tar.gz"
    rows, report = read_calls(path)
    expected: Counter[tuple[str, int]] = Counter()
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            expected += calls_of(content.read().decode())
    moved = [row for row in rows if row["operation"] in ("read", "write")]
    assert tally(moved, "operation", "length") == expected
    assert len({row["process"] for row in rows}) == 8 and report["nodes"] == ["corona171"]
    assert all(str(row["file"]).startswith("/") for row in moved)


def test_an_archive_of_parquet_has_the_rows_that_polars_counts() -> None:
    import polars as pl

    path = FOLDER / "dfanalyzer" / "recorder-posix-parquet.tar.gz"
    rows, _ = read_calls(path)
    found = []
    with tarfile.open(path) as archive:
        for member in archive:
            if "part." in member.name:
                content = archive.extractfile(member)
                assert content is not None
                found.append(pl.read_parquet(io.BytesIO(content.read()), columns=["func_id", "rank", "size"]))
    calls = pl.concat(found)
    moved = calls.filter(pl.col("func_id").is_in(["read", "write"]))
    assert tally(
        [row for row in rows if row["operation"] in ("read", "write")], "operation", "process", "length"
    ) == (Counter(moved.select("func_id", "rank", "size").rows()))
    assert sum(row["operation"] == "open" for row in rows) == (calls["func_id"] == "open").sum()


def test_an_archive_of_a_darshan_log_is_read() -> None:
    rows, report = read_calls(FOLDER / "dfanalyzer" / "darshan-posix-dxt.tar.gz")
    assert len({row["process"] for row in rows}) == 8 and report["skipped"] == {}
    assert len(rows) == 1953, "as darshan-dxt-parser would print: the sum of read_count and write_count"


def test_runs_of_one_job_keep_their_ranks_apart() -> None:
    paths = [FOLDER / "darshan" / f"{name}.darshan" for name in ("dxt", "nonmpi_dxt_anonymized")]
    run = ParallelRun("darshan", paths, DarshanSource(Members(paths), paths))
    processes = []
    while (batches := run.next()) is not None:
        processes += [row for name, batch in batches if name == "process" for row in batch.to_pylist()]
    assert [(row["job"], row["pid"]) for row in processes] == [(0, 0), (1, 0)]
    assert run.report()["jobs"] == [str(path) for path in paths]


def test_logs_of_several_jobs_are_refused_with_their_programs(run: Run, tmp_path: Path) -> None:
    for name in ("dxt", "mpi_io_test_with_dxt"):
        (tmp_path / f"{name}.darshan").write_bytes((FOLDER / "darshan" / f"{name}.darshan").read_bytes())
    done = run("ingest", tmp_path, "-o", tmp_path / "x.iotrace")
    error = done.stderr.decode()
    assert done.returncode == 1 and "holds logs of 2 jobs" in error
    assert "job 4373053 of 2021-06-02 22:43 UTC, 32 processes of mpi-io-test" in error
