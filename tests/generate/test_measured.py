"""What the presets take from a real disk of the time, measured again: the trace is not part of iotrace."""

import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from iotrace.generate.vms.load import Load
from iotrace.generate.vms.presets import preset
from iotrace.generate.vms.requests import generate
from iotrace.generate.vms.sizes import LARGEST_BLOCKS
from iotrace.ingest.pipeline import ingest
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate

TRACES = os.environ.get("IOTRACE_TRACES")
pytestmark = pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of traces")


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> pa.Table:
    """Table disk_io of the busier disk."""
    trace = Path(TRACES or "") / "disksim" / "ajw.1week.srt.zst"
    table = ingest([trace], tmp_path_factory.mktemp("ajw") / "ajw.iotrace").arrow("disk_io")
    return table.filter(pc.equal(table["device"], 1))


@pytest.fixture(scope="module")
def busier_disk(requests: pa.Table) -> tuple[list[bool], list[int], np.ndarray]:
    """Of each request, whether it writes, its first block, and its number of blocks."""
    writes = np.asarray(requests["operation"].cast("string")) == "write"
    return writes.tolist(), np.asarray(requests["lbn"]).tolist(), np.asarray(requests["blocks"])


def distances(writes: list[bool], places: list[int]) -> dict[tuple[bool, bool], np.ndarray]:
    """Return distances, in requests of the earlier operation, to a place's last request, by both operations.

    Rewrites are counted from the last write, whatever was read in between.
    """
    number = {True: 0, False: 0}
    last: dict[int, tuple[bool, dict[bool, int]]] = {}
    last_write: dict[int, int] = {}
    found = defaultdict(list)
    for is_write, place in zip(writes, places, strict=True):
        if is_write and place in last_write:
            found[True, True].append(number[True] - last_write[place])
        if place in last and not (is_write and last[place][0]):
            earlier, numbers = last[place]
            found[is_write, earlier].append(number[earlier] - numbers[earlier])
        last[place] = (is_write, dict(number))
        if is_write:
            last_write[place] = number[True]
        number[is_write] += 1
    return {kind: np.array(values) for kind, values in found.items()}


def kept_order(places: list[int]) -> float:
    """Return the share of the repeats after a repeat that are next in the order of the last uses of places."""
    last: dict[int, int] = {}
    is_last: list[bool] = []
    kept, before = [], None
    for number, place in enumerate(places):
        found = last.get(place)
        if found is not None:
            if before is not None:
                kept.append(is_last.index(True, before + 1) == found)
            is_last[found] = False
        is_last.append(True)
        last[place], before = number, found
    return float(np.mean(kept))


def test_presets_have_the_order_of_a_real_disk(busier_disk) -> None:
    writes, places, _ = busier_disk
    kept = [
        kept_order([place for writes_, place in zip(writes, places, strict=True) if writes_ == kind])
        for kind in (True, False)
    ]
    assert kept == pytest.approx([0.37, 0.61], abs=0.005)
    for name in ("off-day", "air-rsv", "sci-off"):
        p = preset(name).parameters
        assert [p.rewrite_order_share, p.reread_order_share] == pytest.approx(kept, abs=0.005)


def test_presets_have_the_distances_of_a_real_disk(busier_disk) -> None:
    writes, places, blocks = busier_disk
    found = distances(writes, places)
    rewrites, rereads = found[True, True], found[False, False]
    assert (sum(writes), len(writes) - sum(writes)) == (31_365, 10_887)
    assert len(rewrites) / sum(writes) == pytest.approx(0.94, abs=0.005)
    assert np.percentile(rewrites, [10, 25, 50, 75, 90]) == pytest.approx([1, 2, 40, 206, 840], abs=4)
    assert len(found[True, False]) / sum(writes) == pytest.approx(0.06, abs=0.005)
    for name in ("off-day", "air-rsv", "sci-off"):
        p = preset(name).parameters
        assert p.rewrite_distance_writes == pytest.approx(np.median(rewrites), rel=0.05)
        assert p.write_after_read_share == 0.06
        for median, spread, measured in (
            (None, p.rewrite_distance_spread, rewrites),
            (p.reread_distance_reads, p.reread_distance_spread, rereads),
            (p.write_after_read_distance_reads, p.write_after_read_distance_spread, found[True, False]),
            (None, p.read_after_write_distance_spread, found[False, True]),
        ):
            logarithms = np.log(measured)
            assert spread == pytest.approx(logarithms.std(), rel=0.01)
            assert median is None or median == pytest.approx(np.exp(logarithms.mean()), rel=0.01)
        assert p.size_spread == pytest.approx(np.log(blocks[writes]).std(), abs=0.005)


FITTED = {
    "rewrite_share": 0.913,
    "reread_share": 0.196,
    "read_after_write_share": 0.263,
    "read_after_write_distance_writes": 210.0,
    "sequential_share": 0.484,
    "same_track_share": 0.227,
    "same_cylinder_share": 0.223,
    "neighbour_distance_places": 18.7,
    "active_disk_share": 0.293,
    "write_run_requests": 8.22,
    "burst_requests": 3.63,
    "burst_spread": 1.13,
    "burst_gap_ms": 37.9,
    "write_gap_ms": 4.46,
}
"""Found as those of a preset are, on the real disk's own values of the declared cells; the rest is measured."""
TWO_THRESHOLDS = [
    *(Settings(high_percent=high, low_percent=40) for high in (80, 90, 95, 99)),
    *(Settings(low_percent=low) for low in (0, 20, 70)),
    Settings(unit="cylinder"),
]
"""None of these is declared."""


def test_a_generated_trace_writes_as_the_real_disk_does(requests: pa.Table) -> None:
    blocks = pa.array(np.asarray(requests["blocks"]).clip(max=LARGEST_BLOCKS))
    real = requests.set_column(requests.schema.get_field_index("blocks"), "blocks", blocks)
    writes = np.asarray(requests["operation"].cast("string")) == "write"
    read_kbytes, written_kbytes = (float(np.asarray(blocks)[kind].mean()) / 2 for kind in (~writes, writes))
    duration_s = requests["time_ns"][-1].as_py() / 1e9 + 1
    load = Load(
        int((~writes).sum()),
        int(writes.sum()),
        read_kbytes,
        written_kbytes,
        duration_s,
        "ra82",
        15,
        57,
        1_216_665,
    )
    generated = generate(load, replace(preset("off-day").parameters, **FITTED))
    w_wc = [
        np.array([row["w_wc"] for row in simulate(table, "ra82", TWO_THRESHOLDS).to_pylist()])
        for table in (real, generated)
    ]
    assert np.median(np.abs(w_wc[1] / w_wc[0] - 1)) < 0.1
    assert np.abs(w_wc[1] / w_wc[0] - 1).max() < 0.2
