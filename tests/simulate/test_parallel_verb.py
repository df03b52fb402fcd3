"""``iotrace parallel`` as users run it: patterns and traces, sweeps, forms of output, and refusals."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program_stores import request, stored
from typer.testing import CliRunner

from iotrace import queries
from iotrace.cli import application
from iotrace.errors import IotraceError, UsageError

QUIET = ("--trials", "1", "--jitter", "0")


def message(*words: object) -> str:
    result = CliRunner().invoke(application(), ["parallel", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def rows(*words: object) -> list[dict]:
    return json.loads(message(*words, "--format", "json"))


def refused(*words: object) -> str:
    with pytest.raises(IotraceError) as error:
        message(*words)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Two processes, one of which starts 7 ms late; each thinks 10 ms after each of its reads of one 4-KB block."""
    ms = 1_000_000
    calls = [
        request(ms * (15 * i + 7 * process), process, offset=4096 * i, length=4096, duration_ns=5 * ms)
        for i in range(4)
        for process in (0, 1)
    ]
    return stored(sorted(calls, key=lambda call: call["time_ns"]), tmp_path).path


def test_segments_without_a_cache_take_what_arithmetic_says() -> None:
    """All processes start on the first disk and queue behind one another: 200 + 19 operations of 30 ms."""
    (row,) = rows("seg", "--no-cache", *QUIET)
    assert row["execution_s"] == pytest.approx((200 + 19) * 0.030)
    assert (row["disk_reads"], row["disk_writes"], row["ideal_s"]) == (4000, 0, 6.0)
    assert (row["buffers"], row["policy"], row["hit_ratio"], row["rewrites"]) == (0, None, None, None)
    assert row["writes_while_writing"] is None


def test_the_ideal_reads_what_a_run_without_a_cache_must_read() -> None:
    """Each of 20 processes reads the whole file of 200 blocks: 4,000 reads on 20 disks, not 200."""
    (row,) = rows("lw", "--no-cache", *QUIET)
    assert (row["disk_reads"], row["ideal_io_s"], row["ideal_s"]) == (4000, 6.0, 6.0)
    (cached,) = rows("lw", "--buffers", "80", *QUIET)
    assert (cached["disk_reads"], cached["ideal_s"]) == (200, 0.3)


def test_the_ideal_is_that_of_the_disks_that_hold_the_file() -> None:
    """Five blocks in one stripe are on one of 20 disks."""
    (row,) = rows("gw", "--processes", 1, "--blocks-per-process", 5, "--stripe", 5, *QUIET)
    assert row["ideal_s"] == pytest.approx(5 * 0.030) and row["execution_s"] >= row["ideal_s"]


def test_waits_are_those_of_processes_that_make_requests() -> None:
    """One process writes 4,000 blocks of 30 ms, the other 19 nothing: it waits for 120 s, not 6."""
    (row,) = rows("lw1", "--no-cache", *QUIET)
    assert row["waiting_for_writes_s"] == pytest.approx(120)
    assert (row["processes"], row["idle_processes"]) == (20, 19)
    printed = " ".join(message("lw1", "--no-cache", *QUIET).split())
    assert "1 of 20 make requests; means are over these, 19 make none" in printed
    swept = message("lw1", "--no-cache", *QUIET, "--sweep", "processes=10,20")
    assert "idle processes" in swept
    assert "make none" not in message("gw", "--no-cache", *QUIET)


def test_one_process_writes_one_block_after_the_other_without_a_cache() -> None:
    (row,) = rows("lw1", "--no-cache", *QUIET)
    assert row["execution_s"] == pytest.approx(120)
    (row,) = rows("lw1", "--no-cache", "--record", "1/4", *QUIET)
    assert row["execution_s"] == pytest.approx(4000 * (2 * 4 - 1) * 0.030)
    assert (row["disk_writes"], row["disk_reads"]) == (16000, 12000)


def test_a_write_policy_makes_a_pattern_write() -> None:
    (row,) = rows("gw", "--policy", "writefull", "--record", "0.25", *QUIET)
    assert (row["policy"], row["disk_reads"], row["disk_writes"], row["rewrites"]) == (
        "WriteFull",
        0,
        4000,
        0,
    )
    (row,) = rows("gw", *QUIET)
    assert (row["disk_reads"], row["disk_writes"]) == (4000, 0)
    (row,) = rows("gw", "--policy", "WriteThru", "--operation", "read", *QUIET)
    assert (row["disk_reads"], row["disk_writes"]) == (4000, 0)
    reading = message("gw", "--policy", "WriteThru", "--operation", "read", *QUIET)
    assert "Nothing is written" in reading and "WriteThru" not in reading
    assert "WriteThru" in message("gw", "--policy", "WriteThru", *QUIET)


def test_trials_have_seeds_of_their_own_and_a_coefficient_of_variation() -> None:
    (row,) = rows("rnd", "--blocks-per-process", "20", "--trials", "3", "--seed", "7")
    singles = [
        rows("rnd", "--per-process", "20", "--trials", "1", "--seed", seed)[0]["execution_s"]
        for seed in (7, 8, 9)
    ]
    mean = sum(singles) / 3
    deviation = (sum((one - mean) ** 2 for one in singles) / 2) ** 0.5
    assert row["execution_s"] == pytest.approx(mean)
    assert row["cv"] == pytest.approx(deviation / mean) and row["cv"] > 0
    assert (row["least_s"], row["most_s"]) == (min(singles), max(singles))


def test_a_sweep_varies_the_cache_and_the_policy() -> None:
    small = ("gw", "--blocks-per-process", "20", "--trials", "1")
    found = rows(*small, "--sweep", "buffers=20:200,policy=all")
    assert [row["buffers"] for row in found[::4]] == list(range(20, 201, 20))
    assert [row["policy"] for row in found[:4]] == ["WriteThru", "WriteBack", "WriteFree", "WriteFull"]
    assert [row["case"] for row in found] == list(range(40))
    assert found[0]["swept"] == "buffers=20, policy=WriteThru"
    assert "buffers=20, policy=WriteThru" in message(*small, "--sweep", "buffers=20:200,policy=all")
    steps = rows(*small, "--sweep", "record=0.5,2", "--sweep", "buffers=30:90:30,200")
    assert [(row["record_bytes"], row["buffers"]) for row in steps] == [
        (size, count) for size in (512, 2048) for count in (30, 60, 90, 200)
    ]
    # four buffers a process, however many there are
    assert [row["buffers"] for row in rows(*small, "--sweep", "processes=1,10")] == [4, 40]


def test_a_trace_is_replayed_with_its_think_times(trace: Path) -> None:
    (row,) = rows(trace, "--disks", "1", "--service", "1ms", *QUIET)
    # the second process finds each block that the first has read, 7 ms later each time
    assert (row["processes"], row["disk_reads"], row["hit_ratio"]) == (2, 4, 0.5)
    assert row["execution_s"] == pytest.approx(0.007 + 3 * 0.010)
    (row,) = rows(trace, "--think", "none", "--disks", "1", "--service", "1ms", *QUIET)
    assert row["execution_s"] == pytest.approx(4 * 0.001)
    assert row["workload"] == "made" and row["record_bytes"] is None and row["block_bytes"] == 4096


def test_several_traces_run_at_the_same_time(trace: Path) -> None:
    (alone,) = rows(trace, "--think", "none", *QUIET)
    (both,) = rows(trace, trace, "--think", "none", *QUIET)
    assert both["processes"] == 2 * alone["processes"] and both["accesses"] == 2 * alone["accesses"]
    # they read the same files
    assert both["disk_reads"] == alone["disk_reads"]


def test_each_file_has_its_own_cache_unless_it_is_shared(tmp_path: Path) -> None:
    """One process reads the first block of two files in turn, through caches of one buffer."""
    ms = 1_000_000
    calls = [
        request(10 * ms * place, 0, file=place % 2, offset=0, length=4096, duration_ns=ms)
        for place in range(6)
    ]
    path = stored(calls, tmp_path).path
    own, shared = rows(path, "--buffers", "1", "--sweep", "shared-cache=no,yes", *QUIET)
    assert (own["shared_cache"], own["disk_reads"], own["hits"]) == (False, 2, 4)
    assert (shared["shared_cache"], shared["disk_reads"], shared["hits"]) == (True, 6, 0)
    assert "1 buffer a file" in message(path, "--buffers", "1", *QUIET)
    assert "1 buffer for all files" in message(path, "--buffers", "1", "--shared-cache", *QUIET)


def test_starting_a_disk_write_takes_the_writer_time(tmp_path: Path) -> None:
    """Each of 200 writes takes 1 ms, ± 50 %, of the process; the last one's disk then works for 30 ms."""
    (tmp_path / "slow.toml").write_text("write_start_ns = 1_000_000\n")
    words = ("lw1", "--processes", "1", "--blocks-per-process", "200", "--disks", "200", "--buffers", "200")
    for policy in ("WriteThru", "WriteFull", "WriteFree"):
        (free,) = rows(*words, "--policy", policy, *QUIET)
        assert free["execution_s"] == pytest.approx(0.030)
        (row,) = rows(*words, "--policy", policy, "--overheads", tmp_path / "slow.toml", *QUIET)
        assert 199 * 0.0005 < row["execution_s"] - 0.030 < 199 * 0.0015
        assert 200 * 0.0005 < row["overhead_s"] < 200 * 0.0015


def test_pattern_text_runs_as_the_pattern_does(tmp_path: Path) -> None:
    lines = [f"*,{i},write,{i},{256 * i},256,0\n" for i in range(1600)]
    head = "# iotrace pattern 1\nproc,seq,op,record,offset_bytes,length_bytes,compute_us\n"
    (tmp_path / "gw.csv").write_text(head + "".join(lines))
    words = ("--processes", "20", "--policy", "WriteBack", "--trials", "2")
    (text,) = rows(tmp_path / "gw.csv", "--block", "1K", *words)
    (made,) = rows("gw", "--record", "1/4", "--blocks-per-process", "20", *words)
    for name in ("execution_s", "cv", "disk_writes", "rewrites", "hits", "events"):
        assert text[name] == made[name], name
    assert "say with --processes" in refused(tmp_path / "gw.csv")
    (two,) = rows(tmp_path / "gw.csv", tmp_path / "gw.csv", "--processes", "20", "--trials", "1")
    assert (two["processes"], two["records"]) == (40, 3200)


def test_computation_is_written_as_its_kind_and_its_mean() -> None:
    small = ("gw", "--blocks-per-process", "5", *QUIET)
    (row,) = rows(*small, "--compute", "constant:2ms")
    assert row["ideal_compute_s"] == pytest.approx(0.010) and row["computing_s"] == pytest.approx(0.010)
    assert rows(*small, "--compute", "exponential:2ms") == rows(*small, "--compute", "2ms")
    assert "not none, constant:TIME" in refused(*small, "--compute", "normal:2ms")
    assert "--no-cache cannot be combined with --buffers" in refused(
        *small, "--no-cache", "--sweep", "buffers=20,40"
    )
    found = rows(*small, "--sweep", "compute=0,2ms,4ms", "--compute", "constant:1ms")
    assert [row["computing_s"] for row in found] == pytest.approx([0, 0.010, 0.020])


@pytest.mark.parametrize(
    ("writes", "disk_writes"),
    [
        pytest.param([(0, 512), (512, 512)], 1, id="both halves"),
        pytest.param([(0, 512), (0, 512), (512, 512)], 2, id="one half twice, then the other"),
        pytest.param([(0, 600), (0, 600), (0, 600)], 1, id="past the block's length: at the end"),
    ],
)
def test_write_full_counts_bytes(tmp_path: Path, writes: list[tuple[int, int]], disk_writes: int) -> None:
    ms = 1_000_000
    calls = [
        request(100 * ms * at, 0, offset=offset, length=length, duration_ns=ms, operation="write")
        for at, (offset, length) in enumerate(writes)
    ]
    place = stored(calls, tmp_path).path
    (row,) = rows(place, "--block", "1K", "--policy", "WriteFull", *QUIET)
    assert row["disk_writes"] == disk_writes


def test_larger_caches_absorb_bursts() -> None:
    """As section 4.4 supposes: while the processes compute, the disks write what the cache took."""
    words = ("gw", "--compute", "constant:30ms", "--policy", "WriteFull", "--trials", "1")
    (steady,) = rows(*words, "--buffers", "40")
    found = rows(*words, "--burst", "20", "--sweep", "buffers=40,400")
    assert [row["ideal_compute_s"] for row in found] == [steady["ideal_compute_s"]] * 2
    assert found[0]["execution_s"] > 1.05 * found[1]["execution_s"]
    assert found[1]["execution_s"] < 1.01 * found[1]["ideal_s"]


def test_self_scheduled_bursts_end_with_computation_of_all_processes() -> None:
    """One burst of all 200 records for each: 6 s of writing, then 6 s of computing by everyone."""
    words = ("gw", "--operation", "write", "--compute", "constant:30ms", "--burst", "200", *QUIET)
    (row,) = rows(*words)
    assert row["ideal_compute_s"] == pytest.approx(6)
    assert row["execution_s"] == pytest.approx(12, rel=0.05)
    lives = rows(*words, "--show", "processes")
    assert [one["computing_s"] for one in lives] == pytest.approx([6] * 20)
    assert "after bursts of 200 for each process, taken together" in message(*words)


def test_each_process_and_each_window_can_be_seen(trace: Path) -> None:
    lives = rows(trace, "--show", "processes", *QUIET)
    assert [(one["process"], one["records"]) for one in lives] == [(0, 4), (1, 5)]  # it computes first
    for one in lives:
        parts = [value for name, value in one.items() if name.endswith("_s") and name != "finished_s"]
        assert sum(parts) == pytest.approx(one["finished_s"])
    (total,) = rows("gw", "--policy", "WriteBack", "--trials", "1")
    windows = rows("gw", "--policy", "WriteBack", "--trials", "1", "--show", "windows")
    assert len(windows) == 50
    assert windows[-1]["end_s"] == pytest.approx(total["execution_s"])
    mean = sum(one["disk_utilisation"] for one in windows) / 50
    assert mean == pytest.approx(total["disk_utilisation"], rel=1e-6)
    assert all(one["buffers_clean"] + one["buffers_dirty"] <= 80 + 1e-9 for one in windows)


def test_prefetching_uses_the_disks_that_wait() -> None:
    """Four processes wait for each block of four records: a quarter of the disks is in use (section 4.3)."""
    (plain,) = rows("gw", "--record", "1/4", *QUIET)
    assert plain["execution_s"] == pytest.approx(24, rel=0.01) and plain["prefetches"] == 0
    (ahead,) = rows("gw", "--record", "1/4", "--prefetch", "portion", *QUIET)
    assert ahead["execution_s"] == pytest.approx(6, rel=0.02)
    assert ahead["disk_reads"] == 4000 and ahead["prefetches"] > 3000
    assert "read ahead" in message("gw", "--prefetch", "one-block", *QUIET)


def test_a_table_says_what_ran(trace: Path) -> None:
    text = message("gw", "--policy", "WriteBack", "--compute", "30ms", "--trials", "2")
    assert "written in records of one block. Exponential computation of 30 ms" in text
    assert "means of 2 runs, seeds from 1" in text.lower() and "zero overheads" in text
    text = message(trace, *QUIET)
    assert "8 records of 2 processes on 1 file, with their think times" in text


def test_results_come_as_csv_and_parquet_with_their_columns(tmp_path: Path) -> None:
    names = queries.table_schema("parallel").names
    (row,) = csv.DictReader(io.StringIO(message("gw", *QUIET, "--format", "csv")))
    assert list(row) == names
    message("gw", *QUIET, "-o", tmp_path / "out.parquet")
    assert pq.read_schema(tmp_path / "out.parquet").names == names
    with pytest.raises(UsageError, match="--force"):
        message("gw", "-o", tmp_path / "out.parquet")


def test_records_of_endless_length_are_refused(tmp_path: Path) -> None:
    calls = [request(0, offset=0, length=1 << 43), request(1, 1, offset=0, length=1)]
    assert "2 requests touch 2,147,483,649 blocks of 4,096 bytes; the budget is" in refused(
        stored(calls, tmp_path).path
    )


def test_drives_seek(trace: Path) -> None:
    (row,) = rows("seg", "--disk", "hp-97560", "--no-cache", "--trials", "1")
    assert row["drive"] == "hp-97560" and row["service_ns"] is None
    assert row["execution_s"] > 0


def test_too_few_buffers_are_refused_with_the_reason() -> None:
    words = refused("gw", "--buffers", "19")
    assert "19 buffers are fewer than 20 processes: the policy needs one buffer a process" in words
    assert "one buffer a process" in refused("gw", "--sweep", "buffers=10:200")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["gw", "--processes", "0"], "--processes is 0: at least 1"),
        (["gw", "--disks", "0"], "--disks: 0 is not from 1"),
        (["gw", "--record", "0"], "--record is 0: a number above 0"),
        (["gw", "--record", "1e9"], "not a number of blocks"),
        (["gw", "--block", "0"], "--block: 0 is not from 1 to [0-9,]+ bytes"),
        (["gw", "--blocks-per-process", "0"], "--blocks-per-process is 0"),
        (["gw", "--stripe", "0"], "--stripe: 0"),
        (["gw", "--service", "0"], "--service: 0 is not from 1 to [0-9,]+ ns"),
        (["gw", "--service", "30"], "is not a time"),
        (["seg", "--file-blocks", "100"], "longer than the file"),
        (["gw", "--record", "4001"], "longer than each process's"),
        (["gw", "--policy", "WriteSoon"], "is not a write policy"),
        (["gw", "--overheads", "none"], "overheads are zero, rapid-transit"),
        (["gw", "--trials", "0"], "--trials: 0 is not from 1 to 1,000"),
        (["gw", "--think", "none"], "gw: --think is for traces, not for patterns"),
        (["gw", "seg"], "a pattern runs alone"),
        (["gw", "--no-cache", "--policy", "WriteThru"], "--policy cannot be combined with --no-cache"),
        (["gw", "--buffers", "0", "--prefetch", "portion"], "--prefetch cannot be combined with --buffers 0"),
        (["gw", "--no-cache", "--sweep", "policy=all"], "--policy cannot be combined with --no-cache"),
        (["gw", "--buffers", "40", "--no-cache"], "--no-cache cannot be combined with --buffers"),
        (["gw", "--shared-cache"], "--shared-cache is for traces, not for patterns"),
        (["gw", "--sweep", "shared-cache=yes"], "--shared-cache is for traces, not for patterns"),
        (["gw", "--claim-order", "luck"], "luck.*random"),
        (["gw", "--disk", "ra18"], "is not one of"),
        (["gw", "--sweep", "disk=ra81,service=1ms,2ms"], "a drive has its own service times"),
        (["gw", "--burst", "2"], "--burst needs --compute"),
        (["gw", "--burst", "0", "--compute", "1ms"], "at least 1 record"),
        (["gw", "--seed", "-1"], "--seed: -1 is not from 0"),
        (["lfp", "--portion", "0"], "--portion is 0"),
        (["lfp", "--gap", "-1"], "--gap is -1"),
        (["gw", "--sweep", "record=0,1"], "--record is 0"),
        (["gw", "--sweep", "jitter=2y"], "is not a time"),
        (
            ["fish"],
            "fish: no such file or folder, and none of the patterns lw, lfp, lrp, seg, gw, gfp, grp, rnd",
        ),
        (["gw", "--disk", "ra81", "--service", "20ms"], "--service cannot be combined with --disk"),
        (["gw", "--sweep", "colour=1"], "'colour' is none of"),
        (["gw", "--sweep", "buffers=200:20"], "does not go upwards"),
        (["gw", "--sweep", "buffers=20,buffers=40"], "swept twice"),
        (["gw", "--sweep", "buffers=1:2:3:4"], "FROM:TO:STEP"),
        (["gw", "--sweep", "buffers=20:100000000:1"], "more than 100,000"),
        (["gw", "--sweep", "20"], "is not NAME=VALUE"),
        (["nothing-there.iotrace"], "nothing-there.iotrace"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], says: str) -> None:
    import re

    assert re.search(says, refused(*words))


def test_a_trace_has_no_options_of_patterns(trace: Path) -> None:
    assert "--record is for patterns, not for traces" in refused(trace, "--record", "2")
    assert "has its own processes, 2" in refused(trace, "--processes", "4")
    assert "--sweep record: is for patterns, not for traces" in refused(trace, "--sweep", "record=1,2")
    assert "no reads or writes of datafile or disk to run of files like *.dat" in refused(
        trace, "--file", "*.dat"
    )
