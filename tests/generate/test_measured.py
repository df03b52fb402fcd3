"""What the presets take from a real disk of the time, measured again: the trace is not part of iotrace."""

import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from iotrace.generate.vms.presets import preset
from iotrace.ingest.pipeline import ingest

TRACES = os.environ.get("IOTRACE_TRACES")
pytestmark = pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of traces")


@pytest.fixture(scope="module")
def busier_disk(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[bool], list[int], np.ndarray]:
    """Of each request, whether it writes, its first block, and its number of blocks."""
    trace = Path(TRACES or "") / "disksim" / "ajw.1week.srt.zst"
    table = ingest([trace], tmp_path_factory.mktemp("ajw") / "ajw.iotrace").arrow("disk_io")
    of_disk = np.asarray(table["device"]) == 1
    writes = np.asarray(table["operation"].cast("string"))[of_disk] == "write"
    return writes.tolist(), np.asarray(table["lbn"])[of_disk].tolist(), np.asarray(table["blocks"])[of_disk]


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
