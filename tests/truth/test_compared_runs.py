"""Comparisons of logs whose differences are known: what the first sentence must say, and what it must not."""

import random
import sys
from pathlib import Path

import pytest
from program import Run

sys.path.append(str(Path(__file__).parents[1] / "queries"))
from advised_logs import Log

VERDICTS = ("Better", "Worse", "Different", "More", "Less")


def appended(place: Path, seed: int, writes: int, us: float) -> Path:
    """Write the log of a program that appends records; its disk, and so each write, is slow or fast in this run."""
    draws = random.Random(seed)
    log = Log()
    log.open("/data/log", "O_WRONLY")
    of_run = draws.lognormvariate(0, 0.04)
    for _ in range(writes):
        log.call("write", '3, "..."..., 100', 100, us=round(us * of_run * draws.lognormvariate(0, 0.3)))
    place.write_text(log.text(), "utf-8")
    return place


def said(run: Run, *traces: Path | str) -> list[str]:
    done = run("compare", *traces)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


def test_writes_of_one_run_each_are_stated_without_a_verdict(run: Run, tmp_path: Path) -> None:
    many, few = (appended(tmp_path / f"{number}.strace", number, number, 50) for number in (20_100, 45))
    lines = said(run, many, few)
    assert lines[0] == "Cannot tell from one run each; three are enough."
    assert "45 writes instead of 20,100" in lines[1]
    assert not any(line.startswith(VERDICTS) for line in lines)


def test_runs_of_the_same_code_are_not_called_changed(run: Run, tmp_path: Path) -> None:
    runs = [appended(tmp_path / f"{seed}.strace", seed, 300, 50) for seed in range(6)]
    assert said(run, *runs[:3], "vs", *runs[3:])[0] == "Not different beyond what runs of each side vary by."
    assert said(run, runs[0], runs[1])[0] == "Cannot tell from one run each; three are enough."


@pytest.mark.parametrize(
    ("writes", "us", "first"),
    [(300, 400, "Worse: storage_time "), (360, 50 * 300 / 360, "Worse: calls 1.2x")],
)
def test_what_is_planted_is_found_by_three_runs_each(
    run: Run, tmp_path: Path, writes: int, us: float, first: str
) -> None:
    before = [appended(tmp_path / f"a{seed}.strace", seed, 300, 50) for seed in range(3)]
    after = [appended(tmp_path / f"b{seed}.strace", 5 + seed, writes, us) for seed in range(3)]
    assert said(run, *before, "vs", *after)[0].startswith(first)
