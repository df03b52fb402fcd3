"""iotrace cluster, as a user runs it."""

import csv
import io
import json
import os
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from program import Run, refused

from iotrace.generate.micro.generated import program_of
from iotrace.generate.micro.settings import Micro
from iotrace.generate.program import Rows, table
from iotrace.simulate.cluster.costs import components

COMPARED = {"none", "local", "global", "local+global", "run-time 3", "run-time 20", "adaptive", "tinylfu"}
BITS = "phase,operation,level,file,first_segment,segments,through\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "micro.parquet"
    micro = Micro(largest_blocks=2, largest_offset_blocks=600, operations=400, nodes=2)
    pq.write_table(program_of(micro, 1), path)
    return path


def rows(run: Run, *words: object) -> list[dict]:
    done = run("cluster", *words, "-f", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_disciplines_are_compared(run: Run, program: Path) -> None:
    found = {row["discipline"]: row for row in rows(run, program, "--nodes", 2, "--iods", 3)}
    assert COMPARED | {"demote", "coarse", "fine"} == set(found)
    assert found["none"]["local_blocks"] == found["local"]["global_blocks"] == 0
    assert found["none"]["local_hit_percent"] is None and found["local"]["local_hit_percent"] > 0
    assert found["local+global"]["saving_percent"] == 0
    done = run("cluster", program, "--nodes", 2)
    assert b"local hits" in done.stdout
    assert b"Saving: how much less time than with local+global" in done.stdout


def test_a_sweep_has_every_combination(run: Run, program: Path) -> None:
    words = ("--discipline", "local+global,run-time", "--threshold", "5")
    found = rows(run, program, *words, "--sweep", "global=100,1M,inf", "--sweep", "iods=1,4")
    assert [(row["global_blocks"], row["iods"]) for row in found[::2]] == [
        (size, iods) for size in (100, 256, None) for iods in (1, 4)
    ]
    assert {row["discipline"] for row in found} == {"local+global", "run-time 5"}


def test_a_sweep_tells_its_settings_beside_counts_too(run: Run, program: Path) -> None:
    words = ("--discipline", "local+global", "--sweep", "global=10,inf", "--by", "node", "--nodes", 2)
    found = rows(run, program, *words)
    assert [(row["global_blocks"], row["node"]) for row in found] == [
        ("10", 0), ("10", 1), ("inf", 0), ("inf", 1)
    ]  # fmt: skip
    assert b"global_blocks" in run("cluster", program, *words).stdout
    assert "global_blocks" not in rows(run, program, *words[:2], "--by", "node")[0]


def test_every_option_can_be_swept_over_a_range(run: Run, program: Path) -> None:
    words = ("--discipline", "local+global", "--sweep", "flush=1s:3s:1s", "--sweep", "global-servers=0,1")
    found = rows(run, program, *words)
    assert [row["swept"] for row in found] == [
        f"flush={seconds}s, global-servers={servers}" for seconds in (1, 2, 3) for servers in (0, 1)
    ]
    assert b"flush=3s" in run("cluster", program, *words).stdout


def test_bits_of_one_s_own_go_round(run: Run, program: Path, tmp_path: Path) -> None:
    bits = tmp_path / "bits.csv"
    bits.write_text(f"{BITS},,global,0,0,,false\n")
    (own,) = rows(run, program, "--bypass", bits)
    (local,) = rows(run, program, "--discipline", "local")
    assert own["execution_ns"] == local["execution_ns"]
    assert own["bypass_percent"] == 100
    bits.write_text(f"{BITS},,global,{program}:0,0,,false\n")
    (named,) = rows(run, program, "--bypass", bits)
    assert named["execution_ns"] == local["execution_ns"]
    bits.write_text(f"{BITS},,global,elsewhere,0,,false\n")
    assert "is neither a file's number nor its name" in refused(run("cluster", program, "--bypass", bits), 2)
    bits.write_text(f"{BITS},delete,global,0,0,,false\n")
    assert "row 0 of the bypass bits" in refused(run("cluster", program, "--bypass", bits), 2)
    bits.write_text("phase,level\n,global\n")
    assert "lacks operation" in refused(run("cluster", program, "--bypass", bits), 2)


def test_bits_for_one_operation_stand_beside_bits_for_both(run: Run, program: Path, tmp_path: Path) -> None:
    bits = tmp_path / "bits.csv"
    bits.write_text(f"{BITS},,global,0,0,,false\n,read,local,0,0,,false\n,write,local,0,0,,false\n")
    (own,) = rows(run, program, "--bypass", bits)
    (none,) = rows(run, program, "--discipline", "none")
    assert own["execution_ns"] == none["execution_ns"]


def test_what_is_named_twice_runs_once(run: Run, program: Path) -> None:
    words = ("--discipline", "local,run-time,local", "--threshold", "3,3")
    assert [row["discipline"] for row in rows(run, program, *words)] == ["local", "run-time 3"]


def test_what_the_program_lacks_is_told(run: Run, program: Path, tmp_path: Path) -> None:
    bits = tmp_path / "bits.csv"
    bits.write_text(f"{BITS},,global,0,0,,false\n9,,global,7,0,,false\n")
    done = run("cluster", program, "--bypass", bits, "--nodes", 50)
    assert done.returncode == 0, done.stderr
    assert b"name files that the program lacks: 7" in done.stdout
    assert b"name phases that the program lacks: 9" in done.stdout
    assert b"nly 2 of the 50 nodes run processes" in done.stdout


@pytest.mark.parametrize("words", [("--by", "node", "--discipline", "local"), ("--advice",), ()])
def test_what_is_to_be_known_is_told_in_every_form(run: Run, program: Path, words: tuple[str, ...]) -> None:
    for form in ("table", "csv", "json"):
        done = run("cluster", program, "--nodes", 50, *words, "-f", form)
        result = done.stdout if form == "table" else done.stderr
        assert b"nly 2 of the 50 nodes run processes" in result, form
        assert (b"ypass the global cache for everything" in result) == (words == ("--advice",)), form


def test_counts_without_a_clock_by_node(run: Run, program: Path) -> None:
    done = run("cluster", program, "--count-only", "--by", "node", "--discipline", "local", "-f", "csv")
    found = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [row["node"] for row in found] == ["0", "1"]
    assert sum(int(row["reads"]) + int(row["writes"]) for row in found) == 2 * 400 or len(found) == 2
    (total,) = rows(run, program, "--count-only", "--discipline", "local")
    assert total["execution_ns"] is None
    assert total["reads"] == sum(int(row["reads"]) for row in found)


def test_counts_by_node_are_as_narrow_as_totals(run: Run, program: Path) -> None:
    words = ("--nodes", 2, "--by", "node", "--discipline", "local+global")
    done = run("cluster", program, *words)
    assert b"global hits" in done.stdout and b"dropped" not in done.stdout
    assert max(map(len, done.stdout.decode().splitlines())) < 150


def test_advice_is_a_sentence_and_its_candidates(run: Run, program: Path) -> None:
    done = run("cluster", program, "--nodes", 2, "--advice")
    assert done.returncode == 0, done.stderr
    assert b"the global cache" in done.stdout and b"everything" in done.stdout
    result = json.loads(run("cluster", program, "--nodes", 2, "--advice", "-f", "json").stdout)
    assert set(result) == {"candidates", "advice", "bits"}
    (none,) = (one for one in result["candidates"] if "no caching" in one.values())
    (plain,) = rows(run, program, "--nodes", 2, "--discipline", "none")
    assert none["execution_ns"] == plain["execution_ns"]


def test_what_sizes_files_are_taken_to_have_is_said(run: Run, program: Path) -> None:
    for words, is_said in (
        (("--advice",), True),
        (("--discipline", "coarse"), True),
        (("--discipline", "none"), False),
    ):
        assert (b"have no file sizes" in run("cluster", program, *words).stdout) == is_said


def test_stale_reads_are_explained(run: Run, program: Path, tmp_path: Path) -> None:
    for words in (("--advice",), ("--discipline", "none,local")):
        assert b"only a sync_write prevents them" in run("cluster", program, "--nodes", 2, *words).stdout
    assert b"sync_write" not in run("cluster", program, "--nodes", 2, "--discipline", "none").stdout


def test_advice_that_is_followed_saves_what_it_says(run: Run, tmp_path: Path) -> None:
    """File 0 is read over and over by two nodes, file 1 once: its bits, and fine, are those of the comparison."""
    step, hot = np.arange(120), np.arange(120) % 3 > 0
    each = 16 * 4096
    one = {"phase": step // 60, "operation": step * 0, "file": np.where(hot, 0, 1)}
    offset = np.where(hot, step % 8, step) * each
    made = [
        Rows(
            process=step * 0 + n,
            node=step * 0 + n,
            offset=offset,
            length=step * 0 + each,
            compute_ns=step * 0,
            **one,
        )
        for n in (0, 1)
    ]
    slow = tmp_path / "slow.toml"
    slower = {"stream_disk_ns_per_kb": 500_000, "list_ns_per_kb": 500_000}
    costs = asdict(replace(components(), **slower))
    lines = [f"{name.replace('_ns', '_ms')} = {value / 1e6}" for name, value in costs.items()]
    slow.write_text("[components]\n" + "\n".join(lines) + "\n", "utf-8")
    path = tmp_path / "hot.parquet"
    machine = ("--nodes", 2, "--iods", 1, "--local", 40, "--global", 180, "--costs", slow)
    pq.write_table(table(made), path)
    bits = tmp_path / "advice"
    done = run("cluster", path, *machine, "--advice", "-f", "parquet", "-o", bits)
    assert done.returncode == 0, done.stderr
    candidates = {row["plan"]: row for row in pq.read_table(bits / "candidates.parquet").to_pylist()[::-1]}
    (best, *_) = pq.read_table(bits / "candidates.parquet").to_pylist()
    (own,) = rows(run, path, *machine, "--bypass", bits / "bits.parquet", "--bypass-default")
    assert best["saved_ns"] > 0 and best["plan"] != "no caching"
    assert own["execution_ns"] == best["execution_ns"]
    for row in rows(run, path, *machine, "--discipline", "coarse,fine"):
        assert row["execution_ns"] == candidates[row["discipline"]]["execution_ns"], row["discipline"]


def test_two_traces_run_together(run: Run, log: Path) -> None:
    one = rows(run, log, "--think", "none", "--discipline", "local+global")
    two = rows(run, log, log, "--think", "none", "--discipline", "local+global")
    assert two[0]["reads"] == 2 * one[0]["reads"]
    assert (two[0]["local_shared_percent"] or two[0]["global_shared_percent"] or 0) > 0
    for words, is_told in (((log,), False), ((log, log), True), ((log, log, "--by", "application"), True)):
        done = run("cluster", *words, "--think", "none", "--discipline", "local+global")
        assert (b" of others" in done.stdout) == is_told, words


def test_a_parallel_trace_runs(run: Run, tmp_path: Path) -> None:
    traces = os.environ.get("IOTRACE_TRACES")
    if not traces:
        pytest.skip("IOTRACE_TRACES names no folder of traces")
    trace = tmp_path / "synthetic.asc"
    trace.write_bytes(Path(traces, "umd", "synthetic.asc").read_bytes())
    done = run("cluster", trace, "--think", "none", "--discipline", "none,local+global")
    assert done.returncode == 0, done.stderr
    assert b"anks become nodes" in done.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--iods", "0"), "--iods: 0 is not from 1 to 65,536"),
        (("--nodes", "0"), "nodes"),
        (("--segment", "0"), "segment"),
        (("--threshold", "-1"), "threshold"),
        (("--threshold", "99999999"), "threshold"),
        (("--discipline", "magic"), "is not one of none, local"),
        (("--sweep", "magic=1"), "--sweep"),
        (("--sweep", "iods=1", "--sweep", "iods=2"), "iods is swept twice"),
        (("--trace-format", "strace"), "is a program, not a trace"),
        (("--local", "many"), "not a size: blocks (500), bytes with a unit (2M), or inf"),
        (("--local", "-5"), "not a size: blocks (500), bytes with a unit (2M), or inf"),
        (("--local", "1.5"), "less than a block of 4096 bytes"),
        (("--global", "100B"), "less than a block of 4096 bytes"),
        (("--water", "9,3"), "water"),
        (("--costs", "nowhere"), "--costs"),
        (
            ("--advice", "--count-only"),
            "--advice cannot be combined with --count-only: it simulates what it needs",
        ),
        (("--advice", "--discipline", "none"), "--advice cannot be combined with --discipline"),
        (("--bypass-default",), "--bypass-default needs --bypass"),
        (
            ("--discipline", "local", "--threshold", "3"),
            "--threshold needs --discipline run-time",
        ),
        (("--count-only", "--flush", "1s"), "--flush cannot be combined with --count-only: it has no clock"),
        (("--count-only", "--sweep", "network=hub,switch"), "--network cannot be combined with --count-only"),
        (("--advice", "--no-aging"), "--no-aging needs --discipline run-time"),
    ],
)
def test_options_that_make_no_sense(run: Run, program: Path, words: tuple[str, ...], why: str) -> None:
    assert why in refused(run("cluster", program, *words), 2)


def test_a_file_that_is_no_program(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1 not")
    assert "is not a table program" in refused(run("cluster", tmp_path / "x.parquet"), 1)
    assert "no such file" in refused(run("cluster", tmp_path / "y.parquet"), 1)


def test_the_global_cache_writes_back_through_or_with_few_threads(run: Run, program: Path) -> None:
    """Blocks written again before a flush reach the daemons once; the file is the only one, so sharing is no change."""
    words = (program, "--nodes", 2, "--discipline", "global")
    (back,) = rows(run, *words)
    (through,) = rows(run, *words, "--global-writes", "through")
    assert through["daemon_written_bytes"] == through["written_bytes"] > back["daemon_written_bytes"]
    assert back["execution_ns"] < through["execution_ns"]
    (shared,) = rows(run, *words, "--global-shared")
    assert shared["execution_ns"] == back["execution_ns"]
    assert (back["global_per_file"], shared["global_per_file"]) == (True, False)
    (single,) = rows(run, *words, "--global-threads", 1)
    assert single["execution_ns"] > back["execution_ns"]
    done = run("cluster", *words, "--global-writes", "never")
    assert done.returncode == 2 and b"Traceback" not in done.stderr
