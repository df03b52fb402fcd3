"""The model compared with two real drives, DiskSim's parameter files, and traces of measured times, good and bad."""

import gzip
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.errors import IotraceError
from iotrace.simulate.disk import (
    Description,
    DriveFileError,
    Measured,
    agreement,
    drive,
    read_measured,
    replayed,
)
from iotrace.simulate.disk.parameters import read_blocks

TRACES = os.environ.get("IOTRACE_TRACES")
needs_traces = pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of traces")


def real(name: str) -> Path:
    return Path(TRACES or "") / "disksim" / name


def figures(disk: str, trace: str) -> dict[str, dict[str, Any]]:
    rows = agreement(replayed(drive(disk), read_measured(real(trace)))).to_pylist()
    return {row["part"]: row for row in rows}


@needs_traces
@pytest.mark.parametrize(
    ("disk", "trace", "demerit_ms", "second_half_ms", "error_ms", "absolute_ms", "within"),
    [
        ("rz26", "dec_rz26.trace.zst", 0.240, 0.330, 0.05, 1.43, 0.64),
        ("hp-c2490a", "hp_c2490a.trace.zst", 0.070, 0.100, 0.05, 0.38, 0.90),
    ],
)
def test_the_library_reaches_the_real_drives(
    disk: str,
    trace: str,
    demerit_ms: float,
    second_half_ms: float,
    error_ms: float,
    absolute_ms: float,
    within: float,
) -> None:
    found = figures(disk, trace)
    whole = found["whole"]
    assert whole["demerit_ms"] <= demerit_ms
    assert found["second half"]["demerit_ms"] <= second_half_ms
    assert abs(whole["mean_error_ms"]) <= error_ms
    assert whole["mean_absolute_error_ms"] <= absolute_ms
    assert whole["within_half_ms"] >= within


@needs_traces
@pytest.mark.parametrize(
    ("name", "demerit_ms", "mean_error_ms"), [("dec_rz26", 0.3410, -0.1175), ("hp_c2490a", 0.2485, 0.0070)]
)
def test_with_disksim_s_parameters_it_is_as_good_as_disksim(
    name: str, demerit_ms: float, mean_error_ms: float
) -> None:
    # DiskSim 4.0 itself: demerit 0.3410 and 0.2551, mean error -0.1175 and 0.0136 ms
    whole = figures(str(real(f"{name}.parv")), f"{name}.trace.zst")["whole"]
    assert whole["demerit_ms"] <= demerit_ms
    assert whole["mean_error_ms"] == pytest.approx(mean_error_ms, abs=5e-4)


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=9))
def test_the_figures_are_what_they_are_called(pairs: list[tuple[int, int]]) -> None:
    import pyarrow as pa

    simulated, measured = zip(*pairs, strict=True)
    whole = agreement(pa.table({"service_ns": simulated, "measured_ns": measured})).to_pylist()[0]
    errors = [(one - other) / 1e6 for one, other in pairs]
    both = zip(sorted(simulated), sorted(measured), strict=True)
    squares = [((one - other) / 1e6) ** 2 for one, other in both]
    assert whole["demerit_ms"] == pytest.approx(math.sqrt(sum(squares) / len(pairs)))
    assert whole["mean_error_ms"] == pytest.approx(sum(errors) / len(pairs))
    assert whole["mean_absolute_error_ms"] == pytest.approx(sum(map(abs, errors)) / len(pairs))
    assert whole["within_half_ms"] == sum(abs(error) <= 0.5 for error in errors) / len(pairs)


def test_no_measured_time_enters_the_simulation() -> None:
    requests = ([0, 5000, 5008], [8, 8, 8], [False, True, False])
    one = replayed(drive("rz26"), Measured(*requests, [1, 2, 3], [0, 10, 20]))
    other = replayed(drive("rz26"), Measured(*requests, [7, 8, 9], [0, 10, 20]))
    assert one["service_ns"] == other["service_ns"]


def test_a_request_beyond_the_end_is_named() -> None:
    with pytest.raises(IotraceError, match="request 2 ends at block 2,050,860"):
        replayed(drive("rz26"), Measured([0, 2_050_859], [1, 2], [False] * 2, [1, 1], [0, 0]))


GOOD = b"R Hit 547163 12 18228.000000 20935.440364\nW Miss 25805 43 28803.5 20296.786638\n"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_trace_is_read(tmp_path: Path, pack: Any) -> None:
    (tmp_path / "x").write_bytes(pack(b"# comment\n\n" + GOOD))
    read = read_measured(tmp_path / "x")
    assert read == Measured(
        [547163, 25805], [12, 43], [False, True], [18_228_000, 28_803_500], [0, 20_935_440]
    )


@pytest.mark.parametrize(
    ("line", "result"),
    [
        (b"R Hit 1 2 3", "is not a line of a VALIDATE trace"),
        (b"X Hit 1 2 3 4", "is not a line of a VALIDATE trace"),
        (b"R Hit -1 2 3 4", "'-1' is not a number of blocks"),
        (b"R Hit 1 0 3 4", "a request of no blocks"),
        (b"R Hit 1 9999999 3 4", "'9999999' is not a number of blocks"),
        (b"R Hit 1 2 -3 4", "'-3' is not a time"),
        (b"R Hit 1 2 nan 4", "'nan' is not a time"),
        (b"R Hit 1 2 3 1e300", "'1e300' is not a time"),
        (b"R Hit 99999999999999999999 2 3 4", "is not a number of blocks"),
        (b"\xff\xfe\x00", "is not a line"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: bytes, result: str) -> None:
    (tmp_path / "x").write_bytes(GOOD + line + b"\n")
    with pytest.raises(IotraceError, match="x, line 3: ") as caught:
        read_measured(tmp_path / "x")
    assert result in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"\n", gzip.compress(GOOD, mtime=0)[:-9], b"\x28\xb5\x2f\xfd123", b"BZh91"]
)
def test_a_file_without_requests_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(IotraceError, match="x"):
        read_measured(tmp_path / "x")


MODEL = """
# a drive of two zones
dm_disk mine {
   Number of data surfaces = 2,
   Number of cylinders = 30,
   Block count = 0,
   Layout Model = dm_layout_g1 {
      LBN-to-PBN mapping scheme = 0,
      Sparing scheme used = 3,
      Rangesize for sparing = 1,
      Zones = [
         dm_layout_g1_zone { First cylinder number = 0, Last cylinder number = 9, Blocks per track = 20,
            Offset of first block = 0.25, Empty space at zone front = 5, Skew for track switch = 3,
            Skew for cylinder switch = 4, Number of spares = 1, slips = [ 25 ], defects = [ 2, 19 ] },
         dm_layout_g1_zone { First cylinder number = 10, Last cylinder number = 29, Blocks per track = 16,
            Offset of first block = 0, Empty space at zone front = 0, Skew units = revolutions,
            Skew for track switch = 0.125, Number of spares = 1, slips = [], defects = [] }
      ]
   },
   Mechanical Model = dm_mech_g1 {
      Access time type = trackSwitchPlusRotation,
      Seek type = extracted, Full seek curve = mine.seek,
      Add. write settling delay = 0.5, Head switch time = 1.0, Rotation speed (in rpms) = 3600,
      Percent error in rpms = 0.0
   }
}
"""
SPECS = """
disksim_disk MINE { Model = source mine.model, Scheduler = disksim_ioqueue { Scheduling policy = 1 },
   Number of buffer segments = 2, Segment size (in blks) = 32, Use separate write segment = 1,
   Enable caching in buffer = 1, Buffer continuous read = 1, Maximum read-ahead (blks) = 16,
   Time scale for overheads = 2.0, Never disconnect = 1, Read any free blocks = 1,
   Read hit over. after read = 0.25, Read hit over. after write = 0.5,
   Read miss over. after read = 1.0, Read miss over. after write = 1.5,
   Write miss over. after read = 2.0, Write miss over. after write = 2.5 }
"""
PARV = """
disksim_bus B { Read block transfer time = 0.125, Write block transfer time = 0.25 }
source mine.diskspecs
instantiate [ disk0 ] as MINE
topology disksim_iodriver d [ disksim_bus b [ disksim_disk disk0 [] ] ]
"""
SEEK = "Seek distances measured: 2\n1,  1.0\n11, 3.0\n"


def disksim_files(folder: Path, **changed: str) -> Path:
    texts = {"model": MODEL, "diskspecs": SPECS, "parv": PARV, "seek": SEEK, **changed}
    for ending, text in texts.items():
        (folder / f"mine.{ending}").write_text(text)
    return folder / "mine.parv"


def test_disksim_s_files_are_read(tmp_path: Path) -> None:
    read = drive(str(disksim_files(tmp_path)))
    first, second = read.zones
    assert (first.slips, first.remapped, first.first_sector_offset) == ((25,), ((2, 19),), 0.0)
    assert (second.track_skew, second.cylinder_skew) == (2.0, 0.0)
    assert read.native.blocks == 20 * 19 - 5 + 40 * 15
    assert read.native.seek_ns()[:3] == [0, 1_000_000, 1_200_000]
    assert (read.overhead.read_ms, read.overhead.read_hit_ms, read.overhead.write_ms) == (2.0, 0.5, 5.0)
    assert (read.bus.read_block_ms, read.bus.write_block_ms) == (0.125, 0.25)
    assert read.buffer is not None
    assert (read.buffer.segments, read.buffer.read_ahead, read.buffer.most_read_ahead_blocks) == (
        1,
        "track",
        16,
    )
    assert "not modelled: read any free blocks = 1" in read.sources


def where(drive_: Description, lbn: int) -> tuple[int, int, int]:
    """Return a block's cylinder, surface and sector."""
    return drive_.native.place(lbn)


def disksim_drive(folder: Path, model: str) -> Description:
    return drive(str(disksim_files(folder, model=model)))


def test_spares_at_the_end_of_the_disk_are_no_blocks_of_a_zone(tmp_path: Path) -> None:
    """Sparing scheme 7: every block behind a bad sector moves on, and the zone loses a block for each."""
    model = MODEL.replace("used = 3", "used = 7").replace("spares = 1", "spares = 0")
    read = disksim_drive(tmp_path, model)
    assert read.native.blocks == (20 * 20 - 5 - 1) + 40 * 16
    assert where(read, 24 - 5) == (0, 1, 4)
    assert where(read, 25 - 5) == (0, 1, 6)
    assert where(read, 20 * 20 - 5 - 2) == (9, 1, 19)


def test_slips_to_the_end_of_the_disk_leave_a_zone_its_spares(tmp_path: Path) -> None:
    """Sparing scheme 10: the zone has one block less for each spare and for each slip."""
    read = disksim_drive(tmp_path, MODEL.replace("used = 3", "used = 10"))
    assert read.native.blocks == (20 * 20 - 5 - 1 - 1) + (40 * 16 - 1)


def test_a_range_of_cylinders_shares_its_spares(tmp_path: Path) -> None:
    """Sparing scheme 8, ranges of 4 cylinders: 2 whole ones and 2 cylinders without spares, then 5 whole ones."""
    model = MODEL.replace("used = 3", "used = 8").replace("sparing = 1", "sparing = 4")
    read = disksim_drive(tmp_path, model)
    assert read.native.blocks == (2 * (160 - 1) + 2 * 40 - 5) + 5 * (128 - 1)
    # the slip at sector 25 uses the first range's spare; the second range begins with its own first sector
    assert where(read, 159 - 5 - 1) == (3, 1, 19)
    assert where(read, 159 - 5) == (4, 0, 0)
    assert where(read, 2 * 159 + 80 - 5) == (10, 0, 0)


def test_a_bad_sector_that_is_its_own_substitute_is_good(tmp_path: Path) -> None:
    read = disksim_drive(tmp_path, MODEL.replace("defects = [ 2, 19 ]", "defects = [ 7, 7 ]"))
    assert read.zones[0].remapped == ()


def test_a_cylinder_between_zones_holds_no_blocks(tmp_path: Path) -> None:
    """As in DiskSim's Cheetah and IBM drives, whose zones begin one cylinder behind the next."""
    read = disksim_drive(tmp_path, MODEL.replace("number = 10", "number = 11"))
    first = 20 * 19 - 5
    assert read.native.blocks == first + 19 * 2 * 15
    assert where(read, first - 1)[0] == 9 and where(read, first)[0] == 11


@pytest.mark.parametrize(
    ("ending", "text", "result"),
    [
        ("parv", "", "describes 0 disks"),
        ("parv", PARV + "source mine.diskspecs\n", "describes 2 disks"),
        ("parv", "source mine.parv\n", "without end"),
        ("parv", "source gone.diskspecs\n", "gone.diskspecs: No such file"),
        ("parv", PARV + "disksim_bus {", "the file ends in the middle of a block"),
        ("parv", PARV + "x y ] {", "where '{' should be"),
        ("diskspecs", SPECS.replace("Model =", "Mode ="), "disksim_disk: model: is missing"),
        (
            "diskspecs",
            SPECS.replace("= 2.0, Never", "= fast, Never"),
            "time scale for overheads: is not a number",
        ),
        ("diskspecs", SPECS.replace("read = 1,", "read = 7,"), "buffer continuous read: 7 is not modelled"),
        ("model", MODEL.replace("used = 3", "used = 6"), "sparing scheme used: 6 is not modelled"),
        ("model", MODEL.replace("used = 3", "used = 7"), "number of spares: is 0 with sparing scheme 7"),
        (
            "model",
            MODEL.replace("used = 3", "used = 8").replace("sparing = 1", "sparing = 0"),
            "rangesize for sparing: is at least 1, not 0",
        ),
        (
            "model",
            MODEL.replace("number = 10", "number = 9"),
            "zones[1]: first_cylinder must be 10 or more, after the previous zone, not 9",
        ),
        (
            "model",
            MODEL.replace("dm_layout_g1 {", "dm_layout_g2 {"),
            "dm_layout_g2 with dm_mech_g1 is not modelled",
        ),
        ("model", MODEL.replace("= 3600", "= 3600.5"), "rotation speed (in rpms): is not a whole number"),
        ("seek", "1, x\n", "mine.seek, line 1: is no 'cylinders, ms'"),
        ("seek", "", "has no seek times"),
    ],
)
def test_what_is_wrong_with_disksim_s_files_is_named(
    tmp_path: Path, ending: str, text: str, result: str
) -> None:
    with pytest.raises(IotraceError) as caught:
        drive(str(disksim_files(tmp_path, **{ending: text})))
    assert result in str(caught.value) and str(tmp_path) in str(caught.value)


@examples(200)
@given(st.data())
def test_damaged_parameter_files_are_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    ending = data.draw(st.sampled_from(["model", "diskspecs", "parv", "seek"]))
    text = {"model": MODEL, "diskspecs": SPECS, "parv": PARV, "seek": SEEK}[ending]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    put = data.draw(st.text("{}[]=,#\n 0-9ax", max_size=8))
    path = disksim_files(folder, **{ending: text[:start] + put + text[end:]})
    try:
        assert isinstance(drive(str(path)), Description)
    except IotraceError as error:
        assert "\n" not in str(error)


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a { b = " + "[" * 5000 + "}")
    with pytest.raises(DriveFileError, match="nested too deeply"):
        read_blocks(tmp_path / "x")
