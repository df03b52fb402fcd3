"""Stacks of blocked threads, of a program whose functions are known."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from recorders import needs_bpf

from iotrace.analysis.characterize import characterize
from iotrace.analysis.grouping import Weight
from iotrace.errors import IotraceError
from iotrace.export import profiles
from iotrace.store.store import Store, read

HERE = Path(__file__).parent
PROGRAM = str(Path(sys.executable).with_name("iotrace"))

pytestmark = needs_bpf


@pytest.fixture
def program(tmp_path: Path) -> Path:
    if shutil.which("cc") is None or platform.machine() != "x86_64":
        pytest.skip("the program needs a C compiler and x86-64")
    path = tmp_path / "sleeps"
    subprocess.run(["cc", "-O1", "-fno-omit-frame-pointer", "-o", path, HERE / "stacks.c"], check=True)
    return path


MOST_TRIES = 5


def recorded(folder: Path, *words: str | Path) -> Store:
    """Return a recording without losses: on a busy machine the kernel's ring may refuse events, which is counted."""
    path = folder / "it.iotrace"
    for _ in range(MOST_TRIES):
        words_of_try = [PROGRAM, "record", "--force", "-o", path, *words]
        subprocess.run(words_of_try, check=True, capture_output=True)
        store = read(path)
        if not store.manifest["recording"]["lost_events"]:
            return store
    pytest.skip(f"the recorder lost events in each of {MOST_TRIES} recordings")


def blocked(store: Store, expected: dict[str, int]) -> dict[str, float]:
    """Seconds in nanosleep by the functions within main, whose waits are those expected.

    A thread that loses the processor while it begins to sleep waits for one, and may not sleep then.
    """
    with store.queried() as connection:
        rows = characterize(connection, ["waits_by_stack"])["waits_by_stack"].to_pylist()
        ((without_processor, without_stack),) = connection.execute(
            "select count(*) filter (state = 'runnable'), count(*) filter (state <> 'runnable' and stack is null)"
            " from off_cpu where call = 'nanosleep'"
        ).fetchall()
    waits: dict[str, int] = {}
    seconds: dict[str, float] = {}
    for row in rows:
        if row["call"] == "nanosleep":
            functions = row["functions"].split(";")
            within = ";".join(functions[functions.index("main") :])
            waits[within] = waits.get(within, 0) + row["waits"]
            seconds[within] = seconds.get(within, 0.0) + row["blocked_s"]
    assert waits.keys() == expected.keys()
    assert all(waits[functions] <= expected[functions] for functions in expected)
    assert sum(expected.values()) - sum(waits.values()) <= without_processor
    assert without_stack == 0
    return seconds


def test_functions_are_those_that_were_called(tmp_path: Path, program: Path) -> None:
    store = recorded(tmp_path, "--stacks", "--", program)
    found = blocked(store, {"main;outer;middle;inner": 5, "main;other;inner": 3})
    # one of its sleeps may be spent waiting for a processor
    assert found["main;outer;middle;inner"] >= 4 * 0.02
    assert found["main;other;inner"] >= 2 * 0.01
    with store.queried() as connection:
        modules = connection.execute(
            "select distinct module from stack_frame where function = 'inner'"
        ).fetchall()
    assert modules == [(str(program),)]


def test_stacks_of_waits_are_exported(tmp_path: Path, program: Path) -> None:
    store = recorded(tmp_path, "--stacks", "--", program)
    with store.queried() as connection:
        rows = characterize(connection, ["waits_by_stack"])["waits_by_stack"].to_pylist()
    profiles.write(store, tmp_path / "folded", "folded", stacks=True)
    lines = [line.rpartition(" ") for line in (tmp_path / "folded").read_text().splitlines()]
    exported: dict[str, int] = {}
    for frames, _, weight in lines:
        within = frames.partition(";")[2]  # without the program
        exported[within] = exported.get(within, 0) + int(weight)
    expected: dict[str, int] = {}
    for row in rows:
        within = ";".join(filter(None, (row["functions"], row["call"])))
        expected[within] = expected.get(within, 0) + round(1e9 * row["blocked_s"])
    assert exported == {within: blocked_ns for within, blocked_ns in expected.items() if blocked_ns}
    with pytest.raises(IotraceError, match="waits move no bytes"):
        profiles.write(store, tmp_path / "bytes", "folded", Weight.BYTES, stacks=True)


def test_equal_stacks_of_several_processes_are_one(tmp_path: Path, program: Path) -> None:
    store = recorded(tmp_path, "--stacks", "--kernel", "--", "sh", "-c", f"{program}; {program}; true")
    blocked(store, {"main;outer;middle;inner": 10, "main;other;inner": 6})
    with store.queried() as connection:
        processes = connection.execute(
            "select count(distinct process) from off_cpu where call = 'nanosleep' and stack is not null group by stack"
        ).fetchall()
    assert (2,) in processes


def test_a_program_without_symbols_has_the_name_of_its_file(tmp_path: Path, program: Path) -> None:
    subprocess.run(["strip", program], check=True)
    store = recorded(tmp_path, "--stacks", "--", program)
    with store.queried() as connection:
        rows = connection.execute(
            "select function, module from off_cpu join stack_frame using (stack) where call = 'nanosleep' and depth < 3"
        ).fetchall()
    assert set(rows) == {(None, str(program))}


def test_without_the_option_there_are_no_stacks(tmp_path: Path, program: Path) -> None:
    with recorded(tmp_path, "--off-cpu", "--", program).queried() as connection:
        assert connection.execute("select count(stack) from off_cpu").fetchall() == [(0,)]
        assert connection.execute("select count(*) from stack_frame").fetchall() == [(0,)]
