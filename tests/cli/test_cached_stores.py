"""A raw trace's store is kept, and not used for another content of the trace."""

import os
import shutil
from pathlib import Path

import pytest
from program import LOG, Run

import iotrace
from iotrace.store import location


def calls(trace: Path) -> int:
    return int(iotrace.open(trace).manifest["counts"]["calls"])


def test_other_content_of_the_same_size_and_time_is_read_anew(tmp_path: Path) -> None:
    trace = tmp_path / "a.strace"
    text = LOG.read_bytes()
    trace.write_bytes(text)
    times = (trace.stat().st_atime_ns, trace.stat().st_mtime_ns)
    whole = calls(trace)
    first = text.index(b"\n")
    trace.write_bytes(b"#" * first + text[first:])
    os.utime(trace, ns=times)
    assert calls(trace) == whole - 1


@pytest.mark.parametrize("place", [0, -1])
def test_the_first_and_last_block_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    trace = tmp_path / "trace"
    content = bytearray(3 * location.FINGERPRINT_BYTES)
    trace.write_bytes(content)
    status = trace.stat()
    monkeypatch.setattr(Path, "stat", lambda *_, **__: status)
    before = location.fingerprint([trace], {})
    assert location.fingerprint([trace], {}) == before
    content[place] = 1
    trace.write_bytes(content)
    assert location.fingerprint([trace], {}) != before


def test_another_file_with_the_same_bytes_is_read_anew(tmp_path: Path) -> None:
    trace = tmp_path / "a.strace"
    shutil.copyfile(LOG, trace)
    before = location.fingerprint([trace], {})
    shutil.copy2(trace, tmp_path / "copy")
    (tmp_path / "copy").replace(trace)
    assert location.fingerprint([trace], {}) != before


@pytest.mark.parametrize("inner", ["_text", "_parquet"])
def test_converted_files_in_a_folder_count(tmp_path: Path, inner: str) -> None:
    trace = tmp_path / "recorder" / inner / "0.txt"
    trace.parent.mkdir(parents=True)
    trace.write_text("0.1 0.2 read")
    (tmp_path / "recorder" / "0.itf").write_text("binary")
    first = location.fingerprint([tmp_path / "recorder"], {})
    trace.write_text("0.1 0.2 writ")
    second = location.fingerprint([tmp_path / "recorder"], {})
    (tmp_path / "recorder" / "0.itf").write_text("BINARY")
    third = location.fingerprint([tmp_path / "recorder"], {})
    assert first != second != third
    assert location.fingerprint([tmp_path / "recorder"], {}) == third


def test_where_no_folder_can_be_written_a_store_lasts_as_long_as_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("info", shutil.copyfile(LOG, tmp_path / "a.strace"), "--model", "1994", "--format", "json")
    usual = Run(tmp_path / "cache")(*words)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    done = Run(Path("/dev/null/cache"))(*words)
    assert done.returncode == 0
    assert b"is removed when the command ends, since /dev/null/cache/iotrace cannot be written" in done.stderr
    assert b"iotrace ingest " in done.stderr
    assert done.stdout.replace(b"/dev/null/cache", str(tmp_path / "cache").encode()) == usual.stdout
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_trace_in_a_folder_that_cannot_be_written_is_kept_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "read-only" / "a.strace"
    monkeypatch.setattr(location, "can_hold", lambda folder: folder != trace.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert location.cache_path([trace], {}).parent == tmp_path / "cache" / "iotrace"
    monkeypatch.setattr(location, "can_hold", lambda folder: False)
    assert location.is_temporary(location.cache_path([trace], {}))
