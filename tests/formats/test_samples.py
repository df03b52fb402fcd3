"""Every format reads the same four requests from its tiny sample, and is recognised by its first bytes."""

import bz2
import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requests_read import places, read
from samples import COARSE, EPOCH_S, NAMED, REQUESTS, SAMPLES

from iotrace import formats

EXPECTED = [(ms * 1_000_000, operation, lbn, blocks) for ms, operation, lbn, blocks in REQUESTS]
SERVED = ("disksim-validate", "biosnoop", "hp-srt", "blktrace", "blkparse", "block-events", "nvme-events")
"""Formats with service times."""


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_and_recognised(name: str, tmp_path: Path) -> None:
    form, content = SAMPLES[name]
    (tmp_path / "trace").write_bytes(content)
    rows, report = read(tmp_path / "trace", form if form.startswith(NAMED) else None)
    found = places(rows)
    if name in COARSE:
        assert [place[2:] for place in found] == [place[2:] for place in EXPECTED]
        assert {place[0] % 10**9 for place in found} == {0}
    else:
        assert found == EXPECTED
    if "operation" not in report["lacks"]:
        assert [place[1] for place in found] == [place[1] for place in EXPECTED]
    assert report["counts"]["requests"] == 4 and report["skipped"] == {} and report["unsorted"] == 0
    if report["times"]["base"] == "epoch":
        assert report["times"]["first_ns"] // 10**9 == EPOCH_S
    assert ("service_ns" not in report["lacks"]) == form.startswith(SERVED)


@pytest.mark.parametrize("name", [name for name, (form, _) in SAMPLES.items() if not form.startswith(NAMED)])
def test_the_first_bytes_tell_one_format_alone(name: str) -> None:
    form, content = SAMPLES[name]
    assert [one.name for one in formats.FORMATS if one.recognises(content)] == [form]


BY_LINES = (
    "msr-cambridge",
    "systor17",
    "alibaba",
    "tencent",
    "spc",
    "fiu",
    "disksim",
    "mqsim",
    "disksim-validate",
    "blkparse",
    "block-events",
    "block-events of perf",
    "nvme-events",
)
"""Samples that are recognised by the look of their lines, because no mark begins them."""


@pytest.mark.parametrize("name", BY_LINES)
@pytest.mark.parametrize("place", [0, 1, 4])
def test_a_damaged_line_hides_no_format(name: str, place: int, tmp_path: Path) -> None:
    form, content = SAMPLES[name]
    lines = content.splitlines(keepends=True)
    lines.insert(place, b"\x00\xff, what is this?\n")
    (tmp_path / "trace").write_bytes(b"".join(lines))
    assert [one.name for one in formats.FORMATS if one.recognises(b"".join(lines))] == [form]
    rows, report = read(tmp_path / "trace")
    assert [place[2:] for place in places(rows)] == [place[2:] for place in EXPECTED]
    assert report["counts"]["skipped_lines"] >= 1


@given(good=st.integers(0, 30), bad=st.integers(0, 30), order=st.randoms(use_true_random=False))
def test_more_than_half_of_the_first_lines_decide(good: int, bad: int, order: random.Random) -> None:
    lines = [b"0,1,512,r,0.1"] * good + [b"nothing"] * bad
    order.shuffle(lines)
    seen = lines[:20]
    most = seen.count(b"nothing") < len(seen) / 2
    assert formats.named("spc").recognises(b"\n".join(lines)) == most


def test_noise_and_prose_are_no_block_trace() -> None:
    for content in (b"", b"\0" * 4096, b"\n\n", bytes(range(256)) * 16, b"Dear sir,\n1 2 3\n", b"1\n2\n"):
        assert [one.name for one in formats.FORMATS if one.recognises(content)] == []


def test_what_the_formats_tell_beside_the_place(tmp_path: Path) -> None:
    def first(name: str) -> dict[str, object]:
        (tmp_path / name).write_bytes(SAMPLES[name][1])
        return read(tmp_path / name, SAMPLES[name][0])[0][0]

    assert first("msr-cambridge")["device"] == "web_0" and first("msr-cambridge")["host"] == "web"
    assert first("msr-cambridge")["latency_ns"] == 70_000
    assert first("systor17")["device"] == "LUN 3" and first("systor17")["latency_ns"] == 70_000
    assert first("spc")["device"] == "ASU 0" and first("tencent")["device"] == "1058"
    assert first("fiu")["process"] == (4892, "syslogd") and first("fiu")["device"] == "6,0"
    assert first("disksim-validate")["service_ns"] == first("disksim-validate")["latency_ns"] == 70_000
    assert first("biosnoop")["process"] == (77, "my program") and first("biosnoop")["latency_ns"] is None
    assert (first("hp-srt")["latency_ns"], first("hp-srt")["service_ns"]) == (90_000, 70_000)
    assert first("vscsi-2")["latency_ns"] == 70_000 and first("vscsi-1")["latency_ns"] is None
    vms = first("vms-io")
    assert (vms["device"], vms["file"], vms["host"]) == ("$1$DUA12", "(12,5,0)", "AIR01")
    assert vms["process"] == (0x20400A1C, None) and vms["latency_ns"] == 70_000
    for name in ("blktrace-7-little", "blktrace-7-big", "blktrace-8-little", "blktrace-8-big"):
        row = first(name)
        assert (row["device"], row["latency_ns"], row["service_ns"]) == ("8,1", 100_000, 90_000)
        assert row["process"] == (42, None)
    for name in ("blkparse", "block-events", "block-events of perf"):
        row = first(name)
        assert (row["process"], row["latency_ns"], row["service_ns"]) == ((42, "some name"), 100_000, 90_000)


def test_what_a_format_lacks_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(SAMPLES["oracle-general"][1])
    rows, report = read(tmp_path / "a", SAMPLES["oracle-general"][0])
    assert {row["operation"] for row in rows} == {None}
    assert report["lacks"] == ["operation", "process", "file", "latency_ns", "service_ns", "host"]
    assert any("does not distinguish reads from writes" in warning for warning in report["warnings"])


def test_several_files_are_one_trace(tmp_path: Path) -> None:
    lines = SAMPLES["msr-cambridge"][1].splitlines(keepends=True)
    (tmp_path / "b.csv").write_bytes(b"".join(lines[:2]))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"".join(lines[2:])))
    for paths in (tmp_path, [tmp_path / "a.csv.gz", tmp_path / "b.csv"]):
        rows, report = read(paths)
        assert report["counts"]["requests"] == 4 and report["unsorted"] == 0
        assert report["seen"]["unsorted_requests"] == 2
        assert [row["time_ns"] for row in rows] == [0, 1_000_000, 2_000_000, 5_000_000]


def test_a_folder_of_blktrace_files_may_hold_others(tmp_path: Path) -> None:
    (tmp_path / "sda.blktrace.0").write_bytes(SAMPLES["blktrace-7-little"][1])
    (tmp_path / "sda.blktrace.1").write_bytes(b"")
    (tmp_path / "sda.a.txt").write_bytes(SAMPLES["blkparse"][1])
    rows, report = read(tmp_path)
    assert places(rows) == EXPECTED
    assert report["warnings"] == [
        "files that are not in format blktrace were left out: sda.a.txt; taken: sda.blktrace.0"
    ]


def test_a_folder_of_several_formats_says_which_files_were_taken(tmp_path: Path) -> None:
    for name in ("alibaba", "msr-cambridge", "tencent"):
        (tmp_path / f"{name}.csv").write_bytes(SAMPLES[name][1])
    rows, report = read(tmp_path)
    assert len(rows) == 4
    assert report["warnings"] == [
        "files that are not in format msr-cambridge were left out: alibaba.csv, tencent.csv; taken: msr-cambridge.csv"
    ]


def test_a_file_and_its_compressed_twins_count_once(tmp_path: Path) -> None:
    content = SAMPLES["msr-cambridge"][1]
    (tmp_path / "a.csv").write_bytes(content)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "b.csv.bz2").write_bytes(bz2.compress(content))
    rows, report = read(tmp_path)
    assert len(rows) == 8
    assert report["warnings"][-1] == (
        "files that are others compressed were left out: a.csv.gz, b.csv.bz2; taken: a.csv, b.csv.gz"
    )
    (tmp_path / "a.csv").write_bytes(b"".join(reversed(content.splitlines(keepends=True))))
    assert len(read(tmp_path)[0]) == 12, "another trace of the same name"
    assert len(read([tmp_path / "a.csv", tmp_path / "a.csv.gz"])[0]) == 8, "both were asked for"
