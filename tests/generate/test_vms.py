"""Generated traces of one disk: the published load exactly, and each invented parameter as it says."""

import io
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import schemas
from iotrace.errors import IotraceError, UsageError
from iotrace.generate.vms.arrivals import arrivals
from iotrace.generate.vms.generated import DiskTrace, matched, written
from iotrace.generate.vms.load import MOST_REQUESTS, TICKS_PER_SECOND, Load
from iotrace.generate.vms.parameters import SUMS, Parameters
from iotrace.generate.vms.presets import names, preset
from iotrace.generate.vms.requests import generate
from iotrace.generate.vms.sequence import operations
from iotrace.generate.vms.sizes import TOLERANCE_BLOCKS
from iotrace.option import options

LOAD = Load(300, 200, 1.64, 2.4, 60.0, "ra81", 14, 51, 891_072)
NOTHING = Parameters(
    rewrite_share=0,
    write_after_read_share=0,
    reread_share=0,
    read_after_write_share=0,
    sequential_share=0,
    same_track_share=0,
    same_cylinder_share=0,
)
"""Every request goes to a new place, anywhere."""


def column(table: pa.Table, name: str) -> np.ndarray:
    return np.asarray(table[name].cast("string") if name == "operation" else table[name])


def writes_of(table: pa.Table) -> np.ndarray:
    return column(table, "operation") == "write"


PRINTED = ("air-rsv", "off-day", "sci-off")
"""The disks of table 3.1."""


@pytest.mark.parametrize("name", PRINTED)
def test_the_published_load_is_met(name: str) -> None:
    load = preset(name).load
    table = generate(load, preset(name).parameters, seed=3)
    writes, blocks, time_ns = writes_of(table), column(table, "blocks"), column(table, "time_ns")
    assert table.schema.equals(schemas.schema("disk_io"))
    assert ((~writes).sum(), writes.sum()) == (load.reads, load.writes)
    assert blocks[~writes].mean() / 2 == pytest.approx(load.mean_read_kbytes, abs=0.001)
    assert blocks[writes].mean() / 2 == pytest.approx(load.mean_write_kbytes, abs=0.001)
    assert (np.diff(time_ns) >= 0).all() and (time_ns % 100 == 0).all()
    assert time_ns[0] >= 0 and 0.99 * load.duration_s * 1e9 < time_ns[-1] < load.duration_s * 1e9


def test_the_presets_are_table_3_1() -> None:
    loads = {name: preset(name).load for name in PRINTED}
    printed = {
        "air-rsv": (326579, 79635, 5.27, 3.40, 9, 2652 - 3, 13, 69),
        "off-day": (58468, 91726, 1.64, 2.40, 10, 1251 - 3, 14, 51),
        "sci-off": (432218, 70535, 1.30, 1.70, 10, 1426 - 3, 15, 57),
    }
    for name, (reads, writes, read_kb, write_kb, hours, cylinders, surfaces, sectors) in printed.items():
        load = loads[name]
        assert (load.reads, load.writes) == (reads, writes)
        assert (load.mean_read_kbytes, load.mean_write_kbytes) == (read_kb, write_kb)
        assert (load.duration_s, load.surfaces, load.sectors_per_track) == (hours * 3600, surfaces, sectors)
        assert load.cylinder_blocks * cylinders == pytest.approx(load.disk_blocks, abs=load.cylinder_blocks)


@pytest.mark.parametrize("name", sorted({*names()} - {*PRINTED}))
def test_further_disks_have_their_published_counts(name: str) -> None:
    like = preset(name)
    assert like.busy_percent_rated is None
    assert {"mean_read_kbytes", "mean_write_kbytes", "duration_s"} == set(like.assumed)
    part = DiskTrace.make(like, like.load.with_requests(8000), like.parameters, 1)
    matched_rows = {row["quantity"]: row for row in matched(part).to_pylist()}
    assert (
        matched_rows["reads"]["made"] == part.load.reads
        and matched_rows["writes"]["made"] == part.load.writes
    )
    assert matched_rows["mean write, assumed"]["made"] == pytest.approx(part.load.mean_write_kbytes, rel=0.02)
    assert part.load.reads / part.load.writes == pytest.approx(like.load.reads / like.load.writes, rel=0.01)


def test_four_disks_are_four_devices() -> None:
    like = preset("off-day-four")
    members = [preset(name).load for name in ("off-day-system", "off-day-application", "off-day", "off-day")]
    assert like.disks == tuple(members)
    assert like.load.requests == sum(load.requests for load in members)
    trace = DiskTrace.make(like, like.load.scaled(0.005), like.parameters, 1)
    table = trace.requests
    assert table.schema.equals(schemas.schema("disk_io"))
    device, time_ns = column(table, "device"), column(table, "time_ns")
    assert (np.diff(time_ns) >= 0).all() and column(table, "seq").tolist() == list(range(len(table)))
    for place, load in enumerate(members):
        assert (device == place).sum() == pytest.approx(load.requests * 0.005, abs=2)
    lbns = [column(table, "lbn")[device == place].tolist() for place in (2, 3)]
    assert lbns[0] != lbns[1]
    with io.StringIO() as text:
        written(trace).write_text(text)
        assert {line.split(",")[2] for line in text.getvalue().splitlines()[4:]} == {
            f"$1$DUA{place}" for place in range(4)
        }


def test_sizes_of_places_written_often_meet_the_mean() -> None:
    often = replace(
        NOTHING, rewrite_share=0.95, rewrite_distance_writes=2, rewrite_distance_spread=0.1, size_spread=0
    )
    load = replace(LOAD, mean_write_kbytes=1.25)
    tables = [generate(load, often, seed) for seed in range(15)]
    off = [abs(column(table, "blocks")[writes_of(table)].sum() - load.written_blocks) for table in tables]
    assert np.median(off) <= 5
    assert max(off) <= TOLERANCE_BLOCKS * load.writes


shares = st.floats(0, 0.45)


@examples(150)
@given(
    st.integers(1, 150),
    st.integers(1, 150),
    st.floats(0.5, 6),
    st.floats(0.5, 6),
    st.builds(
        Parameters,
        write_run_requests=st.floats(1, 20),
        rewrite_share=shares,
        write_after_read_share=shares,
        reread_share=shares,
        read_after_write_share=shares,
        sequential_share=st.floats(0, 0.3),
        same_track_share=st.floats(0, 0.3),
        same_cylinder_share=st.floats(0, 0.3),
        size_spread=st.floats(0, 1.5),
        active_disk_share=st.floats(1e-6, 1),
        burst_requests=st.floats(1, 1000),
        burst_gap_ms=st.floats(0, 1e6),
        write_gap_ms=st.floats(0, 1e6),
        day_swing=st.floats(0, 1),
    ),
    st.integers(0, 2**64),
)
def test_any_load_is_met_or_refused(
    reads: int, writes: int, read_kb: float, write_kb: float, parameters: Parameters, seed: int
) -> None:
    load = replace(LOAD, reads=reads, writes=writes, mean_read_kbytes=read_kb, mean_write_kbytes=write_kb)
    try:
        table = generate(load, parameters, seed)
    except IotraceError as error:
        assert "read and written" in str(error)
        return
    is_write, blocks, lbn, time_ns = (
        writes_of(table),
        column(table, "blocks"),
        column(table, "lbn"),
        column(table, "time_ns"),
    )
    assert (is_write.sum(), len(is_write)) == (writes, reads + writes)
    assert abs(blocks[~is_write].mean() - 2 * read_kb) <= 0.5 + 0.5 / reads
    assert abs(blocks[is_write].mean() - 2 * write_kb) <= 0.5 + 0.5 / writes
    assert (blocks >= 1).all() and (lbn >= 0).all() and (lbn + blocks <= load.disk_blocks).all()
    assert (np.diff(time_ns) >= 0).all() and time_ns[0] >= 0 and time_ns[-1] < load.duration_s * 1e9


def test_a_seed_makes_one_trace() -> None:
    once, again, other = (generate(LOAD, Parameters(), seed) for seed in (5, 5, 6))
    assert once.equals(again)
    assert not once.equals(other)
    golden = [pc.sum(once[name]).as_py() for name in ("time_ns", "lbn", "blocks")]
    assert golden == GOLDEN


GOLDEN = [14750257943300, 231321073, 1944]
"""What this seed has always made, on every machine."""


def test_a_parameter_of_one_aspect_leaves_the_others() -> None:
    table = generate(LOAD, Parameters(), 1)
    for change, same in (
        ({"burst_gap_ms": 1.0, "write_gap_ms": 2.0, "day_swing": 0.9}, ("operation", "lbn", "blocks")),
        ({"sequential_share": 0.6}, ("operation", "blocks", "time_ns")),
        ({"size_spread": 0.1}, ("operation", "time_ns")),
    ):
        changed = generate(LOAD, replace(Parameters(), **change), 1)
        assert not changed.equals(table)
        assert all(changed[name].equals(table[name]) for name in same)


@examples(200)
@given(st.integers(1, 200), st.integers(1, 200), st.floats(1, 30), st.integers(0, 2**32))
def test_operations_come_in_runs(reads: int, writes: int, run: float, seed: int) -> None:
    is_write = operations(reads, writes, run, np.random.default_rng(seed))
    assert (is_write.sum(), len(is_write)) == (writes, reads + writes)
    runs = int(is_write[0]) + int((is_write[1:] & ~is_write[:-1]).sum())
    assert runs == min(max(1, round(writes / run)), writes, reads)


def test_sequential_places_follow_their_own_operation() -> None:
    table = generate(LOAD, replace(NOTHING, sequential_share=1), 1)
    for kind in (True, False):
        one = writes_of(table) == kind
        lbn, blocks = column(table, "lbn")[one], column(table, "blocks")[one]
        assert (lbn[1:] == lbn[:-1] + blocks[:-1]).all()


@pytest.mark.parametrize(("share", "unit"), [("same_track", 51), ("same_cylinder", 14 * 51)])
def test_neighbours_of_an_operation_share_a_track_or_cylinder(share: str, unit: int) -> None:
    p = replace(NOTHING, neighbour_distance_places=3, neighbour_distance_spread=0, size_spread=0.2)
    few = LOAD.with_requests(36)  # which a track has room for, six of an operation at 3 to 5 blocks
    table = generate(few, replace(p, **{f"{share}_share": 1}), 1)
    units = []
    for kind in (True, False):
        one = writes_of(table) == kind
        lbn, blocks = column(table, "lbn")[one], column(table, "blocks")[one]
        assert (lbn // unit == (lbn + blocks - 1) // unit)[3:].all()
        assert (lbn[3:] // unit == lbn[:-3] // unit).all()
        units.append(set((lbn // unit).tolist()))
        assert len(units[-1]) <= 3 < len(set(lbn.tolist()))
    assert not units[0] & units[1]


@examples(60)
@given(st.floats(0, 0.3), st.floats(0, 0.3), st.floats(0, 0.3), st.floats(0.003, 1), st.integers(0, 2**32))
def test_no_block_belongs_to_two_places(
    sequential: float, track: float, cylinder: float, active: float, seed: int
) -> None:
    p = replace(
        Parameters(active_disk_share=active),
        sequential_share=sequential,
        same_track_share=track,
        same_cylinder_share=cylinder,
    )
    table = generate(LOAD, p, seed)
    places = set(zip(column(table, "lbn").tolist(), column(table, "blocks").tolist(), strict=True))
    taken = [block for lbn, blocks in places for block in range(lbn, lbn + blocks)]
    assert len(taken) == len(set(taken))


def test_a_full_disk_has_places_on_each_other() -> None:
    full = replace(LOAD, disk_blocks=14 * 51)
    lbn = column(generate(full, NOTHING, 1), "lbn")
    assert (lbn < full.disk_blocks).all()


@pytest.mark.parametrize(("share", "unit"), [("same_track", 51), ("same_cylinder", 14 * 51)])
def test_neighbours_without_room_lie_near(share: str, unit: int) -> None:
    p = replace(NOTHING, neighbour_distance_places=1, neighbour_distance_spread=0, size_spread=0)
    table = generate(LOAD, replace(p, **{f"{share}_share": 1}), 1)
    lbn = column(table, "lbn")[writes_of(table)]
    assert np.unique(lbn // unit).tolist() == list(range(lbn.min() // unit, lbn.max() // unit + 1))


def test_places_are_in_the_active_part() -> None:
    table = generate(LOAD, replace(NOTHING, active_disk_share=0.2), 1)
    lbn, end = column(table, "lbn"), column(table, "lbn") + column(table, "blocks")
    assert lbn.min() >= int(0.4 * LOAD.disk_blocks) and end.max() <= 0.6 * LOAD.disk_blocks + 1
    assert end.max() - lbn.min() > 0.18 * LOAD.disk_blocks


def test_sizes_spread_about_their_mean() -> None:
    deviations = []
    for spread in (0.0, 0.4, 0.8, 1.2):
        table = generate(LOAD, replace(NOTHING, size_spread=spread), 1)
        blocks = column(table, "blocks")[writes_of(table)]
        assert blocks.sum() == LOAD.written_blocks
        deviations.append(blocks.std())
    assert deviations == sorted(deviations) and deviations[0] < 0.5 and deviations[-1] > 3


def times(requests: int, seconds: float, **result: float) -> np.ndarray:
    return of_order(np.zeros(requests, bool), seconds, **result)


def of_order(is_write: np.ndarray, seconds: float, **result: float) -> np.ndarray:
    return arrivals(is_write, int(seconds * TICKS_PER_SECOND), Parameters(**result), np.random.default_rng(4))


def test_bursts_have_their_length() -> None:
    together = times(1000, 1e5, burst_requests=8, burst_spread=0, burst_gap_ms=0)
    _, lengths = np.unique(together, return_counts=True)
    assert lengths.tolist() == [8] * 125
    spread = times(4000, 1e5, burst_requests=8, burst_spread=1, burst_gap_ms=0)
    _, lengths = np.unique(spread, return_counts=True)
    assert np.median(lengths) == pytest.approx(8, abs=2) and lengths.std() > 5


def test_gaps_in_a_burst_have_their_mean() -> None:
    one_burst = times(20_000, 1e6, burst_requests=1e6, burst_spread=0, burst_gap_ms=25)
    gaps = np.diff(one_burst) / TICKS_PER_SECOND * 1000
    assert np.median(gaps) == pytest.approx(25 * np.log(2), rel=0.03)


def test_writes_in_a_run_have_a_gap_of_their_own() -> None:
    is_write = np.tile([False, False, True, True, True], 4000)
    apart = {"burst_requests": 1e6, "burst_spread": 0, "burst_gap_ms": 1000, "write_gap_ms": 1}
    gaps = np.diff(of_order(is_write, 1e7, **apart)) / TICKS_PER_SECOND * 1000
    short = gaps < 10
    assert short.mean() == pytest.approx(2 / 5, abs=0.02)
    assert np.median(gaps[short]) == pytest.approx(np.log(2), rel=0.1)


def test_the_load_swings_over_the_day() -> None:
    for swing in (0.0, 0.5, 1.0):
        alone = (
            times(80_000, 3600, burst_requests=1, burst_spread=0, day_swing=swing) / TICKS_PER_SECOND / 3600
        )
        at_peak = ((alone > 0.24) & (alone < 0.26)).mean() / 0.02
        at_noon = ((alone > 0.49) & (alone < 0.51)).mean() / 0.02
        assert at_peak == pytest.approx(1 + swing, abs=0.1)
        assert at_noon == pytest.approx(1 - swing, abs=0.1)


def test_a_part_keeps_the_rates() -> None:
    load = preset("air-rsv").load
    part = load.scaled(0.01)
    assert (part.reads, part.writes, part.duration_s) == (3266, 796, pytest.approx(324, abs=0.1))
    few = load.with_requests(1000)
    assert few.requests == 1000 and few.reads == 804
    assert few.requests / few.duration_s == pytest.approx(load.requests / load.duration_s)
    for refused in (lambda: load.scaled(1e-9), lambda: load.with_requests(1), lambda: load.with_requests(-5)):
        with pytest.raises(UsageError, match="too few"):
            refused()
    with pytest.raises(UsageError, match="too many"):
        load.with_requests(MOST_REQUESTS + 1)


@pytest.mark.parametrize("name", [one.field for one in options(Parameters)])
def test_parameters_have_bounds(name: str) -> None:
    for value in (-1.0, 1e12, float("nan")):
        with pytest.raises(UsageError, match=name):
            replace(Parameters(), **{name: value})


def test_shares_of_a_whole_are_not_more_than_it() -> None:
    for shares_of_one in SUMS:
        with pytest.raises(UsageError, match="more than 1 together"):
            replace(NOTHING, **dict.fromkeys(shares_of_one, 0.6))


def test_sizes_that_cannot_be_met_are_refused() -> None:
    load = replace(LOAD, mean_read_kbytes=0.5, mean_write_kbytes=20)
    with pytest.raises(IotraceError, match=r"mean (read|write) is"):
        generate(
            load,
            replace(NOTHING, rewrite_share=0, write_after_read_share=1, write_after_read_distance_reads=1),
        )
