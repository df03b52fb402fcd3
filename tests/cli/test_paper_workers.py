"""``iotrace paper richardson`` of several traces at the same time: as one after the other, and when it is stopped."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from program import LOG, MOST_SECONDS, Run
from small_store import Row, small_store

from iotrace.papers.richardson.chapters import ModelPair
from iotrace.papers.richardson.page import write
from iotrace.papers.richardson.reproduction import all_tables
from iotrace.store import store as stores

WRITES = b'1000  1700000001.000000 write(4, "a", 1) = 1\n' * 3000


@pytest.fixture(scope="module")
def traces(run: Run, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Stores of three traces of different sizes, the largest in the middle."""
    folder = tmp_path_factory.mktemp("traces")
    for name, more in (("one", b""), ("two", WRITES), ("three", WRITES[: len(WRITES) // 3])):
        (folder / f"{name}.strace").write_bytes(LOG.read_bytes() + more)
        made = run("ingest", folder / f"{name}.strace", "--model", "1994", "-o", folder / f"{name}.iotrace")
        assert made.returncode == 0, made.stderr
    return [folder / f"{name}.iotrace" for name in ("one", "two", "three")]


@pytest.mark.parametrize("workers", [2, 3])
def test_tables_and_page_are_as_one_after_the_other(traces: list[Path], workers: int) -> None:
    one, two, three = map(stores.read, traces)
    pairs = {
        "one": ModelPair(one, two),
        "two": ModelPair(two, two, "kernel-build"),
        "three": ModelPair(three),
    }
    alone, together = (all_tables(pairs, workers=number) for number in (1, workers))
    assert list(together) == list(alone) and list(alone)[-1] == "findings"
    for name, table in alone.items():
        assert together[name].equals(table, check_metadata=True), name
    assert write(together, list(pairs)) == write(alone, list(pairs))


def test_figures_alone_are_as_one_after_the_other(tmp_path: Path) -> None:
    def rounds(inodes: int) -> list[Row]:
        return [("inode", "read", number, 0, 128, 128) for _ in range(9) for number in range(inodes)]

    sizes = (300, 7, 40)
    pairs = {str(size): ModelPair(small_store(tmp_path / str(size), rounds(size))) for size in sizes}
    alone, together = (
        all_tables(pairs, chapters=("4", "5"), figures=["4.2", "4.9", "5.4"], workers=number)
        for number in (1, 3)
    )
    assert together == alone and alone["chapter_5_figures"].num_rows
    assert alone["chapter_4_figures"]["trace"].unique().to_pylist() == list(pairs)


ON_TWO_CORES = """
import os, sys, threading
from iotrace.papers import by_trace
from iotrace.papers.richardson.steps import Steps

by_trace.available_cores = lambda: 2
number = int(sys.argv.pop())
read, both = Steps.read, threading.Barrier(2, timeout=60)

def interrupting(steps, references):
    if number and references and threading.current_thread() is not threading.main_thread():
        if both.wait() == 0:  # two traces are being read
            os.kill(os.getpid(), number)
    read(steps, references)

Steps.read = interrupting
from iotrace.__main__ import main
main()
"""


def on_two_cores(
    run: Run, *words: object, temporary: Path, number: int = 0
) -> "subprocess.CompletedProcess[bytes]":
    """Run the program with two workers; with a `number`, that signal comes while both read."""
    program = [sys.executable, "-P", "-c", ON_TWO_CORES, *map(str, words), str(number)]
    environment = {**run.environment, "TMPDIR": str(temporary)}
    return subprocess.run(program, env=environment, capture_output=True, timeout=MOST_SECONDS, check=False)


def complaint(done: "subprocess.CompletedProcess[bytes]") -> str:
    """Return the last line of what was said; those before it are of stores as they were opened."""
    *before, last = done.stderr.decode().splitlines()
    assert all(line.startswith("iotrace: warning: ") for line in before), before
    return last


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """A folder for temporary files, in which nothing may stay."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_ends_all_in_one_sentence(
    run: Run, traces: list[Path], tmp_path: Path, temporary: Path, number: signal.Signals, code: int
) -> None:
    words = ("paper", "richardson", *traces, "--model", "1994", "-o", tmp_path / "page")
    done = on_two_cores(run, *words, temporary=temporary, number=number)
    assert (done.returncode, done.stdout) == (code, b""), done.stderr
    assert complaint(done) == "iotrace: interrupted; partial output was removed"
    assert not (tmp_path / "page").exists() and not list(temporary.iterdir())


def test_an_error_in_one_trace_ends_all_in_one_sentence(
    run: Run, traces: list[Path], tmp_path: Path, temporary: Path
) -> None:
    damaged = Path(shutil.copytree(traces[0], tmp_path / "damaged.iotrace"))
    table = damaged / "reference.parquet"
    table.write_bytes(table.read_bytes()[:-9])
    words = ("paper", "richardson", traces[1], damaged, traces[2], "--model", "1994", "-o", tmp_path / "page")
    done = on_two_cores(run, *words, temporary=temporary)
    assert (done.returncode, done.stdout) == (1, b""), done.stderr
    assert complaint(done).startswith(f"iotrace: {damaged}") and "internal error" not in done.stderr.decode()
    assert not (tmp_path / "page").exists() and not list(temporary.iterdir())


def test_the_page_of_two_cores_is_that_of_one(
    run: Run, traces: list[Path], tmp_path: Path, temporary: Path
) -> None:
    words = ("paper", "richardson", *traces, "-o")
    assert run(*words, tmp_path / "one").returncode == 0
    done = on_two_cores(run, *words, tmp_path / "two", temporary=temporary)
    assert done.returncode == 0, done.stderr
    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two")
    )
    assert one == two and "index.html" in one
