"""Comparisons of logs whose differences are known: what the first sentence must say, and what it must not."""

import json
import random
import sys
from pathlib import Path

import pytest
from program import Run

sys.path.append(str(Path(__file__).parents[1] / "queries"))
from advised_logs import Log

KEY_COLUMNS = "time=t:us,key=k,size=s,latency=l:us"
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
    lines = said(run, runs[0], "vs", *runs[1:4])
    assert lines[0] == "Cannot tell from 1 run before and 3 runs after; three of each are enough."
    assert not any(line.startswith(VERDICTS) for line in lines)


@pytest.mark.parametrize(
    ("writes", "us", "first"),
    [(300, 400, "Worse: storage_time "), (360, 50 * 300 / 360, "More: calls 1.2x")],
)
def test_what_is_planted_is_found_by_three_runs_each(
    run: Run, tmp_path: Path, writes: int, us: float, first: str
) -> None:
    before = [appended(tmp_path / f"a{seed}.strace", seed, 300, 50) for seed in range(3)]
    after = [appended(tmp_path / f"b{seed}.strace", 5 + seed, writes, us) for seed in range(3)]
    assert said(run, *before, "vs", *after)[0].startswith(first)


def asked_keys(place: Path, seed: int, us: float = 100, rate: float = 1) -> Path:
    """Write the requests of an hour to a cache: log-normal latencies, and a load that drifts from minute to minute."""
    draws = random.Random(seed)
    rows, time_us = ["t,k,s,l"], 0.0
    while time_us < 3_600_000_000:
        time_us += draws.expovariate(rate / 1_000_000)
        rows.append(
            f"{time_us:.0f},{draws.randrange(500)},{draws.randrange(100, 300)},{us * draws.lognormvariate(0, 0.5):.0f}"
        )
    place.write_text("\n".join(rows) + "\n")
    return place


def period_said(run: Run, *traces: Path, columns: str = KEY_COLUMNS) -> tuple[str, dict[str, str]]:
    words = ("compare", *traces, "--columns", columns)
    done = run(*words)
    assert done.returncode == 0, done.stderr
    rows = run(*words, "--format", "json")
    return done.stdout.decode().splitlines()[0], {
        row["metric"]: row["verdict"] for row in json.loads(rows.stdout)
    }


def test_periods_of_a_cache_are_different_or_not_and_no_better(run: Run, tmp_path: Path) -> None:
    day = asked_keys(tmp_path / "day.csv", 1)
    first, verdicts = period_said(run, day, asked_keys(tmp_path / "like.csv", 2))
    assert first == "Not different beyond the variation within each."
    assert {verdicts[name] for name in ("requests", "object_size", "request_latency_p50")} == {
        "not_different"
    }
    first, verdicts = period_said(run, day, asked_keys(tmp_path / "slow.csv", 3, us=200, rate=2))
    assert first.startswith("Different: request_latency_p50 ")
    assert first.endswith("; one period each: the cause cannot be told.")
    assert verdicts["requests"] == verdicts["request_rate"] == "more"
    assert not {"better", "worse"} & set(verdicts.values())


def asked_blocks(place: Path, seed: int, us: float = 500, rate: float = 1) -> Path:
    """Write the requests of an hour to a disk."""
    draws = random.Random(seed)
    rows, time_us = ["t,o,b,n,l"], 0.0
    while time_us < 3_600_000_000:
        time_us += draws.expovariate(rate / 1_000_000)
        latency_us = us * draws.lognormvariate(0, 0.5)
        rows.append(
            f"{time_us:.0f},{draws.choice(['R', 'W'])},{8 * draws.randrange(10_000)},8,{latency_us:.0f}"
        )
    place.write_text("\n".join(rows) + "\n")
    return place


def test_periods_of_a_disk_are_different_or_not_and_no_better(run: Run, tmp_path: Path) -> None:
    columns = "time=t:us,op=o,offset=b:512,length=n:512,latency=l:us"
    day = asked_blocks(tmp_path / "day.csv", 1)
    first, verdicts = period_said(run, day, asked_blocks(tmp_path / "like.csv", 2), columns=columns)
    assert first == "Not different beyond the variation within each."
    assert {verdicts[name] for name in ("iops", "request_size", "read_latency_p50")} == {"not_different"}
    first, verdicts = period_said(
        run, day, asked_blocks(tmp_path / "fast.csv", 3, us=250, rate=2), columns=columns
    )
    assert first.startswith("Different: read_latency_p50 0.")
    assert first.endswith("; one period each: the cause cannot be told.")
    assert verdicts["iops"] == verdicts["bandwidth"] == "more"
    assert not {"better", "worse"} & set(verdicts.values())


def test_times_with_and_without_the_part_of_the_tracer_are_not_compared(run: Run, tmp_path: Path) -> None:
    logs = [appended(tmp_path / f"{seed}.strace", seed, 300, 50) for seed in range(3)]
    recorded = []
    for seed in range(3):
        store = tmp_path / f"{seed}.iotrace"
        assert run("ingest", appended(tmp_path / "x.strace", seed, 300, 500), "-o", store).returncode == 0
        manifest = json.loads((store / "manifest.json").read_text())
        inside = dict.fromkeys(("inside_ns", "inside_p99_ns", "tail_ns", "tail_deviation_ns"), 1000)
        manifest["tracing_overhead"] = {
            "traced_ns": 2000,
            "others_ns": 0,
            "outside_ns": 1000,
            "measured_calls": 1000,
        } | inside
        (store / "manifest.json").write_text(json.dumps(manifest))
        recorded.append(store)
    lines = said(run, *logs, "vs", *recorded)
    assert lines[0] == "Not different beyond what runs of each side vary by."  # the calls
    assert any(
        line.startswith("What the tracer adds is taken off the times of some of these traces")
        for line in lines
    )
    done = run("compare", *logs, "vs", *recorded, "--fail-if", "storage_time > 1.2x")
    assert done.returncode == 1 and b"taken off the times of some of these traces only" in done.stderr
