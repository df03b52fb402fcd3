"""Recording processes that run already, what it says, and what tracing adds to a call."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorders import needs_strace

from iotrace.errors import UsageError
from iotrace.ingest import overhead, record, tracing
from iotrace.ingest.subjects import Limits, Running
from iotrace.store.store import Store

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
LOOP = "while :; do read line < words; sleep 0.05; done"
SECONDS = 60


@pytest.fixture
def process(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    (tmp_path / "words").write_text("some words\n")
    time.sleep(0.05)  # so that the file is older than the recording
    with subprocess.Popen(["sh", "-c", LOOP], cwd=tmp_path) as running:
        yield running
        running.kill()


def is_running(process: subprocess.Popen[bytes]) -> bool:
    return process.poll() is None


@needs_strace
def test_a_process_is_recorded_for_some_seconds_and_runs_on(
    process: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    store = record.record_attached(
        Running((process.pid,)), tmp_path / "run.iotrace", record.RecordingSettings(limits=Limits(1))
    )
    assert is_running(process)
    assert store.manifest["attached_to"] == [process.pid]
    assert store.manifest["command"] == ["sh", "-c", LOOP]
    assert store.manifest["tracing_overhead"]["traced_ns"] > 0
    (row,) = store.arrow("known_file").filter(_path(store, f"{tmp_path}/words")).to_pylist()
    assert row["size_bytes"] == 11
    read = "select count(*) from reference join file using (file) where path like '%/words'"
    assert store.connect(views=[]).sql(read).fetchall()[0][0] > 0


def _path(store: Store, path: str) -> list[bool]:
    return [one == path for one in store.arrow("known_file")["path"].to_pylist()]


@needs_strace
def test_who_listens_for_signals_hears_none_that_ends_a_recording(
    process: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    heard, listening = os.pipe2(os.O_NONBLOCK)
    before = signal.set_wakeup_fd(listening, warn_on_full_buffer=False)
    log = tmp_path / "log.zst"
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGTERM)).start()
    try:
        tracing.attach([process.pid], log, seconds=SECONDS)
        assert signal.set_wakeup_fd(before) == listening
        with pytest.raises(BlockingIOError):
            os.read(heard, 1)
    finally:
        signal.set_wakeup_fd(before)
        os.close(heard)
        os.close(listening)


@needs_strace
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_interrupts_a_recording_ends_it_well(
    process: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals
) -> None:
    words = [PROGRAM, "record", "--backend", "strace", "-p", str(process.pid), "-o", "run.iotrace"]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True) as recording:
        until = time.monotonic() + SECONDS
        while not ((log := tmp_path / "run.partial").is_file() and log.stat().st_size > 200):
            assert time.monotonic() < until
            time.sleep(0.05)
        recording.send_signal(number)
        _, said = recording.communicate()
    assert recording.returncode == 0, said
    assert (tmp_path / "run.iotrace").is_dir() and (tmp_path / "run.strace.zst").is_file()
    assert is_running(process)
    text = said.decode()
    assert "iotrace: next: iotrace report run.iotrace" in text
    assert "iotrace: strace adds about" in text


@needs_strace
def test_a_process_that_is_not_there(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    with pytest.raises(UsageError, match="0 is not the number of a process"):
        record.record_attached(Running((0,)), tmp_path / "run.iotrace")
    with pytest.raises(UsageError, match=f"there is no process {ended.pid}"):
        record.record_attached(Running((ended.pid,)), tmp_path / "run.iotrace")
    assert not list(tmp_path.iterdir())


def test_a_thread_is_told_from_a_process(tmp_path: Path) -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        with pytest.raises(UsageError, match=f"{thread.native_id} is a thread of process {os.getpid()}"):
            record.record_attached(Running((thread.native_id or 0,)), tmp_path / "run.iotrace")
    finally:
        ended.set()
        thread.join()
    assert not list(tmp_path.iterdir())


@needs_strace
def test_a_process_that_ended_is_not_said_to_be_of_another_user(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as zombie:
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
        with pytest.raises(UsageError, match=f"process {zombie.pid} has ended"):
            record.record_attached(Running((zombie.pid,)), tmp_path / "run.iotrace")
    assert not list(tmp_path.iterdir())


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    for words, complaint in (
        ([], "either a command"),
        (["-p", "1", "--", "true"], "either a command"),
        (["-p", "1", "--system", "--seconds", "3"], "--system cannot be combined with --pid"),
    ):
        done = subprocess.run([PROGRAM, "record", *words], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 2 and complaint in done.stderr.decode()
        assert done.stderr.count(b"\n") == 1


def test_without_rights_it_says_what_to_do(
    process: subprocess.Popen[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strace = tmp_path / "strace"
    refusal = "strace: attach: ptrace(PTRACE_SEIZE, 7): Operation not permitted"
    strace.write_text(f'#!/bin/sh\ncase "$*" in *" -p "*) echo "{refusal}" >&2; exit 1;; esac\n')
    strace.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(tracing, "ptrace_scope", lambda: 1)
    with pytest.raises(
        UsageError, match=r"Operation not permitted.*ptrace_scope is 1, so only root may attach"
    ):
        record.record_attached(Running((process.pid,)), tmp_path / "run.iotrace")
    assert not (tmp_path / "run.partial").exists()


@needs_strace
def test_what_strace_adds_is_measured_inside_of_calls_and_between_them() -> None:
    measured = overhead.overhead(tracing.find_strace())
    assert measured is not None
    assert 0 < measured.inside_ns <= measured.inside_p99_ns and measured.outside_ns > 0
    assert measured.traced_ns > measured.others_ns >= 0
    assert measured.measured_calls >= overhead.ROUNDS * overhead.LEAST_CALLS


def test_what_cannot_be_measured_is_not_known() -> None:
    assert overhead.overhead(["/nowhere/strace"]) is None
