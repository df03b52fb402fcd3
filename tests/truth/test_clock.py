"""Programs whose time is known by construction, recorded in four ways: time is named rightly, or not at all."""

import csv
import io
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from program import Run

from iotrace.ingest import capture

ROOT = Path(__file__).parents[2]
SECONDS = 0.8
RIGHT = {
    "sleep": {"waiting"},
    "pause": {"waiting"},
    "polling": {"waiting"},
    "locks": {"waiting"},
    "spinning": {"computing"},
    "recv": {"waiting"},
    "accept": {"waiting"},
    "pipeline": {"waiting"},
    "zero": {"other", "computing"},
    "file": {"storage", "computing"},
}
"""What the programs of waits.c do nearly all of their time, as states of the wall clock."""
NOT_NAMED = {"not_recorded", "tracer", "unknown"}
LEAST_SHARE = 0.9
RECORDERS = ("record bpf", "record strace", "attached bpf", "attached strace", "strace", "perf")

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs, with a file that is not in memory."""
    folder = tmp_path_factory.mktemp("waits")
    source = Path(__file__).with_name("waits.c")
    subprocess.run(["cc", "-O1", "-pthread", "-o", folder / "waits", source], check=True)
    with (folder / "cold").open("wb") as cold:
        cold.write(os.urandom(1 << 20) * 32)
        cold.flush()
        os.fsync(cold.fileno())
    return folder / "waits"


def command(program: Path, kind: str, seconds: float = SECONDS) -> list[str]:
    if kind == "pipeline":
        return ["sh", "-c", f"sleep {seconds} | cat"]
    return [str(program), kind, str(seconds), str(program.with_name("cold"))]


def documented_flags() -> list[str]:
    """The flags of the strace command in docs/traces.md."""
    text = (ROOT / "docs/traces.md").read_text("utf-8")
    found = re.search(r"^strace (.*) -o ls\.strace ls$", text, re.MULTILINE)
    assert found
    return found[1].split()


def recorded(run: Run, recorder: str, program: Path, kind: str, folder: Path) -> Path:
    """Record a program; return the store or log."""
    words = command(program, kind)
    how, _, backend = recorder.partition(" ")
    if how == "record":
        done = run("record", "--backend", backend, "-o", folder / "it.iotrace", "--", *words)
        assert done.returncode == 0, done.stderr
        return folder / "it.iotrace"
    if how == "attached":
        with subprocess.Popen(command(program, kind, 5 * SECONDS)) as process:
            time.sleep(SECONDS / 4)
            done = run("record", "--backend", backend, "-p", process.pid, "-o", folder / "it.iotrace")
        if b"made no traced call" in done.stderr:
            pytest.skip("the process makes no call that is recorded, and iotrace says so")
        assert done.returncode == 0, done.stderr
        return folder / "it.iotrace"
    log = folder / f"it.{recorder}"
    tracer = ["strace", *documented_flags()] if recorder == "strace" else ["perf", "trace"]
    traced = subprocess.run([*tracer, "-o", log, *words], capture_output=True, check=False)
    if traced.returncode and recorder == "perf":
        pytest.skip(f"perf cannot trace here: {traced.stderr.decode()[:100]}")
    return log


def split(run: Run, trace: Path) -> dict[str, int]:
    """The clock's time in each state, in ns."""
    done = run("characterize", trace, "wall_time_by_state", "-f", "csv")
    assert done.returncode == 0, done.stderr
    rows = csv.DictReader(io.StringIO(done.stdout.decode()))
    return {row["state"]: int(row["wall_ns"]) for row in rows if row["scope"] == "clock"}


def check(run: Run, trace: Path, right: set[str]) -> None:
    """The split, and the first screens, name no other state as what the time goes to."""
    found = split(run, trace)
    if sum(found.values()) < 1e9 * SECONDS / 4:
        return  # an attached process that makes a few calls as it ends: nothing is known of these
    wrong = sum(wall_ns for state, wall_ns in found.items() if state not in right | NOT_NAMED)
    assert wrong <= (1 - LEAST_SHARE) * sum(found.values()), found
    first = run("time", trace).stdout.decode().splitlines()[0]
    advised = run("advice", trace).stdout.decode()
    for state in {"computing", "waiting", "storage", "other"} - right:
        assert f"are {state}:" not in first, first
        assert f"Mostly {state}" not in advised, advised


@pytest.mark.parametrize("recorder", RECORDERS)
@pytest.mark.parametrize("kind", RIGHT)
def test_time_is_named_rightly_or_not_at_all(
    run: Run, program: Path, tmp_path: Path, kind: str, recorder: str
) -> None:
    if recorder == "perf" and shutil.which("perf") is None:
        pytest.skip("perf is not installed")
    if recorder.endswith("bpf") and (reason := capture.refusal()):
        pytest.skip(f"BPF programs cannot record here: {reason}")
    if recorder.startswith("attached") and kind == "pipeline":
        pytest.skip("one process is attached to")
    check(run, recorded(run, recorder, program, kind, tmp_path), RIGHT[kind])


@pytest.fixture
def postgres(tmp_path: Path) -> Path:
    """An empty database's folder, of a user that Postgres accepts."""
    postgres = shutil.which("postgres")
    if postgres is None or os.geteuid() != 0:
        pytest.skip("Postgres is not installed, or the user is not root")
    initdb = Path(postgres).resolve().with_name("initdb")
    data = Path(subprocess.check_output(["mktemp", "-d", "/tmp/postgres.XXXXXX"], text=True).strip())
    shutil.chown(data, "nobody")
    subprocess.run(
        ["setpriv", "--reuid=nobody", "--clear-groups", initdb, "-D", data, "--no-sync"],
        check=True,
        capture_output=True,
    )
    return data


def test_an_idle_database_is_not_computing(run: Run, tmp_path: Path, postgres: Path) -> None:
    words = [
        "setpriv",
        "--reuid=nobody",
        "--clear-groups",
        shutil.which("postgres") or "",
        "-D",
        str(postgres),
    ]
    server = subprocess.Popen([*words, "-h", "", "-k", str(postgres)], stderr=subprocess.PIPE)
    try:
        until(
            lambda: (
                (postgres / "postmaster.pid").exists()
                and b"ready" in (postgres / "postmaster.pid").read_bytes()
            )
        )
        time.sleep(1)
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        pids = [word for pid in (server.pid, *children) for word in ("-p", pid)]
        done = run("record", *pids, "--seconds", "3", "-o", tmp_path / "it.iotrace")
        assert done.returncode == 0, done.stderr
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(postgres)
    check(run, tmp_path / "it.iotrace", {"waiting"})


def until(holds: Callable[[], bool]) -> None:
    """Wait at most 20 seconds."""
    for _ in range(200):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("waited for too long")


LOG = """\
7 100.000000 execve("/bin/p", ["p"], 0x7ffc /* 1 var */) = 0 <0.000100>
7 100.000200 openat(AT_FDCWD, "/d/a", O_RDONLY) = 3 <0.000020>
7 109.000000 read(3, "x", 1) = 1 <0.000010>
7 109.900000 +++ exited with 0 +++
"""


def test_time_between_calls_of_a_log_of_others_is_not_called_computing(run: Run, tmp_path: Path) -> None:
    log, page = tmp_path / "it.strace", tmp_path / "it.html"
    log.write_text(LOG, "ascii")
    sentence = "are not in a recorded call (computing, sleeping or waiting"
    assert sentence in run("time", log).stdout.decode().splitlines()[0]
    assert sentence in run("advice", log).stdout.decode()
    assert run("report", log, "-o", page).returncode == 0
    assert sentence in page.read_text("utf-8")
    for command in (["time"], ["advice"], ["info"], ["characterize"]):
        shown = run(*command, log).stdout.decode()
        assert "Mostly computing" not in shown and "are computing" not in shown
    assert "Mostly computing" not in page.read_text("utf-8")


def test_an_open_of_a_named_pipe_waits_for_its_other_end(run: Run, tmp_path: Path) -> None:
    lines = [
        '7 1699999999.999900 mknodat(AT_FDCWD, "/run/ff", S_IFIFO|0666) = 0 <0.000050>',
        '7 1700000000.000000 openat(AT_FDCWD, "/run/ff", O_RDONLY) = 3</run/ff> <1.990000>',
        "7 1700000001.991000 fstat(3</run/ff>, {st_mode=S_IFIFO|0644, st_size=0, ...}) = 0 <0.000005>",
        '7 1700000001.992000 read(3</run/ff>, "x\\n", 4096) = 2 <0.000010>',
        "7 1700000002.000000 +++ exited with 0 +++",
    ]
    (tmp_path / "fifo.strace").write_text("\n".join(lines) + "\n")
    first = run("time", tmp_path / "fifo.strace").stdout.decode().splitlines()[0]
    assert first.startswith("1.99 s of 2 s (99.5 %) are waiting")


def test_a_recording_of_one_call_that_did_not_return_says_so(run: Run, tmp_path: Path) -> None:
    (tmp_path / "idle.strace").write_text("7 1700000000.000000 accept4(3, <unfinished ...>\n")
    said = run("time", tmp_path / "idle.strace").stderr.decode().splitlines()[-1]
    assert said.endswith(
        "has no call that returned while it was recorded: whether its threads compute or wait is unknown"
    )


def test_a_path_that_perf_looked_up_too_late_is_not_what_a_copy_of_a_pipe_reads(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "it.perf").write_text(
        "     1.000 ( 0.024 ms): sh/10 pipe2(fildes: 0x7ffcf8a24ae0)    = 0\n"
        "     2.000 ( 0.017 ms): sh/10 dup2(oldfd: 4</usr/lib/locale/LC_MONETARY>)    = 0\n"
        "     3.000 (200.000 ms): sh/10 read(buf: 0x7f6488b2ca20, count: 4096)    = 0\n"
        "   203.100 ( 0.017 ms): sh/10 close(fd: 4)    = 0\n"
    )
    assert split(run, tmp_path / "it.perf").get("storage", 0) == 0


STOPPED = """
import os, signal, time
child = os.fork()
if child == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
os.waitpid(child, os.WUNTRACED)
time.sleep(0.8)
os.kill(child, signal.SIGCONT)
os.waitpid(child, 0)
"""


@pytest.mark.parametrize("words", [["--backend", "strace"], ["--backend", "strace", "--all-waits"]])
def test_a_process_that_a_signal_stopped_is_not_called_computing(
    run: Run, tmp_path: Path, words: list[str]
) -> None:
    store = tmp_path / "it.iotrace"
    done = run("record", *words, "-o", store, "--", sys.executable, "-I", "-S", "-c", STOPPED)
    assert done.returncode == 0, done.stderr
    assert split(run, store)["not_recorded"] > 700_000_000
    for verb in ("time", "advice"):
        said = run(verb, store).stdout.decode()
        assert "computing, stopped by a signal" in said, said
        assert "are computing" not in said and "Mostly computing," not in said
