"""``iotrace curve --state`` and ``iotrace merge-curves`` as a user runs them, on the disk traces of two days."""

import csv
import io
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iotrace.cli import application
from iotrace.errors import IotraceError, UsageError

MONDAY, TUESDAY = 128166372003061629, 128167236003061629
"""Ticks of 100 ns since 1601, as in traces of MSR Cambridge."""


def trace(seed: int, start: int, disks: tuple[str, ...]) -> str:
    """Return 300 requests to few blocks of these disks."""
    draw = random.Random(seed)
    lines = (
        f"{start + 10_000 * place},host,{draw.choice(disks)},{draw.choice(('Read', 'Write'))},"
        f"{draw.randrange(60) * 4096},{draw.randrange(1, 5) * 4096},1000\n"
        for place in range(300)
    )
    return "".join(lines)


@pytest.fixture
def days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the traces of two days, whose disks come in another order, and one of both."""
    monkeypatch.chdir(tmp_path)
    monday, tuesday = trace(1, MONDAY, ("0", "1")), trace(2, TUESDAY, ("2", "1", "0"))
    Path("monday.csv").write_text(monday)
    Path("tuesday.csv").write_text(tuesday)
    Path("both.csv").write_text(monday + tuesday)
    return tmp_path


def run(*words: str) -> str:
    result = CliRunner().invoke(application(), list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def whole(*options: str) -> str:
    return run("curve", "both.csv", "--format", "csv", *options)


def without_times(text: str) -> list[list[str]]:
    """Return the cells of a table except for disk times, which a state does not tell where neighbours are dirty."""
    rows = list(csv.reader(io.StringIO(text)))
    return [
        [cell for name, cell in zip(rows[0], row, strict=True) if "service_time" not in name] for row in rows
    ]


@pytest.mark.usefixtures("days")
def test_the_states_of_two_traces_merge_into_the_curve_of_both() -> None:
    """Disks are matched by name."""
    for day in ("monday", "tuesday"):
        run("curve", f"{day}.csv", "--state", "-o", f"{day}.state")
    assert run("merge-curves", "monday.state", "tuesday.state", "--format", "csv") == whole()
    run("merge-curves", "monday.state", "tuesday.state", "--state", "-o", "both.state")
    sizes = ("--sizes", "64K,1M", "--device", "hdd")
    found = without_times(run("merge-curves", "both.state", "--format", "csv", *sizes))
    assert found == without_times(whole(*sizes))


@pytest.mark.usefixtures("days")
@pytest.mark.parametrize("where", [(), ("--where", "type = 'disk' and file = 0")])
def test_slices_of_a_trace_merge_and_resume(where: tuple[str, ...]) -> None:
    """Any records make a slice, and a state continues with those that the trace has after it."""
    places = ("0:1", "1:250", "250:")
    states = [f"{place}.state" for place in range(3)]
    for records, state in zip(places, states, strict=True):
        run("curve", "both.csv", "--state", "--records", records, "-o", state, *where)
    assert run("merge-curves", *states, "--format", "csv") == whole(*where)
    assert run("curve", "both.csv", "--resume", states[0], "--format", "csv", *where) == whole(*where)


@pytest.mark.usefixtures("days")
def test_a_growing_trace_is_continued() -> None:
    """The second run reads only the records that the trace did not have before."""
    both = Path("both.csv").read_text()
    grows = Path("grows.csv")
    grows.write_text("".join(both.splitlines(keepends=True)[:200]))
    run("curve", "grows.csv", "--state", "-o", "grows.state")
    with pytest.raises(IotraceError, match=r"grows\.csv has no records after those of the state"):
        run("curve", "grows.csv", "--resume", "grows.state")
    grows.write_text(both)
    run("curve", "grows.csv", "--resume", "grows.state", "--state", "-o", "grown.state")
    Path("grown.state").replace("grows.state")
    assert run("merge-curves", "grows.state", "--format", "csv") == whole()
    changed = both.splitlines(keepends=True)
    changed[599] = changed[598]
    grows.write_text("".join([*changed, changed[0]]))
    with pytest.raises(IotraceError, match=r"grows\.csv has changed: record 599 is not the one"):
        run("curve", "grows.csv", "--resume", "grows.state")


@pytest.mark.usefixtures("days")
def test_a_largest_size_bounds_the_state() -> None:
    for records in ("0:250", "250:"):
        run(
            "curve",
            "both.csv",
            "--state",
            "--records",
            records,
            "--largest",
            "128K",
            "-o",
            f"{records}.state",
        )
    sizes = ("--sizes", "4K,64K,128K")
    names, *found = without_times(run("merge-curves", "0:250.state", "250:.state", "--format", "csv", *sizes))
    exact = without_times(whole(*sizes))
    places = [exact[0].index(name) for name in names]
    assert found == [[line[place] for place in places] for line in exact[1:]]
    assert {"cold_read_request_misses", "read_bytes_exact"}.isdisjoint(names)
    with pytest.raises(UsageError, match="the state has caches of at most 32 blocks, 256 are more"):
        run("merge-curves", "0:250.state", "250:.state", "--sizes", "1M")


@pytest.mark.usefixtures("days")
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("curve both.csv --state", "--state needs --output"),
        ("curve both.csv --state -o -", "--state cannot be combined with --output -: a state is an Arrow"),
        ("curve both.csv --state -o a.state --by type", "--state cannot be combined with --by"),
        (
            "curve both.csv --state -o a.state --sizes 1M",
            "with --sizes: a state has all sizes",
        ),
        (
            "curve both.csv --state -o a.state -f csv",
            "--state cannot be combined with --format: a state is an Arrow",
        ),
        ("curve both.csv --records 0:5", "--records needs --state"),
        ("curve both.csv --largest 1M --sample 1%", "--largest cannot be combined with --sample"),
        ("curve both.csv --state -o a.state --records 5", "give FIRST:END"),
        ("curve both.csv --state -o a.state --records 5:5", "the trace has records 0 to 600"),
        ("curve both.csv --state -o a.state --write-policy no-allocate", "a state needs the write policy"),
        ("merge-curves both.csv", "cannot be read as a state"),
        ("merge-curves absent.state", "cannot be read as a state"),
        ("merge-curves .", "is a folder, not a state"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(words: str, reason: str) -> None:
    with pytest.raises((IotraceError, UsageError)) as refused:
        run(*words.split())
    assert reason in str(refused.value)
    assert not list(Path().glob("*a.state*"))


@pytest.mark.usefixtures("days")
def test_traces_that_do_not_follow_are_refused() -> None:
    for day in ("monday", "tuesday"):
        run("curve", f"{day}.csv", "--state", "-o", f"{day}.state")
        run("curve", f"{day}.csv", "--state", "--records", "100:200", "-o", f"{day}-part.state")
    run("merge-curves", "monday.state", "tuesday.state", "--state", "-o", "week.state")
    refusals = {
        ("week.state", "monday.state"): r"both states have records of monday\.csv, which are not consecutive",
        ("tuesday.state", "monday.state"): r"monday\.csv starts before tuesday\.csv ends",
        ("monday-part.state", "tuesday.state"): r"records are missing: monday\.csv goes on after record 199",
        (
            "monday.state",
            "tuesday-part.state",
        ): r"records are missing: those of tuesday\.csv before record 100",
    }
    for states, reason in refusals.items():
        with pytest.raises(IotraceError, match=f"{states[0]}, {states[1]}: {reason}"):
            run("merge-curves", *states, "--state", "-o", "a.state")
    assert not list(Path().glob("*a.state*"))
