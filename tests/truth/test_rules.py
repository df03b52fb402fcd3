"""Advice is true: for each rule a program that has the habit, and such as only look alike; no headline of trifles."""

import html
import json
import os
import random
import re
from pathlib import Path

import pytest
from habit_logs import FOUND, NOT_FOUND, Log
from program import Run

TRACES = os.environ.get("IOTRACE_TRACES")
needs_traces = pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of traces")
NOTHING = "nothing to gain here."


def first_lines(run: Run, *words: object) -> str:
    """Return what stands above the cards: a line for each piece of advice, and what else is said first."""
    return run("advice", *words).stdout.decode().partition("\n\n")[0]


def first_screen(run: Run, trace: Path, folder: Path) -> str:
    """Return the sentences that a report begins with."""
    page = folder / "page.html"
    done = run("report", trace, "-o", page)
    assert done.returncode == 0, done.stderr.decode()
    sentences = re.findall(r"<p[^>]*>(.*?)</p>", page.read_text("utf-8"), re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", " ".join(sentences[:12])))


@pytest.mark.parametrize("habit", FOUND)
def test_a_habit_is_named(run: Run, tmp_path: Path, habit: str) -> None:
    made, said = FOUND[habit]
    (tmp_path / "t.strace").write_text(made())
    assert said in first_lines(run, tmp_path / "t.strace")


@pytest.mark.parametrize(
    ("rule", "looks_like", "made"),
    [(rule, looks_like, made) for rule, logs in NOT_FOUND.items() for looks_like, made in logs],
)
def test_what_only_looks_alike_is_not(
    run: Run, tmp_path: Path, rule: str, looks_like: str, made: Log
) -> None:
    (tmp_path / "t.strace").write_text(made())
    done = run("advice", tmp_path / "t.strace", "--rule", rule, "--format", "json")
    assert json.loads(done.stdout) == [], looks_like


def test_the_report_begins_with_the_habit(run: Run, tmp_path: Path) -> None:
    made, said = FOUND["stats_after_listing"]
    (tmp_path / "t.strace").write_text(made())
    assert said in first_screen(run, tmp_path / "t.strace", tmp_path)


def volumes(folder: Path) -> Path:
    """Requests to volumes 0, 1 and 2, of which each has half of its requests at two places of 1 MB of its own."""
    draw = random.Random(1)
    rows = []
    for place in range(3000):
        volume = place % 3
        hot = draw.random() < 0.7
        extent = 40 + 10 * volume + draw.randrange(2) if hot else draw.randrange(200)
        start = (extent << 20) + 4096 * draw.randrange(256)
        rows.append(f"{volume},R,{start},4096,{1_570_000_000_000_000 + 1000 * place}")
    path = folder / "volumes.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_hot_spots_are_those_of_each_volume(run: Run, tmp_path: Path) -> None:
    trace = volumes(tmp_path)
    assert "of its requests to LBN " in first_lines(run, trace)
    (card,) = json.loads(run("advice", trace, "--rule", "hot_spots", "--format", "json").stdout)
    assert card["title"].startswith("2 MB of volume ")
    assert card["title"].endswith(" get most of its requests (and 2 more like it)")
    found = {one["path"].partition(" (")[0]: one for one in card["evidence"]}
    assert set(found) == {"volume 0", "volume 1", "volume 2"}
    for volume in range(3):
        first = (40 + 10 * volume) * 2048
        assert f" of its requests to LBN {first:,} to {first + 4095:,})" in found[f"volume {volume}"]["path"]
        assert found[f"volume {volume}"]["number"] == 2 << 20


def hardly_io(folder: Path, made: Log, idle_s: int) -> Path:
    """A habit, and then a pause until an exit."""
    path = folder / "t.strace"
    end_s = 1_700_000_000 + idle_s
    path.write_text(f"{made()}4001 {end_s}.000000 +++ exited with 0 +++\n")
    return path


def test_what_is_below_a_percent_of_the_run_is_no_headline(run: Run, tmp_path: Path) -> None:
    """800 refused reads take 4 ms, 800 others 24 ms, and two opens 10 us, of a run of 10 s: 0.28 %."""
    trace = hardly_io(tmp_path, FOUND["refused_calls"][0], 10)
    first = first_lines(run, trace).splitlines()[0]
    assert (
        first
        == f"I/O is 0.28 % of the run (28 ms of 10 s in calls that are, or may be, on storage); {NOTHING} More: --all."
    )
    assert "800 calls are refused" not in first_lines(run, trace)
    assert "800 calls are refused" in first_lines(run, trace, "--all")
    said = first_screen(run, trace, tmp_path)
    assert NOTHING in said and "800 calls are refused" not in said


def test_what_is_above_a_percent_of_the_run_is_one(run: Run, tmp_path: Path) -> None:
    """The same of a run of 0.3 s: 4 ms are 1.3 %."""
    path = tmp_path / "t.strace"
    path.write_text(f"{FOUND['refused_calls'][0]()}4001 1700000000.300000 +++ exited with 0 +++\n")
    assert first_lines(run, path).startswith(
        "1. 800 calls are refused, all on /srv/vol: at most 4 ms of 300 ms"
    )


def test_without_times_the_share_of_the_calls_counts(run: Run, tmp_path: Path) -> None:
    """100 closes of no descriptor among 10,101 calls, and then among 9,901: 1 % is the least."""
    for others, leads in ((10_001, False), (9_800, True)):
        lines = [f"close({fd}) = -1 EBADF (Bad file descriptor)" for fd in range(3, 103)]
        path = tmp_path / f"{others}.strace"
        path.write_text("\n".join([*lines, *["getpid() = 7"] * others, ""]))
        first = first_lines(run, path).splitlines()[0]
        assert first.startswith("1. 100 calls on descriptors") == leads, first


@needs_traces
def test_the_trace_of_a_job_that_hardly_does_io_says_so(run: Run, tmp_path: Path) -> None:
    """By grep and awk its requests take 0.4546 s, and the last ends at 1,467.66 s: 0.031 %."""
    trace = tmp_path / "dxt.dxt.txt.zst"
    trace.write_bytes((Path(str(TRACES)) / "parallel/darshan/dxt.dxt.txt.zst").read_bytes())
    first = f"I/O is 0.03 % of the run (455 ms of 24.5 min in the calls that the trace holds); {NOTHING}"
    assert first_lines(run, trace).startswith(first)
    said = first_screen(run, trace, tmp_path)
    assert first in said and "not aligned" not in said


@needs_traces
@pytest.mark.parametrize(
    ("log", "said", "calls"),
    [
        ("dxt-explorer-vpic-192.darshan", "is used by collective calls, and below them POSIX", [13_056, 128]),
        ("8a_benchmark_write_parallel_12.darshan", "are moved below MPI-IO beyond what was asked for", [8448, 0]),
    ],
)  # fmt: skip
def test_a_job_whose_writes_are_collective_is_not_told_to_make_them_so(
    run: Run, tmp_path: Path, log: str, said: str, calls: list[int]
) -> None:
    store = tmp_path / "store"
    assert run("ingest", Path(str(TRACES)) / "parallel/darshan" / log, "-o", store).returncode == 0
    text = "select sum(collective_writes) as collective, sum(other_writes) as others from mpi_file"
    (row,) = json.loads(run("sql", store, text, "--format", "json").stdout)
    assert [row["collective"], row["others"]] == calls
    first = first_lines(run, store)
    assert said in first
    assert "small requests each for themselves" not in first
    assert "Use the collective calls" not in run("advice", store).stdout.decode()
