"""Stack distances and curves of keys in data frames: against lists, whatever holds the keys."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import iotrace
from iotrace.errors import IotraceError, UsageError
from iotrace.frames import (
    KeyCurve,
    compare,
    curve,
    reuse_time,
    stack_distance,
    with_distances,
    working_set,
)

KEYS = st.lists(st.integers(-3, 12), max_size=200)


def distances(keys: Sequence[Any]) -> list[int | None]:
    """The slow twin: a list with the last key used first."""
    recent: list[Any] = []
    found: list[int | None] = []
    for key in keys:
        found.append(recent.index(key) + 1 if key in recent else None)
        if key in recent:
            recent.remove(key)
        recent.insert(0, key)
    return found


def since(keys: Sequence[Any], times: Sequence[int]) -> list[int | None]:
    last: dict[Any, int] = {}
    found: list[int | None] = []
    for key, time in zip(keys, times, strict=True):
        found.append(time - last[key] if key in last else None)
        last[key] = time
    return found


@given(KEYS)
def test_distances_are_those_of_a_list(keys: list[int]) -> None:
    assert stack_distance(np.array(keys, np.int64)).to_pylist() == distances(keys)
    assert stack_distance(
        [f"/file/{key}" for key in keys] or pa.array([], pa.string())
    ).to_pylist() == distances(keys)


@given(KEYS, st.data())
def test_reuse_times_are_those_of_a_dictionary(keys: list[int], data: st.DataObject) -> None:
    times = sorted(data.draw(st.lists(st.integers(0, 10**6), min_size=len(keys), max_size=len(keys))))
    numbers = np.array(keys, np.int64)
    assert reuse_time(numbers).to_pylist() == since(keys, range(len(keys)))
    assert reuse_time(numbers, np.array(times, np.int64)).to_pylist() == since(keys, times)


@given(KEYS.filter(bool))
def test_a_curve_counts_the_distances_beyond_each_size(keys: list[int]) -> None:
    found = curve(np.array(keys, np.int64))
    for row in found.table.to_pylist():
        misses = sum(distance is None or distance > row["size"] for distance in distances(keys))
        assert (row["requests"], row["request_misses"]) == (len(keys), misses)
        assert row["miss_ratio"] == misses / len(keys)
    assert found.table.schema.field("size").metadata[b"unit"] == b"objects"


HOLDERS = {
    "a list": lambda keys: list(keys),
    "numpy": lambda keys: np.array(keys),
    "arrow": lambda keys: pa.array(keys),
    "chunks": lambda keys: pa.chunked_array([keys[:3], keys[3:]]),
    "polars series": lambda keys: pl.Series("key", keys),
    "polars frame": lambda keys: pl.DataFrame({"key": keys}),
    "arrow table": lambda keys: pa.table({"key": keys}),
    "duckdb": lambda keys: duckdb.from_arrow(pa.table({"key": keys})),
    "parts": lambda keys: iter([np.array(keys[:3]), pa.array(keys[3:])]),
}
NUMBERS = [1, 2, 3, 1, 4, 2, 2, 1, 2**63 - 1]


@pytest.mark.parametrize("holder", HOLDERS)
def test_whatever_holds_the_keys(holder: str) -> None:
    hold = HOLDERS[holder]
    assert stack_distance(hold(NUMBERS)).to_pylist() == distances(NUMBERS)
    assert curve(hold(NUMBERS)).table.equals(curve(np.array(NUMBERS)).table)
    if holder != "parts":
        words = [str(number) for number in NUMBERS]
        assert stack_distance(hold(words)).to_pylist() == distances(NUMBERS)


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    assert stack_distance(pd.Series(NUMBERS)).to_pylist() == distances(NUMBERS)
    assert curve(pd.DataFrame({"key": NUMBERS})).to_pandas()["size"].tolist() == [1, 3, 4]


def test_the_namespace_of_expressions_by_group() -> None:
    keys = [1, 2, 1, 2, 5, 1, 5, 5, 2, 1, 1, 2]
    disks = ["a", "a", "b", "b", "a", "a", "b", "a", "b", "a", "b", "b"]
    frame = pl.DataFrame({"disk": disks, "block": keys, "time": range(0, 120, 10)})
    found = frame.with_columns(
        distance=pl.col("block").iotrace.stack_distance().over("disk"),
        reuse=pl.col("block").iotrace.reuse_time().over("disk"),
        all=pl.col("block").iotrace.stack_distance(),
    )
    for (disk,), rows in found.group_by("disk"):
        of_disk = [key for key, on in zip(keys, disks, strict=True) if on == disk]
        assert rows["distance"].to_list() == distances(of_disk)
        assert rows["reuse"].to_list() == since(of_disk, range(len(of_disk)))
    assert found["all"].to_list() == distances(keys)
    lazy = frame.lazy().select(pl.col("block").iotrace.reuse_time("time")).collect()
    assert lazy["block"].to_list() == since(keys, range(0, 120, 10))
    curves = frame.group_by("disk").agg(curve=pl.col("block").iotrace.miss_ratio_curve([1, 2]))
    points = curves.explode("curve").unnest("curve").sort("disk", "size")
    expected = [
        {"disk": disk, **row}
        for disk in "ab"
        for row in curve(frame.filter(disk=disk)["block"], [1, 2]).table.to_pylist()
    ]
    assert points.to_dicts() == expected


def test_the_namespace_of_series() -> None:
    series = pl.Series("block", NUMBERS)
    assert series.iotrace.stack_distance().to_list() == distances(NUMBERS)
    assert series.iotrace.stack_distance().name == "block"
    times = pl.Series([datetime(2026, 1, 1) + timedelta(seconds=place) for place in range(len(NUMBERS))])
    again = series.iotrace.reuse_time(times)
    assert again.dtype == pl.Duration
    assert again.to_list()[3] == timedelta(seconds=3)
    assert series.iotrace.miss_ratio_curve().table.equals(iotrace.curve(NUMBERS).table)


@pytest.mark.parametrize("policy", ["lru", "arc", "fifo", "opt"])
def test_policies_have_the_same_rows_and_lru_is_the_curve(policy: str) -> None:
    draw = np.random.default_rng(3)
    keys = draw.zipf(1.2, 3000) % 400
    sizes = [1, 7, 50, 200]
    found = curve(keys, sizes, policy=policy)
    assert found.table["size"].to_pylist() == sizes
    assert found.policy == policy
    misses = found.table["request_misses"].to_pylist()
    if policy == "lru":
        assert misses == [sum(d is None or d > size for d in distances(keys.tolist())) for size in sizes]
    if policy == "opt":
        assert all(np.array(misses) <= curve(keys, sizes).table["request_misses"].to_numpy())
    if policy == "fifo":
        assert misses == [fifo(keys.tolist(), size) for size in sizes]


def fifo(keys: list[int], size: int) -> int:
    held: list[int] = []
    misses = 0
    for key in keys:
        if key not in held:
            misses += 1
            held = [*held, key][-size:]
    return misses


def test_which_size_to_buy() -> None:
    found = curve([1, 2, 3] * 10)
    assert found.table.select(["size", "request_misses"]).to_pylist() == [
        {"size": 1, "request_misses": 30},
        {"size": 3, "request_misses": 3},
    ]
    assert found.size_for(0.5) == 3
    assert [found.miss_ratio(size) for size in (1, 2, 3, 100)] == [1, 1, 0.1, 0.1]
    assert curve([1, 2, 3]).size_for() is None
    assert "lru, 30 requests: 50 % of the hits at 3" in repr(found)
    with pytest.raises(UsageError, match="begins at 5 objects"):
        curve(NUMBERS, [5]).miss_ratio(4)


def test_results_go_on_to_other_libraries() -> None:
    found = curve(NUMBERS)
    assert pa.table(found).equals(found.table)
    assert pl.DataFrame(found).equals(found.to_polars())
    assert found.to_relation().aggregate("max(size)").fetchall() == [(4,)]
    assert duckdb.sql("select min(request_misses) from found").fetchall() == [(5,)]
    assert "plotly" in found._repr_html_()
    figure = compare({"LRU": found, "ARC": curve(NUMBERS, policy="arc")})
    assert [trace.name for trace in figure.data] == ["LRU", "ARC"]


def test_long_lines_are_thinned() -> None:
    draw = np.random.default_rng(1)
    keys = np.concatenate([draw.permutation(5000), draw.permutation(5000)])
    found = curve(keys)
    (line,) = found.figure().data
    assert len(line.x) <= 1000 < len(found)
    assert (line.x[0], line.x[-1]) == (1, found.table["size"][-1].as_py())


@pytest.mark.parametrize("holder", ["numpy", "arrow", "polars series"])
def test_no_keys_have_an_empty_curve(holder: str) -> None:
    none = {
        "numpy": np.array([], int),
        "arrow": pa.array([], pa.int64()),
        "polars series": pl.Series([], dtype=pl.Int64),
    }
    for policy in ("lru", "arc"):
        found = curve(none[holder], policy=policy)
        assert isinstance(found, KeyCurve)
        assert len(found) == 0
        assert "no hits" in repr(found)
    assert stack_distance(none[holder]).to_pylist() == []
    assert reuse_time(none[holder]).to_pylist() == []


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ([1.5, 2.0], "keys are integers or text, not double"),
        (np.array([1.0, np.nan]), "keys are integers or text, not double"),
        ([1, None], "1 of the keys are null"),
        (["a", None], "1 of the keys are null"),
        ([[1], [2]], "keys are integers or text, not list"),
        (np.zeros((2, 2), int), "in one dimension"),
        (pl.DataFrame({"a": [1], "b": [2]}), "which of the columns a, b has the keys is not known"),
        (7, "in a column, not int"),
        ("abc", "in a column, not str"),
        ([1, "a"], "keys are integers or text"),
        ([datetime(2026, 1, 1)], "keys are integers or text, not timestamp"),
    ],
)
def test_what_is_no_column_of_keys_is_refused(keys: Any, reason: str) -> None:
    for ask in (stack_distance, reuse_time, curve):
        with pytest.raises((UsageError, IotraceError), match=reason):
            ask(keys)


def test_other_mistakes_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 1 object"):
        curve(NUMBERS, [0, 5])
    with pytest.raises(UsageError, match="there is no policy lfru"):
        curve(NUMBERS, policy="lfru")
    with pytest.raises(UsageError, match="there are 9 keys and 2 times"):
        reuse_time(NUMBERS, np.array([1, 2]))
    with pytest.raises(UsageError, match="times are integers"):
        reuse_time([1, 2], np.array([1.0, np.nan]))


@given(KEYS.filter(bool))
def test_the_working_set_is_the_mean_over_all_windows(keys: list[int]) -> None:
    table = working_set(np.array(keys, np.int64))
    assert table["window_requests"][-1].as_py() == len(keys)
    for length, mean in zip(*(column.to_pylist() for column in table.columns), strict=True):
        windows = [keys[start : start + length] for start in range(len(keys) - length + 1)]
        assert mean == pytest.approx(sum(len(set(window)) for window in windows) / len(windows), rel=1e-12)


def test_windows_that_no_trace_has_are_refused() -> None:
    assert working_set([], key=None).num_rows == 0
    assert working_set(["a", "b", "a"], [2]).to_pylist() == [{"window_requests": 2, "keys": 2.0}]
    for length in (0, 4):
        with pytest.raises(UsageError, match=f"1 to 3 of the references, not {length}"):
            working_set(["a", "b", "a"], [length])


ROWS = pa.table({"key": ["a", "b", "a"], "size": [1, 2, 1]})


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        pl.DataFrame(pl.from_arrow(ROWS)),
        pl.DataFrame(pl.from_arrow(ROWS)).lazy(),
        duckdb.from_arrow(ROWS),
    ],
    ids=["Arrow", "polars", "lazy polars", "DuckDB"],
)
def test_rows_of_several_columns(rows: Any) -> None:
    assert curve(rows).table["request_misses"].to_pylist() == [3, 2]
    assert curve(rows, key="size").table["request_misses"].to_pylist() == [3, 2]
    assert curve(rows, [2], policy="fifo", key="size").table["request_misses"].to_pylist() == [2]
    made = with_distances(rows)
    assert made.column_names == ["key", "size", "stack_distance", "reuse_time"]
    assert made["stack_distance"].to_pylist() == [None, None, 2]
    assert made["reuse_time"].to_pylist() == [None, None, 2]


def test_rows_without_a_column_of_keys() -> None:
    with pytest.raises(
        UsageError, match="which of the columns a, b has the keys is not known: name it with key="
    ):
        curve(ROWS.rename_columns(["a", "b"]))
    with pytest.raises(UsageError, match="c is not one of the columns key, size"):
        curve(ROWS, key="c")
    with pytest.raises(UsageError, match="there is a column reuse_time already"):
        with_distances(ROWS.rename_columns(["key", "reuse_time"]))
    with pytest.raises(UsageError, match="rows are a table, a data frame or a relation, not list"):
        with_distances(["a"])
    assert curve([]).table.num_rows == 0
