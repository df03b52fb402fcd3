"""``iotrace write-cache`` on a small store: the contract of its output, and its refusals."""

import csv
import io
import json
import random
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from block_traces import as_store, block_trace
from typer.testing import CliRunner

from iotrace import queries
from iotrace.cli import application
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.write_cache.settings import WORDS


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    pick = random.Random(1)
    rows = [
        (30 * i, pick.choice(["read", "write"]), 9000 * pick.randrange(200), pick.randint(1, 8))
        for i in range(400)
    ]
    return as_store(block_trace(rows), tmp_path / "small.iotrace")


def printed(*words: object) -> str:
    result = CliRunner().invoke(application(), ["write-cache", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_without_a_policy_sizes_of_today_are_compared(trace: Path) -> None:
    rows = json.loads(printed(trace, "--format", "json"))
    sizes = [0, *(megabytes << 20 for megabytes in (16, 64, 256, 1024, 4096))]
    assert [row["write_cache_bytes"] for row in rows] == sizes
    assert {(row["admission"], row["disk"]) for row in rows} == {("whole", "7,200 rpm, 4 TB")}
    assert [row["purge"] for row in rows] == [None, *["two-thresholds"] * 5]


def test_no_write_cache_is_one_row(trace: Path) -> None:
    assert len(json.loads(printed(trace, "--write-cache", "0", "--format", "json"))) == 1


def test_with_a_size_the_papers_policies_are_compared(trace: Path) -> None:
    rows = json.loads(printed(trace, "--disk", "ra82", "--write-cache", "1M", "--format", "json"))
    purges = [(row["write_cache_bytes"], row["purge"], row["piggyback"]) for row in rows]
    assert purges == [
        (0, None, "none"),
        (1 << 20, "asap", "none"),
        (1 << 20, "one-threshold", "none"),
        (1 << 20, "two-thresholds", "none"),
        (1 << 20, "two-thresholds", "free"),
        (1 << 20, "two-thresholds", "full"),
    ]
    names = {"w_wc", "r_wc", "io_stall", "read_queue_ms", "read_queue_behind_writes_ms", "read_service_ms"}
    names |= {
        "write_service_ms",
        "piggyback_success",
        "kbytes_per_purge",
        "kbytes_per_piggyback",
        "immediate_purges",
    }
    assert names <= set(rows[0])
    assert rows[0]["w_wc"] == 100


def test_one_policy_is_one_row(trace: Path) -> None:
    (row,) = json.loads(
        printed(trace, "-d", "ra82", "--purge", "two-thresholds", "--unit", "cylinder", "-f", "json")
    )
    assert (row["purge"], row["unit"], row["disk"]) == ("two-thresholds", "cylinder", "DEC RA82")


def test_what_is_dirty_at_the_end_is_reported_apart(tmp_path: Path) -> None:
    """Two writes of 8 blocks that no purge writes: no disk write, and all of it dirty at the end."""
    (tmp_path / "t.txt").write_text("0.0 0 8 8 0\n5000.0 0 800 8 0\n")
    policy = ["-d", "ra82", "--purge", "full"]
    (row,) = json.loads(printed(tmp_path / "t.txt", *policy, "-f", "json"))
    assert (row["w_wc"], row["dirty_at_end"], row["dirty_at_end_percent"]) == (0, 16, 100)
    text = printed(tmp_path / "t.txt", *policy)
    assert "Not written when the trace ended, and not in w_wc: 16 dirty blocks of 512 bytes" in text
    assert "100 % of the blocks written" in text


def test_a_table_says_what_was_done(trace: Path) -> None:
    text = printed(trace, "--disk", "ra81")
    assert "no write cache" in text and "open replay" in text


@pytest.mark.parametrize("form", ["table", "csv"])
def test_blocks_beyond_the_disk_are_warned_of(trace: Path, form: str) -> None:
    done = CliRunner().invoke(application(), ["write-cache", str(trace), "--disk", "ra81", "-f", form])
    share = r"\([\d.]+ %\) are for blocks beyond the end of DEC RA81 and were wrapped around it"
    assert re.search(rf"^iotrace: warning: \d+ requests {share}", done.stderr)


def test_a_sweep_over_all_words_leaves_out_and_names_what_makes_no_sense(trace: Path) -> None:
    words = ["write-cache", str(trace), "--disk", "ra82", "--sweep", "purge=all", "-f", "json"]
    done = CliRunner().invoke(application(), words, catch_exceptions=False)
    purges = {row["purge"] for row in json.loads(done.stdout)}
    assert purges == {word for word in WORDS["purge"] if word != "dynamic"}
    assert "left out of the sweep: purge=dynamic: --purge dynamic needs --single" in done.stderr


def test_sweeps_come_as_csv_and_parquet(trace: Path, tmp_path: Path) -> None:
    sweep = ["--sweep", "write-cache=8K,64K", "--sweep", "hilim=50,95"]
    rows = list(csv.DictReader(io.StringIO(printed(trace, "-d", "ra82", *sweep, "-f", "csv"))))
    assert [(row["write_cache_bytes"], row["high_percent"]) for row in rows] == [
        ("8192", "50.0"),
        ("8192", "95.0"),
        ("65536", "50.0"),
        ("65536", "95.0"),
    ]
    printed(trace, "-d", "ra82", *sweep, "-o", tmp_path / "swept.parquet")
    written = pq.read_table(tmp_path / "swept.parquet")
    assert written.schema.remove_metadata() == queries.table_schema("write_cache").remove_metadata()


def test_a_search_gives_the_best_first(trace: Path) -> None:
    sizes = ["--write-cache", "32K", "--read-cache", "96K"]
    rows = json.loads(printed(trace, "-d", "ra82", *sizes, "--search", "split", "-f", "json"))
    totals = [row["total_ios"] for row in rows]
    assert len(rows) > 21 and totals == sorted(totals)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--disk", "floppy"], "--disk: 'floppy' is not one of"),
        (["--write-cache", "much"], "'much' is not a size"),
        (["--hilim", "30"], "the low threshold, 40 %, is above the high one, 30 %"),
        (["--purge", "dynamic"], "--purge dynamic needs --single: it is for one cache for reads and writes"),
        (["--sweep", "colour=red"], "--sweep: 'colour' is none of"),
        (["--sweep", "hilim=all"], "--sweep hilim: all stands for all words of an option"),
        (
            ["--sharing", "partitioned", "--purge", "asap"],
            "--sharing is for traces of several disks, not of one",
        ),
        (["--sweep", "hilim=95", "--search", "split"], "cannot be combined"),
        (["--time-scale", "fast"], "--time-scale: 'fast'"),
        (["--time-scale", "0"], "scaled by a number above 0"),
        (["--time-scale", "busy=300%"], "busy between 0 and 100 %"),
        (
            ["--single", "2M", "--read-cache", "1M"],
            "--read-cache cannot be combined with --single: it",
        ),
        (["--purge", "asap", "--hilim", "50"], "--hilim cannot be combined with --purge asap"),
        (["--lolim", "5", "--search", "thresholds"], "--lolim cannot be combined with --search thresholds"),
        (["--purge", "full", "--search", "thresholds"], "cannot be combined with --purge full"),
        (["--interval", "5"], "--interval needs --purge dynamic"),
        (["--low-share", "0.5"], "--low-share needs --purge dynamic"),
        (["--write-cache", "100"], "--write-cache is 100: at least a block of 512 bytes, or 0"),
        (["--head-switch", "-1"], "--head-switch: -1 is below 0"),
        (["--fit", "reject", "--disk", "ra81"], "beyond the disk's end, 891072 blocks"),
    ],
)
def test_refusals(trace: Path, words: list[str], message: str) -> None:
    disk = [] if "--disk" in words else ["--disk", "ra82"]
    with pytest.raises((IotraceError, UsageError), match=message):
        CliRunner().invoke(application(), ["write-cache", str(trace), *disk, *words], catch_exceptions=False)


def test_a_trace_of_system_calls_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "calls.log"
    log.write_text("100 1700000000.000000 exit_group(0) = ?\n100 1700000000.000100 +++ exited with 0 +++\n")
    with pytest.raises(IotraceError, match="is made of system calls, and iotrace write-cache simulates "):
        CliRunner().invoke(application(), ["write-cache", str(log), "--disk", "ra82"], catch_exceptions=False)


def test_disks_are_chosen_by_the_names_that_the_trace_has(tmp_path: Path) -> None:
    """Three requests to disk 30 of a DiskSim trace, which comes first, and one to disk 3."""
    text = tmp_path / "two.trace"
    lines = [f"{time}.0 {disk} {8 * time} 8 1" for time, disk in ((0, 30), (1, 3), (2, 30), (3, 30))]
    text.write_text("\n".join(lines) + "\n")
    for name, reads in (("30", 3), ("disk 30", 3), ("3", 1)):
        words = ["--purge", "asap", "--device", name, "--format", "json"]
        (row,) = json.loads(printed(text, "-d", "ra82", *words))
        assert row["reads"] == reads
    with pytest.raises(UsageError, match="no disk 9; it has disk 30, disk 3"):
        words = ["write-cache", str(text), "--device", "3", "--device", "9"]
        CliRunner().invoke(application(), words, catch_exceptions=False)
