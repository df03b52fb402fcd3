"""A recording that is killed loses neither the log that it was writing nor the one that it was to replace."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from recorders import SUFFIXES, needs_bpf, needs_strace, on_both_backends

from iotrace.errors import IotraceError
from iotrace.ingest import record
from iotrace.ingest.backends import Backend
from iotrace.store import store

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 120


def started(folder: Path, backend: str, *options: str) -> subprocess.Popen[bytes]:
    """Start a recording of a command that reads this folder's file ``words`` and then waits."""
    options = ("--backend", backend, "-o", "run.iotrace", *options)
    words = [PROGRAM, "record", *options, "--", "sh", "-c", "cat words; exec sleep 60"]
    return subprocess.Popen(
        words, cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def wait_for_text(log: Path, backend: str) -> None:
    """Wait until calls are in a log; a recording of BPF programs begins with a table of calls."""
    least_bytes = 200 if backend == "strace" else 4000
    until = time.monotonic() + MOST_SECONDS
    while not (log.is_file() and log.stat().st_size > least_bytes):
        assert time.monotonic() < until
        time.sleep(0.05)


def kill(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@on_both_backends
def test_a_killed_recording_leaves_its_log_and_the_next_names_it(tmp_path: Path, backend: str) -> None:
    (tmp_path / "words").write_text("some words\n")
    process = started(tmp_path, backend)
    wait_for_text(tmp_path / "run.partial", backend)
    kill(process)
    left = (tmp_path / "run.partial").read_bytes()
    assert not (tmp_path / "run.iotrace").exists() and not (tmp_path / f"run{SUFFIXES[backend]}").exists()

    words = [PROGRAM, "record", "--backend", backend, "-o", "run.iotrace", "--", "true"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.decode().splitlines() if "was killed" in line]
    _, _, command = line.rpartition("ingest it with: iotrace ")
    assert (tmp_path / "run.partial").read_bytes() == left
    kept = {"run.iotrace", "run.partial", f"run{SUFFIXES[backend]}", "words"}
    assert {path.name for path in tmp_path.iterdir()} == kept
    done = subprocess.run([PROGRAM, *shlex.split(command)], cwd=tmp_path, capture_output=True, check=False)
    # the last frame of the log has no end
    assert done.returncode == 1
    assert b"the trace could not be read to its end" in done.stderr
    paths = store.read(tmp_path / "run.partial.iotrace").arrow("file")["path"].to_pylist()
    assert f"{tmp_path}/words" in paths or "words" in str(paths)


@on_both_backends
def test_a_killed_recording_leaves_the_old_log_and_store(tmp_path: Path, backend: str) -> None:
    (tmp_path / "words").write_text("some words\n")
    recorder = record.Recorder(Backend(backend))
    record.record(["true"], tmp_path / "run.iotrace", record.RecordingSettings(recorder))
    old = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    process = started(tmp_path, backend, "--force")
    wait_for_text(tmp_path / "run.partial", backend)
    kill(process)
    assert {path: path.read_bytes() for path in old} == old


@needs_strace
def test_a_trace_that_cannot_be_ingested_keeps_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise IotraceError("the disk is full")

    monkeypatch.setattr(record, "ingest", fail)
    with pytest.raises(
        IotraceError, match=r"the disk is full; the log is kept: iotrace ingest .*run\.partial"
    ):
        record.record(["true"], tmp_path / "run.iotrace")
    assert b"exit_group" in pa.input_stream(str(tmp_path / "run.partial"), compression="zstd").read()
    assert not (tmp_path / "run.strace.zst").exists()


@needs_strace
def test_a_recording_leaves_nothing_unfinished(tmp_path: Path) -> None:
    record.record(["true"], tmp_path / "run.iotrace")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.iotrace", "run.strace.zst"]
    made = store.read(tmp_path / "run.iotrace")
    assert made.manifest["sources"] == [str(tmp_path / "run.strace.zst")]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@needs_bpf
def test_the_recorder_ends_with_iotrace_and_the_command_goes_on(tmp_path: Path) -> None:
    words = [PROGRAM, "record", "--backend", "bpf", "-o", "run.iotrace"]
    command = ["sh", "-c", "cat pid words; echo $$ >pid; exec sleep 60"]
    process = subprocess.Popen(
        [*words, "--", *command], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + MOST_SECONDS
    while not ((tmp_path / "pid").is_file() and (tmp_path / "pid").read_text().endswith("\n")):
        assert time.monotonic() < until
        time.sleep(0.05)
    pid = int((tmp_path / "pid").read_text())
    recorder = parent_of(pid)
    process.kill()
    process.wait()
    try:
        while parent_of(pid) == recorder:
            assert time.monotonic() < until
            time.sleep(0.05)
        done = subprocess.run(
            [PROGRAM, "ingest", "run.partial"], cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == 0 and "damaged" not in done.stderr.decode(), done.stderr
    finally:
        os.kill(pid, signal.SIGKILL)
