"""Real parallel programs, whose patterns are in the names of their files."""

import os
from pathlib import Path

import pytest

import iotrace
from iotrace.analysis.patterns.study import Options, patterns, study
from iotrace.ingest.pipeline import ingest

TRACES = os.environ.get("IOTRACE_TRACES")
EXPECTED = {"segmented": "seg", "strided": "strided", "selfsched": "gw", "random": "rnd", "whole": "lw"}

pytestmark = pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of traces")


@pytest.mark.parametrize("name", ["parallel-io", "parallel-io-plain"])
def test_four_processes_on_a_shared_file(name: str, tmp_path: Path) -> None:
    assert TRACES
    trace = Path(TRACES) / "strace" / f"{name}.strace.zst"
    store = ingest([trace], tmp_path / "parallel.iotrace")
    rows = patterns(study(store, Options(shared_only=True))).to_pylist()
    found: dict[str, list[tuple[str, str, int]]] = {}
    for row in rows:
        row_found = (row["operation"], row["pattern"].split(" ")[0], row["record_bytes"])
        found.setdefault(Path(row["path"]).name, []).append(row_found)
        assert row["processes"] == 4 and row["certainty"] > 0.5
    assert len(found) == 15
    for file, series in found.items():
        _, record, kind, _ = file.split(".")
        wanted = [("write", EXPECTED[kind]), ("read", EXPECTED[kind])]
        if kind != "segmented":
            wanted.insert(0, ("write", "seg"))
        assert series == [(*one, int(record)) for one in wanted], file


def test_mpi_ranks(tmp_path: Path) -> None:
    assert TRACES
    trace = Path(TRACES) / "strace" / "parallel-io-mpi.strace.zst"
    store = ingest([trace], tmp_path / "mpi.iotrace")
    assert store.path == iotrace.open(store.path).path
    rows = patterns(study(store, Options(shared_only=True))).to_pylist()
    found = {(Path(row["path"]).name, row["operation"]): row["pattern"].split(" ")[0] for row in rows}
    expected = {}
    for record in (256, 1024, 4608):
        expected |= {(f"mpi.indep.{record}", operation): "strided" for operation in ("write", "read")}
        expected |= {(f"mpi.shared.{record}", "write"): "gw"}
    assert found == expected
