"""``iotrace advice``, as a user types it."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from program import Run, refused

sys.path.append(str(Path(__file__).parents[1] / "queries"))
from advised_logs import CASES

CONTRACT = (
    "rule", "family", "title", "at_stake_s", "at_stake_bytes", "confidence", "evidence", "do", "check", "sql",
    "shared_s", "snippets",
)  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """30 journals, each of which is written, synced and deleted."""
    place = tmp_path / "t.strace"
    place.write_text(CASES["journal_cycle"][0](30), "utf-8")
    return place


def test_rows_have_the_columns_of_the_contract(run: Run, log: Path) -> None:
    (row,) = json.loads(run("advice", log, "--rule", "journal_cycle", "--format", "json").stdout)
    assert tuple(row) == CONTRACT
    assert (row["rule"], row["family"], row["confidence"]) == ("journal_cycle", "syscall", "high")
    assert row["at_stake_s"] == pytest.approx(0.012)
    assert row["evidence"] == [
        {"path": "/data/x.db-journal", "process": "100 /bin/program", "number": 30.0, "unit": "deletions"}
    ]
    assert json.loads(run("sql", log, row["sql"], "--format", "json").stdout)[0]["number"] == 30


def test_evidence_is_text_in_csv(run: Run, log: Path) -> None:
    (row,) = csv.DictReader(io.StringIO(run("advice", log, "--format", "csv").stdout.decode()))
    assert json.loads(row["evidence"])[0]["path"] == "/data/x.db-journal"


def test_the_first_line_names_what_has_most_at_stake(run: Run, log: Path) -> None:
    printed = run("advice", log).stdout.decode()
    assert printed.startswith("1. /data/x.db-journal is made and deleted 30 times: at most 12 ms of 12")
    assert len(printed.splitlines()) <= 5 and "-v: " in printed and "at stake" not in printed
    printed = run("advice", log, "-v").stdout.decode()
    assert "\n1. /data/x.db-journal is made and deleted 30 times\n" in printed
    assert run("advice", log, "--card", "1").stdout.decode() in printed
    for word in ("at stake", "where", "do", "check", "sure", "rule"):
        assert f"\n   {word} " in printed


def test_where_the_time_goes_else_follows_the_list(run: Run, log: Path) -> None:
    printed = run("advice", log, "-v").stdout.decode()
    assert "are not in a recorded call (computing" in run("advice", log).stdout.decode()
    (said,) = [
        line for line in printed.splitlines() if "are not in a recorded call (computing, sleeping" in line
    ]
    assert printed.index(said) < printed.index("at stake")
    assert "not in a recorded call" not in run("advice", log, "--rule", "journal_cycle").stdout.decode()


def test_a_trace_without_habits_has_no_advice(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "none.strace"
    place.write_text(CASES["journal_cycle"][0](1), "utf-8")
    first, second = run("advice", place).stdout.decode().splitlines()
    assert first == "Nothing worth changing was found." and "are not in a recorded call" in second
    assert json.loads(run("advice", place, "--format", "json").stdout) == []


def test_without_times_what_was_found_is_said_without_seconds(run: Run, tmp_path: Path) -> None:
    lines = CASES["journal_cycle"][0](30).splitlines()
    bare = [" ".join([line.split()[0], *line.split()[2:]]).rpartition(" <")[0] or line for line in lines]
    place = tmp_path / "bare.strace"
    place.write_text("\n".join(bare[:-1]) + "\n", "utf-8")
    (row,) = json.loads(run("advice", place, "--format", "json").stdout)
    assert (row["rule"], row["at_stake_s"]) == ("journal_cycle", None)
    said = run("advice", place).stdout.decode()
    assert "the trace records no times" in said and "Time at stake" not in said


def test_a_card_that_is_not_there_is_refused(run: Run, log: Path) -> None:
    assert run("advice", log).returncode == 0
    assert "--card 2: there is one" in refused(run("advice", log, "--card", "2"), 2)
    assert "--card" in refused(run("advice", log, "--card", "1", "-v"), 2)


def test_rules_are_listed_and_chosen(run: Run, log: Path) -> None:
    listed = json.loads(run("advice", "--list", "--format", "json").stdout)
    assert {row["rule"] for row in listed} >= set(CASES)
    assert "least_deletions 10" in next(row["thresholds"] for row in listed if row["rule"] == "journal_cycle")
    assert "from deleted" in run("advice", log, "--rule", "journal_cycle", "--sql").stdout.decode()
    done = run("advice", log, "--rule", "wishes")
    assert done.returncode == 2
    assert "--rule: wishes is none of the rules" in done.stderr.decode()
    done = run("advice")
    assert done.returncode == 2
    assert "give a trace" in done.stderr.decode()
