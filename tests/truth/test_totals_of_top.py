"""What `iotrace top` shows is what SQL over the recording of the same time says, and the kernel."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recorders import needs_bpf

from iotrace.analysis.characterize import prepared
from iotrace.store.store import Store, read

HERE = Path(__file__).parent
PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 120
SECONDS = 4
PAGE_BYTES = 4096

pytestmark = needs_bpf


class Watched:
    """A program with its totals, and the store of the same time."""

    def __init__(self, folder: Path) -> None:
        work, place = folder / "work", folder / "it.iotrace"
        work.mkdir()
        words = [sys.executable, str(HERE / "top_program.py"), str(work)]
        program = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert program.stdin is not None and program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        self.pid, self.folder = program.pid, work
        options = ["--once", "--seconds", str(SECONDS), "--format", "json", "--record", "-o", place]
        top = subprocess.Popen([PROGRAM, "top", "-p", str(program.pid), *options], stdout=subprocess.PIPE)
        until, log = time.monotonic() + MOST_SECONDS, folder / "it.partial"
        while not (log.exists() and log.stat().st_size) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.5)  # what it wrote last is the processes
        program.stdin.write("go\n")
        program.stdin.flush()
        assert program.stdout.readline() == "done\n"
        shown = top.communicate(timeout=MOST_SECONDS)[0]
        program.communicate("end\n", timeout=MOST_SECONDS)
        assert top.returncode == 0
        self.shown: dict[str, Any] = json.loads(shown)
        self.store: Store = read(place)

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        with self.store.queried() as connection, prepared(connection, ["timed_call"], {}):
            return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    yield Watched(tmp_path_factory.mktemp("watched"))


def totals(rows: list[dict[str, Any]], *names: str) -> dict[tuple[Any, ...], tuple[int, int]]:
    """The calls and the nanoseconds of rows."""
    return {tuple(row[name] for name in names): (row["calls"], round(1e9 * row["time_s"])) for row in rows}


def test_calls_have_the_totals_of_the_recording(watched: Watched) -> None:
    found = watched.sql(
        "select call, class, count(*), coalesce(sum(duration_ns) filter (returned), 0)::bigint from timed_call"
        " where returned or call in ('exit', 'exit_group') group by all"
    )
    assert totals(watched.shown["by_call"], "call", "class") == {
        (call, kind): (calls, total_ns) for call, kind, calls, total_ns in found
    }
    assert watched.shown["calls"] == sum(calls for _, _, calls, _ in found)
    assert watched.shown["lost_calls"] == 0


def test_files_have_the_totals_of_the_recording(watched: Watched) -> None:
    found = watched.sql(
        "select file, count(*), sum(duration_ns) from timed_call where returned and class = 'storage' group by file"
    )
    expected = {(file,): (calls, total_ns) for file, calls, total_ns in found if _is_of(watched, file)}
    shown = totals([row for row in watched.shown["files"] if _is_of(watched, row["file"])], "file")
    assert shown == expected
    assert len(expected) > 300
    # the others are files of the system, whose paths have symbolic links
    assert sum(row["calls"] for row in watched.shown["files"]) == watched.shown["storage_calls"]
    assert watched.shown["storage_calls"] == sum(calls for _, calls, _ in found)


def _is_of(watched: Watched, file: str) -> bool:
    return file.startswith(f"{watched.folder}/") or file == "(not found)"


def test_processes_have_the_totals_of_the_recording(watched: Watched) -> None:
    found = watched.sql(
        "select pid, count(*) filter (class = 'storage'),"
        " coalesce(sum(duration_ns) filter (class = 'storage'), 0)::bigint"
        " from timed_call join process using (process) where returned group by pid"
    )
    shown = totals(watched.shown["processes"], "process")
    assert shown == {(pid,): (calls, total_ns) for pid, calls, total_ns in found}
    assert len(shown) == 5
    assert (watched.pid,) in shown


def test_bytes_are_those_of_the_reference_stream(watched: Watched) -> None:
    moved = (
        "from reference join file using (file) join timed_call on timed_call.seq = call_seq"
        " where operation in ('read', 'write') and kind = 'regular' and call not in ('mmap', 'execve')"
    )
    for operation, column in (("read", "read_bytes"), ("write", "written_bytes")):
        found = watched.sql(f"select path, sum(length) {moved} and operation = '{operation}' group by path")
        expected = {path: int(length) for path, length in found if _is_of(watched, path)}
        shown = {row["file"]: row[column] for row in watched.shown["files"]}
        assert {path: shown[path] for path in expected} == expected
        assert len(expected) >= 3
        whole = sum(int(length) for _, length in found)
        assert watched.shown[column] == whole
        assert sum(row[column] for row in watched.shown["files"]) == whole
        assert sum(row[column] for row in watched.shown["processes"]) == whole
    by_call = watched.sql(f"select call, sum(length) {moved} group by call")
    assert {
        row["call"]: row["read_bytes"] + row["written_bytes"]
        for row in watched.shown["by_call"]
        if row["class"] == "storage" and row["read_bytes"] + row["written_bytes"]
    } == {call: int(length) for call, length in by_call}


def test_latencies_are_those_of_the_recording(watched: Watched) -> None:
    found = watched.sql(
        "select call, avg(duration_ns), list(duration_ns order by duration_ns) from timed_call"
        " where returned and class = 'storage' group by call"
    )
    shown = {row["call"]: row for row in watched.shown["by_call"] if row["class"] == "storage"}
    for call, mean_ns, all_ns in found:
        assert 1e9 * shown[call]["mean_latency_s"] == pytest.approx(mean_ns)
        exact_ns = all_ns[len(all_ns) - 1 - len(all_ns) // 100]
        assert exact_ns <= round(1e9 * shown[call]["p99_latency_s"]) < 1.25 * exact_ns + 64


def watch_once(pid: int, *options: str) -> dict[str, Any]:
    words = [PROGRAM, "top", "-p", str(pid), "--once", "--format", "json", *options]
    done = subprocess.run(words, capture_output=True, check=True, timeout=MOST_SECONDS)
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


READS = """
import os, sys, time
file = os.open(sys.argv[1], os.O_RDONLY)
print("ready", flush=True)
while True:
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
    for page in range(10):
        os.pread(file, 4096, 8 * 4096 * page)
    time.sleep(0.05)
"""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """A program that reads pages that are not in the page cache, of a file that it opened before."""
    place = tmp_path / "file"
    with place.open("wb") as file:
        file.write(os.urandom(100 * PAGE_BYTES))
        file.flush()
        os.fsync(file.fileno())
    words = [sys.executable, "-c", READS, str(place)]
    program = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert program.stdout is not None
    program.stdout.readline()
    yield program.pid, place
    program.kill()
    program.communicate()


def test_misses_are_pages_that_the_cache_did_not_have(reader: tuple[int, Path]) -> None:
    pid, place = reader
    shown = watch_once(pid)
    (row,) = [row for row in shown["files"] if row["file"] == str(place)]
    reads = next(row["calls"] for row in shown["by_call"] if row["call"] == "pread64")
    if row["missed_pages"] == 0:
        pytest.skip("the files of this file system do not leave the cache")
    # each read is of a page that is not there; the ends of the interval may divide a call
    assert abs(row["missed_pages"] - reads) <= 1
    assert shown["processes"][0]["missed_pages"] == row["missed_pages"]


def test_a_process_that_ends_ends_the_interval() -> None:
    program = subprocess.Popen(["sleep", "1.5"])
    began = time.monotonic()
    watch_once(program.pid, "--seconds", "60")
    program.wait()
    assert time.monotonic() - began < 30


def test_a_process_that_is_not_there_is_refused() -> None:
    words = [PROGRAM, "top", "-p", "4194000", "--once"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "iotrace: there is no process 4194000\n")
