"""``iotrace compare``, as a user types it."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from figure_data import figure_data
from program import Run

sys.path.insert(0, str(Path(__file__).parents[1] / "queries"))
from advised_logs import CASES, Log

CONTRACT = ("metric", "unit", "a", "b", "ratio", "low", "high", "significant", "verdict")
READS = 1500


def written(place: Path, seed: int, slower: float = 1.0) -> Path:
    """Write a log of random reads, whose times are log-normal, with an open after every third, and seeks first."""
    draws = random.Random(seed)
    log = Log()
    log.open("/data/big", "O_RDONLY")
    for _ in range(20):
        log.call("lseek", "3, 0, SEEK_SET", 0, us=10)
    for number in range(READS):
        offset = 4096 * draws.randrange(100_000)
        taken = round(slower * 100 * draws.lognormvariate(0, 0.5))
        log.call("pread64", f'3, "..."..., 4096, {offset}', 4096, us=taken)
        if number % 3 == 0:
            log.call("openat", f'AT_FDCWD, "/etc/f{number % 7}", O_RDONLY', 4, us=30)
            log.close(4)
    place.write_text(log.text(), "utf-8")
    return place


@pytest.fixture
def logs(tmp_path: Path) -> tuple[Path, Path]:
    """The same program twice, whose reads take twice as long the second time."""
    return written(tmp_path / "a.strace", 1), written(tmp_path / "b.strace", 2, 2.0)


def rows_of(run: Run, *words: Any) -> dict[str, dict[str, Any]]:
    done = run("compare", *words, "--format", "json")
    assert done.returncode == 0, done.stderr
    return {row["metric"]: row for row in json.loads(done.stdout)}


@pytest.fixture
def repeated(tmp_path: Path) -> tuple[list[Path], list[Path]]:
    """The same program three times each, whose reads take four times as long after."""
    before = [written(tmp_path / f"before{seed}.strace", seed) for seed in range(3)]
    return before, [written(tmp_path / f"after{seed}.strace", 9 + seed, 4.0) for seed in range(3)]


def test_rows_have_the_columns_of_the_contract(run: Run, repeated: tuple[list[Path], list[Path]]) -> None:
    before, after = repeated
    rows = rows_of(run, *before, "vs", *after)
    assert all(tuple(row) == CONTRACT for row in rows.values())
    assert next(iter(rows)).startswith("read_latency")
    median = rows["read_latency_p50"]
    assert (median["unit"], median["significant"], median["verdict"]) == ("us", True, "worse")
    assert median["ratio"] == pytest.approx(4, rel=0.1)
    assert median["ratio"] == median["b"] / median["a"]
    assert median["low"] < 1 < median["high"] < median["ratio"]
    assert (rows["reads"]["a"], rows["reads"]["b"], rows["reads"]["verdict"]) == (
        READS,
        READS,
        "not_different",
    )
    medians = [rows_of(run, one, one)["read_latency_p50"]["a"] for one in before]
    assert median["a"] == pytest.approx(sum(medians) / 3)


def test_a_trace_against_itself_is_not_different(run: Run, logs: tuple[Path, Path]) -> None:
    rows = rows_of(run, logs[0], logs[0])
    assert {row["ratio"] for row in rows.values()} <= {1.0, None}
    assert {row["verdict"] for row in rows.values()} == {"not_different", "cannot_tell"}
    printed = run("compare", logs[0], logs[0]).stdout.decode()
    assert printed.startswith("Not different beyond the variation within each.\n")


def test_the_first_line_of_three_runs_says_better_or_worse(
    run: Run, repeated: tuple[list[Path], list[Path]]
) -> None:
    before, after = repeated
    printed = run("compare", *before, "vs", *after).stdout.decode()
    assert printed.startswith("Worse: storage_time ")
    assert "1 % error over all metrics together" in printed
    assert "time in storage calls by file" in printed
    assert "/data/big" in printed
    assert run("compare", *after, "vs", *before).stdout.decode().startswith("Better: storage_time 0.")


def test_one_run_each_has_no_verdict(run: Run, logs: tuple[Path, Path]) -> None:
    assert {row["verdict"] for row in rows_of(run, *logs).values()} == {"cannot_tell"}
    lines = run("compare", *logs).stdout.decode().splitlines()
    assert lines[0] == "Cannot tell from one run each; three are enough."
    assert not any(word in line.lower() for line in lines for word in ("better", "worse", "different"))


def test_a_condition_that_holds_ends_with_status_3(
    run: Run, logs: tuple[Path, Path], repeated: tuple[list[Path], list[Path]]
) -> None:
    before, after = repeated
    runs = (*before, "vs", *after)
    for traces, condition in (
        (runs, "read_latency_p50 > 1.2x"),
        (runs, "read_latency_p50>=+50%"),
        (runs, "read_latency_p50 > 150"),
        (runs, "read_latency_p50 > 1.2x and significant"),
        (logs, "reads <= 1x"),
        (logs, "syncs <= 0"),
        (logs, "syncs <= 1x"),
    ):
        done = run("compare", *traces, "--fail-if", condition, "--format", "json")
        assert done.returncode == 3, condition
        assert json.loads(done.stdout)
        assert f"--fail-if '{condition}' holds: " in done.stderr.decode()


def test_a_condition_that_does_not_hold_ends_with_status_0(
    run: Run, repeated: tuple[list[Path], list[Path]]
) -> None:
    before, after = repeated
    runs = (*before, "vs", *after)
    for condition in ("read_latency_p50 > 5x", "reads < +0%", "open_latency_p50 >= 1x and significant"):
        assert run("compare", *runs, "--fail-if", condition).returncode == 0, condition
    both = run("compare", *runs, "--fail-if", "reads > 2x", "--fail-if", "read_latency_p50 > 1.2x")
    assert both.returncode == 3


def test_conditions_that_cannot_be_judged_or_read_are_refused(run: Run, logs: tuple[Path, Path]) -> None:
    for condition, status, words in (
        ("read_latency_p9 > 1.2x", 2, "no metric is called read_latency_p9; there are read_latency_p99"),
        ("iops > 1.2x", 2, "no metric is called iops"),  # of disks
        ("read_latency_p99 1.2x", 2, "is not a condition such as"),
        ("calls > 10%", 2, "a change has a sign: +10% or -10%"),
        ("sync_latency_p50 > 1.2x", 1, "does not record sync_latency_p50"),
        ("read_latency_p50 > 9x", 1, "cannot tell from one run each; three are enough"),
        ("reads > 1x and significant", 1, "cannot tell from one run each; three are enough"),
    ):
        done = run("compare", *logs, "--fail-if", condition)
        assert done.returncode == status, condition
        assert words in done.stderr.decode().splitlines()[-1]
    done = run("compare", logs[0], logs[0], "vs", *logs, "--fail-if", "wall_time > 1.2x")
    assert "cannot tell from 2 runs before and 2 runs after; three of each are enough" in done.stderr.decode()
    done = run("compare", logs[0], logs[0], "--fail-if", "working_set > 0.1x and significant")
    assert done.returncode == 0  # equal is no change, whatever the noise


def test_times_by_file_are_compared(run: Run, logs: tuple[Path, Path]) -> None:
    rows = json.loads(run("compare", *logs, "--by", "file,call", "--format", "json").stdout)
    assert {row["by"] for row in rows} == {"file", "call"}
    file = next(row for row in rows if row["name"] == "/data/big")
    assert file["change_s"] == pytest.approx(file["b_s"] - file["a_s"])
    assert (file["a_calls"], file["b_calls"]) == (READS + 21, READS + 21)
    own = json.loads(run("time", logs[0], "--by", "file", "--format", "json").stdout)
    assert file["a_s"] == next(row["total_s"] for row in own if row["name"] == "/data/big")
    assert run("compare", *logs, "--by", "colour").returncode == 2


def test_advice_that_came_and_went_is_shown(run: Run, tmp_path: Path) -> None:
    few, many = tmp_path / "few.strace", tmp_path / "many.strace"
    few.write_text(CASES["journal_cycle"][0](2), "utf-8")
    many.write_text(CASES["journal_cycle"][0](30), "utf-8")
    assert "gained   journal_cycle" in run("compare", few, many).stdout.decode()
    assert "lost     journal_cycle" in run("compare", many, few).stdout.decode()


def test_the_page_has_the_verdict_the_curves_and_the_icicle(
    run: Run, logs: tuple[Path, Path], tmp_path: Path
) -> None:
    place = tmp_path / "page.html"
    done = run("compare", *logs, "-o", place)
    assert (done.returncode, done.stdout.decode().strip()) == (0, str(place))
    html = place.read_text("utf-8")
    for words in (
        "Cannot tell from one run each; three are enough.",
        "before: a",
        "after: b",
        "one_at_a_time",
    ):
        assert words in html
    types = {
        trace["type"] for its in figure_data(html).values() for trace in (its["plot"] or {}).get("traces", ())
    }
    assert "icicle" in types
    assert run("compare", *logs, "-o", place).returncode == 2
    assert run("compare", *logs, "-o", place, "--force", "--fail-if", "reads > 0").returncode == 3


def without_times(log: Path) -> Path:
    lines = log.read_text("utf-8").splitlines()[:-1]
    bare = [" ".join([line.split()[0], *line.split()[2:]]).rpartition(" <")[0] for line in lines]
    place = log.with_name(f"bare-{log.name}")
    place.write_text("\n".join(bare) + "\n", "utf-8")
    return place


def test_without_times_what_is_left_is_compared(run: Run, logs: tuple[Path, Path]) -> None:
    bare = [without_times(log) for log in logs]
    rows = rows_of(run, *bare)
    assert (rows["reads"]["a"], rows["reads"]["ratio"], rows["reads"]["significant"]) == (READS, 1, None)
    assert rows["storage_time"]["a"] is rows["read_latency_p50"]["a"] is rows["wall_time"]["a"] is None
    printed = run("compare", *bare).stdout.decode()
    assert "A trace has no times: there is no comparison of times and rates." in printed
    assert "time in storage calls" not in printed
    assert "no times" in run("compare", *bare, "--by", "file").stderr.decode()
    assert run("compare", *bare, "-o", bare[0].with_name("bare.html")).returncode == 0


def test_the_same_part_of_each_trace_is_compared(run: Run, logs: tuple[Path, Path], tmp_path: Path) -> None:
    done = run("compare", *logs, "--until", "1s", "--format", "json")
    reads = next(row for row in json.loads(done.stdout) if row["metric"] == "reads")
    said = done.stderr.decode()
    for log, side in zip(logs, "ab", strict=True):
        kept = json.loads(
            run(
                "sql",
                log,
                "select count(*) n from syscall where call = 'pread64' and time_ns < 1e9",
                "-f",
                "json",
            ).stdout
        )
        assert reads[side] == kept[0]["n"] < READS
        assert f"{log.name} covers 0 s to 1 s of " in said
    rows = rows_of(run, *logs, "--path", "/etc/*", "--process", "100")
    assert (rows["reads"]["a"], rows["reads"]["b"]) == (0, 0)
    done = run("compare", *logs, "--program", "*/nothing")
    assert done.returncode == 1
    assert "a.strace" in done.stderr.decode() and "has no calls" in done.stderr.decode()
    page = tmp_path / "part.html"
    assert run("compare", *logs, "--last", "1s", "-o", page).returncode == 0
    assert "Part of a</dt>" in page.read_text("utf-8")


def test_traces_of_one_call_and_of_two_kinds_are_refused(
    run: Run, logs: tuple[Path, Path], tmp_path: Path
) -> None:
    one = tmp_path / "one.strace"
    one.write_text("\n".join(Log().text().splitlines()[:1]) + "\n", "utf-8")
    done = run("compare", logs[0], one)
    assert done.returncode == 1
    assert "has 1 of the at least 2 calls that a comparison needs" in done.stderr.decode()
    disk = tmp_path / "disk.csv"
    assert run("generate", "vms", "--like", "off-day", "--scale", "0.01", "-o", disk).returncode == 0
    done = run("compare", logs[0], disk)
    assert done.returncode == 1
    assert "only traces of one kind can be compared" in done.stderr.decode()


def test_sides_must_be_clear(run: Run, logs: tuple[Path, Path]) -> None:
    a, b = logs
    for traces in ([a], [a, b, b], [a, "vs"], ["vs", b], [a, "vs", b, "vs", a], ["-", "-"]):
        done = run("compare", *traces)
        assert (done.returncode, done.stderr.decode().count("\n")) == (2, 1), traces


def test_disks_and_ranks_are_compared(run: Run, tmp_path: Path) -> None:
    disk, ranks = tmp_path / "disk.csv", tmp_path / "ranks.csv"
    assert run("generate", "vms", "--like", "off-day", "--scale", "0.02", "-o", disk).returncode == 0
    rows = rows_of(run, disk, disk)
    assert rows["iops"]["a"] == pytest.approx(rows["requests"]["a"] / rows["wall_time"]["a"])
    assert rows["iops"]["ratio"] == rows["requests"]["ratio"] == 1
    made = run("generate", "parallel", "gw", "--processes", "4", "--record", "1/4", "-o", ranks)
    assert made.returncode == 0
    rows = rows_of(run, ranks, ranks)
    assert rows["reads"]["a"] > 0
    assert rows["reads"]["ratio"] == 1
    assert run("compare", ranks, ranks).returncode == 0
