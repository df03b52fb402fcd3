"""One thread waits alone for storage where each read comes from a slow device, and not where memory serves it.

The device takes 1 ms for a read and a sync (slow_device.py), by construction. Each program runs under strace, on a
machine as it is and, with ``--full``, beside ten busy loops. Recordings of four of them, made beside ten busy loops,
hold the rule where nothing may be mounted.
"""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import lone_reads
import pytest
from program import Run
from property_tests import sampled
from recorders import needs_strace

sys.path.insert(0, str(Path(__file__).parents[1] / "queries"))
from advised_logs import Log

HERE = Path(__file__).parent
RULE = "one_at_a_time"
SYNC_RULES = {"fsync": "sync_storm", "fdatasync": "sync_storm", "synchronous": "synchronous_writes"}
RECORDED = {"cold": True, "direct": True, "random": False, "fsync": False}
LOADS = (0, 10)
TRACED = "trace=%file,%desc,%process,futex"


def cards(run: Run, trace: Path) -> list[str]:
    """Return the names of the rules that advice gives for a trace, most at stake first."""
    done = run("advice", trace, "--format", "json")
    assert done.returncode == 0, done.stderr.decode()
    return [card["rule"] for card in json.loads(done.stdout)]


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep the processors busy with `loops` endless loops."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for loop in started:
            loop.kill()
            loop.wait()


@contextmanager
def slow_device(folder: Path) -> Iterator[None]:
    """Mount the slow device with an empty page cache; skip the test where that is not allowed."""
    if os.geteuid() != 0 or not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("to mount a FUSE file system takes root and /dev/fuse")
    words = [sys.executable, str(HERE / "slow_device.py"), str(folder)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None and server.stderr is not None
    try:
        if server.stdout.readline() != "mounted\n":
            pytest.skip(f"cannot mount a FUSE file system: {server.stderr.read().splitlines()[-1]}")
        yield
        subprocess.run(["umount", folder], check=True)
    finally:
        server.kill()
        server.communicate()


def recorded(name: str, folder: Path) -> Path:
    """Run a program under strace, and return the log."""
    log = folder.parent / f"{name}.strace"
    program = [sys.executable, "-S", "-E", str(HERE / "lone_reads.py"), name, str(folder)]
    words = ["strace", "-f", "-ttt", "-T", "-e", TRACED, "-o", str(log), *program]
    subprocess.run(words, check=True, timeout=100)
    return log


def cases(programs: Sequence[str], quick: int) -> Sequence[tuple[str, int]]:
    """Return programs and loads: with ``--full`` all, else some programs on the machine as it is."""
    every = [(name, load) for load in LOADS for name in programs]
    return every if sampled(every, 1) == every else [(name, 0) for name in sampled(programs, quick)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    return tmp_path / "files"


@needs_strace
@pytest.mark.parametrize(("name", "load"), cases([*lone_reads.DEVICE], 3))
def test_reads_from_a_slow_device_wait(run: Run, folder: Path, name: str, load: int) -> None:
    with slow_device(folder), busy(load):
        log = recorded(name, folder)
    assert RULE in cards(run, log)


@needs_strace
@pytest.mark.parametrize(("name", "load"), cases([*lone_reads.SYNC], 2))
def test_syncs_of_a_slow_device_have_their_own_advice(run: Run, folder: Path, name: str, load: int) -> None:
    with slow_device(folder), busy(load):
        log = recorded(name, folder)
    found = cards(run, log)
    assert found[0] == SYNC_RULES[name] and RULE not in found, found


@needs_strace
@pytest.mark.parametrize(("name", "load"), cases([*lone_reads.MEMORY], 3))
def test_what_memory_serves_does_not_wait(run: Run, folder: Path, name: str, load: int) -> None:
    lone_reads.prepare(name, str(folder))
    with busy(load):
        log = recorded(name, folder)
    assert RULE not in cards(run, log)


@pytest.mark.parametrize("name", RECORDED)
def test_recordings_are_judged_alike_everywhere(run: Run, tmp_path: Path, name: str) -> None:
    log = tmp_path / f"{name}.strace"
    log.write_bytes(gzip.decompress((HERE / f"alone_{name}.strace.gz").read_bytes()))
    assert (RULE in cards(run, log)) == RECORDED[name]


def _log(
    read_us: int = 900, seeks: int = 20, seek_us: int = 30, path: str = "/data/file", stride: int = 8192
) -> str:
    log = Log()
    log.open(path, "O_RDONLY")
    for _ in range(seeks):
        log.call("lseek", "3, 0, SEEK_SET", 0, us=seek_us)
    for place in range(200):
        log.call("pread64", f'3, "..."..., 4096, {place * stride}', 4096, us=read_us)
    return log.text()


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        pytest.param(_log(), True, id="slow"),
        pytest.param(_log(seek_us=800), False, id="no slower than what needs no device"),
        pytest.param(_log(seeks=19), False, id="nothing to compare with"),
        pytest.param(_log(stride=0), False, id="read before"),
        pytest.param(_log(path="/proc/1/maps"), False, id="made by the kernel"),
    ],
)
def test_times_are_judged_against_calls_that_need_no_device(
    run: Run, tmp_path: Path, text: str, waits: bool
) -> None:
    (tmp_path / "t.strace").write_text(text)
    assert (RULE in cards(run, tmp_path / "t.strace")) == waits
