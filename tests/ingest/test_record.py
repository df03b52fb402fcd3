"""Commands under strace."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest
from recorders import needs_strace

from iotrace.errors import IotraceError, UsageError
from iotrace.ingest import record, tracing


def text(log: Path) -> str:
    written: bytes = pa.input_stream(str(log), compression="zstd").read()
    return written.decode()


@needs_strace
def test_the_log_has_what_a_reconstruction_needs(tmp_path: Path) -> None:
    target = "t" * 200
    (tmp_path / target).write_bytes(b"x" * 77)
    (tmp_path / "link").symlink_to(target)
    log = tmp_path / "log.zst"
    script = f"cd {tmp_path}; readlink link; cat link >copy; exit 3"
    assert tracing.trace(["sh", "-c", script], log) == 3
    written = text(log)
    assert f'readlink("link", "{target}"' in written
    assert f"</{str(tmp_path)[1:]}/{target}>" in written
    assert "st_size=77" in written
    assert "+++ exited with 3 +++" in written
    assert "getppid" not in written


@needs_strace
def test_output_and_errors_are_the_commands_own(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from iotrace.ingest import tracing;"
        "sys.exit(tracing.trace(['sh', '-c', 'echo out; echo err >&2; cat'], pathlib.Path(sys.argv[1])))"
    )
    words = [sys.executable, "-P", "-c", code, str(tmp_path / "log.zst")]
    done = subprocess.run(words, input=b"in\n", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"out\nin\n", b"err\n")


@needs_strace
def test_a_killed_command_gives_the_status_of_a_shell(tmp_path: Path) -> None:
    assert tracing.trace(["sh", "-c", "kill -KILL $$"], tmp_path / "log.zst") == 128 + signal.SIGKILL


@needs_strace
@pytest.mark.parametrize(
    ("number", "whole_group"), [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, False)]
)
def test_an_interrupted_command_leaves_its_trace(
    tmp_path: Path, number: signal.Signals, whole_group: bool
) -> None:
    log, ready = tmp_path / "log.zst", tmp_path / "ready"
    code = (
        "import sys, pathlib; from iotrace.ingest import tracing;"
        "command = ['sh', '-c', 'touch $0; exec sleep 60', sys.argv[2]];"
        "sys.exit(tracing.trace(command, pathlib.Path(sys.argv[1])))"
    )
    words = [sys.executable, "-P", "-c", code, str(log), str(ready)]
    with subprocess.Popen(words, start_new_session=True) as process:
        while not ready.exists() and process.poll() is None:
            time.sleep(0.01)
        # Ctrl-C reaches the terminal's whole foreground group, the others only the process they are sent to.
        (os.killpg if number is signal.SIGINT else os.kill)(process.pid, number)
        assert process.wait() == 128 + number
    assert f"+++ killed by {number.name} +++" in text(log)


@needs_strace
def test_a_full_disk_does_not_stop_the_command(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    done = tmp_path / "done"
    with pytest.raises(IotraceError, match="incomplete"):
        tracing.trace(["sh", "-c", f"for i in $(seq 3000); do [ -e /$i ]; done; touch {done}"], full)
    assert done.exists()


def test_without_strace_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "strace" else found(name))
    with pytest.raises(UsageError, match="apt install strace"):
        tracing.trace(["true"], tmp_path / "log.zst")
    assert not (tmp_path / "log.zst").exists()


def test_where_tracing_is_forbidden_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strace = tmp_path / "strace"
    strace.write_text("#!/bin/sh\necho 'strace: ptrace: Operation not permitted' >&2\nexit 1\n")
    strace.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(UsageError, match=r"Operation not permitted.*SYS_PTRACE"):
        tracing.trace(["true"], tmp_path / "log.zst")


def test_an_old_strace_is_used_without_its_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strace = tmp_path / "strace"
    strace.write_text('#!/bin/sh\ncase "$*" in *seccomp*) echo "unknown option" >&2; exit 1;; esac\n')
    strace.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert "--seccomp-bpf" not in tracing.find_strace()


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(IotraceError, match="command not found") as raised:
        tracing.trace(["no-such-command-at-all"], tmp_path / "log.zst")
    assert raised.value.exit_code == 127
    with pytest.raises(IotraceError, match="/etc: cannot be executed") as raised:
        tracing.trace(["/etc"], tmp_path / "log.zst")
    assert raised.value.exit_code == 126


@needs_strace
def test_the_store_knows_what_the_trace_does_not_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("script").write_text("#!/bin/sh\ncat words >copy\n")
    Path("script").chmod(0o755)
    Path("words").write_bytes(b"w" * 1234)
    time.sleep(0.05)  # so that the files are older than the run
    store, status = record.record(["./script"], tmp_path / "run.iotrace")
    assert status == 0
    assert store.manifest["command"] == ["./script"]
    assert (tmp_path / "run.strace.zst").is_file()
    rows = {row["path"]: row for row in store.arrow("known_file").to_pylist()}
    assert rows[f"{tmp_path}/words"]["size_bytes"] == 1234
    assert rows[f"{tmp_path}/copy"]["size_bytes"] is None
    assert rows[f"{tmp_path}/script"]["interpreter"] == "/bin/sh"
    assert store.manifest["seen"]["execs_without_interpreter"] == 0
    assert store.manifest["seen"]["execs_of_unknown_size"] == 0
    read = store.connect(views=[]).sql(
        "select path, sum(length) from reference join file using (file) "
        "where type = 'datafile' and operation = 'read' and path like '%/words' group by path"
    )
    assert read.fetchall() == [(f"{tmp_path}/words", 1234)]


@needs_strace
def test_what_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "run.strace.zst").write_bytes(b"precious")
    done = tmp_path / "done"
    with pytest.raises(UsageError, match="exists"):
        record.record(["touch", str(done)], tmp_path / "run.iotrace")
    assert not done.exists()
    with pytest.raises(UsageError, match="is not the log of"):
        record.record(["touch", str(done)], tmp_path / "run.iotrace", record.RecordingSettings(replace=True))
    assert not done.exists()
    (tmp_path / "run.strace.zst").unlink()
    record.record(["true"], tmp_path / "run.iotrace")
    with pytest.raises(UsageError, match="exists; give --force"):
        record.record(["touch", str(done)], tmp_path / "run.iotrace")
    _, status = record.record(
        ["touch", str(done)], tmp_path / "run.iotrace", record.RecordingSettings(replace=True)
    )
    assert status == 0 and done.exists()


@needs_strace
@pytest.mark.parametrize("replace", [True, False])
def test_what_is_no_store_is_refused_before_the_command_runs(tmp_path: Path, replace: bool) -> None:
    (tmp_path / "plain").write_text("precious")
    done = tmp_path / "done"
    with pytest.raises(UsageError, match="exists and is not a store; choose another -o"):
        record.record(["touch", str(done)], tmp_path / "plain", record.RecordingSettings(replace=replace))
    assert not done.exists() and (tmp_path / "plain").read_text() == "precious"


@needs_strace
def test_the_command_line_ends_with_the_commands_status(tmp_path: Path) -> None:
    start = "from iotrace.cli import main; main()"
    verb = ["record", "-o", "run.iotrace", "--", "sh", "-c", "echo $0; exit 7", "-o"]
    words = [sys.executable, "-P", "-c", start, *verb]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (7, b"-o\n")
    assert b"run.iotrace" in done.stderr


@needs_strace
def test_io_that_no_call_shows_is_said(tmp_path: Path) -> None:
    code = (
        "import mmap; f = open('mapped', 'wb+'); f.truncate(1 << 23);"
        "m = mmap.mmap(f.fileno(), 0); m[5] = 1; m.close()"
    )
    words = [
        sys.executable,
        "-P",
        "-m",
        "iotrace",
        "record",
        "-o",
        "m.iotrace",
        "--",
        sys.executable,
        "-c",
        code,
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert (
        "Not measured:" in done.stderr
        and "8 MB of files are mapped into memory shared for writing" in done.stderr
    )
