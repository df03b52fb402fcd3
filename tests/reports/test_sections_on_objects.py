"""The report's section on caches of objects: its figure and table are those of the curve."""

import random
from pathlib import Path

import pytest
from iotrace.reports.report import object_caches
from iotrace.reports.report.page import report

from iotrace.analysis.curves.object_requests import curve_of_store
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

SIZED = "csv:key=k,size=s,time=t,ttl=l"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    draw, raw = random.Random(5), tmp_path_factory.mktemp("objects") / "web.csv"
    keys = [int(draw.paretovariate(0.8)) % 200 for _ in range(2000)]
    lines = [f"{place},k{key},{100 + key},{9}" for place, key in enumerate(keys)]
    raw.write_text("\n".join(["t,k,s,l", *lines]) + "\n")
    return ingest([raw], raw.with_suffix(".iotrace"), format=SIZED)


def test_the_figure_and_the_table_are_those_of_the_curve(store: Store) -> None:
    made, notes = object_caches.tables(store, lambda doing: None)
    by_bytes, by_objects = curve_of_store(store, "bytes").to_pylist(), curve_of_store(store).to_pylist()
    assert made["object_misses"].to_pylist() == [
        {"line": f"{of}s", "size_bytes": row["size"], "value": row[f"{of}_misses"] / row[f"{of}s"]}
        for of in ("request", "byte")
        for row in by_bytes
    ]
    for row in made["object_shares"].to_pylist():
        for name, rows in (("size_objects", by_objects), ("size_bytes", by_bytes)):
            hits = {one["size"]: one["requests"] - one["request_misses"] for one in rows}
            enough = min(
                size for size, hit in hits.items() if hit >= row["share_percent"] / 100 * max(hits.values())
            )
            assert row[name] == enough
    assert [row["share_percent"] for row in made["object_shares"].to_pylist()] == [50, 90, 99]
    assert all("do not expire" in note.text for note in notes.values())
    (said,) = object_caches.sentences(made["object_shares"])
    half = made["object_shares"].to_pylist()[0]
    assert said.startswith("Of the hits that an unlimited LRU cache has, one of ")
    assert f"({half['size_objects']} objects) has 50 %" in said
    page = report(store)
    assert "How large a cache of objects?" in page
    assert "do not expire here" in page


def test_without_sizes_the_table_counts_objects_and_the_figure_says_why(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("k\na\nb\na\n")
    made, notes = object_caches.tables(
        ingest([tmp_path / "t.csv"], tmp_path / "t.iotrace", format="csv:key=k"), lambda doing: None
    )
    assert made["object_misses"].num_rows == 0
    assert "does not state the sizes" in notes["object_misses"].text
    assert made["object_shares"]["size_objects"].to_pylist() == [2, 2, 2]
    assert made["object_shares"]["size_bytes"].null_count == 3


def test_without_hits_nothing_is_enough(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("k,s\na,5\nb,7\n")
    store = ingest([tmp_path / "t.csv"], tmp_path / "t.iotrace", format="csv:key=k,size=s")
    made, _ = object_caches.tables(store, lambda doing: None)
    assert made["object_shares"].num_rows == 0
    assert set(made["object_misses"]["value"].to_pylist()) == {1.0}
    assert "No object is requested twice" in report(store)
