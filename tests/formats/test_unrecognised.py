"""Traces that no format reads: the nearest format and its line, or what the file is; marks before a header."""

import gzip
import io
import lzma
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import LOG, Run, refused
from samples import SAMPLES
from tables_read import read_tables

from iotrace import formats
from iotrace.formats.containers import is_text, unreadable

MSR = SAMPLES["msr-cambridge"][1]
TEXT = LOG.read_bytes()


def message(run: Run, folder: Path, content: bytes, *words: str) -> str:
    """Return the refusal of a trace."""
    (folder / "trace").write_bytes(content)
    result = refused(run("info", "trace", *words, folder=folder))
    assert result.startswith("trace: ") and "as strace log" not in result
    assert [path.name for path in folder.iterdir()] == ["trace"]
    return result.removeprefix("trace: ")


def test_the_nearest_format_is_named_with_its_failing_line_and_the_reason(run: Run, tmp_path: Path) -> None:
    lines = MSR.splitlines()
    bad = b"128166372003061629,web,0,Trim,0,512,1"
    result = message(run, tmp_path, b"\n".join([lines[0], bad, bad, bad]))
    assert result.startswith(
        "no known format; the nearest is msr-cambridge, but line 2 cannot be read (unknown operation): "
        + bad.decode()
    )


@pytest.mark.parametrize(
    ("place", "field"),
    [(0, b"2008-01-01"), (2, b"one"), (3, b"Wrte"), (4, b"start"), (6, b"fast")],
    ids=["time", "disk", "operation", "offset", "latency"],
)
def test_one_wrong_field_in_every_line_hides_no_nearest_format(
    run: Run, tmp_path: Path, place: int, field: bytes
) -> None:
    rows = [line.split(b",") for line in MSR.splitlines() if line[:1].isdigit()]
    lines = [b",".join([*row[:place], field, *row[place + 1 :]]) for row in rows]
    result = message(run, tmp_path, b"\n".join(lines))
    assert result.startswith("no known format; the nearest is msr-cambridge, but line 1 cannot be read")
    assert lines[0].decode() in result


def test_what_is_nearly_a_strace_log_names_the_line_that_is_no_call(run: Run, tmp_path: Path) -> None:
    result = message(run, tmp_path, b'read(3, "a", 1\nwrite(\n')
    assert result.startswith(
        "no known format; the nearest is strace, but line 1 cannot be read (not a whole call): read(3"
    )


def test_a_table_of_no_format_shows_its_first_line_and_what_helps(run: Run, tmp_path: Path) -> None:
    result = message(run, tmp_path, b"\nplace;kind\n1;r\n")
    assert (
        result.startswith("no known format; line 2 is: place;kind;")
        and "--columns describes others" in result
    )


def test_binary_data_are_called_so(run: Run, tmp_path: Path) -> None:
    result = message(run, tmp_path, b"\x89PNG\r\n\x1a\n" + random.Random(4).randbytes(3000))
    assert result.startswith("no known format: binary data that begin with 89 50 4e 47 0d 0a 1a 0a")


def zipped(content: bytes, method: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.writestr("t.csv", content)
    return made.getvalue()


@pytest.mark.parametrize("words", [(), ("--trace-format", "msr-cambridge")], ids=["guessed", "named"])
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (zipped(MSR * 9, zipfile.ZIP_STORED), "is a zip archive: unpack it first"),
        (zipped(MSR * 9, zipfile.ZIP_DEFLATED), "is a zip archive: unpack it first"),
        (gzip.compress(gzip.compress(MSR)), "is compressed twice, with gzip inside: decompress it once"),
        (gzip.compress(lzma.compress(MSR)), "is compressed twice, with xz inside: decompress it once"),
        (MSR.decode().encode("utf-16"), "is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"),
        (MSR.decode().encode("utf-16-be"), "is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"),
        (
            MSR.replace(b"web", "\N{HANGUL SYLLABLE GA}".encode() * 3).decode().encode("utf-16"),
            "is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8",
        ),
        (TEXT.decode().encode("utf-16-le"), "is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"),
    ],
    ids=[
        "zip, stored",
        "zip",
        "gz of gz",
        "xz in gz",
        "UTF-16",
        "UTF-16BE",
        "other letters",
        "strace in UTF-16",
    ],
)
def test_what_has_to_be_unpacked_or_converted_first_is_named(
    run: Run, tmp_path: Path, content: bytes, says: str, words: tuple[str, ...]
) -> None:
    assert message(run, tmp_path, content, *words) == says


MARKED = [
    name for name, (form, content) in SAMPLES.items() if content.isascii() and not form.startswith("csv")
]


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize("packed", [False, True])
def test_a_byte_order_mark_is_skipped(name: str, packed: bool, tmp_path: Path) -> None:
    form, content = SAMPLES[name]
    made = []
    for mark in (b"", b"\xef\xbb\xbf"):
        trace = gzip.compress(mark + content) if packed else mark + content
        (tmp_path / "trace").write_bytes(trace)
        assert formats.source([tmp_path / "trace"]).name == form
        made.append(read_tables(tmp_path / "trace"))
    assert made[0] == made[1]


def test_a_byte_order_mark_before_a_strace_log_costs_no_line(run: Run, tmp_path: Path) -> None:
    made = []
    for mark in (b"", b"\xef\xbb\xbf"):
        (tmp_path / "log").write_bytes(mark + TEXT)
        made.append(run("ingest", "log", "-o", "a.iotrace", "--force", folder=tmp_path).stdout)
    assert made[0] == made[1] and b"20 lines, 18 calls" in made[0]


@pytest.mark.parametrize("header", ["# time, object,size", "#time,object,size", '# "time",object,size'])
def test_a_header_behind_a_hash_is_a_header(header: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"{header}\n1,512,512\n2,1024,512\n")
    rows, report = read_tables(tmp_path / "t.csv", "csv:time=time,offset=object,length=size")
    assert [row["lbn"] for row in rows["disk_io"]] == [1, 2] and report["skipped"] == {}


def test_a_format_with_a_header_takes_it_behind_a_hash(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"# " + SAMPLES["systor17"][1])
    assert formats.source([tmp_path / "t.csv"]).name == "systor17"
    rows, report = read_tables(tmp_path / "t.csv")
    assert len(rows["disk_io"]) == 4 and report["skipped"] == {}


def test_negative_latencies_are_unknown_and_counted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(MSR.replace(b",700", b",-700", 2))
    rows, report = read_tables(tmp_path / "t.csv")
    assert [row["latency_ns"] for row in rows["disk_io"]] == [None, None, 70_000, 70_000]
    assert "2 latencies of 4 requests are negative, and so unknown" in report["warnings"]


def test_blank_lines_are_no_records(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(MSR.replace(b"\n", b"\r\n \r\n"))
    rows, report = read_tables(tmp_path / "t.csv")
    assert len(rows["disk_io"]) == 4 and report["skipped"] == {} and report["counts"]["parsed"] == 4


@given(content=st.binary(max_size=400))
def test_ascii_text_is_text_and_nothing_to_unpack(content: bytes) -> None:
    letters = bytes(32 + byte % 95 for byte in content)
    assert is_text(letters)
    if not letters.startswith((b"BZh", b"PK")):
        assert unreadable(letters) is None
    if len(letters) > 1:
        assert unreadable(letters.decode().encode("utf-16-le"))


@pytest.mark.parametrize("name", SAMPLES)
def test_no_sample_of_a_format_is_taken_for_something_to_unpack(name: str) -> None:
    assert unreadable(SAMPLES[name][1]) is None
