"""The trace that ships with the package."""

from importlib.resources import as_file, files
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace import schemas
from iotrace.ingest.pipeline import ingest

DEMO = files("iotrace").joinpath("demo")


def test_the_demo_is_small_and_understood_whole(tmp_path: Path) -> None:
    with as_file(DEMO) as demo:
        log, known = demo / "demo.strace.zst", demo / "demo.known-files.parquet"
        assert log.stat().st_size < 3_000_000
        store = ingest([log], tmp_path / "demo.iotrace", known_files=known)
        described = pq.read_schema(known)
    assert store.manifest["counts"]["skipped_lines"] == 0
    assert store.manifest["counts"]["calls"] > 100_000
    agreement = store.manifest["path_agreement"]
    assert agreement["agreed"] >= 0.999 * agreement["checked"] > 0
    seen = store.manifest["seen"]
    assert (seen["execs_of_unknown_size"], seen["execs_without_interpreter"]) == (0, 0)
    assert described.equals(schemas.schema("known_file"))


def test_the_demo_tells_nothing_of_files_contents() -> None:
    with as_file(DEMO.joinpath("demo.strace.zst")) as log:
        text: bytes = pa.input_stream(str(log), compression="zstd").read()
    moved = [line for line in text.splitlines() if b" read(" in line or b" write(" in line]
    assert len(moved) > 10_000
    assert all(b'"' not in line or b'""...' in line for line in moved)
