"""What a recording holds of a program, and what it does not."""

import json
import os
import re
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Run
from recorders import blocks, needs_strace, on_both_backends, unpacked

from iotrace.ingest import tracing

SECRET = "hunter2-swordfish"
PROGRAM = """
import os, socket, sys, struct, fcntl
file = open("in", "rb").read()
with open("out", "wb") as out:
    out.write(file)
    out.flush()
    os.pwritev(out.fileno(), [file, file], 0)
    try:
        os.setxattr("out", "user.key", file)
        os.getxattr("out", "user.key")
    except OSError:
        pass
one, other = socket.socketpair()
one.send(file); other.recv(99)
one.sendmsg([file, file]); other.recvmsg(99)
os.write(1, os.environb[b"TOKEN"] + b"\\n")
os.symlink("in", "link"); print(os.readlink("link"))
"""


def words_of(folder: Path) -> bytes:
    """All bytes of all files of a folder, logs unpacked."""
    found = b""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        found += os.fsencode(file) + b"\n" + file.read_bytes()
        if file.suffix == ".zst":
            found += pa.input_stream(str(file), compression="zstd").read()
        if file.suffix == ".iorec":
            found += b"".join(unpacked(frame) for _, frame in blocks(file.read_bytes()))
    return found


def rows(run: Run, store: Path, statement: str) -> list[str]:
    """The rows of a statement's result as CSV."""
    done = run("sql", store, statement, "-f", "csv")
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()[1:]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a secret in a file; recordings go next to it."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("in").write_text(SECRET)
    Path("program.py").write_text(PROGRAM)
    return tmp_path / "work"


@on_both_backends
def test_no_file_of_a_recording_holds_what_was_read_written_or_sent(
    run: Run, work: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    kept = work.parent / "kept"
    script = f'{sys.executable} program.py; echo "$TOKEN"; cat in link; echo "$TOKEN" >echoed'
    done = run("record", "--backend", backend, "-o", kept / "run.iotrace", "--", "sh", "-c", script)
    assert done.stdout.count(SECRET.encode()) == 4
    assert SECRET.encode() not in words_of(kept)
    assert (
        "hold paths, targets of links, addresses of sockets and arguments of programs"
        " (--no-arguments leaves these out); not the environment, and not what was read, written, sent or"
        " received." in done.stderr.decode()
    )
    # the link leads to its file: what is read through it is read from that
    store = kept / "run.iotrace"
    assert "link,in" in rows(run, store, "select path, path2 from syscall where call like 'readlink%'")
    assert rows(run, store, read_from(f"'{work}/in'")) == [f"{work}/in,{3 * len(SECRET)}"]


def read_from(path: str) -> str:
    """The statement for what is read from the files of a path."""
    return (
        "select path, sum(length) from reference join file using (file)"
        f" where path like {path} and type = 'datafile' and operation = 'read' group by path"
    )


def test_each_wait_is_of_a_class_of_calls(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "run.strace"
    log.write_text("7 1700000000.0 close(3) = 0 <0.0>\n")
    waiting = rows(run, log, "select call from call_class where class in ('waiting', 'storage')")
    assert set(tracing.WAITS) <= set(waiting)


@needs_strace
@pytest.mark.parametrize("options", [(), ("--all-waits",)])
def test_the_calls_that_wait_are_recorded_and_the_others_named(
    run: Run, tmp_path: Path, options: tuple[str, ...]
) -> None:
    code = (
        "import signal, socket, threading, time;"
        "time.sleep(0.2);"
        "one, other = socket.socketpair(); one.send(b'x'); other.recv(1);"
        "held = threading.Lock(); held.acquire(); held.acquire(timeout=0.1);"
        "signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 0.1); signal.pause()"
    )
    words = (
        "--backend",
        "strace",
        *options,
        "-o",
        tmp_path / "run.iotrace",
        "--",
        sys.executable,
        "-c",
        code,
    )
    done = run("record", *words)
    assert done.returncode == 0, done.stderr
    statement = "select call, max(duration_ns) from syscall group by call"
    longest = dict(row.split(",") for row in rows(run, tmp_path / "run.iotrace", statement))
    assert int(longest["clock_nanosleep"]) >= 150_000_000
    left_out = json.loads((tmp_path / "run.iotrace" / "manifest.json").read_text())["unrecorded_waits"]
    said = "calls that are not recorded" in done.stderr.decode()
    if options:
        assert (left_out, said) == ([], False)
        assert {"futex", "sendto", "recvfrom", "pause"} <= longest.keys()
    else:
        assert (left_out, said) == (sorted(tracing.COSTLY_WAITS), True)
        assert not longest.keys() & set(left_out)


@on_both_backends
@pytest.mark.parametrize(("options", "is_kept"), [((), True), (("--no-arguments",), False)])
def test_arguments_stay_unless_they_are_to_go(
    run: Run, work: Path, options: tuple[str, ...], is_kept: bool, backend: str
) -> None:
    kept = work.parent / "kept"
    run(
        "record",
        "--backend",
        backend,
        *options,
        "-o",
        kept / "run.iotrace",
        "--",
        "sh",
        "-c",
        f"cat in; : {SECRET}",
    )
    assert (SECRET.encode() in words_of(kept)) is is_kept
    programs = rows(run, kept / "run.iotrace", "select program from process where arguments like '[\"sh\"%'")
    assert len(set(programs)) == 1


@needs_strace
def test_redacted_names_are_nowhere_and_lead_to_the_same_files(run: Run, work: Path) -> None:
    kept = work.parent / "kept"
    Path("alice").mkdir()
    Path("alice/plan.key").write_text("x" * 1234)
    time.sleep(0.05)  # so that the file is older than the run
    script = (
        "cat alice/plan.key; ln -s alice/plan.key link; cat link; cd alice; cat plan.key; pwd; wc ./plan.key"
    )
    globs = ("--redact", "alice", "--redact", "pl?n.*")
    run("record", *globs, "-o", kept / "run.iotrace", "--", "sh", "-c", script)
    written = words_of(kept)
    assert b"alice" not in written
    assert b"plan.key" not in written
    ((path, size),) = (row.split(",") for row in rows(run, kept / "run.iotrace", read_from("'%redacted-%'")))
    assert int(size) == 4 * 1234
    assert re.fullmatch(r"redacted-\d+/redacted-\d+", path.removeprefix(f"{work}/"))
    known = f"select size_bytes from known_file where path = '{path}'"
    assert rows(run, kept / "run.iotrace", known) == ["1234"]


def test_a_glob_is_for_one_name(run: Run, tmp_path: Path) -> None:
    done = run("record", "--redact", "/home/alice", "-o", tmp_path / "x.iotrace", "--", "true")
    assert done.returncode == 2
    assert b"without /" in done.stderr


@pytest.mark.parametrize("form", ["csv", "parquet", "ultrix", "pattern"])
def test_redacted_names_are_in_no_export(run: Run, tmp_path: Path, form: str) -> None:
    log = tmp_path / "run.strace"
    log.write_text(
        '7 1700000000.0 execve("/bin/cat", ["cat", "alice/p\'.key"], 0x7 /* 2 vars */) = 0 <0.0>\n'
        "7 1700000000.1 openat(AT_FDCWD</home/alice>, \"p'.key\", O_RDONLY) = 3</home/alice/p'.key> <0.0>\n"
        '7 1700000000.2 read(3</home/alice/p\'.key>, ""..., 10) = 10 <0.0>\n'
        '7 1700000000.3 read(0</home/alice/in>, ""..., 10) = 10 <0.0>\n'
        "7 1700000000.4 +++ exited with 0 +++\n"
    )
    plain, redacted = tmp_path / "plain", tmp_path / "redacted"
    assert run("export", log, "--to", form, "-o", plain).returncode == 0
    done = run("export", log, "--to", form, "--redact", "alice", "--redact", "*.key", "-o", redacted)
    assert done.returncode == 0, done.stderr

    def written(place: Path) -> bytes:
        files = sorted(place.iterdir()) if place.is_dir() else [place]
        return b"".join(shown(file) if form == "parquet" else file.read_bytes() for file in files)

    def shown(file: Path) -> bytes:
        table = pq.read_table(file)
        return repr((table.to_pylist(), table.schema.metadata)).encode()

    assert b"alice" in written(plain)
    assert b"redacted-1" in written(redacted)
    for secret in (b"alice", b".key"):
        assert secret not in written(redacted)
