"""``iotrace attribute`` and ``iotrace paper``: what they write, and what they refuse."""

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program import Run, refused

from iotrace import queries

EMPTY = "100 1700000000.000000 getpid() = 100\n100 1700000000.001000 +++ exited with 0 +++\n"


def rows_of(result: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(result.decode().splitlines()))


def test_the_comparison_has_a_row_for_each_power_of_two(run: Run, shared_store: Path) -> None:
    rows = rows_of(run("attribute", shared_store, "--format", "csv").stdout)
    assert list(rows[0]) == queries.table_schema("attribute_comparison").names
    assert [int(row["total_bytes"]) for row in rows] == [2**power for power in range(12, 31)]
    assert rows[0]["configuration"] == "" and rows[-1]["configuration"].startswith("4M/128 ID")
    assert all(float(row["best_cost"]) <= float(row["cost"]) for row in rows if row["cost"])


def test_parquet_has_the_documented_schema(run: Run, shared_store: Path, tmp_path: Path) -> None:
    done = run("attribute", shared_store, "-f", "parquet", "-o", tmp_path / "out.parquet")
    assert done.returncode == 0, done.stderr
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert schema.equals(queries.table_schema("attribute_comparison"), check_metadata=True)


def test_several_traces_have_a_least_regret(run: Run, shared_store: Path, log: Path) -> None:
    result = json.loads(run("attribute", shared_store, log, "-t", "32K,1M", "-f", "json").stdout)
    names = [f"{trace} ({place})" for place, trace in enumerate((shared_store, log), 1)]
    assert [row["trace"] for row in result["comparison"]] == [names[0], names[0], names[1], names[1]]
    assert all(row["mean_regret_percent"] == 0 for row in result["least_regret"])  # they are the same


def test_split_counts_sum_up(run: Run, shared_store: Path) -> None:
    result = rows_of(run("attribute", shared_store, "-t", "64K", "--split", "-f", "csv").stdout)
    mine = [row for row in result if row["scheme"] == "variable attribute cache"]
    (whole,) = (row for row in mine if not row["subcache"] and not row["type"])
    assert int(whole["read_requests"]) == sum(int(row["read_requests"]) for row in mine if row["type"])


def test_classes_of_ones_own(run: Run, shared_store: Path) -> None:
    words = (
        "--class",
        "Mine: path like '%'",
        "--class",
        "Rest: not mine",
        "--scheme",
        "64K/4K Mine, x/128 Rest",
    )
    done = run("attribute", shared_store, *words, "-t", "1M", "-f", "json")
    (row,) = json.loads(done.stdout)
    assert row["configuration"] == "64K/4K Mine, 960K/128 Rest"
    assert row["best_cost"] <= row["cost"]


def test_a_terminal_reads_words(run: Run, shared_store: Path) -> None:
    result = run("attribute", shared_store, "-t", "64K").stdout.decode()
    assert "32K/128 ID, 32K/8K General" in result and "best partition" in result


def test_a_drawing(run: Run, shared_store: Path, tmp_path: Path) -> None:
    assert run("attribute", shared_store, "--plot", tmp_path / "a.svg").returncode == 0
    drawn = (tmp_path / "a.svg").read_text("utf-8")
    assert drawn.startswith("<svg ") and drawn.count("<polyline") == 3


def test_a_paper_is_a_page_and_tables(run: Run, shared_store: Path, log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "beside"
    done = run("paper", "richardson", shared_store, log, "-o", folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "index.html").read_text("utf-8")
    for item in ("Table 3.1", "Figure 4.2", "Equation 4.2", "Figure 5.20", "Which claims hold"):
        assert item in page
    findings = rows_of((folder / "findings.csv").read_bytes())
    assert {row["trace"] for row in findings} == {f"{shared_store} (1)", f"{log} (2)"}
    assert {"F01-02", "W01", "R01", "R11", "R16b"} <= {row["finding"] for row in findings}
    assert run("paper", "richardson", shared_store, "-o", folder).returncode == 0  # over its own page
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert "holds other files" in refused(
        run("paper", "richardson", shared_store, "-o", tmp_path / "mine"), 2
    )


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (["--scheme", "64K/128 ID, x/4Q General"], "character 16 ('Q')"),
        (["--scheme", "0/128 ID"], "a size is more than 0"),
        (["--scheme", "64/128 ID"], "less than one block"),
        (["--scheme", "64K/128 ID, x/4K Blue"], "there is no class Blue"),
        (["--scheme", "64K/128 ID, x/4K inode"], "overlap: both have the inode of"),
        (["--scheme", "64K/128 ID, x/4K General", "--total", "32K"], "less than the fixed parts"),
        (["--scheme", "64K/128 ID", "--total", "128K"], "has no x"),
        (["--total", "16K"], "begins at 32 KB"),
        (["--total", "0"], "--total: totals are sizes above 0"),
        (["--total", "much"], "is not a size"),
        (["--cut-off", "0"], "--cut-off: 0 is below 1 bytes"),
        (["--space", "4K/128 ID"], "the size is ?"),
        (["--class", "Logs"], "a class is written as in"),
        (["--period", "9"], "--period needs --adaptive"),
        (["--split", "--space", "?/4K General"], "--space cannot be combined with --split: it shows counts"),
        (["--split", "--best", "time"], "--best cannot be combined with --split"),
        (["--scheme", "varaible"], "there is no scheme varaible; there are variable"),
        (["--total", "9000000T"], "more than 2^60 bytes"),
        (["--plot", "a.png"], "a.png: is not a name for a drawing, which ends in .svg"),
        (["--plot", "a.svg", "--split"], "--plot cannot be combined with --split: it draws the comparison"),
        (["--plot", "a.svg", "--adaptive"], "--plot cannot be combined with --adaptive"),
    ],
)
def test_refusals_of_words(run: Run, shared_store: Path, words: list[str], result: str) -> None:
    assert result in refused(run("attribute", shared_store, *words), 2)


def test_refusals_of_what_is_there(run: Run, shared_store: Path) -> None:
    assert "--strict forbids" in refused(run("attribute", shared_store, "--scheme", "x/128 ID", "--strict"))
    wrong = ("--class", "Mine: nonsense = 1", "--scheme", "x/4K Mine")
    assert "SQL of --class" in refused(run("attribute", shared_store, *wrong))


def test_a_block_trace_is_refused(run: Run, tmp_path: Path) -> None:
    disk = tmp_path / "disk.iotrace"
    (tmp_path / "disk.csv").write_text(
        "128166372003061629,hm,0,Read,8192,4096,153\n128166372016382155,hm,0,Write,4096,4096,217\n"
    )
    assert run("ingest", tmp_path / "disk.csv", "-o", disk).returncode == 0
    message = (
        f"{disk}: is made of requests to disks, and attribute caches are for files that programs open by name"
    )
    assert refused(run("attribute", disk)).startswith(message)


def test_blocks_that_are_no_power_of_two(run: Run, shared_store: Path) -> None:
    done = run(
        "attribute", shared_store, "--scheme", "3000/100 ID, x/5000 General", "-t", "64K", "-f", "json"
    )
    assert json.loads(done.stdout)[0]["configuration"] == "3000/100 ID, 62536/5000 General"


def test_a_trace_without_requests(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "empty.strace"
    log.write_text(EMPTY)
    result = json.loads(run("attribute", log, "-t", "1M", "-f", "json").stdout)
    assert result[0]["read_request_miss_ratio"] is None and result[0]["best_cost"] == 0
    assert "no requests" in run("attribute", log).stderr.decode()


def test_advice_names_files_and_what_moving_them_saves(run: Run, shared_store: Path) -> None:
    result = json.loads(run("attribute", shared_store, "-t", "64K,256K", "--advise", "-f", "json").stdout)
    for row in result["remapping"]:
        moves = [move for move in result["moves"] if move["total_bytes"] == row["total_bytes"]]
        assert len(moves) == row["files_moved"]
        assert row["cost"] - sum(move["saved_alone"] for move in moves) == row["predicted_cost"]
        assert row["cost"] - sum(move["saved"] for move in moves) == row["remapped_cost"]
    shown = run("attribute", shared_store, "-t", "256K", "--advise").stdout.decode()
    (row,) = (row for row in result["remapping"] if row["total_bytes"] == 256 << 10)
    files = "this file" if row["files_moved"] == 1 else f"these {row['files_moved']} files"
    said = f"Moving {files} saves {row['saved_percent']:.1f} % of the read misses at 256 KB (simulated)"
    assert " ".join(shown.split()).startswith(said)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--advise"], "--advise needs --total"),
        (["--candidates", "3", "-t", "1M"], "--candidates needs --advise or --learn"),
        (["--learn", "-t", "1M"], "--learn needs two traces"),
        (["--learn"], "--learn needs --total"),
        (["--learn", "--advise", "-t", "1M"], "--advise cannot be combined with --learn"),
        (
            ["--adaptive", "--advise", "-t", "1M"],
            "--advise cannot be combined with --adaptive",
        ),
        (["--advise", "-t", "1M", "--scheme", "x/4K Unix"], "no two subcaches"),
    ],
)
def test_advice_that_makes_no_sense_is_refused(
    run: Run, shared_store: Path, words: list[str], reason: str
) -> None:
    assert reason in refused(run("attribute", shared_store, *words), 2)


def test_learnt_rules_are_judged_on_the_other_trace(run: Run, shared_store: Path, tmp_path: Path) -> None:
    (tmp_path / "b.strace").write_text(
        '1 1700000000.0 open("/etc/a", O_RDONLY) = 3\n1 1700000000.1 read(3, "x"..., 4096) = 4096\n'
    )
    command = ["attribute", shared_store, tmp_path / "b.strace", "-t", "256K", "--learn"]
    result = json.loads(run(*command, "-f", "json").stdout)
    (row,) = result["learnt"]
    assert row["learnt_from"] != row["trace"] == "b"
    assert row["learnt_saved_percent"] == pytest.approx(100 * (1 - row["learnt_cost"] / row["cost"]))
    shown = run(*command)
    assert shown.returncode == 0, shown.stderr
    assert "Judged on other traces" in shown.stdout.decode()
