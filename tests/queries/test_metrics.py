"""The metrics of compare: worked examples, and a slow twin in Python."""

import os
from math import ceil
from pathlib import Path

import pytest
from iotrace.queries.metrics import metrics

import iotrace
from iotrace.analysis.compare.measure import WINDOWS, measure
from iotrace.families import FAMILIES

TRACES = os.environ.get("IOTRACE_TRACES")
LOG = """\
100 1700000000.000000 execve("/bin/p", ["p"], 0x7ffc /* 1 var */) = 0 <0.000100>
100 1700000000.100000 openat(AT_FDCWD, "/d/a", O_RDWR) = 3 <0.000020>
100 1700000000.200000 read(3, "..."..., 8192) = 8192 <0.000010>
100 1700000000.300000 read(3, "..."..., 8192) = 8192 <0.000030>
100 1700000000.400000 pread64(3, "..."..., 4096, 0) = 4096 <0.000500>
100 1700000000.500000 write(3, "..."..., 1000) = 1000 <0.000040>
100 1700000000.600000 fsync(3) = 0 <0.010000>
100 1700000000.700000 stat("/d/none", 0x7ffc) = -1 ENOENT (No such file) <0.000007>
100 1700000000.800000 nanosleep({tv_sec=0, tv_nsec=100000000}, NULL) = 0 <0.100000>
100 1700000001.000000 +++ exited with 0 +++
"""
EXPECTED = {
    "wall_time": 1.0,
    "storage_time": 0.010707,
    "computing_time": None,  # a log of others does not show that it has all waits
    "not_recorded_time": 0.889293,
    "waiting_time": 0.1,
    "calls": 9,
    "storage_calls": 8,
    "failed_calls": 1,
    "opens": 1,
    "syncs": 1,
    "metadata_calls": 1,
    "storage_call_time": 0.010707,
    "reads": 3,
    "writes": 1,
    "bytes_read": 20480,
    "bytes_written": 1000,
    "read_size": 20480 / 3,
    "write_size": 1000,
    "sequential_reads": 200 / 3,
    "sequential_writes": 0,
    "read_latency_p50": 30,
    "read_latency_p95": 500,
    "write_latency_p50": 40,
    "sync_latency_p99": 10000,
    "metadata_latency_p50": 7,
    "working_set": 17384,
}


def test_the_metrics_of_a_small_log(tmp_path: Path) -> None:
    place = tmp_path / "log.strace"
    place.write_text(LOG, "utf-8")
    found = measure(iotrace.open(place))
    assert {name: found.values[name] for name in EXPECTED} == pytest.approx(EXPECTED)
    assert found.sums["reads"].over.sum() == 3
    assert list(found.sums["reads"].over.nonzero()[0]) == [WINDOWS * tenth // 10 for tenth in (2, 3, 4)]
    assert found.sums["storage_time"].over.sum() == pytest.approx(0.010707)


def test_metrics_have_one_meaning_for_each_name() -> None:
    for family in FAMILIES:
        known = metrics(family)
        listed = [name for source in known.sources for metric in source.metrics for name in metric.names]
        assert len(listed) == len(set(listed))
        for metric in known.by_name.values():
            assert metric.kind in ("time", "count", "load", "size", "share")
            assert metric.description.endswith(".")
            assert (
                sum(one is not None for one in (metric.sum, metric.percentiles, metric.sql, metric.bytes))
                == 1
            )
    units = {}
    for family in FAMILIES:
        for name, metric in metrics(family).by_name.items():
            assert units.setdefault(name, metric.unit) in (metric.unit, "calls")


def nearest(values: list[int], share: float) -> int:
    return sorted(values)[ceil(share * len(values)) - 1]


@pytest.mark.skipif(TRACES is None, reason="IOTRACE_TRACES is not set")
def test_the_metrics_of_a_disk_are_those_of_a_loop_over_its_requests(tmp_path: Path) -> None:
    place = tmp_path / "msr.csv"
    place.write_bytes(Path(TRACES or "", "block/msr-cambridge1-sample.csv").read_bytes())
    store = iotrace.open(place)
    rows = store.arrow("disk_io").to_pylist()
    found = measure(store).values
    wall_s = (
        max(row["time_ns"] + row["latency_ns"] for row in rows) / 1e9
        - min(row["time_ns"] for row in rows) / 1e9
    )
    reads = [row for row in rows if row["operation"] == "read"]
    reached: dict[int, int] = {}
    touched: set[tuple[int, int]] = set()
    sequential = 0
    for row in rows:
        sequential += reached.get(row["device"]) == row["lbn"]
        reached[row["device"]] = row["lbn"] + row["blocks"]
        touched |= {(row["device"], row["lbn"] + block) for block in range(row["blocks"])}
    expected = {
        "wall_time": wall_s,
        "requests": len(rows),
        "reads": len(reads),
        "bytes_read": 512 * sum(row["blocks"] for row in reads),
        "iops": len(rows) / wall_s,
        "bandwidth": 512 * sum(row["blocks"] for row in rows) / wall_s,
        "queue_depth": sum(row["latency_ns"] for row in rows) / 1e9 / wall_s,
        "sequential_requests": 100 * sequential / len(rows),
        "working_set": 512 * len(touched),
        "read_latency_p50": nearest([row["latency_ns"] for row in reads], 0.5) / 1e3,
        "read_latency_p99": nearest([row["latency_ns"] for row in reads], 0.99) / 1e3,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
