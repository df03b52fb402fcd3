"""The block traces of the folder IOTRACE_TRACES: what is known of each, and what traces in two formats must share."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from requests_read import Row, places, read

from iotrace import formats
from iotrace.engine import native
from iotrace.families import JOBS

pytestmark = pytest.mark.skipif(
    not os.environ.get("IOTRACE_TRACES"), reason="IOTRACE_TRACES names no folder of traces"
)
FOLDER = Path(os.environ.get("IOTRACE_TRACES", ""))
KNOWN: dict[str, tuple[str, int, int, int, tuple[Any, ...]]] = {
    "block/msr-cambridge1-sample.csv": ("msr-cambridge", 1000, 508, 492, (0, "write", 17687528, 4)),
    "block/systor17-traces-sample.csv.gz": ("systor17", 999, 826, 173, (0, "read", 8312597631, 240)),
    "block/systor17-additional-sample.csv.gz": ("systor17", 999, 700, 299, (0, "read", 397399216, 64)),
    "block/cloud_storage-sample.bz2": ("tencent", 50000, 24521, 25479, (0, "read", 13896880, 128)),
    "block/mqsim-tpcc-small.trace.zst": ("mqsim", 6999, 4381, 2618, (0, "write", 264719034, 16)),
    "block/mqsim-wsrch-small.trace.zst": ("mqsim", 24783, 24779, 4, (0, "read", 657728, 16)),
    "block/cloudPhysicsIO.vscsi.zst": ("vscsi", 113872, 46974, 66898, (0, "write", 42932745, 1)),
    "disksim/ascii.trace.zst": ("disksim", 100000, 79634, 20366, (0, "read", 0, 5)),
    "disksim/dec_rz26.trace.zst": ("disksim-validate", 7980, 5424, 2556, (0, "read", 547163, 12)),
    "disksim/hp_c2490a.trace.zst": ("disksim-validate", 9984, 6817, 3167, (0, "read", 1390458, 14)),
    "disksim/ajw.1week.srt.zst": ("hp-srt", 44519, 13040, 31479, (0, "read", 528, 8)),
    "fio/randread.iolog.zst": ("fio-iolog", 32768, 32768, 0, (0, "read", 15808, 8)),
    "fio/randwrite.iolog.zst": ("fio-iolog", 17407, 0, 16384, (0, "write", 7904, 8)),
    "fio/synthetic_v2.iolog": ("fio-iolog", 4, 1, 1, (0, "read", 0, 8)),
    "fio/t0038.iolog": ("fio-iolog", 20, 0, 10, (0, "discard", 0, 4194304)),
    "block/blktrace/takeoverjp/sample.blktrace.0": ("blktrace", 963, 963, 0, (0, "read", 2348060440, 8)),
    "block/blktrace/isotopp/keks.blkparse.txt": ("blkparse", 1182, 0, 1153, (0, "discard", 983947432, 64)),
}
"""Format, requests, reads, writes (as awk counts them in the texts), and the first request in the order of time."""


MARKED = ("vscsi", "hp-srt", "fio-iolog", "blktrace")
"""Formats that are recognised by how they begin, so that nothing may stand before that."""


def claimed(head: bytes) -> list[str]:
    """Return the formats that recognise the first bytes of a file."""
    return [one.name for one in formats.FORMATS if one.recognises(head)]


def test_no_log_of_system_calls_is_taken_for_a_block_trace() -> None:
    logs = [path for path in (FOLDER / "strace").rglob("*") if path.is_file()]
    assert logs and not any(claimed(native.first_bytes(path, 65536)) for path in logs)


def test_no_other_trace_is_taken_for_a_block_trace() -> None:
    others = [path for name in ("lirs", "parallel", "umd") for path in (FOLDER / name).rglob("*")]
    ranks = {one.name for one in formats.FORMATS if one.family.has_ranks or one.family is JOBS}
    found = {path.name: claimed(native.first_bytes(path, 65536)) for path in others if path.is_file()}
    assert {name: names for name, names in found.items() if not ranks.issuperset(names)} == {}


def text_of(name: str) -> str:
    """Return a trace's text, uncompressed by an external program."""
    command = {".zst": "zstdcat", ".bz2": "bzcat", ".gz": "zcat"}.get(Path(name).suffix, "cat")
    return subprocess.run([command, FOLDER / name], capture_output=True, check=True).stdout.decode()


@pytest.mark.parametrize("name", KNOWN)
def test_a_real_trace_is_recognised_and_read_whole(name: str) -> None:
    form, requests, reads, writes, first = KNOWN[name]
    rows, report = read(FOLDER / name)
    operations = [row["operation"] for row in rows]
    assert (len(rows), operations.count("read"), operations.count("write")) == (requests, reads, writes)
    assert places(rows)[0] == first
    assert report["skipped"] == {} and report["counts"]["skipped_lines"] == 0
    assert not any("no device" in warning for warning in report["warnings"])
    assert claimed(head_of(name)) == [form]
    if form not in MARKED:
        assert claimed(b"\xffgarbage\n" + head_of(name)) == [form]


def head_of(name: str) -> bytes:
    return native.first_bytes(FOLDER / name, 65536)


def test_every_line_of_the_cambridge_sample_is_what_it_says() -> None:
    rows, report = read(FOLDER / "block/msr-cambridge1-sample.csv")
    lines = [line.split(",") for line in text_of("block/msr-cambridge1-sample.csv").split()]
    first = int(lines[0][0])
    for row, (ticks, host, disk, kind, offset, size, response) in zip(rows, lines, strict=True):
        end = int(offset) + int(size)
        assert row["time_ns"] == (int(ticks) - first) * 100 and row["latency_ns"] == int(response) * 100
        assert (row["device"], row["host"], row["operation"]) == (f"{host}_{disk}", host, kind.lower())
        assert (row["lbn"], row["blocks"]) == (int(offset) // 512, -(-end // 512) - int(offset) // 512)
    assert report["times"] == {
        "base": "epoch",
        "first_ns": (first - 116444736 * 10**9) * 100,
        "resolution_ns": 1,
    }


def test_every_line_of_the_disksim_samples_is_what_it_says() -> None:
    rows, _ = read(FOLDER / "disksim/ascii.trace.zst")
    lines = [line.split() for line in text_of("disksim/ascii.trace.zst").splitlines()]
    first = round(float(lines[0][0]) * 1e6)
    for row, (ms, device, lbn, blocks, flags) in zip(rows, lines, strict=True):
        assert row["time_ns"] == round(float(ms) * 1e6) - first
        assert (row["device"], row["lbn"], row["blocks"]) == (f"disk {device}", int(lbn), int(blocks))
        assert row["operation"] == ("read" if int(flags, 16) & 1 else "write")


def test_arrivals_of_validation_traces_follow_the_completions() -> None:
    for name in ("dec_rz26", "hp_c2490a"):
        rows, _ = read(FOLDER / f"disksim/{name}.trace.zst")
        lines = [line.split() for line in text_of(f"disksim/{name}.trace.zst").splitlines()]
        for row, after, line in zip(rows, rows[1:], lines, strict=False):
            assert row["service_ns"] == row["latency_ns"] == round(float(line[4]) * 1000)
            between_ns = after["time_ns"] - row["time_ns"] - row["service_ns"]
            assert abs(between_ns - float(line[5]) * 1000) <= 1


CLOUDPHYSICS = 113_872


def first_of(folder: Path, name: str, requests: int, lines: int = 0, record_bytes: int = 0) -> Path:
    """Return a form of the CloudPhysics sample: all of it, or its first lines or records in a file."""
    whole = FOLDER / "block" / name
    if requests == CLOUDPHYSICS:
        return whole
    content = subprocess.run(["zstd", "-dcq", whole], capture_output=True, check=True).stdout
    part = folder / whole.stem
    part.write_bytes(content[: requests * record_bytes] or b"".join(content.splitlines(True)[:lines]))
    return part


@pytest.mark.parametrize("requests", [3_000, pytest.param(CLOUDPHYSICS, marks=pytest.mark.nightly)])
def test_the_four_forms_of_the_cloudphysics_sample_agree(requests: int, tmp_path: Path) -> None:
    described = "csv:time=time:s,op=op:scsi,length=size,offset=lbn:512"
    text, _ = read(first_of(tmp_path, "cloudPhysicsIO.csv.zst", requests, lines=1 + requests), described)
    scsi, _ = read(first_of(tmp_path, "cloudPhysicsIO.vscsi.zst", requests, record_bytes=32))
    oracle, oracle_report = read(
        first_of(tmp_path, "cloudPhysicsIO.oracleGeneral.bin.zst", requests, record_bytes=24),
        "oracle-general-blocks",
    )
    bare, bare_report = read(
        first_of(tmp_path, "cloudPhysicsIO.txt.zst", requests, lines=requests), "csv:offset=1:512"
    )
    assert len(text) == len(scsi) == len(oracle) == len(bare) == requests

    def column(rows: list[Row], *names: str) -> list[tuple[Any, ...]]:
        return [tuple(row[name] for name in names) for row in rows]

    assert column(text, "operation", "lbn", "blocks") == column(scsi, "operation", "lbn", "blocks")
    sizes: dict[int, int] = {}  # an object of oracleGeneral has the size of its first request for good
    assert column(oracle, "lbn", "blocks") == [
        (row["lbn"], sizes.setdefault(row["lbn"], row["blocks"])) for row in scsi
    ]
    assert column(bare, "lbn") == column(scsi, "lbn")
    first_ns = 5_633_898_368_802_000
    seconds = [((row["time_ns"] + first_ns) // 10**9 - first_ns // 10**9) for row in scsi]
    assert [row["time_ns"] // 10**9 for row in text] == [row["time_ns"] // 10**9 for row in oracle] == seconds
    assert {"operation", "latency_ns"} <= set(oracle_report["lacks"])
    assert {"time_ns", "operation", "blocks"} <= set(bare_report["lacks"])


ISOTOPP = [FOLDER / f"block/blktrace/isotopp/keks.blktrace.{cpu}" for cpu in range(8)]


@pytest.mark.parametrize(
    ("binary", "text"),
    [
        ([FOLDER / "block/blktrace/takeoverjp/sample.blktrace.0"], "takeoverjp/sample.blkparse.txt"),
        (ISOTOPP, "isotopp/keks.blkparse.txt"),
    ],
    ids=["takeoverjp", "isotopp"],
)
def test_a_binary_blktrace_and_its_text_agree(binary: list[Path], text: str) -> None:
    ours, _ = read(binary)
    theirs, _ = read(FOLDER / "block/blktrace" / text)
    names = ("time_ns", "device", "operation", "lbn", "blocks", "latency_ns", "service_ns", "flags")
    assert [[row[name] for name in names] for row in ours] == [
        [row[name] for name in names] for row in theirs
    ]
    assert [row["process"][0] for row in ours] == [row["process"][0] for row in theirs]


def test_each_request_of_takeoverjp_has_its_three_events() -> None:
    """A read-ahead at a time, so that the events of its text pair up in order."""
    events: dict[str, list[tuple[int, int]]] = {"Q": [], "D": [], "C": []}
    for line in text_of("block/blktrace/takeoverjp/sample.blkparse.txt").splitlines():
        found = re.match(r"259,0 +1 +\d+ +(\d+)\.(\d{9}) +\d+ +([QDC]) +RA (\d+) \+ 8", line)
        if found:
            events[found[3]].append((int(found[1] + found[2]), int(found[4])))
    rows, _ = read(FOLDER / "block/blktrace/takeoverjp/sample.blktrace.0")
    first = events["Q"][0][0]
    for row, queued, issued, completed in zip(rows, *(events[name] for name in "QDC"), strict=True):
        assert queued[1] == issued[1] == completed[1] == row["lbn"]
        assert row["time_ns"] == queued[0] - first
        assert row["latency_ns"] == completed[0] - queued[0] and row["service_ns"] == completed[0] - issued[0]


def test_a_trace_of_dispatches_and_completions_alone_counts_what_does_not_pair() -> None:
    rows, report = read(ISOTOPP)
    assert report["remarks"]["dispatches of what was not queued"] == 1182
    assert report["remarks"]["repeated dispatches"] == 10
    assert report["remarks"]["completions of what was never seen"] == 24
    assert {row["latency_ns"] for row in rows} == {None}
    assert report["times"]["base"] == "epoch"
    assert sum(row["operation"] == "flush" for row in rows) == 24
