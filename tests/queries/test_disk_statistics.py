"""Statistics of disks on real traces, against sums that plain Python makes of the traces' own text."""

import csv
import itertools
import math
import os
import statistics
import struct
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from tiny_store import connect

from iotrace import queries
from iotrace.analysis.characterize import characterize
from iotrace.store.store import Store

TRACES = os.environ.get("IOTRACE_TRACES")
FOLDER = Path(TRACES or ".") / "block"
needs_traces = pytest.mark.skipif(
    not TRACES, reason="IOTRACE_TRACES does not name the folder of the larger traces"
)
BLOCK = 8
"""A block of 4 KB, in sectors."""


class Request(NamedTuple):
    """A line of a trace: times in ns, places in sectors."""

    time: int
    writes: bool
    lbn: int
    blocks: int
    taken: int


def msr() -> list[Request]:
    """Read the MSR Cambridge sample; its clock ticks every 100 ns."""
    with (FOLDER / "msr-cambridge1-sample.csv").open() as file:
        lines = [(int(t), kind, int(o), int(n), int(r)) for t, _, _, kind, o, n, r in csv.reader(file)]
    first = min(line[0] for line in lines)
    made = [Request(100 * (t - first), k == "Write", o // 512, n // 512, 100 * r) for t, k, o, n, r in lines]
    return sorted(made, key=lambda request: request.time)


def cloud_physics() -> list[Request]:
    """Read the CloudPhysics sample, which has no latencies; its clock ticks every µs."""
    records = subprocess.check_output(["zstd", "-dc", FOLDER / "cloudPhysicsIO.vscsi.zst"])
    lines = list(struct.iter_unpack("<IIIHHQQ", records))
    first = min(us for *_, us in lines)
    made = [Request(1000 * (us - first), op == 0x2A, lbn, n // 512, 0) for _, n, _, op, _, lbn, us in lines]
    return sorted(made, key=lambda request: request.time)


TRACES_READ = ["msr", pytest.param("cloud_physics", marks=pytest.mark.nightly)]
FILES = {"msr": "msr-cambridge1-sample.csv", "cloud_physics": "cloudPhysicsIO.vscsi.zst"}


@pytest.fixture(scope="module", params=TRACES_READ)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def results(name: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    from iotrace.ingest.pipeline import ingest

    store: Store = ingest([FOLDER / FILES[name]], tmp_path_factory.mktemp(name) / "trace.iotrace")
    tables = characterize(store.connect(views=[]), NAMES)
    return {statistic: table.to_pylist() for statistic, table in tables.items()}


NAMES = (
    "load_by_scale", "disk_load_over_time", "latency_by_size", "latency_by_depth", "busy_and_idle_periods",
    "seek_distances", "alignment", "addresses_over_time", "reaccess_intervals", "popularity_decay", "block_skew",
)  # fmt: skip


def read(name: str) -> list[Request]:
    return {"msr": msr, "cloud_physics": cloud_physics}[name]()


def bin_of(number: int) -> int:
    return 0 if number <= 0 else 1 << (number - 1).bit_length()


def accesses(trace: list[Request]) -> Iterator[tuple[int, Request]]:
    for request in trace:
        for block in range(request.lbn // BLOCK, (request.lbn + request.blocks - 1) // BLOCK + 1):
            yield block, request


@needs_traces
def test_accesses_to_blocks(name: str, results: dict[str, list[dict[str, Any]]]) -> None:
    """Reuse times, popularity decay, one-hit wonders, the top 1 % and update coverage."""
    pairs: Counter[tuple[str, int]] = Counter()
    ages: Counter[tuple[str, int]] = Counter()
    first: dict[int, int] = {}
    last: dict[int, Request] = {}
    popular = {operation: Counter[int]() for operation in ("all", "read", "write")}
    for block, request in accesses(read(name)):
        if before := last.get(block):
            pair = ("W" if request.writes else "R") + "A" + ("W" if before.writes else "R")
            pairs[pair, bin_of(request.time - before.time)] += 1
            ages["write" if request.writes else "read", bin_of(request.time - first[block])] += 1
        first.setdefault(block, request.time)
        last[block] = request
        for operation in ("all", "write" if request.writes else "read"):
            popular[operation][block] += 1
    found = results
    assert {
        (r["pair"], r["maximum_interval_ns"]): r["accesses"] for r in found["reaccess_intervals"]
    } == pairs
    assert {(r["operation"], r["maximum_age_ns"]): r["accesses"] for r in found["popularity_decay"]} == ages
    for row in found["block_skew"]:
        counts = sorted(popular[row["operation"]].values(), reverse=True)
        assert (row["blocks"], row["accesses"], row["most_accesses"]) == (len(counts), sum(counts), counts[0])
        assert row["once_percent"] == pytest.approx(100 * counts.count(1) / len(counts))
        again = sum(count > 1 for count in counts)
        assert row["again_percent"] == pytest.approx(100 * again / len(popular["all"]))
        top = counts[: math.ceil(len(counts) / 100)]
        assert row["top_1_percent"] == pytest.approx(100 * sum(top) / sum(counts))
        ranks = sorted({math.floor(1.1**step) for step in range(360)})
        points = [(math.log(rank), math.log(counts[rank - 1])) for rank in ranks if rank <= len(counts)]
        fit = statistics.linear_regression(*zip(*points, strict=True))
        assert row["zipf_exponent"] == pytest.approx(-fit.slope)
        off = statistics.fmean((y - fit.slope * x - fit.intercept) ** 2 for x, y in points)
        assert row["zipf_error"] == pytest.approx(math.exp(math.sqrt(off)))


@needs_traces
def test_places(name: str, results: dict[str, list[dict[str, Any]]]) -> None:
    """Seek distances, alignment, and the map of addresses."""
    trace = read(name)
    seeks: Counter[tuple[str, str, int]] = Counter()
    for before, request in itertools.pairwise(trace):
        distance = request.lbn - before.lbn - before.blocks
        way = "none" if distance == 0 else "forward" if distance > 0 else "backward"
        seeks["write" if request.writes else "read", way, 512 * bin_of(abs(distance))] += 1
    columns = ("operation", "direction", "maximum_distance_bytes")
    assert {tuple(r[c] for c in columns): r["requests"] for r in results["seek_distances"]} == seeks
    for row in results["alignment"]:
        own = [request for request in trace if request.writes == (row["operation"] == "write")]
        size = row["alignment_bytes"] // 512
        assert row["requests"] == len(own)
        starts, lengths = (sum(r.lbn % size == 0 for r in own), sum(r.blocks % size == 0 for r in own))
        assert row["starts_percent"] == pytest.approx(100 * starts / len(own))
        assert row["lengths_percent"] == pytest.approx(100 * lengths / len(own))
    rows = results["addresses_over_time"]
    width_ns, width = rows[0]["end_ns"] - rows[0]["start_ns"], rows[0]["end_bytes"] - rows[0]["first_bytes"]
    origin = 512 * (min(request.lbn for request in trace) // BLOCK * BLOCK)
    moved: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for request in trace:
        moved[request.time // width_ns, (512 * request.lbn - origin) // width].append(512 * request.blocks)
    drawn = {(r["window"], (r["first_bytes"] - origin) // width): (r["requests"], r["bytes"]) for r in rows}
    assert drawn == {place: (len(many), sum(many)) for place, many in moved.items()}


@needs_traces
def test_rates(name: str, results: dict[str, list[dict[str, Any]]]) -> None:
    """Peaks, percentiles and the index of dispersion by scale."""
    trace = read(name)
    assert len(results["load_by_scale"]) >= 3
    for row in results["load_by_scale"]:
        counts, moved = [0] * row["windows"], [0] * row["windows"]
        for request in trace:
            if (window := request.time // row["width_ns"]) < row["windows"]:
                counts[window] += 1
                moved[window] += 512 * request.blocks
        a_second = 1e9 / row["width_ns"]
        assert row["peak_requests_per_s"] == pytest.approx(max(counts) * a_second)
        assert row["p99_bytes_per_s"] == pytest.approx(
            sorted(moved)[math.ceil(0.99 * len(moved)) - 1] * a_second
        )
        assert row["idle_percent"] == pytest.approx(100 * counts.count(0) / len(counts))
        dispersion = statistics.variance(counts) / statistics.fmean(counts)
        assert row["index_of_dispersion"] == pytest.approx(dispersion)


@needs_traces
@pytest.mark.parametrize("name", ["msr"], indirect=True)
def test_queues(results: dict[str, list[dict[str, Any]]]) -> None:
    """Latencies by size and by depth, busy and idle periods, and the mean depth of windows."""
    trace, found = msr(), results
    by_depth, by_size = defaultdict(list), defaultdict(list)
    busy: list[list[int]] = []
    for place, request in enumerate(trace):
        depth = 1 + sum(r.time + r.taken > request.time for r in trace[:place])
        by_depth[bin_of(depth)].append(request.taken)
        by_size["write" if request.writes else "read", 512 * bin_of(request.blocks)].append(request.taken)
        if busy and request.time <= busy[-1][1]:
            busy[-1][1] = max(busy[-1][1], request.time + request.taken)
        else:
            busy.append([request.time, request.time + request.taken])
    rows = [(row, by_depth[row["maximum_depth"]]) for row in found["latency_by_depth"]]
    rows += [(row, by_size[row["operation"], row["maximum_size_bytes"]]) for row in found["latency_by_size"]]
    assert len(rows) == len(by_depth) + len(by_size)
    for row, taken in rows:
        assert row["requests"] == len(taken) and row["average_ns"] == pytest.approx(statistics.fmean(taken))
        for column, share in (("median_ns", 0.5), ("p99_ns", 0.99), ("p999_ns", 0.999)):
            true = sorted(taken)[math.ceil(share * len(taken)) - 1]
            assert true <= row[column] <= true * 17 / 16
    periods = Counter(("busy", bin_of(end - start)) for start, end in busy)
    periods += Counter(("idle", bin_of(b[0] - a[1])) for a, b in itertools.pairwise(busy))
    assert {(r["state"], r["maximum_ns"]): r["periods"] for r in found["busy_and_idle_periods"]} == periods
    for row in found["disk_load_over_time"]:
        start, end = row["start_ns"], row["end_ns"]
        inside = sum(max(0, min(end, r.time + r.taken) - max(start, r.time)) for r in trace)
        assert row["depth"] == pytest.approx(inside / (end - start), abs=1e-9)
        assert row["writes"] == sum(r.writes and start <= r.time < end for r in trace)


@examples(10)
@given(st.floats(0.3, 1.5), st.integers(50, 2000))
def test_a_zipf_distribution_is_found(exponent: float, blocks: int) -> None:
    counts = [round(100 * (blocks / rank) ** exponent) for rank in range(1, min(blocks, 300) + 1)]
    joined = Counter(counts).items()
    made = [{"operation": "all", "accesses": count, "blocks": many, "one_in": 1} for count, many in joined]
    table = pa.Table.from_pylist(made, schema=queries.query("block_popularity").schema)
    (row,) = characterize(connect(), ["block_skew"], made={"block_popularity": table})[
        "block_skew"
    ].to_pylist()
    assert row["zipf_exponent"] == pytest.approx(exponent, abs=0.01)
    assert 1 <= row["zipf_error"] < 1.05 and row["zipf_r_squared"] > 0.99
