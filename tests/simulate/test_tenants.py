"""Tenants of one cache: the best parts against all splits, and what a shared cache gives each."""

from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace.analysis.curves import object_curve
from iotrace.errors import IotraceError
from iotrace.simulate.tenants import tenant_caches

REQUESTS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 6)), min_size=1, max_size=80)


def batch(requests: list[tuple[int, int]]) -> pa.RecordBatch:
    """Return requests of tenants for keys, whose objects have a size of their key and one."""
    tenants, keys = zip(*requests, strict=True)
    return pa.RecordBatch.from_pydict({
        "tenant": pa.array(tenants, pa.int32()), "key": keys, "size": [key + 1 for key in keys]
    })  # fmt: skip


def misses(requests: list[tuple[int, int]], tenant: int, size: int) -> int:
    """Return a tenant's misses in a cache of its own."""
    own = [request for request in requests if request[0] == tenant]
    if not own or not size:
        return len(own)
    return int(object_curve([batch(own)], sizes=[size])["request_misses"][0].as_py())


@given(REQUESTS, st.integers(1, 9))
def test_no_split_misses_less(requests: list[tuple[int, int]], size: int) -> None:
    """The best parts have the least misses of all splits; parts and shared cache have the size given."""
    rows = tenant_caches([batch(requests)], size).to_pylist()
    best = [row for row in rows if row["way"] == "best"]
    tenants = [int(row["tenant"]) for row in best]
    splits = (parts for parts in product(range(size + 1), repeat=len(tenants)) if sum(parts) <= size)
    least = min(
        sum(misses(requests, tenant, part) for tenant, part in zip(tenants, parts, strict=True))
        for parts in splits
    )
    assert sum(row["request_misses"] for row in best) == least
    assert sum(row["size"] for row in best) <= size
    for row in rows:
        if row["way"] != "shared":
            assert row["request_misses"] == misses(requests, int(row["tenant"]), row["size"])
        assert row["requests"] == sum(tenant == int(row["tenant"]) for tenant, _ in requests)


def test_by_bytes() -> None:
    """A loop misses in a shared cache; parts of 6 bytes leave the object of 7 out, and hit the others."""
    requests = [(0, 6), (0, 5), (1, 0), (1, 1)] * 5
    rows = tenant_caches([batch(requests)], 12, unit="bytes", measure="byte_misses").to_pylist()
    assert [(row["way"], row["tenant"], row["request_misses"]) for row in rows] == [
        ("shared", "0", 10), ("shared", "1", 10), ("equal", "0", 6), ("equal", "1", 2), ("best", "0", 6),
        ("best", "1", 2),
    ]  # fmt: skip


def test_a_trace_without_tenants_is_refused() -> None:
    """The tenant of each request must be known, and the size make sense."""
    with pytest.raises(IotraceError, match="does not state the tenant"):
        tenant_caches([pa.RecordBatch.from_pydict({"key": [1]})], 5)
    with pytest.raises(IotraceError, match="at least 1"):
        tenant_caches([], 0)
