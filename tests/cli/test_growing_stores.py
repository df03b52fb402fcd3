"""Made days: appended, reported, listed, merged and trimmed, as a user does it."""

import json
import random
from pathlib import Path

import pytest
from program import LOG, Run, refused

START_S, DAY_S = 1_700_000_000, 86_400
COLUMNS = "time=1,offset=2:4096,length=3:4096,op=4,device=5,latency=6:us"
CURVE = ("--deletes", "ignore", "--syncs", "ignore", "--format", "csv")


def write_days(folder: Path, count: int) -> list[Path]:
    """Write a file of requests for each day."""
    draw = random.Random(30)
    days = [folder / f"{day:02}.csv" for day in range(count)]
    for day, path in enumerate(days):
        texts = (
            f"{START_S + day * DAY_S + second * 60},{draw.randrange(200 + 10 * day)},{draw.randint(1, 4)},"
            f"{draw.choice('RRW')},{draw.randrange(2)},{draw.randint(50, 900)}\n"
            for second in range(100)
        )
        path.write_text("".join(texts))
    return days


def answer(run: Run, *words: str | Path) -> str:
    """Return the standard output of a command that succeeds."""
    done = run(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@pytest.mark.parametrize("count", [4, pytest.param(30, marks=pytest.mark.nightly)])
def test_days_are_reported_listed_compared_merged_and_trimmed(run: Run, tmp_path: Path, count: int) -> None:
    files, days, one = write_days(tmp_path, count), tmp_path / "days.iotrace", tmp_path / "one.iotrace"
    for day, file in enumerate(files):
        answer(run, "ingest", "--append", days, file, "--columns", COLUMNS, "--partition", f"day {day}")
    answer(run, "ingest", *files, "--columns", COLUMNS, "-o", one)
    for name in ("requests_by_disk", "answer_times", "reuse_distances"):
        expected = answer(run, "characterize", one, name, "--format", "csv")
        assert answer(run, "characterize", days, name, "--format", "csv") == expected
    page = answer(run, "report", one, "--format", "json")
    assert answer(run, "report", days, "--format", "json").replace(str(days), str(one)) == page
    kept = json.loads(answer(run, "report", days, "--last", f"{count}d", "--format", "json"))
    for name in ("requests_by_disk", "seeks", "disk_request_sizes", "latencies", "advice"):
        assert kept[name] == json.loads(page)[name]
    end = answer(run, "characterize", one, "answer_times", "--last", "1h", "--format", "csv")
    assert answer(run, "characterize", days, "answer_times", "--last", "1h", "--format", "csv") == end
    rows = json.loads(answer(run, "catalogue", days, "--format", "json"))
    assert [row["store"] for row in rows] == [f"day {day}" for day in range(count)]
    assert all(row["headline"] and row["bytes"] > 0 for row in rows)
    curve = answer(run, "curve", one, *CURVE)
    assert answer(run, "merge-curves", days, "--format", "csv") == curve
    alike = answer(run, "compare", one, one, "--format", "csv")
    assert answer(run, "compare", one, days, "--format", "csv") == alike

    done = run("ingest", "--append", days, "--drop-before", "1d 12h")
    assert done.returncode == 0
    last = count - 3
    requests = f"{100 * (count - 2):,} requests"
    assert f"dropped {requests} of partition day 0 to day {last}: iotrace catalogue" in done.stderr.decode()
    assert answer(run, "merge-curves", days, "--format", "csv") == curve
    two = tmp_path / "two.iotrace"
    answer(run, "ingest", *files[-2:], "--columns", COLUMNS, "-o", two)
    alike = answer(run, "compare", two, two, "--format", "csv")
    assert answer(run, "compare", two, days, "--format", "csv") == alike
    left = answer(run, "curve", days, *CURVE)
    assert answer(run, "merge-curves", days, "--last", "1d 12h", "--format", "csv") == left
    dropped = f"{requests} of {count - 2} partitions up to day {last} were dropped"
    gone = f"{dropped}, and are missing where requests are read"
    assert gone in run("info", days).stderr.decode()
    first = json.loads(answer(run, "catalogue", days, "--format", "json"))[0]
    assert first == {**rows[0], "status": "dropped"}
    answer(run, "report", days, "-o", tmp_path / "days.html", "--last", "1h")
    assert gone in (tmp_path / "days.html").read_text()


def test_the_last_days_from_what_was_kept_of_each(run: Run, tmp_path: Path) -> None:
    files, days, two = write_days(tmp_path, 4), tmp_path / "days.iotrace", tmp_path / "two.iotrace"
    for day, file in enumerate(files):
        answer(run, "ingest", "--append", days, file, "--columns", COLUMNS, "--partition", f"day {day}")
    answer(run, "ingest", *files[2:], "--columns", COLUMNS, "-o", two)
    last = ("--last", "1d 12h", "--format", "csv")
    for name in ("totals", "requests_by_disk", "seek_distances", "answer_times"):
        expected = answer(run, "characterize", two, name, "--format", "csv")
        done = run("characterize", days, name, *last)
        assert done.stdout.decode() == expected
        assert ("covers 2 partitions, day 2 to day 3" in done.stderr.decode()) == (name != "answer_times")
    done = run("characterize", days, "--last", "1d 12h")
    left_out = "left out, since they need the requests: answer_times"
    assert (
        f"{left_out}; iotrace characterize {days} answer_times --last '1d 12h' reads" in done.stderr.decode()
    )

    run("ingest", "--append", days, "--drop-before", "12h")
    expected = answer(run, "characterize", two, "requests_by_disk", "--format", "csv")
    assert answer(run, "characterize", days, "requests_by_disk", *last) == expected
    assert f"{left_out}; their requests were dropped" in run("characterize", days, *last[:2]).stderr.decode()
    done = run("characterize", days, "answer_times", *last)
    assert done.returncode == 1
    assert "the requests of 1 partition up to day 2 were dropped" in done.stderr.decode()
    answer(run, "report", days, *last[:2], "-o", tmp_path / "days.html")
    page = (tmp_path / "days.html").read_text()
    assert "covers 2 partitions, day 2 to day 3" in page
    assert "the requests of 1 of them were dropped" in page
    assert "rules need the requests, and this page reads none" in page
    assert "From the states that were kept with the partitions" in page
    figures = json.loads(answer(run, "report", days, *last[:2], "--format", "json"))
    assert figures["requests_by_disk"]
    assert (
        run("characterize", days, "--since", "30d")
        .stderr.decode()
        .endswith("--last 30d counts from the end\n")
    )


def test_a_damaged_day_ends_with_status_1_and_the_next_does_not(run: Run, tmp_path: Path) -> None:
    files, store = write_days(tmp_path, 3), tmp_path / "days.iotrace"
    files[1].write_text(files[1].read_text() + "unreadable\n" * 50)
    done = [run("ingest", "--append", store, file, "--columns", COLUMNS) for file in files]
    assert [one.returncode for one in done] == [0, 1, 0]
    assert b"more records were skipped than --max-skipped 1 allows" in done[1].stderr
    assert b"14.3 % of the trace's records could not be read (50 of 350)" in done[2].stderr
    assert run("ingest", "--append", store, "--drop-before", "1h").returncode == 0


def test_recordings_of_calls_are_dropped_whole(run: Run, tmp_path: Path) -> None:
    """Of a long one, two days that overlap with it, and the day after."""
    store, log = tmp_path / "hosts.iotrace", LOG.read_text()
    for name, day, days in (("long", 0, 3), ("first", 1, 1), ("second", 2, 1), ("third", 4, 1)):
        text = log.replace("1700000000.", f"{START_S + day * DAY_S}.")
        last = f"100 {START_S + (day + days) * DAY_S - 60}.000000 close(9) = -1 EBADF (Bad file descriptor)\n"
        (tmp_path / name).write_text(text + last)
        answer(run, "ingest", "--append", store, tmp_path / name, "--partition", name)
    calls = json.loads(answer(run, "info", store, "--format", "json"))["calls"]

    done = run("ingest", "--append", store, "--drop-before", "2023-11-15T12:00")
    assert "no partition ends before 2023-11-15T12:00; nothing was dropped" in done.stderr.decode()
    done = run("ingest", "--append", store, "--drop-before", "2023-11-17T00:00")
    assert done.returncode == 0
    assert f"dropped {calls // 4} calls of partition first: iotrace catalogue" in done.stderr.decode()
    gone = f"{calls // 4} calls of 1 partition were dropped, and are missing where calls are read"
    assert gone in run("info", store).stderr.decode()
    info = json.loads(answer(run, "info", store, "--format", "json"))
    assert (info["calls"], info["jobs"]) == (3 * calls // 4, ["long", "second", "third"])
    rows = json.loads(answer(run, "catalogue", store, "--format", "json"))
    assert [(row["store"], row["status"]) for row in rows] == [
        ("long", "whole"),
        ("first", "dropped"),
        ("second", "whole"),
        ("third", "whole"),
    ]
    done = run("ingest", "--append", store, "--drop-before", "1d")
    assert f"dropped {calls // 2} calls of 2 partitions (long, second): iotrace" in done.stderr.decode()
    assert json.loads(answer(run, "info", store, "--format", "json"))["jobs"] == ["third"]
    assert "the last partition is not dropped" in refused(
        run("ingest", "--append", store, "--drop-before", "2024-01-01T00:00"), 2
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--drop-before", "30d"], "--drop-before needs --append"),
        (["--partition", "x", "a.csv"], "--partition needs --append"),
        (["--append", "a.iotrace"], "give the files of a trace"),
        (["--append", "a.iotrace", "a.csv", "-o", "b.iotrace"], "cannot be combined with"),
        (["--append", "a.iotrace", "--drop-before", "30d"], "a.iotrace: is not a store"),
    ],
)
def test_words_that_do_not_fit(run: Run, tmp_path: Path, words: list[str], sentence: str) -> None:
    done = run("ingest", *words, folder=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr.decode()
