"""A raw trace's store is kept, and not used for another content of the trace."""

import os
import shutil
from pathlib import Path

import pytest
from program import LOG

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
