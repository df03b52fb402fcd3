"""An ingest that is stopped leaves nothing behind, or nothing that anyone takes for a store."""

import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from program import LOG, MOST_SECONDS, Run

import iotrace

LINE = b'1000  1700000001.000000 write(4, "a", 1) = 1\n'


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def started(run: Run, folder: Path) -> subprocess.Popen[bytes]:
    """Return an ingest that has begun to write its store, and waits for more of its trace."""
    process = run.start("ingest", "-", "-o", folder / "a.iotrace")
    assert process.stdin is not None
    process.stdin.write(LOG.read_bytes() + LINE * 100_000)
    process.stdin.flush()
    until = time.monotonic() + MOST_SECONDS
    while not any(folder.glob(".a.iotrace.partial-*/*.parquet")):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    return process


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_stopped_ingest_leaves_nothing_behind(
    run: Run, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = started(run, tmp_path)
    process.send_signal(number)
    result, complained = process.communicate(timeout=MOST_SECONDS)
    assert (process.returncode, result) == (code, b"")
    assert complained == b"iotrace: interrupted; partial output was removed\n"
    assert left(tmp_path) == []


def test_an_interrupt_before_the_first_byte(run: Run, tmp_path: Path) -> None:
    process = run.start("ingest", "-", "-o", tmp_path / "a.iotrace")
    until = time.monotonic() + MOST_SECONDS
    while not left(tmp_path):
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(MOST_SECONDS) == 130
    assert left(tmp_path) == []


def test_what_a_killed_ingest_left_is_no_store_and_goes_with_the_next(run: Run, tmp_path: Path) -> None:
    process = started(run, tmp_path)
    process.kill()
    process.communicate()
    (partial,) = left(tmp_path)
    assert partial.startswith(".a.iotrace.partial-")
    assert run("info", tmp_path / partial).returncode == 1
    done = run("ingest", LOG, "-o", tmp_path / "a.iotrace")
    assert done.returncode == 0 and left(tmp_path) == ["a.iotrace"]


def test_an_ingest_leaves_alone_what_another_is_writing(run: Run, tmp_path: Path) -> None:
    process = started(run, tmp_path)
    assert run("ingest", LOG, "-o", tmp_path / "a.iotrace").returncode == 0
    assert len(left(tmp_path)) == 2
    _, complained = process.communicate(LINE, timeout=MOST_SECONDS)
    assert process.returncode in (0, 2), complained
    assert left(tmp_path) == ["a.iotrace"]


def test_a_raw_trace_is_kept_as_a_store_only_when_it_is_whole(run: Run, log: Path) -> None:
    fifo = log.parent / "fifo"
    os.mkfifo(fifo)
    process = run.start("info", fifo)
    with fifo.open("wb") as pipe:
        pipe.write(LOG.read_bytes())
        pipe.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=MOST_SECONDS)
    assert process.returncode == 130
    assert left(log.parent) == ["copy.strace", "fifo"]


ENDLESS = "select count(*) from range(10000000) a, range(10000000) b where a.range < b.range"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_query_can_be_stopped(
    run: Run, shared_store: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = run.start("sql", shared_store, ENDLESS, "-o", tmp_path / "out.csv")
    time.sleep(2)
    assert process.poll() is None
    process.send_signal(number)
    result, complained = process.communicate(timeout=MOST_SECONDS)
    assert (process.returncode, result) == (code, b"")
    assert complained == b"iotrace: interrupted; partial output was removed\n"
    assert left(tmp_path) == []


INTERRUPTED_IMPORT = """
import os, signal, sys

module = sys.argv[1]
sys.argv[1:] = ["curve", "--help"]

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
from iotrace.__main__ import main
main()
"""


@pytest.mark.parametrize("module", ["iotrace.cli", "typer", "iotrace.cli.commands.curve"])
def test_an_interrupt_while_the_program_loads_gives_no_traceback(run: Run, module: str) -> None:
    words = [sys.executable, "-P", "-c", INTERRUPTED_IMPORT, module]
    done = subprocess.run(words, env=run.environment, capture_output=True, timeout=MOST_SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


LOADED_FIRST = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
import iotrace.__main__
print(sorted(set(sys.modules) - before - {"__future__"}))
"""


@pytest.fixture
def beginning(tmp_path: Path) -> Path:
    """A folder with the modules of the package with which a command begins."""
    package = tmp_path / "iotrace"
    (package / "engine").mkdir(parents=True)
    for name in ("__init__.py", "__main__.py"):
        shutil.copy(Path(iotrace.__file__).with_name(name), package)
    for name in ("schemas", "engine/native"):
        (package / f"{name}.py").touch()
    return package


def test_nothing_else_is_loaded_before_interrupts_are_handled(beginning: Path) -> None:
    words = [sys.executable, "-I", "-S", "-c", LOADED_FIRST, str(beginning.parent)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=MOST_SECONDS, check=True)
    assert done.stdout == "['iotrace', 'iotrace.__main__']\n"


@pytest.mark.parametrize("missing", ["schemas.py", "engine/native.py"])
def test_the_source_folder_is_no_installed_package(beginning: Path, missing: str) -> None:
    (beginning / missing).unlink()
    words = [sys.executable, "-I", "-S", "-c", LOADED_FIRST, str(beginning.parent)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
    assert done.returncode == 1 and "this is iotrace's source folder" in done.stderr


INTERRUPTED_START = """
import os, signal, sys

del sys.modules["signal"]
sys.argv[1:] = []

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "signal":
            os.kill(os.getpid(), 2)

sys.meta_path.insert(0, Interrupting())
from iotrace.__main__ import main
main()
"""


def test_an_interrupt_while_handlers_are_set_gives_no_traceback(run: Run) -> None:
    words = [sys.executable, "-P", "-c", INTERRUPTED_START]
    done = subprocess.run(words, env=run.environment, capture_output=True, timeout=MOST_SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


HEARD_ELSEWHERE = """
import os, signal, sys, threading, time
from iotrace.cli import interruption

def send():
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    time.sleep(60)

interruption.watch()
threading.Thread(target=send, daemon=True).start()
try:
    os.read(0, 1)
except KeyboardInterrupt:
    print("heard", flush=True)
    os._exit(0)
"""

SWALLOWED = """
import os, signal, sys, time
from iotrace.cli import interruption

class Interrupted:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        time.sleep(0.01)

signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
interruption.watch()
try:
    one = Interrupted()
    del one
    os.read(0, 1)
except (KeyboardInterrupt, SystemExit):
    print("heard", flush=True)
"""


@pytest.mark.parametrize(
    ("program", "number"),
    [(HEARD_ELSEWHERE, signal.SIGINT), (SWALLOWED, signal.SIGINT), (SWALLOWED, signal.SIGTERM)],
    ids=["heard by another thread", "swallowed by a destructor", "exit swallowed by a destructor"],
)
def test_an_interrupt_reaches_a_main_thread_that_waits(program: str, number: int) -> None:
    words = [sys.executable, "-P", "-c", program, str(number)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            process.wait(MOST_SECONDS)
        finally:
            process.kill()
        assert process.stdout is not None and process.stderr is not None
        assert (process.stdout.read(), process.stderr.read()) == (b"heard\n", b"")


LAST_TO_HOLD = """
import os, signal, sys, threading, time

import duckdb
from iotrace.cli import interruption
from iotrace.store.connections import CONNECTIONS

class Connection:
    def __init__(self):
        self.held = duckdb.connect()
        self.held.execute("create table t as select range a, random() b from range(3000000)")

    def interrupt(self):
        interrupted.set()
        let_go.wait()

interrupted, let_go = threading.Event(), threading.Event()
connection = Connection()
CONNECTIONS.add(connection)
interruption.watch()
try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)
except KeyboardInterrupt:
    interrupted.wait()
    del connection
    let_go.set()
    time.sleep(0.001)  # the other thread gives the connection back, which takes longer
    sys.exit(130)
"""


def test_a_connection_that_is_given_back_by_another_thread_is_no_crash() -> None:
    program = [sys.executable, "-P", "-c", LAST_TO_HOLD]
    done = subprocess.run(program, capture_output=True, timeout=MOST_SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


INTERRUPTED_INGEST = """
import os, signal, sys, time
from iotrace.ingest import record

number = int(sys.argv.pop(1))

def interrupted(*words):
    os.kill(os.getpid(), number)
    time.sleep(60)

record.ingested = interrupted
from iotrace.__main__ import main
main()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_ingest_of_a_recording_says_where_that_is(
    run: Run, tmp_path: Path, number: int, code: int
) -> None:
    program = [sys.executable, "-P", "-c", INTERRUPTED_INGEST, str(number)]
    words = ["record", "-o", str(tmp_path / "a.iotrace"), "--", "true"]
    done = subprocess.run(
        program + words,
        env=run.environment,
        capture_output=True,
        text=True,
        timeout=MOST_SECONDS,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert left(tmp_path) == ["a.partial"]
    assert (
        done.stderr.endswith(f" {tmp_path / 'a.partial'}\n")
        and "the log is kept: iotrace ingest" in done.stderr
    )


NOT_STARTED = """
import threading
from iotrace.cli import interruption

interruption.watch()
interruption._interrupting.append(threading.Thread(target=print))
"""


def test_a_thread_that_has_not_started_is_not_waited_for() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", NOT_STARTED], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_command_starts_where_interrupts_are_heard() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["scripts"]["iotrace"] == "iotrace.__main__:main"
