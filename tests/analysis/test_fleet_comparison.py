"""Where a trace stands in a fleet, against a plain count and the quartiles of the standard library."""

import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.queries.metrics import metrics
from property_tests import examples

from iotrace.analysis.compare.fleet import measured, table
from iotrace.analysis.compare.measure import Measures, measure
from iotrace.errors import IotraceError
from iotrace.families import DISKS
from iotrace.ingest import pipeline

NAMES = list(metrics(DISKS.name).by_name)
VALUES = st.none() | st.integers(0, 1000).map(float)


def of(value: float | None) -> Measures:
    return Measures(DISKS, dict.fromkeys(NAMES) | {"requests": value})


@given(VALUES, st.lists(VALUES, max_size=12))
@examples(100)
def test_median_quartiles_and_rank(value: float | None, fleet: list[float | None]) -> None:
    rows = {row["metric"]: row for row in table(of(value), [of(other) for other in fleet]).to_pylist()}
    assert sorted(rows) == sorted(NAMES)
    row, known = rows["requests"], [other for other in fleet if other is not None]
    assert row["stores"] == len(known)
    if len(known) < 3:
        assert (row["median"], row["low"], row["rank"]) == (None, None, None)
        return
    low, median, high = statistics.quantiles(known, n=4, method="inclusive")
    assert (row["low"], row["median"], row["high"]) == pytest.approx((low, median, high))
    if value is None:
        assert (row["rank"], row["ratio"], row["is_far"]) == (None, None, None)
        return
    assert row["rank"] == 1 + sum(other > value for other in known)
    assert row["ratio"] == (pytest.approx(value / median) if median else None)
    apart = 1.5 * (high - low)
    if min(abs(value - (low - apart)), abs(value - (high + apart))) > 1e-6:
        assert row["is_far"] == (not low - apart <= value <= high + apart)


def test_a_folder_of_stores(tmp_path: Path) -> None:
    """The store itself, stores of other families and damaged ones are left out; two others are no fleet."""
    form = "csv:time=1,offset=2:4096,length=3:4096"
    for number in range(5):
        text = "".join(f"{second},{second % 5},1\n" for second in range(10 * (number + 1)))
        (tmp_path / f"{number}.csv").write_text(text)
        pipeline.ingest([tmp_path / f"{number}.csv"], tmp_path / "stores" / f"{number}.iotrace", format=form)
    (tmp_path / "keys.csv").write_text("1,a,1\n2,b,1\n")
    keys = pipeline.ingest(
        [tmp_path / "keys.csv"], tmp_path / "stores" / "keys.iotrace", format="csv:time=1,key=2,size=3"
    )
    (tmp_path / "stores" / "1.iotrace" / "manifest.json").write_text("{}")
    store = pipeline.ingest([tmp_path / "4.csv"], tmp_path / "stores" / "mine.iotrace", format=form)
    fleet = measured(store, tmp_path / "stores")
    assert len(fleet.measures) == 4
    assert fleet.others == 1
    assert len(fleet.left_out) == 1
    assert "1.iotrace" in fleet.left_out[0]
    rows = {row["metric"]: row for row in table(measure(store), fleet.measures).to_pylist()}
    assert (rows["requests"]["value"], rows["requests"]["median"], rows["requests"]["rank"]) == (50, 35, 1)
    with pytest.raises(IotraceError, match="has 0 other stores of requests for the objects of a cache"):
        measured(keys, tmp_path / "stores")
