"""Traces that are damaged, or none: one clear line and a code, or counted warnings; never a half store."""

import bz2
import errno
import gzip
import itertools
import json
import lzma
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from program import LOG, Run, refused

from iotrace import ingest
from iotrace.errors import IotraceError

TEXT = LOG.read_bytes()
LINES = TEXT.splitlines(keepends=True)
STORE_LINE = b"a.iotrace: 20 lines, 18 calls, 31 references, 8 files, 2 processes; 0 lines skipped\n"

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda text: pa.compress(text, codec="zstd", asbytes=True),
}


def noise(count: int) -> bytes:
    return random.Random(1994).randbytes(count)


@pytest.mark.parametrize("ending", COMPRESSORS)
def test_compressed_logs_are_read_whatever_their_name(run: Run, tmp_path: Path, ending: str) -> None:
    for name in (f"copy.strace.{ending}", "copy.log"):
        (tmp_path / name).write_bytes(COMPRESSORS[ending](TEXT))
        done = run("ingest", name, "-o", "a.iotrace", "--force", folder=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, STORE_LINE, b"")


def test_standard_input_and_pipes_are_read(run: Run, log: Path) -> None:
    folder = log.parent
    packed = gzip.compress(TEXT)
    assert run("ingest", "-", "-o", "a.iotrace", folder=folder, given=packed).stdout == STORE_LINE
    done = run.shell('"$IOTRACE" ingest <(cat copy.strace) -o a.iotrace --force', folder)
    assert (done.stdout, done.stderr) == (STORE_LINE, b"")
    asked = run("sql", "-", "select count(*) as n from syscall", "-f", "csv", given=TEXT)
    assert (asked.stdout, asked.stderr) == (b"n\n20\n", b"")
    assert sorted(path.name for path in folder.iterdir()) == ["a.iotrace", "copy.strace"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.log", b"", "is empty"),
        ("blank.log", b"\n\n  \n", "line"),
        ("noise.bin", noise(200_000), "no known format: binary data that begin with"),
        ("nul.log", bytes(1_000_000), "no known format: binary data that begin with 00 00"),
        ("line.log", b"a" * 10_000_000, "no known format; line 1 is: aaaa"),
        ("letter.txt", b"Dear sir,\nit is I (again) = 1\nYours\n", "line 1 is: Dear sir,"),
        (
            "image.png",
            b"\x89PNG\r\n\x1a\n" + noise(5000),
            "no known format: binary data that begin with 89 50",
        ),
        ("cut.gz", gzip.compress(TEXT, mtime=0)[:12], "gzip"),
        ("cut.zst", COMPRESSORS["zst"](TEXT)[:40], "zstd"),
        ("cut.xz", lzma.compress(TEXT)[:20], "xz"),
        ("cut.bz2", bz2.compress(TEXT)[:100], "bzip2"),
        ("empty.gz", gzip.compress(b"", mtime=0), "is empty"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_what_is_no_trace_is_refused(run: Run, tmp_path: Path, name: str, content: bytes, says: str) -> None:
    (tmp_path / name).write_bytes(content)
    result = refused(run("ingest", name, folder=tmp_path))
    assert result.startswith(name) and says in result
    assert len(result) < 500
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert refused(run("info", name, folder=tmp_path)) == result
    assert refused(run("info", "-", given=content)).startswith("-")


def test_what_no_format_claims_is_told_what_helps(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_bytes(b"place;kind\n1;r\n2;w\n")
    assert refused(run("info", "odd.csv", folder=tmp_path)) == (
        "odd.csv: no known format; line 1 is: place;kind;"
        " iotrace formats lists them; --trace-format names one, iotrace ingest --columns describes others"
    )
    named = refused(run("info", "odd.csv", "--trace-format", "strace", folder=tmp_path))
    assert named.startswith("odd.csv: is not in format strace: none of its 3 lines")
    assert "formats" not in named


@pytest.mark.parametrize("verb", ["cluster", "info", "ingest"])
@pytest.mark.parametrize("place", [".", "..", "/"])
def test_folders_without_a_name(run: Run, tmp_path: Path, verb: str, place: str) -> None:
    assert refused(run(verb, place, folder=tmp_path)).startswith(f"{place}: has no name from which")


def test_places_where_no_trace_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    for verb in ("ingest", "info", "characterize", "curve", "report"):
        assert "nowhere.log" in refused(run(verb, "nowhere.log", folder=tmp_path))
        assert refused(run(verb, "nothing", folder=tmp_path)) == (
            "nothing: is an empty folder: name a trace, or the folder with its files"
        )
    assert [path.name for path in tmp_path.iterdir()] == ["nothing"]


def test_a_folder_without_a_trace_says_what_to_name(run: Run, log: Path) -> None:
    (log.parent / "outer" / "inner").mkdir(parents=True)
    assert refused(run("info", "outer", folder=log.parent)) == (
        "outer: has only folders (inner): name the one with the trace"
    )
    log.rename(log.parent / "outer" / "copy.strace")
    message = refused(run("info", "outer", folder=log.parent))
    assert (
        message.startswith("outer: no file in this folder is a trace")
        and "(copy.strace): name a file" in message
    )


@pytest.mark.parametrize("ending", COMPRESSORS)
def test_what_a_cut_file_still_holds_is_used_and_the_rest_warned_of(
    run: Run, tmp_path: Path, ending: str
) -> None:
    many = b"".join(f'{i} write(1, "x", 1) = 1\n'.encode() for i in range(1, 200_000))
    packed = COMPRESSORS[ending](many)
    (tmp_path / "cut.log").write_bytes(packed[: len(packed) * 3 // 4])
    done = run("ingest", "cut.log", "--format", "json", folder=tmp_path)
    assert done.returncode == 1
    assert b"iotrace: warning: cut.log: the " in done.stderr and b"truncated" in done.stderr
    result = json.loads(done.stdout)
    assert 0 < result["calls"] < 200_000
    assert any("truncated" in warning for warning in result["warnings"])


def test_names_that_are_no_text(run: Run, tmp_path: Path) -> None:
    (tmp_path / "names.log").write_bytes(
        b'1 openat(AT_FDCWD, "/tmp/\xff\xfe\x80na\xc3me\\377", O_RDONLY) = 3\n1 read(3, "x", 10) = 10\n1 close(3) = 0\n'
    )
    done = run(
        "sql", "names.log", "select path from file where kind = 'regular'", "-f", "json", folder=tmp_path
    )
    assert json.loads(done.stdout) == [{"path": r"/tmp/\xff\xfe\x80na\xc3me\xff"}]
    for verb in (["info"], ["characterize"], ["curve"]):
        assert run(*verb, "names.log", folder=tmp_path).returncode == 0


def test_numbers_out_of_range_are_counted(run: Run, tmp_path: Path) -> None:
    most = 2**63 - 1
    odd = [
        f'read(3, "x", {10**25}) = {10**25}',
        'read(99999999999, "", 1) = 1',
        "1e999 nonsense(",
        f'read(3, "", {most}) = {most}',
        f'write(3, "", {most}) = {2**31}',
        '99999999999 1.0 read(3, "", 1) = 1',
    ]
    fair = [
        'openat(AT_FDCWD, "/tmp/x", O_RDWR) = 3',
        f'pread64(3, "", 10, {most}) = 10',
        'pread64(3, "", 10, 18446744073709551615) = 10',
        f"lseek(3, {most}, SEEK_CUR) = {most}",
        'read(3, "", 10) = 10',
        "close(-5) = -1 EBADF (Bad file descriptor)",
        f"ftruncate(3, {2**60}) = 0",
    ]
    (tmp_path / "range.log").write_text("\n".join([*fair, *odd, *fair]) + "\n")
    done = run("ingest", "range.log", "--format", "json", "--max-skipped", "30", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    foreign = result["remarks"]["output of the traced program"]
    assert sum(reason["lines"] for reason in result["skipped"].values()) + foreign == len(odd)
    assert result["calls"] == 2 * len(fair)
    for words in (
        ["characterize", "--all"],
        ["curve", "--block", "128"],
        ["report"],
    ):
        done = run(words[0], "range.log", *words[1:], folder=tmp_path)
        result = done.stderr.decode().splitlines()
        assert done.returncode == 0, result
        assert all(line.startswith(("iotrace: warning: ", "iotrace: kept as ")) for line in result), result


def test_a_line_of_ten_million_bytes_is_a_call_like_any_other(run: Run, tmp_path: Path) -> None:
    long = b'1000  1700000000.000000 write(4, "' + b"a" * 10_000_000 + b'", 10000000) = 10000000\n'
    (tmp_path / "long.log").write_bytes(long + TEXT)
    result = json.loads(run("ingest", "long.log", "--format", "json", folder=tmp_path).stdout)
    assert (result["lines"], result["parsed"], result["calls"]) == (21, 21, 19)


def test_half_lines_between_others_are_counted(run: Run, tmp_path: Path) -> None:
    broken = b"".join(
        line if number % 3 != 2 else line[: len(line) // 2] for number, line in enumerate(LINES)
    )
    (tmp_path / "half.log").write_bytes(broken)
    done = run("ingest", "half.log", "--format", "json", folder=tmp_path)
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert result["lines"] == broken.count(b"\n")
    assert sum(reason["lines"] for reason in result["skipped"].values()) >= 4
    assert b"skipped" in done.stderr


def test_text_before_between_and_after_is_skipped_and_counted(run: Run, tmp_path: Path) -> None:
    mixed = [b"make: entering\n", *LINES[:8], b"\x00\x01\x02\n", *LINES[8:], b"done"]
    (tmp_path / "mixed.log").write_bytes(b"".join(mixed))
    result = json.loads(run("ingest", "mixed.log", "--format", "json", folder=tmp_path).stdout)
    assert result["calls"] == 18
    assert result["skipped"]["not a call"]["lines"] == 3
    assert result["skipped"]["not a call"]["first_line"] == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_log_that_may_not_be_read(run: Run, log: Path) -> None:
    log.chmod(0)
    assert "Permission denied; run iotrace as a user who may read it" in refused(run("info", log))


@pytest.mark.parametrize("calls_before", [0, 1])
def test_a_folder_that_cannot_be_listed_is_the_one_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls_before: int
) -> None:
    """At the first look, which recognises the format, or when the reader starts."""
    trace = tmp_path / "trace"
    trace.mkdir()
    (trace / "1.txt").write_bytes(b"# DXT, file_id: 1, file_name: /f\n")
    listed, calls = Path.iterdir, itertools.count()

    def iterdir(path: Path) -> Iterator[Path]:
        if path == trace and next(calls) >= calls_before:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    with pytest.raises(IotraceError) as caught:
        ingest.ingest([trace], tmp_path / "o.iotrace")
    assert str(caught.value).startswith(f"{trace}: cannot be read: Permission denied; ")
    assert list(tmp_path.iterdir()) == [trace]
