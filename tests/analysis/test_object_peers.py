"""Caches of objects in bytes, against libCacheSim where it has the same policies."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from test_objects import batches

from iotrace.analysis.curves import object_curve
from iotrace.analysis.curves.object_caches import object_policies

libcachesim = pytest.importorskip(
    "libcachesim", reason="libcachesim is not installed: pip install 'iotrace-toolkit[peers]'"
)
from libcachesim import libcachesim_python as peer  # noqa: E402

TRACES = os.environ.get("IOTRACE_TRACES")
ORACLE_GENERAL = np.dtype([("time", "<u4"), ("key", "<u8"), ("size", "<u4"), ("next", "<i8")])
PEERS = {"lru": "", "fifo": "", "clock": "init-freq=1, n-bit-counter=1", "lfu": "", "sieve": ""}
"""Policies that libCacheSim has in the same variant, with its parameters for that."""


def misses_of_a_peer(policy: str, size: int, requests: Sequence[tuple[int, int]]) -> int:
    """Return what libCacheSim's cache of a size in bytes misses."""
    names = {"lru": "LRU", "fifo": "FIFO", "clock": "Clock", "lfu": "LFU", "sieve": "Sieve"}
    settings = peer.CommonCacheParams(
        cache_size=size, default_ttl=2**30, hashpower=16, consider_obj_metadata=False
    )
    make, parameters = getattr(peer, f"{names[policy]}_init"), PEERS[policy]
    cache = make(settings, parameters) if parameters else make(settings)
    request = libcachesim.Request()
    misses = 0
    for request.obj_id, request.obj_size in requests:
        misses += not cache.get(request)
    return misses


@pytest.mark.parametrize("policy", PEERS)
def test_libcachesim_misses_the_same(policy: str) -> None:
    """With one size for each object, libCacheSim's caches in bytes miss as many requests."""
    keys = [(place * place * 7919 + place // 3) % 997 % (40 + place % 400) for place in range(20_000)]
    requests = [(key, key * 37 % 91 + 1) for key in keys]
    rows = object_policies(
        batches([(*request, "get") for request in requests]),
        policies=[policy], sizes=[200, 2000, 9000], unit="bytes",
    ).to_pylist()  # fmt: skip
    assert [row["request_misses"] for row in rows] == [
        misses_of_a_peer(policy, row["size"], requests) for row in rows
    ]


@pytest.mark.parametrize("policy", PEERS)
def test_libcachesim_misses_the_same_of_a_real_trace(policy: str) -> None:
    """The CloudPhysics sample, by bytes, each object with the size of its first request."""
    if TRACES is None:
        pytest.skip("IOTRACE_TRACES does not name the folder of large traces")
    packed = Path(TRACES) / "block" / "cloudPhysicsIO.oracleGeneral.bin.zst"
    records = np.frombuffer(pa.input_stream(str(packed), compression="zstd").read(), ORACLE_GENERAL)
    sizes: dict[int, int] = {}
    requests = [(key, sizes.setdefault(key, size)) for key, size in records[["key", "size"]].tolist()]
    [row] = object_policies(
        batches([(*request, "get") for request in requests]),
        policies=[policy],
        sizes=[16 << 20],
        unit="bytes",
    ).to_pylist()
    assert row["request_misses"] == misses_of_a_peer(policy, 16 << 20, requests)


def test_the_twitter_sample() -> None:
    """A million requests of cluster 52, libCacheSim's sample: 0.1920 of them and 0.1963 of bytes miss in 4 MiB."""
    if TRACES is None or not (sample := Path(TRACES) / "keys" / "twitter_cluster52.csv").exists():
        pytest.skip("IOTRACE_TRACES has no keys/twitter_cluster52.csv, which is in libCacheSim's data/")
    columns = np.loadtxt(sample, np.int64, delimiter=",", usecols=(1, 2))
    requests = pa.RecordBatch.from_pydict({"key": columns[:, 0], "size": columns[:, 1]})
    [row] = object_curve([requests], unit="bytes", sizes=[4 << 20]).to_pylist()
    assert round(row["request_misses"] / row["requests"], 4) == 0.1920
    assert round(row["byte_misses"] / row["bytes"], 4) == 0.1963
