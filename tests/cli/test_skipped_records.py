"""Records that could not be read: the share that is acceptable, what is said first, what does not count as a record."""

import gzip
import json
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import LOG, Run, refused

from iotrace.errors import UsageError
from iotrace.ingest.pipeline import ingest
from iotrace.store.skipped import SkippedRecords

GOOD = "0,{n},512,r,0.{n:03}\n"
BAD = "0,{n},-512,r,0.{n:03}\n"
LINES = LOG.read_bytes().splitlines(keepends=True)


def spc(folder: Path, good: int, bad: int) -> Path:
    lines = [GOOD.format(n=n) for n in range(good)] + [BAD.format(n=n) for n in range(bad)]
    (folder / "t.spc").write_text("".join(lines))
    return folder / "t.spc"


@pytest.mark.parametrize(("bad", "status"), [(1, 0), (2, 1)])
def test_ingest_ends_with_status_1_above_one_percent_and_writes_the_store(
    run: Run, tmp_path: Path, bad: int, status: int
) -> None:
    spc(tmp_path, 100 - bad, bad)
    done = run("ingest", "t.spc", folder=tmp_path)
    result = done.stderr.decode().splitlines()
    assert done.returncode == status
    assert f"{100 - bad} requests" in done.stdout.decode()
    if status:
        assert result[0] == (
            "iotrace: warning: 2 % of the trace's records could not be read (2 of 100);"
            " they are missing from all numbers"
        )
        assert result[-1] == (
            "iotrace: t.spc.iotrace: is written, but more records were skipped than --max-skipped 1 allows"
        )
    assert (
        json.loads(run("info", "t.spc.iotrace", "-f", "json", folder=tmp_path).stdout)["requests"]
        == 100 - bad
    )


def test_the_share_that_is_acceptable_holds_for_all_that_is_asked_of_the_store(
    run: Run, tmp_path: Path
) -> None:
    spc(tmp_path, 80, 20)
    assert run("ingest", "t.spc", "--max-skipped", "20", folder=tmp_path).returncode == 0
    done = run("characterize", "t.spc.iotrace", "-f", "json", folder=tmp_path)
    assert "could not be read" not in done.stderr.decode() + done.stdout.decode()
    assert run("ingest", "t.spc", "--max-skipped", "19.9", "--force", folder=tmp_path).returncode == 1


@pytest.mark.parametrize("percent", [float("nan"), -1, 101])
def test_a_share_that_no_manifest_holds_is_refused(tmp_path: Path, percent: float) -> None:
    with pytest.raises(UsageError, match="is not a percentage from 0 to 100"):
        ingest([spc(tmp_path, 8, 0)], tmp_path / "t.iotrace", max_skipped_percent=percent)
    assert [path.name for path in tmp_path.iterdir()] == ["t.spc"]


@pytest.mark.parametrize("verb", ["characterize", "curve", "info", "write-cache"])
def test_other_commands_say_it_first_and_go_on(run: Run, tmp_path: Path, verb: str) -> None:
    spc(tmp_path, 80, 20)
    done = run(verb, "t.spc", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.decode()
        .splitlines()[0]
        .startswith("iotrace: warning: 20 % of the trace's records could not be read (20 of 100)")
    )


def test_it_is_the_first_sentence_of_the_verdict_and_of_the_page(run: Run, tmp_path: Path) -> None:
    spc(tmp_path, 80, 20)
    done = run("characterize", "t.spc", "-f", "json", folder=tmp_path)
    verdict = json.loads(done.stdout)["verdict"]
    assert verdict[0]["sentence"].startswith("20 % of the trace's records could not be read (20 of 100)")
    assert len(verdict) > 1


def test_a_trace_of_which_every_record_is_skipped_is_refused(run: Run, tmp_path: Path) -> None:
    spc(tmp_path, 0, 50)
    refused(run("ingest", "t.spc", "--trace-format", "spc", "--max-skipped", "100", folder=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["t.spc"]


def captured(numbered: bool) -> list[bytes]:
    """Return the small log as strace writes it to standard error, or of one process to a file."""
    return [
        (b"[pid " + line.split(b" ", 1)[0] + b"] " if numbered else b"") + line.split(b" ", 1)[1]
        for line in LINES
    ]


@pytest.mark.parametrize("numbered", [False, True])
def test_what_the_traced_program_wrote_is_no_record(run: Run, tmp_path: Path, numbered: bool) -> None:
    lines = captured(numbered)
    if not numbered:
        lines = [line for line in lines if b"clone" not in line and b"fork" not in line]
    lines[3:3] = [b"make: Entering directory 'x'\n", b"  CC  a.o\n"]
    (tmp_path / "capture.log").write_bytes(b"".join(lines))
    done = run("ingest", "capture.log", "-f", "json", folder=tmp_path)
    result = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert result["skipped"] == {} and result["remarks"]["output of the traced program"] == 2
    assert any("taken for output of the traced program" in one for one in result["warnings"])


def test_lines_that_are_no_calls_count_where_strace_had_a_file_of_its_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file.log").write_bytes(b"".join([*LINES[:5], b"make: Entering directory 'x'\n", *LINES[5:]]))
    done = run("ingest", "file.log", "-f", "json", folder=tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stdout)["skipped"]["not a call"]["lines"] == 1


def test_holes_and_mostly_foreign_text_count_in_a_capture_too(run: Run, tmp_path: Path) -> None:
    lines = captured(True)
    (tmp_path / "hole.log").write_bytes(b"".join([*lines[:5], bytes(4096) + b"\n", *lines[5:]]))
    assert run("ingest", "hole.log", folder=tmp_path).returncode == 1
    (tmp_path / "prose.log").write_bytes(
        b"".join([*lines, *(b"a line of prose\n" * 40).splitlines(keepends=True)])
    )
    assert run("ingest", "prose.log", folder=tmp_path).returncode == 1


def stamped(damaged: list[bytes]) -> bytes:
    """Return a log with one process per file, some lines of which are damaged."""
    call = b'1700000000.%06d read(3</f>, "x"..., 10) = 10\n'
    return b"".join([call % n for n in range(100)] + damaged)


@pytest.mark.parametrize(
    "line", [b"1700000000.000200 #garbage\n", b"1700000000.000200 12 x\n", b"[pid  12] #garbage\n"]
)
def test_a_line_with_the_prefix_of_strace_is_a_damaged_record(run: Run, tmp_path: Path, line: bytes) -> None:
    (tmp_path / "t.log").write_bytes(stamped([line] * 40))
    done = run("ingest", "t.log", "-f", "json", folder=tmp_path)
    result = json.loads(done.stdout)
    assert done.returncode == 1
    assert result["skipped"]["not a call"]["lines"] == 40
    assert "output of the traced program" not in result["remarks"]


def test_damaged_records_and_output_of_the_program_are_told_apart(run: Run, tmp_path: Path) -> None:
    damaged = b"1700000000.000200 #garbage\n"
    (tmp_path / "t.log").write_bytes(stamped([b"12:30:00 hello\n", damaged, b"2 of 3\n", damaged]))
    result = json.loads(run("ingest", "t.log", "-f", "json", folder=tmp_path).stdout)
    assert result["remarks"]["output of the traced program"] == 2
    assert any("line 101: 12:30:00 hello" in one for one in result["warnings"])
    skipped = result["skipped"]["not a call"]
    assert (skipped["lines"], skipped["first_line"]) == (2, 102)


@given(skipped=st.integers(0, 10**9), understood=st.integers(0, 10**9), most=st.floats(0, 100))
def test_the_share_is_of_what_was_skipped_or_understood(skipped: int, understood: int, most: float) -> None:
    manifest = {"counts": {"skipped_lines": skipped, "parsed": understood}, "max_skipped_percent": most}
    share = SkippedRecords.of(manifest)
    assert 0 <= share.percent <= 100
    assert (share.percent == 100) == (understood == 0 and skipped > 0)
    assert share.are_too_many == (share.percent > most)
    assert not SkippedRecords.of({**manifest, "max_skipped_percent": 100}).are_too_many


@pytest.mark.parametrize("name", ["t.spc.gz", "t.strace.gz"])
def test_a_trace_cut_short_is_said_before_the_verdict(run: Run, tmp_path: Path, name: str) -> None:
    rows = "".join(GOOD.format(n=n) for n in range(20_000)).encode()
    packed = gzip.compress(rows if ".spc" in name else b"".join(LINES) * 500)
    (tmp_path / name).write_bytes(packed[: len(packed) // 2])
    done = run("characterize", name, folder=tmp_path)
    assert done.returncode == 1, done.stderr
    first = done.stdout.decode().splitlines()[0]
    assert "the gzip data are damaged or truncated after" in first
    assert first.endswith("what follows there is missing from all numbers.")


def test_a_damaged_archive_is_said_before_the_verdict(run: Run, tmp_path: Path) -> None:
    samples = sorted((Path(__file__).parents[1] / "fuzz/samples").glob("dftracer.*.pfw"))
    with tarfile.open(tmp_path / "whole.tar", "w") as archive:
        for sample in samples:
            archive.add(sample, sample.name)
    whole = (tmp_path / "whole.tar").read_bytes()
    with tarfile.open(tmp_path / "whole.tar") as archive:
        last = archive.getmembers()[-1]
    (tmp_path / "t.tar").write_bytes(whole[: last.offset_data + last.size // 2])
    done = run("characterize", "t.tar", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    first = done.stdout.decode().splitlines()[0]
    assert "t.tar: the archive is damaged" in first
    assert first.endswith("what follows there is missing from all numbers.")
