"""Table reference of a block trace, which is a view over disk_io: however it is read, it has the same rows."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import schemas
from iotrace.errors import IotraceError
from iotrace.export import tables
from iotrace.ingest.pipeline import ingest
from iotrace.store import store as stores
from iotrace.store.part.build import part_of, warmed_part_of
from iotrace.store.part.selection import Selection

REQUESTS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["read", "write", "trim", "sync"]), st.integers(0, 4)),
    min_size=1,
    max_size=30,
).filter(lambda requests: any(blocks or name in ("trim", "sync") for _, name, blocks in requests))


def stored(requests: list[tuple[int, str, int]], folder: Path) -> stores.Store:
    """Ingest requests, of which discards and those of no blocks are not references."""
    lines = ["fio version 3 iolog"]
    for us, (disk, operation, blocks) in enumerate(requests):
        lines.append(f"{us} /dev/d{disk} {operation} {us * 4096} {blocks * 512}")
    (folder / "t.iolog").write_text("\n".join(lines) + "\n")
    return ingest([folder / "t.iolog"], folder / "t.iotrace", replace=True)


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests=REQUESTS, ends=st.tuples(st.integers(0, 30), st.integers(1, 30)), rows=st.integers(1, 40))
def test_a_view_has_the_same_rows_however_it_is_read(
    tmp_path: Path, requests: list[tuple[int, str, int]], ends: tuple[int, int], rows: int
) -> None:
    store = stored(requests, tmp_path)
    assert "reference" in store.tables and not (store.path / "reference.parquet").exists()
    whole = store.arrow("reference")
    assert whole.schema.equals(schemas.schema("reference"), check_metadata=True)
    assert len(whole) == store.manifest["tables"]["reference"] == store.manifest["counts"]["references"]
    found = whole.to_pylist()
    assert store.relation("reference").to_arrow_table().to_pylist() == found
    assert store.polars("reference").collect().rows(named=True) == found
    start = min(ends[0], len(found))
    some = range(start, min(start + ends[1], len(found)))
    names = schemas.schema("reference").names
    batches = list(store.batches("reference", names, rows, some))
    assert [row for batch in batches for row in batch.to_pylist()] == found[some.start : some.stop]
    for name in names:
        assert store.arrow("reference", [name]).to_pylist() == [{name: row[name]} for row in found]
    (file,) = tables.write(store, tmp_path / "tables", "parquet", ["reference"], force=True)
    assert pq.read_table(file).to_pylist() == found


def test_parts_of_a_block_trace_have_the_references_of_the_part(tmp_path: Path) -> None:
    store = stored([(n % 2, ("read", "write", "trim")[n % 3], n % 4) for n in range(60)], tmp_path)
    wanted = [row for row in store.arrow("reference").to_pylist() if row["length"] == 512]
    for made in (part_of, warmed_part_of):
        part = made(store, Selection(where="length = 512")).store
        rows = part.arrow("reference").to_pylist()
        assert [row["offset"] for row in rows] == [row["offset"] for row in wanted]
        assert (part.path / "reference.parquet").exists()


def test_a_view_over_what_is_not_there_is_refused(tmp_path: Path) -> None:
    store = stored([(0, "read", 8), (1, "write", 8)], tmp_path)
    place = store.path / "manifest.json"
    manifest = json.loads(place.read_text())
    for changed, why in (
        ({"views": {"reference": {"files_are_devices": 1}}}, "views.reference.files_are_devices is not true"),
        ({"views": {}}, "lacks views.reference"),
        ({"tables": manifest["tables"] | {"reference": 3}}, "which has fewer rows"),
    ):
        place.write_text(json.dumps(manifest | changed))
        with pytest.raises(IotraceError, match=why):
            stores.read(store.path)


def test_a_device_without_a_file_is_refused(tmp_path: Path) -> None:
    store = stored([(0, "read", 8), (1, "write", 8)], tmp_path)
    place = store.path / "disk_io.parquet"
    rows = pq.read_table(place)
    devices = pa.array([0, 7], pa.int32())
    pq.write_table(rows.set_column(2, rows.schema.field(2), devices), place)
    for are_devices in (True, False):
        manifest = store.manifest | {"views": {"reference": {"files_are_devices": are_devices}}}
        (store.path / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(IotraceError, match="not usable"):
            stores.read(store.path).arrow("reference")
