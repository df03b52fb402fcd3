"""Manifests and tables from strangers: all readers refuse in one line what is not as documented."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.errors import IotraceError
from iotrace.formats.parallel_io.coverage import sentence
from iotrace.ingest import pipeline
from iotrace.store import manifest
from iotrace.store.info import information, information_table
from iotrace.store.skipped import cautions
from iotrace.store.store import Store, read

LOG = Path(__file__).parents[1] / "cli" / "copy.strace"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pipeline.ingest([LOG], tmp_path_factory.mktemp("stores") / "good.iotrace").path


@pytest.fixture
def store(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "bad.iotrace"))


COVERAGE = {
    **dict.fromkeys(("operations", "bytes", "counted_operations", "counted_bytes"), 1),
    "is_partial": False,
    "layers": {},
}
MANIFESTS: dict[str, Change] = {
    "tables_traversal": lambda one: one["tables"].update({"../x": 1}),
    "tables_quote": lambda one: one["tables"].update({"x'; drop table file; --": 1}),
    "tables_list": lambda one: one.update(tables=list(one["tables"])),
    "tables_int": lambda one: one.update(tables=3),
    "tables_empty": lambda one: one.update(tables={}),
    "tables_negative": lambda one: one["tables"].update(file=-1),
    "counts_str": lambda one: one.update(counts=dict.fromkeys(one["counts"], "9")),
    "counts_bool": lambda one: one["counts"].update(lines=True),
    "counts_null": lambda one: one.update(counts=None),
    "counts_missing": lambda one: one.update(counts={}),
    "counts_huge": lambda one: one["counts"].update(references=10**30),
    "warnings_int": lambda one: one.update(warnings=3),
    "warnings_of_objects": lambda one: one.update(warnings=[{}]),
    "skipped_list": lambda one: one.update(skipped=[]),
    "skipped_reason": lambda one: one.update(skipped={"why": 3}),
    "seen_text": lambda one: one["seen"].update(empty_requests="many"),
    "times_str": lambda one: one.update(times="never"),
    "times_huge": lambda one: one["times"].update(first_ns=10**40),
    "times_float": lambda one: one["times"].update(resolution_ns=float("nan")),
    "model_list": lambda one: one.update(model=["1994"]),
    "model_of_numbers": lambda one: one.update(model={"atime": 1}),
    "agreement_text": lambda one: one.update(path_agreement="all"),
    "agreement_missing": lambda one: one.update(path_agreement={"checked": 1}),
    "sources_int": lambda one: one.update(sources=[1]),
    "sources_text": lambda one: one.update(sources="x"),
    "lacks_int": lambda one: one.update(lacks=1),
    "version_float": lambda one: one.update(store_version=1.5),
    "version_inf": lambda one: one.update(store_version=float("inf")),
    "version_negative": lambda one: one.update(store_version=-1),
    "max_skipped_text": lambda one: one.update(max_skipped_percent="x"),
    "max_skipped_list": lambda one: one.update(max_skipped_percent=[1]),
    "max_skipped_nan": lambda one: one.update(max_skipped_percent=float("nan")),
    "max_skipped_beyond": lambda one: one.update(max_skipped_percent=100.5),
    "max_skipped_bool": lambda one: one.update(max_skipped_percent=True),
    "command_int": lambda one: one.update(command=5),
    "damage_bool": lambda one: one.update(damage=True),
    "coverage_text": lambda one: one.update(coverage="abc"),
    "coverage_of_no_layer": lambda one: one.update(coverage=COVERAGE | {"layers": {"a": {}}}),
    "coverage_of_layers_alone": lambda one: one.update(coverage={"layers": {}}),
    "coverage_of_floats": lambda one: one.update(coverage=COVERAGE | {"bytes": 0.5}),
    "nodes_int": lambda one: one.update(nodes=5),
    "nodes_of_ints": lambda one: one.update(nodes=[1, 2]),
    "jobs_int": lambda one: one.update(jobs=5),
    "alignment_count": lambda one: one.update(clock_alignment={"processes": 3}),
    "alignment_of_nothing": lambda one: one.update(clock_alignment={"rule": "barrier"}),
    "alignment_by_text": lambda one: one.update(clock_alignment={"processes": [{"moved_ns": "1"}]}),
    "row_counts": lambda one: one["tables"].update(reference=10**9),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_that_is_not_as_documented(store: Path, name: str) -> None:
    place = store / "manifest.json"
    changed = json.loads(place.read_text())
    MANIFESTS[name](changed)
    place.write_text(json.dumps(changed))
    with pytest.raises(IotraceError) as caught:
        read(store)
    assert str(caught.value).startswith(f"{store}: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "1" * 5000, '{"store_version": 1', "\xff"]
)
def test_a_manifest_that_is_no_json(store: Path, text: str) -> None:
    (store / "manifest.json").write_text(text, "latin-1")
    with pytest.raises(IotraceError, match=r"manifest\.json cannot be read"):
        read(store)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda items: st.lists(items, max_size=3) | st.dictionaries(st.text(max_size=5), items, max_size=3),
    max_leaves=5,
)


@examples(200)
@given(data=st.data())
def test_any_member_may_be_anything(good: Path, data: st.DataObject) -> None:
    changed = json.loads((good / "manifest.json").read_text())
    names = sorted({*changed, *manifest.MANIFEST.optional})
    path = data.draw(st.sampled_from([(name,) for name in names] + [("counts", "lines"), ("tables", "file")]))
    place = changed if len(path) == 1 else changed[path[0]]
    place[path[-1]] = data.draw(JSON)
    try:
        manifest.check(good, changed)
    except IotraceError:
        return
    assert manifest.fault(changed, manifest.MANIFEST) is None
    opened = Store(good, changed)
    information_table(information(opened))
    assert all(isinstance(one, str) for one in (*cautions(changed), sentence(changed.get("coverage")) or ""))


def rewrite(store: Path, table: str, column: str, values: pa.Array | pa.ChunkedArray) -> None:
    place = store / f"{table}.parquet"
    rows = pq.read_table(place)
    number = rows.schema.get_field_index(column)
    pq.write_table(rows.set_column(number, column, values), place)


def test_columns_of_other_types(store: Path) -> None:
    rows = pq.read_table(store / "reference.parquet")
    rewrite(store, "reference", "offset", pc.cast(rows["offset"], pa.string()))
    with pytest.raises(IotraceError, match=r"reference\.parquet has columns of other types .*: offset"):
        read(store)


@pytest.mark.parametrize("kind", [pa.struct([("a", pa.int64())]), pa.null(), pa.list_(pa.int64())])
def test_columns_of_types_that_no_table_has(store: Path, kind: pa.DataType) -> None:
    rows = pq.read_metadata(store / "reference.parquet").num_rows
    rewrite(store, "reference", "length", pa.nulls(rows, kind))
    with pytest.raises(IotraceError, match="of other types"):
        read(store)
