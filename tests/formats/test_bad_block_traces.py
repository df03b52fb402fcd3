"""Block traces that are damaged, odd or none: counted by reason, or refused in one line, from the command line."""

import gzip
import json
import random
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from program import Run, refused
from property_tests import examples
from requests_read import read
from samples import SAMPLES

from iotrace.errors import IotraceError
from iotrace.ingest.pipeline import ingest as ingested


def reasons(path: Path, form: str | None = None) -> dict[str, int]:
    return {reason: result["lines"] for reason, result in read(path, form)[1]["skipped"].items()}


def test_rows_that_make_no_sense_are_skipped_and_counted_by_reason(tmp_path: Path) -> None:
    good = "128166372003061629,web,0,Read,512,512,1"
    lines = [
        good,
        "128166372003061629,web,0,Read",
        "128166372003061629,web,0,Trim,0,512,1",
        "128166372003061629,web,0,Read,-512,512,1",
        "128166372003061629,web,0,Read,512,-1,1",
        "x,web,0,Read,512,512,1",
        "128166372003061629,web,0,Read,99999999999999999999,512,1",
        "128166372003061629,web,0,Read,9223372036854775807,512,1",
        "128166372003061629,web,0,Read,512,99999999999,1",
        "128166372003061629,web,0,Read,512,abc,1",
        "",
        good + ",more,fields",
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    rows, report = read(tmp_path / "t.csv", "msr-cambridge")
    assert len(rows) == 2
    assert {reason: result["lines"] for reason, result in report["skipped"].items()} == {
        "too few fields": 1,
        "unknown operation": 1,
        "negative block number": 1,
        "negative length": 1,
        "no time that can be read": 1,
        "no block number that can be read": 1,
        "block number out of range": 1,
        "length out of range": 1,
        "no length that can be read": 1,
    }
    assert report["remarks"] == {"blank lines": 1}
    first = report["skipped"]["unknown operation"]
    assert (first["first_line"], first["excerpt"]) == (3, lines[2])
    assert report["counts"]["lines"] == 12 and report["counts"]["parsed"] == 2


def test_empty_requests_and_odd_lengths_are_counted(tmp_path: Path) -> None:
    (tmp_path / "t.spc").write_text("0,1,0,r,0.1\n0, 2 448003, 700, W , 0.2,x\n1,5,512,r,0.3\n")
    rows, report = read(tmp_path / "t.spc")
    assert [(row["lbn"], row["blocks"]) for row in rows] == [(1, 0), (2448003, 2), (5, 1)]
    assert (report["seen"]["empty_requests"], report["seen"]["unaligned_requests"]) == (1, 1)
    empty = "1 of 3 requests have length 0: they move no data and are not references"
    assert empty in report["warnings"]


def test_a_trace_of_empty_requests_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.spc").write_text("0,1,0,r,0.1\n" * 1000)
    message = refused(run("ingest", tmp_path / "t.spc"))
    assert "none of its 1,000 requests moves data: all have length 0" in message
    assert [path.name for path in tmp_path.iterdir()] == ["t.spc"]


def test_a_trace_of_discards_says_that_it_has_no_references(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.iolog").write_text("fio version 3 iolog\n0 /dev/sda trim 0 4096\n")
    done = run("ingest", tmp_path / "t.iolog")
    assert done.returncode == 0 and b"discards only: there are no references" in done.stderr


def test_unknown_commands_and_cut_records_of_vscsi(tmp_path: Path) -> None:
    content = SAMPLES["vscsi-1"][1]
    odd = struct.pack("<IIIHHQQ", 9, 512, 1, 0x12, 0x100, 7, 10**9)
    huge = struct.pack("<IIIHHQQ", 9, 512, 1, 0x28, 0x100, 2**64 - 1, 10**9)
    (tmp_path / "t").write_bytes(content + odd + huge + content[:11])
    assert reasons(tmp_path / "t") == {"unknown operation": 1, "block number out of range": 1, "cut short": 1}


def test_mixed_byte_order_and_damage_in_blktrace(tmp_path: Path) -> None:
    little, big = SAMPLES["blktrace-7-little"][1], SAMPLES["blktrace-7-big"][1]
    half = 6 * 48
    (tmp_path / "t").write_bytes(little[:half] + big[half:])
    rows, report = read(tmp_path / "t")
    assert len(rows) == 4 and report["skipped"] == {}
    (tmp_path / "t").write_bytes(little[:half] + b"\xff" * 30 + little[half:] + little[:40])
    rows, report = read(tmp_path / "t")
    assert len(rows) == 4 and sum(result["lines"] for result in report["skipped"].values()) == 2


def blktrace(requests: int) -> tuple[list[bytes], bytes]:
    """Return `requests` queue records, 10 ms apart, the first at one hour; as a list and concatenated."""
    queued = (1 << 4 | 1) << 16 | 1
    records = [
        struct.pack(
            "<IIQQIIIIIHH", 0x65617407, n, 3600 * 10**9 + n * 10**7, n * 8, 4096, queued, 42, 1, 0, 0, 0
        )
        for n in range(requests)
    ]
    return records, b"".join(records)


def lost_bytes(report: dict[str, Any]) -> int:
    """Return how many bytes a report warns of."""
    found = re.search(r"([\d,]+) bytes? between records could not be read", " ".join(report["warnings"]))
    return int(found[1].replace(",", "")) if found else 0


def test_bytes_between_records_of_blktrace_are_counted(tmp_path: Path) -> None:
    records, whole = blktrace(50_000)
    (tmp_path / "t").write_bytes(whole)
    assert lost_bytes(read(tmp_path / "t")[1]) == 0
    broken = b"".join(b"\0" * 48 if 10_000 <= n < 35_000 else record for n, record in enumerate(records))
    (tmp_path / "t").write_bytes(broken)
    rows, report = read(tmp_path / "t")
    assert [row["lbn"] for row in rows] == [n * 8 for n in range(50_000) if not 10_000 <= n < 35_000]
    assert lost_bytes(report) == 25_000 * 48
    assert {reason: result["lines"] for reason, result in report["skipped"].items()} == {
        "no record of blktrace": 1
    }


def test_a_damaged_length_of_data_swallows_no_records(tmp_path: Path) -> None:
    records, _ = blktrace(2000)
    for bad in (7, 1990):  # in the midst, and so near the end that its data would reach beyond
        damaged = records[bad][:46] + struct.pack("<H", 48_003)
        (tmp_path / "t").write_bytes(b"".join([*records[:bad], damaged, *records[bad + 1 :]]))
        rows, report = read(tmp_path / "t")
        assert [row["lbn"] // 8 for row in rows] == [n for n in range(2000) if n != bad]
        assert lost_bytes(report) == 48


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    gaps=st.dictionaries(st.integers(1, 60), st.integers(1, 100), max_size=6),
    step=st.sampled_from([64, 100, 1000, 1 << 20]),
)
def test_each_byte_of_blktrace_is_in_a_record_or_counted(
    gaps: dict[int, int], step: int, tmp_path: Path
) -> None:
    records, _ = blktrace(61)
    parts = [b"\xff" * gaps.get(n, 0) + record for n, record in enumerate(records)]
    (tmp_path / "t").write_bytes(b"".join(parts))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("iotrace.formats.blktrace.READ_BYTES", step)
        rows, report = read(tmp_path / "t")
    assert len(rows) == 61 and lost_bytes(report) == sum(gaps.values())
    assert report["counts"]["skipped_lines"] == len(gaps)


@pytest.mark.parametrize("bad", [0, 1, 30, 59])
def test_a_record_of_blktrace_with_an_absurd_time_does_not_stretch_the_trace(
    tmp_path: Path, bad: int
) -> None:
    records, _ = blktrace(60)
    records[bad] = records[bad][:8] + struct.pack("<Q", 2**61) + records[bad][16:]
    (tmp_path / "t").write_bytes(b"".join(records))
    rows, report = read(tmp_path / "t")
    assert len(rows) == 59 and report["counts"]["duration_ns"] <= 59 * 10**7
    assert {reason: result["lines"] for reason, result in report["skipped"].items()} == {
        "time out of range": 1
    }


@pytest.mark.parametrize("name", ["oracle-general", "hp-srt"])
def test_an_absurd_time_does_not_stretch_a_trace_of_records(tmp_path: Path, name: str) -> None:
    form, content = SAMPLES[name]
    width, at, order = (24, 0, "<I") if form == "oracle-general-blocks" else (56, 8, ">I")
    place = len(content) - width + at
    (tmp_path / "t").write_bytes(content[:place] + struct.pack(order, 4 * 10**9) + content[place + 4 :])
    rows, report = read(tmp_path / "t", form)
    assert [row["lbn"] for row in rows] == [100, 200, 108]
    assert report["counts"]["duration_ns"] < 2 * 10**9
    assert {reason: result["lines"] for reason, result in report["skipped"].items()} == {
        "time out of range": 1
    }


def test_unsorted_times_are_sorted_in_the_store(run: Run, tmp_path: Path) -> None:
    numbers = random.Random(1).sample(range(1000), 300)
    (tmp_path / "t.trace").write_text("".join(f"{n * 1000} 0 {n} 1 1\n" for n in numbers))
    done = run("ingest", "t.trace", folder=tmp_path)
    assert done.returncode == 0 and b"came out of the order of time; they were sorted" in done.stderr
    asked = run(
        "sql", "t.trace.iotrace", "select seq, time_ns, lbn from disk_io", "-f", "json", folder=tmp_path
    )
    rows = json.loads(asked.stdout)
    assert [row["lbn"] for row in rows] == sorted(numbers)
    assert [(row["seq"], row["time_ns"]) for row in rows] == [
        (seq, (n - min(numbers)) * 1000) for seq, n in enumerate(sorted(numbers))
    ]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.csv", b"", "is empty"),
        ("other.iolog", b"fio version 1 iolog\nrw, 0, 4096\n", "versions 2 and 3"),
        ("nothing.iolog", b"fio version 3 iolog\n0 f add\n", "none of its"),
        ("cut.srt", b"$$TR_IOREC-1.3\nno end", "is not in format hp-srt"),
        ("short.vms", b"# iotrace vms-io 1\nthis is nothing\n", "is not in format vms-io"),
        ("cut.blktrace.0", SAMPLES["blktrace-7-little"][1][:20], "is not in format blktrace"),
        ("half.csv.gz", gzip.compress(SAMPLES["alibaba"][1], mtime=0)[:30], "gzip"),
    ],
)
def test_what_is_no_trace_is_refused_in_a_line(
    run: Run, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    result = refused(run("ingest", name, folder=tmp_path))
    assert says in result and result.startswith(name), result
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    "form", ["msr-cambridge", "vscsi", "oracle-general-blocks", "blktrace", "blkparse", "hp-srt", "spc"]
)
@pytest.mark.parametrize(
    "content", [b"", bytes(5000), random.Random(7).randbytes(20_000)], ids=["empty", "nul", "noise"]
)
def test_noise_is_refused_by_every_format_that_is_named(tmp_path: Path, form: str, content: bytes) -> None:
    (tmp_path / "noise").write_bytes(content)
    with pytest.raises(IotraceError, match=r"noise: is (no|empty)"):
        read(tmp_path / "noise", form)


def test_a_model_and_known_files_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(SAMPLES["alibaba"][1])
    assert "no system calls" in refused(run("ingest", "t.csv", "--model", "1994", folder=tmp_path), 2)


def test_a_file_cut_in_its_compression_is_used_as_far_as_it_goes(run: Run, tmp_path: Path) -> None:
    text = "".join(f"1,R,{n * 4096},4096,{1600000000000000 + n}\n" for n in range(200_000)).encode()
    packed = gzip.compress(text)
    (tmp_path / "t.csv.gz").write_bytes(packed[: len(packed) // 2])
    done = run("ingest", "t.csv.gz", "--format", "json", folder=tmp_path)
    assert done.returncode == 1 and b"truncated" in done.stderr
    assert 0 < json.loads(done.stdout)["requests"] < 200_000


CHANGES = st.lists(
    st.tuples(
        st.integers(0, 2**16),
        st.sampled_from(["flip", "drop", "double", "cut", "digits"]),
        st.binary(max_size=9),
    ),
    max_size=6,
)


def changed(content: bytes, changes: list[tuple[int, str, bytes]]) -> bytes:
    """Return a sample with some of its bytes changed."""
    for place, how, new in changes:
        at = place % (len(content) + 1)
        if how == "flip":
            content = content[:at] + new + content[at + len(new) :]
        elif how == "drop":
            content = content[:at] + content[at + len(new) :]
        elif how == "double":
            content = content[:at] + content[max(0, at - 40) : at] + content[at:]
        elif how == "cut":
            content = content[:at]
        else:
            content = content[:at] + b"9" * (len(new) * 3) + content[at:]
    return content


def test_a_file_after_one_that_is_cut_short_is_read_whole(tmp_path: Path) -> None:
    content = SAMPLES["vscsi-1"][1]
    paths = [tmp_path / "0.vscsi", tmp_path / "1.vscsi"]
    paths[0].write_bytes(content[:-5])
    paths[1].write_bytes(content)
    store = ingested(paths, tmp_path / "t.iotrace")
    assert store.manifest["counts"]["requests"] == 3 + 4
    assert {reason: seen["lines"] for reason, seen in store.manifest["skipped"].items()} == {"cut short": 1}


@examples(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("name", SAMPLES)
@given(changes=CHANGES)
def test_a_mutated_sample_is_read_or_refused(
    name: str, changes: list[tuple[int, str, bytes]], tmp_path: Path
) -> None:
    form, content = SAMPLES[name]
    (tmp_path / "trace").write_bytes(changed(content, changes))
    try:
        rows, report = read(tmp_path / "trace", form)
    except IotraceError as error:
        assert str(error).startswith(str(tmp_path)) and "\n" not in str(error)
        return
    assert report["counts"]["requests"] == len(rows) > 0
    for row in rows:
        assert row["operation"] == "flush" or 0 <= row["lbn"] < 2**54
        assert row["blocks"] is None or 0 <= row["blocks"] <= 2**54
        assert row["time_ns"] is None or abs(row["time_ns"]) < 2**63
        assert row["latency_ns"] is None or row["latency_ns"] >= 0


@pytest.mark.parametrize("name", [name for name, (_, content) in SAMPLES.items() if content[:200].isascii()])
def test_a_number_of_any_length_is_read_or_refused(name: str, tmp_path: Path) -> None:
    form, content = SAMPLES[name]
    for number in re.finditer(rb"\d+", content[:1000]):
        changed = content[: number.start()] + b"1" * 5000 + content[number.end() :]
        (tmp_path / "trace").write_bytes(changed)
        try:
            read(tmp_path / "trace", form)
        except IotraceError as error:
            assert "\n" not in str(error)
