"""Darshan's logs of every format, module, version, byte order and compression, whole and damaged."""

import math
import random
import struct
from typing import Any

import pytest
from darshan_logs import (
    COUNTERS,
    FORMATS,
    LAYOUTS,
    OLD_FORMATS,
    Region,
    dxt,
    expected,
    fixed,
    log,
    lustre,
    old_log,
    one_of_each,
    packed,
)
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.engine import native

ORDERS = {"little": "<", "big": ">"}


def records_of(content: bytes) -> tuple[list[Any], dict[str, Any]]:
    """Return a log's records in its order, as `darshan_logs` has them, and the facts about the log."""
    read = native.DarshanLog(content, with_accesses=True)
    tables, files, done = native.DarshanTables(), read.files, 0
    done = tables.add(read, 0, list(range(len(files))), 0)
    assert done == len(read)
    records, counters = tables.take()
    found: dict[int, dict[str, int | float]] = {}
    for row in counters.to_pylist():
        assert (row["value"] is None) != (row["seconds"] is None)
        value = row["seconds"] if row["value"] is None else row["value"]
        found.setdefault(row["record"], {})[row["counter"]] = value
    return [
        (
            row["module"],
            row["version"],
            None if row["file"] is None else files[row["file"]],
            row["rank"],
            found.get(row["record"], {}),
        )
        for row in records.to_pylist()
    ], read.about


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("module", "version"), LAYOUTS)
def test_every_version_of_a_record(module: str, version: int, order: str) -> None:
    region = fixed(module, version, ORDERS[order], 3, random.Random(version))
    form = "3.41" if module in ("PNETCDF_VAR", "DFS", "DAOS") else "3.21"
    records, about = records_of(log({module: region}, form, ORDERS[order], partial=[module]))
    assert records == expected({module: region})
    assert about["byte_order"] == order and about["format"] == form
    # ranks by chance are those of the job
    assert about["damage"] == [] and [module["is_partial"] for module in about["modules"]] == [True]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("form", FORMATS)
def test_all_modules_of_a_format(form: str, order: str) -> None:
    regions = one_of_each(ORDERS[order], random.Random(3), form)
    records, about = records_of(log(regions, form, ORDERS[order]))
    assert records == expected(regions) and about["damage"] == []
    assert [module["name"] for module in about["modules"]] == [
        name for name in dict(COUNTERS) if name in regions
    ]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("version", [1, 2])
def test_stripes_of_both_versions(version: int, order: str) -> None:
    region = lustre(version, ORDERS[order])
    records, about = records_of(log({"LUSTRE": region}, order=ORDERS[order]))
    assert records == expected({"LUSTRE": region}) and about["damage"] == []


@pytest.mark.parametrize("streams", [1, 5])
@pytest.mark.parametrize(("compression", "word"), [(0, "zlib"), (1, "bzip2"), (2, "none")])
def test_compressions(compression: int, word: str, streams: int) -> None:
    regions = one_of_each("<", random.Random(4))
    content = log(regions, compression=compression, streams=streams)
    records, about = records_of(content)
    assert records == expected(regions) and about["compression"] == word
    assert records_of(packed(content, "gzip"))[0] == records


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("how", ["gzip", "bzip2"])
@pytest.mark.parametrize("form", OLD_FORMATS)
def test_formats_before_3(form: str, how: str, order: str) -> None:
    content, wanted = old_log(form, ORDERS[order], 3, random.Random(5))
    records, about = records_of(packed(content, how))
    assert records == wanted and about["damage"] == []
    assert (about["format"], about["compression"], about["program"]) == (form, how, "./old")
    assert about["mounts"] == [["/scratch", "lustre"]]
    assert about["job_id"] == (None if form.startswith("1") else 7)
    assert about["run_ns"] == 10 * 10**9 and about["uid"] == 1000 and about["processes"] == 4


@pytest.mark.parametrize("form", FORMATS)
def test_the_job(form: str) -> None:
    about = native.darshan_job(log({}, form))
    run_s = 10.5 if form == "3.41" else 10
    assert about["run_ns"] == run_s * 10**9 and about["start_s"] == 1_700_000_000
    assert (about["uid"], about["processes"], about["job_id"]) == (1000, 4, 7)
    assert about["program"] == "./a.out --all" and about["mounts"] == [["/scratch", "lustre"], ["/", "ext4"]]
    assert about["metadata"] == [["lib_ver", "3.4.4"], ["h", "romio_no_indep_rw=true;cb_nodes=4"]]


def test_a_command_line_without_mounts_is_kept() -> None:
    assert native.darshan_job(log({}, mounts=()))["program"] == "./a.out --all"


def test_a_run_of_no_time_and_one_that_ends_before_it_starts() -> None:
    assert native.darshan_job(log({}, "3.21", run=0))["run_ns"] == 0
    assert native.darshan_job(log({}, "3.21", run=-1))["run_ns"] is None


def test_names_that_are_missing_empty_twice_or_not_utf_8() -> None:
    region = fixed("STDIO", 2, "<", 3, random.Random(6))
    records, _ = records_of(log({"STDIO": region}, names={1: b"/a\xff", 2: b""}))
    assert [record[2] for record in records] == ["/a�", "file_id 2", "file_id 3"]
    content = log({"STDIO": region}, compression=2, names={1: b"/a", 2: b"/b"})
    at = content.index(struct.pack("<Q", 2) + b"/b")
    twice = content[:at] + struct.pack("<Q", 1) + content[at + 8 :]
    assert [record[2] for record in records_of(twice)[0]] == ["/a", "file_id 2", "file_id 3"]


WRITES = [(n * 65536, 65536, 1 + n / 4, 1.1 + n / 4) for n in range(5)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("versions", "has_threads"), [((1, 1), False), ((1, 2), False), ((2, 3), True)])
def test_accesses_of_extended_tracing(versions: tuple[int, int], has_threads: bool, order: str) -> None:
    ranks = [(1, rank, f"nid{rank}", WRITES, WRITES[:2]) for rank in range(3)]
    regions = {
        module: dxt(version, ORDERS[order], has_threads, ranks)
        for module, version in zip(("DXT_POSIX", "DXT_MPIIO"), versions, strict=True)
    }
    read = native.DarshanLog(log(regions, order=ORDERS[order]), with_accesses=True)
    about, calls = read.about, read.calls()
    assert about["has_accesses"] and about["nodes"] == 3 and about["damage"] == []
    assert about["traced"] == {layer: {"operations": 21, "bytes": 21 * 65536} for layer in ("mpiio", "posix")}
    rows = calls.calls(1).to_pylist()
    assert len(rows) == 42 and calls.files == ["/scratch/a"] and calls.hosts == ["nid0", "nid1", "nid2"]
    for place, row in enumerate(rows):
        layer, rank, number = place // 21, place // 7 % 3, place % 7
        offset, length, start, end = [*WRITES, *WRITES[:2]][number]
        has_offset = layer == 0 or versions[1] > 1
        assert row["offset"] == (offset if has_offset else None) and row["length"] == length
        assert row["time_ns"] == 1_700_000_000 * 10**9 + round(start * 1e9)
        assert row["duration_ns"] == round((end - start) * 1e9)
        assert (row["layer"], row["process"]) == (("posix", "mpiio")[layer], rank)
        assert row["operation"] == ("write" if number < 5 else "read")
        assert row["thread"] == (9 if has_threads else None)
    assert not native.DarshanLog(log(regions), with_accesses=False).calls().lines


def test_accesses_that_make_no_sense_are_skipped_with_the_reason() -> None:
    odd = [
        (0, -1, 1.0, 2.0),
        (-2, 1, 1.0, 2.0),
        (0, 1, math.nan, 2.0),
        (0, 1, 2.0, math.inf),
        (0, 1, 1e300, 2.0),
    ]
    region = dxt(1, "<", False, [(1, 0, "n", odd, [])])
    calls = native.DarshanLog(log({"DXT_POSIX": region}), with_accesses=True).calls()
    reasons = [row["reason"] for row in calls.skips(1).to_pylist()]
    assert reasons == [
        "negative length",
        "negative offset",
        "no time that can be read",
        "no time that can be read",
    ]
    assert len(calls) == 1 and calls.wrong_durations["unreadable_durations"] == 1


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "shorter than the name of a Darshan format"),
        (b"no darshan log", "not a Darshan log"),
        (log({})[:100], "Darshan log of format 3.41: its header is cut short"),
        (log({})[:1328], "Darshan log of format 3.41: its job record is cut short"),
        (b"3.99" + log({})[4:], "Darshan log of format 3.99: it is of a format that is not read"),
        (b"\0" * 8 + log({})[8:], "never finished"),
        (b"1.04\0\0\0\0" + bytes(2000), "Darshan log of format 1.04: it is of a format that is not read"),
        (log({})[:16] + b"\x07" + log({})[17:], "its kind of compression, 7, is not known"),
        (b"2.06\0\0\0\0" + bytes(5000), "Darshan log of format 2.06: its header is damaged"),
    ],
)
def test_logs_that_are_refused_with_format_and_reason(content: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        native.DarshanLog(content, with_accesses=True)


def test_modules_that_are_unknown_or_too_new_are_named() -> None:
    region = fixed("STDIO", 2, "<", 2, random.Random(1))
    _, about = records_of(log({"STDIO": region, "POSIX": Region(9, b"x" * 50)}))
    assert about["damage"] == [
        "module POSIX: its version 9 is not known (up to 4 are read), and it is left out"
    ]
    content = bytearray(log({"STDIO": region}, compression=2))
    place = struct.unpack_from("<QQ", content, 48 + 16 * 9)
    struct.pack_into("<QQ", content, 48 + 16 * 20, *place)
    _, about = records_of(bytes(content))
    assert about["damage"] == [f"module 20: it is not known; its {place[1]} bytes are left out"]


def test_a_cut_log_has_what_came_before() -> None:
    region = fixed("POSIX", 4, "<", 3, random.Random(2))
    content = log({"POSIX": region}, compression=2)
    records, about = records_of(content[:-10])
    assert records == expected({"POSIX": region})[:2]
    assert about["damage"] == [
        "module POSIX: the file ends before it: 10 of its 2112 bytes are missing",
        "module POSIX: 694 bytes after its last whole record",
    ]
    ranks = [(1, 0, "n", WRITES, [])]
    content = log({"DXT_POSIX": dxt(1, "<", False, ranks)}, compression=2)
    read = native.DarshanLog(content[:-40], with_accesses=True)
    assert len(read.calls()) == 3 and len(read.about["damage"]) == 2


def test_ranks_that_the_job_does_not_have_are_counted() -> None:
    region = Region(4, struct.pack("<Qq", 1, 4) + bytes(688) + struct.pack("<Qq", 1, -2) + bytes(688))
    _, about = records_of(log({"POSIX": region}, ranks=4))
    assert about["damage"] == ["its records: 2 are of ranks that a job of 4 processes does not have"]


def _samples() -> list[bytes]:
    chance = random.Random(8)
    regions = one_of_each("<", chance) | {
        "DXT_POSIX": dxt(1, "<", False, [(1, rank, "n", WRITES, WRITES) for rank in range(3)]),
        "DXT_MPIIO": dxt(3, "<", True, [(1, 0, "n", WRITES, [])]),
    }
    return [
        log(regions),
        log(regions, compression=2),
        log(one_of_each(">", chance, "3.21"), "3.21", ">", compression=2),
        old_log("2.06", ">", 3, chance)[0],
        old_log("1.24", ">", 3, chance)[0],
        packed(old_log("2.01", "<", 3, chance)[0], "gzip"),
    ]


SAMPLES = _samples()
FLIPS = st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), min_size=1, max_size=6)


@examples(400)
@given(st.sampled_from(SAMPLES), FLIPS, st.floats(0, 1), st.booleans())
def test_damaged_logs_are_read_in_part_or_refused(
    content: bytes, flips: list[tuple[int, int]], share: float, is_cut: bool
) -> None:
    """Whatever is flipped or cut, the engine returns rows that fit together, or one sentence."""
    damaged = bytearray(content)
    for place, value in flips:
        damaged[place % len(damaged)] = value
    if is_cut:
        del damaged[int(len(damaged) * share) :]
    try:
        records, about = records_of(bytes(damaged))
    except ValueError as error:
        assert "\n" not in str(error) and len(str(error)) < 300
        return
    counted = [module["records"] for module in about["modules"] if "DXT" not in module["name"]]
    assert sum(counted) == sum("DXT" not in module for module, *_ in records)
    native.darshan_job(bytes(damaged))


@examples(60)
@given(st.sampled_from(SAMPLES), st.integers(0, 4000))
def test_counts_of_any_size_allocate_nothing(content: bytes, place: int) -> None:
    """A count in a record that is beyond all bytes ends its module."""
    damaged = bytearray(content)
    at = place * 8 % max(1, len(damaged) - 8)
    damaged[at : at + 8] = b"\xff" * 7 + b"\x7f"
    try:
        records_of(bytes(damaged))
    except ValueError as error:
        assert "\n" not in str(error)


def test_records_are_given_out_in_parts() -> None:
    """More counters than fit a batch are given out in several, numbered on."""
    count = 13_000  # of 86 counters
    one = fixed("POSIX", 4, "<", 1, random.Random(1)).content
    content = log({"POSIX": Region(4, one * count)})
    read, tables = native.DarshanLog(content, with_accesses=False), native.DarshanTables()
    first = tables.add(read, 0, [0], 0)
    assert first < count and len(tables) >= 1 << 20
    records, counters = tables.take()
    assert records.num_rows == first and counters.num_rows == first * 86
    assert tables.add(read, 0, [0], first) == count
    records, counters = tables.take()
    assert (
        records["record"].to_pylist() == list(range(first, count)) and counters["record"][0].as_py() == first
    )
