"""The disk against a slow twin, to the nanosecond, and invariants of any drive."""

import dataclasses
from typing import Any

import pyarrow as pa
import pytest
from disk_oracle import SlowDisk
from hypothesis import assume, given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.simulate.disk import (
    Buffer,
    Bus,
    Description,
    Overhead,
    Seek,
    WriteDisconnect,
    Zone,
    drive,
    names,
)

Request = tuple[int, int, bool, int]


def served(description: Description, requests: list[Request]) -> list[dict[str, int]]:
    lbn, blocks, write, after = zip(*requests, strict=True)
    arrays = (
        pa.array(lbn, pa.uint64()),
        pa.array(blocks, pa.uint64()),
        pa.array(write),
        pa.array(after, pa.int64()),
    )
    rows: list[dict[str, int]] = pa.record_batch(description.native.closed_loop(*arrays)).to_pylist()
    return rows


@st.composite
def drives(draw: st.DrawFn) -> Description:
    zones, first = [], 0
    for _ in range(draw(st.integers(1, 3))):
        last = first + draw(st.integers(0, 3))
        skews = [draw(st.integers(0, 9)) for _ in range(2)]
        offset = draw(st.integers(0, 4000)) / 1000
        zones.append(Zone(first, last, draw(st.integers(1, 9)), 0, 0, skews[0], skews[1], offset))
        first = last + 1
    milliseconds = st.integers(0, 4_000).map(lambda value: value / 1000)
    return Description(
        name="any",
        surfaces=draw(st.integers(1, 3)),
        rpm=draw(st.sampled_from([1, 3600, 4002, 5400, 7200, 14_983])),
        seek=Seek(a_ms=0.5, b_ms=draw(milliseconds), c_ms=draw(milliseconds)),
        zones=tuple(zones),
        head_switch_ms=draw(milliseconds),
        write_settle_ms=draw(st.integers(-2_000, 2_000)) / 1000,
        overhead=Overhead(read_ms=draw(milliseconds), write_ms=draw(milliseconds)),
    )


def requests_of(draw: st.DrawFn, blocks: int, most: int = 6) -> list[Request]:
    made = []
    for _ in range(draw(st.integers(1, most))):
        lbn = draw(st.integers(0, blocks - 1))
        pause = draw(st.one_of(st.integers(0, 30_000_000), st.integers(0, 10**14)))
        made.append((lbn, draw(st.integers(1, min(30, blocks - lbn))), draw(st.booleans()), pause))
    return made


@examples(150)
@given(st.data())
def test_the_mechanics_are_those_of_the_slow_disk(data: st.DataObject) -> None:
    description = data.draw(drives())
    slow = SlowDisk(description)
    assert len(slow.slots) == description.native.blocks
    requests = requests_of(data.draw, description.native.blocks)
    now = 0
    for (lbn, blocks, write, after), row in zip(requests, served(description, requests), strict=True):
        end = slow.serve(now + after, lbn, blocks, write)
        assert (row["time_ns"], row["time_ns"] + row["service_ns"]) == (now + after, end)
        now = end


@examples(150)
@given(st.data())
def test_with_any_buffer_parts_sum_up_and_nothing_beats_the_bus(data: st.DataObject) -> None:
    description = data.draw(drives())
    buffer = Buffer(
        segments=data.draw(st.integers(1, 3)),
        segment_blocks=data.draw(st.integers(1, 40)),
        read_ahead=data.draw(st.sampled_from(["none", "track", "next-track", "cylinder", "segment"])),
        most_read_ahead_blocks=data.draw(st.integers(0, 20)),
        least_read_ahead_blocks=data.draw(st.integers(0, 5)),
        hits_next_block=data.draw(st.booleans()),
        reconnect_percent=data.draw(st.integers(0, 100)),
        holds_bus=data.draw(st.booleans()),
        read_ahead_on_hit=data.draw(st.booleans()),
        stops_in_sector=data.draw(st.booleans()),
        zero_latency_reads=data.draw(st.booleans()),
        separate_write_segment=data.draw(st.booleans()),
        reads_hit_writes=data.draw(st.booleans()),
        reporting=data.draw(st.sampled_from(["medium", "sequential", "buffer"])),
    )
    apart = data.draw(st.one_of(st.none(), st.just(WriteDisconnect(1.0, 0.5, 2.0, -0.25))))
    least_ms = data.draw(st.sampled_from([0.0, 3.0]))
    overhead = dataclasses.replace(description.overhead, read_reconnection_ms=0.125)
    description = dataclasses.replace(
        description,
        buffer=buffer,
        bus=Bus(0.05, 0.07),
        write_disconnect=apart,
        least_write_seek_ms=least_ms,
        overhead=overhead,
    )
    for _, row in zip(*_served_with_requests(data, description), strict=True):
        parts = [row[name] for name in ("overhead_ns", "seek_ns", "rotation_ns", "transfer_ns")]
        assert min(parts) >= 0
        assert sum(parts) == row["service_ns"]


def _served_with_requests(
    data: st.DataObject, description: Description
) -> tuple[list[Request], list[dict[str, int]]]:
    requests = requests_of(data.draw, description.native.blocks, most=12)
    rows = served(description, requests)
    for (_, blocks, write, _), row in zip(requests, rows, strict=True):
        bus_ns = blocks * (70_000 if write else 50_000)
        assert row["service_ns"] >= bus_ns + row["overhead_ns"]
    return requests, rows


@examples(60)
@given(st.data())
def test_a_buffer_that_is_never_hit_and_a_free_bus_change_nothing(data: st.DataObject) -> None:
    plain = data.draw(drives())
    buffered = dataclasses.replace(plain, buffer=Buffer(segments=1, segment_blocks=64))
    requests = requests_of(data.draw, plain.native.blocks)
    touched: set[int] = set()
    for lbn, blocks, _, _ in requests:
        assume(touched.isdisjoint(range(lbn, lbn + blocks)))
        touched |= set(range(lbn, lbn + blocks))
    assert served(plain, requests) == served(buffered, requests)


@given(st.integers(0, 10**15), st.integers(0, 2_050_859))
def test_time_is_a_function_of_the_angle_and_does_not_drift(from_ns: int, lbn: int) -> None:
    native = drive("rz26").native
    start = native.sector_starts_ns(lbn, from_ns)
    assert 0 <= start - from_ns <= native.revolution_ns
    minutes = from_ns // (60 * 10**9)
    assert native.sector_starts_ns(lbn, from_ns - minutes * 60 * 10**9) == start - minutes * 60 * 10**9


def test_a_contiguous_read_of_a_track_is_the_wait_and_its_sectors() -> None:
    description = drive("ra82")
    first, end = description.native.blocks_of_track(0)
    (row,) = served(description, [(first, end - first, False, 0)])
    assert row["seek_ns"] == 0
    slot_ns = 60e9 / 3600 / 58
    assert abs(row["transfer_ns"] - 57 * slot_ns) <= 1
    assert 0 <= row["rotation_ns"] <= description.native.revolution_ns


def test_reading_on_makes_the_next_blocks_hits() -> None:
    description = drive("hp-c2490a")
    first, then = served(description, [(1000, 8, False, 0), (1008, 8, False, 30_000_000)])
    assert then["seek_ns"] == then["rotation_ns"] == 0
    assert then["service_ns"] < 3_000_000 < first["service_ns"]


def test_writing_empties_what_was_read() -> None:
    requests: list[Request] = [(1000, 8, False, 0), (1008, 8, True, 30_000_000), (1008, 8, False, 30_000_000)]
    described = drive("rz26")
    assert served(described, requests)[2]["rotation_ns"] > 0


def test_a_write_reported_from_the_buffer_leaves_the_arm_busy() -> None:
    buffer = Buffer(segments=2, segment_blocks=64, reporting="buffer")
    described = dataclasses.replace(drive("hp-97560"), buffer=buffer)
    write, read = served(described, [(0, 8, True, 0), (2_000_000, 8, False, 0)])
    assert write["service_ns"] == 2_200_000
    (alone,) = served(described, [(2_000_000, 8, False, 0)])
    assert read["service_ns"] > alone["overhead_ns"] + alone["seek_ns"] + alone["transfer_ns"]


CAPACITIES = {
    "ra81": 891_072,
    "ra82": 1_216_665,
    "ra90": 2_376_153,
    "rz26": 2_050_860,
    "hp-c2490a": 4_165_272,
    "hp-97560": 2_684_016,
    "sata-7200": 7_814_037_168,
}


def test_the_library_has_the_capacities_that_its_sources_print() -> None:
    assert {name: drive(name).native.blocks for name in names()} == CAPACITIES


@pytest.mark.parametrize("name", names())
def test_every_drive_of_the_library_names_its_sources(name: str) -> None:
    assert drive(name).sources
    assert drive(name.upper()) == drive(name)


def test_the_hp_97560_seeks_as_published() -> None:
    times = drive("hp-97560").native.seek_ns()
    assert (times[1], times[383], times[384]) == (3_640_000, 11_068_154, 11_072_000)
    assert times[-1] == 23_688_000


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown key": ({"colour": 3}, "colour: no such key"),
    "wrong type": ({"rpm": "fast"}, "rpm: is a whole number"),
    "negative": ({"surfaces": -1}, "surfaces: is not negative"),
    "no surfaces": ({"surfaces": 0}, "at least one surface"),
    "too fast": ({"rpm": 4_000_000_000}, "rpm"),
    "much too fast": ({"rpm": 10**30}, r"rpm: invalid type: floating point `1e\+?30`"),
    "no zones": ({"zones": []}, "one zone"),
    "a gap": ({"zones": [{"first_cylinder": 1, "last_cylinder": 2, "sectors_per_track": 9}]}, r"zones\[0\]"),
    "missing": (
        {"zones": [{"first_cylinder": 0, "last_cylinder": 2}]},
        r"zones\[0\]\.sectors_per_track: is missing",
    ),
    "two seeks": ({"seek": {"table_ms": [[1, 2.0]], "a_ms": 3.0}}, "seek: table_ms cannot be combined"),
    "no seek": ({"seek": {}}, "seek: needs"),
    "negative seek": ({"seek": {"a_ms": -3.0}}, "seek: "),
    "a pair": ({"seek": {"table_ms": [[1, 2.0, 3]]}}, r"seek\.table_ms\[0\]: has 2 numbers"),
    "infinite": ({"head_switch_ms": float("inf")}, "head_switch_ms: is a number"),
    "hours": ({"head_switch_ms": 1e9}, "head_switch_ms"),
    "choice": (
        {"buffer": {"segments": 1, "segment_blocks": 9, "read_ahead": "all"}},
        r"buffer\.read_ahead: is none",
    ),
    "too many cylinders": (
        {"zones": [{"first_cylinder": 0, "last_cylinder": 2_000_000_000, "sectors_per_track": 9}]},
        "cylinders",
    ),
    "too large a buffer": ({"buffer": {"segments": 1, "segment_blocks": 2**31}}, "buffer: must have at most"),
    "no segment": (
        {"buffer": {"segments": 0, "segment_blocks": 9}},
        "buffer: must have at least one segment",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_with_a_description_is_named(wrong: str) -> None:
    changes, result = WRONG[wrong]
    zone = {"first_cylinder": 0, "last_cylinder": 9, "sectors_per_track": 9}
    table = {"name": "mine", "surfaces": 2, "rpm": 3600, "seek": {"a_ms": 1.0}, "zones": [zone]}
    with pytest.raises(Exception, match=result) as caught:
        _ = Description.from_table({**table, **changes}).native
    assert type(caught.value).__name__ == "DriveFileError"
