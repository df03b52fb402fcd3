"""Curves of caches of objects: against a list at every size, by bytes and objects, and bad input."""

from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace.analysis.curves import object_curve
from iotrace.errors import IotraceError

Request = tuple[int, int, str]
SIZES = st.sampled_from([0, 1, 2, 3, 10, 11, 64, 500])
REQUESTS = st.lists(
    st.tuples(st.integers(0, 12), SIZES, st.sampled_from(["get", "get", "set", "delete"])), max_size=200
)


def misses_of_a_list(requests: Sequence[Request], capacity: int, by_bytes: bool) -> tuple[int, ...]:
    """Return requests, request misses, bytes and byte misses of one cache, the most recently used object first."""
    cache: list[tuple[int, int]] = []
    count = misses = total = missed = 0
    for key, size, operation in requests:
        found = [entry for entry in cache if entry[0] == key]
        cache = [entry for entry in cache if entry[0] != key]
        if operation == "delete":
            continue
        count, total = count + 1, total + size
        if not found:
            misses, missed = misses + 1, missed + size
        weight = size if by_bytes else 1
        if weight <= capacity:
            cache.insert(0, (key, weight))
        while sum(weight for _, weight in cache) > capacity:
            cache.pop()
    return count, misses, total, missed


def batches(requests: Sequence[Request], parts: int = 1) -> list[pa.RecordBatch]:
    """Return requests as record batches."""
    keys, sizes, operations = zip(*requests, strict=True) if requests else ((), (), ())
    table = pa.table({
        "key": pa.array(keys, pa.int64()),
        "size": pa.array(sizes, pa.int64()),
        "operation": pa.array(operations, pa.string()).dictionary_encode(),
    })  # fmt: skip
    parted = table.to_batches(max_chunksize=max(1, len(requests) // parts))
    return parted or [pa.RecordBatch.from_pylist([], table.schema)]


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    """Return a curve's rows without names."""
    return [tuple(row.values()) for row in table.to_pylist()]


@given(REQUESTS, st.lists(st.integers(1, 700), max_size=6), st.sampled_from(["objects", "bytes"]))
def test_counts_are_those_of_a_list(
    requests: list[Request], sizes: list[int], unit: Literal["objects", "bytes"]
) -> None:
    """The counts at each size are those of a cache kept as a list, in the order of the sizes given."""
    by_bytes = unit == "bytes"
    found = object_curve(batches(requests, 3), unit=unit, sizes=sizes)
    assert rows(found) == [(size, *misses_of_a_list(requests, size, by_bytes)) for size in sizes]


@given(REQUESTS, st.sampled_from(["objects", "bytes"]))
def test_all_sizes_at_once(requests: list[Request], unit: Literal["objects", "bytes"]) -> None:
    """Without sizes, rows begin at the largest object and end where nothing more is hit."""
    by_bytes = unit == "bytes"
    found = rows(object_curve(batches(requests or [(1, 1, "delete")]), unit=unit))
    assert found == [(row[0], *misses_of_a_list(requests, row[0], by_bytes)) for row in found]
    if requests:
        assert found[-1][1:] == misses_of_a_list(requests, 10**6, by_bytes)
        largest = max([size for _, size, operation in requests if operation != "delete"], default=0)
        assert found[0][0] == 1 if unit == "objects" else found[0][0] >= largest


def test_bytes_are_null_where_no_size_is_known() -> None:
    """A trace without sizes has curves by objects only."""
    batch = pa.RecordBatch.from_pydict({"key": [7, 8, 7]})
    assert rows(object_curve([batch], sizes=[2, 1])) == [(2, 3, 2, None, None), (1, 3, 3, None, None)]
    with pytest.raises(IotraceError, match="does not state the sizes"):
        object_curve([batch], unit="bytes")


def test_a_request_without_size_has_the_former_one() -> None:
    """Requests for objects of no known size are counted in the metadata."""
    batch = pa.RecordBatch.from_pydict({"key": [1, 2, 1], "size": pa.array([5, None, None], pa.int64())})
    found = object_curve([batch], unit="bytes", sizes=[5])
    assert rows(found) == [(5, 3, 2, 10, 5)]
    assert found.schema.metadata[b"tally"] == b'{"requests_without_size": 1}'


EXPIRING = pa.RecordBatch.from_pydict(
    {
        "time_ns": [0, 1, 5, 11, 12, 13],
        "key": [2, 1, 1, 3, 2, 1],
        "ttl_ns": pa.array([None, 10, 10, None, None, None], pa.int64()),
    }
)


@pytest.mark.parametrize(("ttl", "misses"), [("ignore", [5, 3]), ("eager", [4, 4]), ("lazy", [5, 4])])
def test_times_to_live(ttl: Literal["ignore", "eager", "lazy"], misses: list[int]) -> None:
    """Object 1 expires at 11, since the hit at 5 does not renew it; eagerly, it leaves its place to object 3."""
    assert object_curve([EXPIRING], sizes=[2, 9], ttl=ttl)["request_misses"].to_pylist() == misses


def test_tenants_share_the_cache() -> None:
    """Each tenant's requests are counted alone; objects with the same key are one."""
    batch = pa.RecordBatch.from_pydict({"key": [1, 1, 2, 1], "tenant": [0, 1, 1, 0], "size": [3, 3, 3, 3]})
    found = object_curve([batch], unit="bytes", sizes=[3, 6], by_tenant=True)
    assert rows(found) == [
        ("0", 3, 2, 2, 6, 6), ("0", 6, 2, 1, 6, 3), ("1", 3, 2, 1, 6, 3), ("1", 6, 2, 1, 6, 3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "settings", "reason"),
    [
        ({"size": [1]}, {}, "no column key"),
        ({"key": [1]}, {"sizes": [0]}, "the size of a cache is 1 to"),
        ({"key": [1]}, {"ttl": "eager"}, "does not state"),
        ({"key": [1]}, {"by_tenant": True}, "does not state the tenant"),
        ({"key": [1], "size": [-5]}, {"unit": "bytes"}, "a size of -5 bytes"),
        ({"key": ["a"]}, {}, "keys are arrays of integers"),
        ({"key": [1, 2], "size": [2**62, 2**62]}, {"unit": "bytes"}, "more than 4,611,686,018"),
    ],
)
def test_bad_input(columns: dict[str, list[Any]], settings: dict[str, Any], reason: str) -> None:
    """Invalid settings and requests are refused in a sentence."""
    with pytest.raises(IotraceError, match=reason):
        object_curve([pa.RecordBatch.from_pydict(columns)], **settings)
