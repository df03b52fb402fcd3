"""The ground truth: logs with the kernel's own paths of descriptors."""

import os
from pathlib import Path

import pytest

import iotrace
from iotrace.ingest.pipeline import ingest

TRACES = os.environ.get("IOTRACE_TRACES")
WITH_PATHS = (
    pytest.param("kernel-build.strace.zst", marks=pytest.mark.nightly),
    "sqlite-transactions.strace.zst",
    "document-preparation.strace.zst",
    "cad-chip-build.strace.zst",
    "parallel-io.strace.zst",
    "parallel-io-mpi.strace.zst",
    "software-development-ff.tar.zst",
)


@pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of large traces")
@pytest.mark.parametrize("name", WITH_PATHS)
def test_reads_and_writes_agree_with_the_kernels_paths(tmp_path: Path, name: str) -> None:
    store = ingest([Path(str(TRACES)) / "strace" / name], tmp_path / "x.iotrace")
    agreement = store.manifest["path_agreement"]
    assert agreement["agreed"] >= 0.999 * agreement["checked"]
    assert agreement["checked"] >= 0.98 * agreement["calls"]
    assert set(agreement["undecidable"]) <= {"unrevealed_symbolic_link", "inherited_descriptor"}
    connection = store.connect(views=[])
    for operation, column in (("read", "bytes_read"), ("write", "bytes_written")):
        by_reference = connection.execute(
            "select sum(length) from reference where type in ('datafile', 'executable') and operation = ?",
            [operation],
        ).fetchone()
        by_use = connection.execute(f"select sum({column}) from use where type <> 'directory'").fetchone()
        assert by_reference == by_use


def test_the_package_trace_agrees(tmp_path: Path) -> None:
    from importlib.resources import as_file, files

    with as_file(files("iotrace") / "demo") as demo:
        known = demo / "demo.known-files.parquet"
        store = ingest([demo / "demo.strace.zst"], tmp_path / "demo.iotrace", known_files=known)
    agreement = iotrace.open(store.path).manifest["path_agreement"]
    assert agreement["agreed"] == agreement["checked"] > 20_000
