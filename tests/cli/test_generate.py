"""``iotrace generate`` as a user runs it: a trace that other commands read, and what of it is matched and invented."""

import json
import os
from pathlib import Path

import pytest
from program import Run, refused

import iotrace

VMS = ("generate", "vms", "--like", "off-day", "--scale", "0.01")


def test_text_is_a_trace_that_ingests(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "small.csv"
    done = run(*VMS, "-o", text)
    assert done.returncode == 0, done.stderr
    lines = text.read_text().splitlines()
    assert lines[:2] == ["# iotrace vms-io 1", "# times count from the start"]
    assert "generated, not traced: iotrace generate vms --like off-day --seed 1 --requests 1502" in lines[2]
    assert len(lines) == 4 + 585 + 917
    assert run("ingest", text, "-o", tmp_path / "read.iotrace").returncode == 0
    store = iotrace.open(tmp_path / "read.iotrace")
    operations = store.arrow("disk_io")["operation"].cast("string").to_pylist()
    assert (operations.count("read"), operations.count("write")) == (585, 917)
    assert store.manifest["format"] == "vms-io"


def test_text_and_store_hold_the_same(run: Run, tmp_path: Path) -> None:
    assert run(*VMS, "-o", tmp_path / "made.csv").returncode == 0
    assert run(*VMS, "-o", tmp_path / "made.iotrace").returncode == 0
    assert run("ingest", tmp_path / "made.csv", "-o", tmp_path / "read.iotrace").returncode == 0
    made, read = (iotrace.open(tmp_path / name) for name in ("made.iotrace", "read.iotrace"))
    assert made.arrow("disk_io").equals(read.arrow("disk_io"))
    assert made.manifest["sources"] == ["iotrace generate vms --like off-day --seed 1 --requests 1502"]
    assert made.manifest["generated"]["invented"]["rewrite_share"] > 0


def test_the_same_seed_makes_the_same_bytes(run: Run) -> None:
    once, again, other = (run(*VMS, "--seed", seed, "-o", "-").stdout for seed in (3, 3, 4))
    assert once == again != other


def test_what_made_a_trace_makes_it_again(run: Run, tmp_path: Path) -> None:
    words = ("--seed", "9", "--set", "burst-gap-ms=0.125", "--set", "rewrite_share=0.25")
    made = run(*VMS, *words, "-o", "-").stdout
    result = made.decode().splitlines()[2].removeprefix("# generated, not traced: iotrace ")
    assert run(*result.split(), "-o", "-").stdout == made


def test_it_says_what_is_matched_and_what_invented(run: Run, tmp_path: Path) -> None:
    done = run(*VMS, "--set", "rewrite_share=0.25", "--format", "json", "-o", tmp_path / "x.csv")
    result = json.loads(done.stdout)
    matched = {row["quantity"]: (row["asked"], row["made"]) for row in result["matched"]}
    assert matched["reads"] == (585, 585) and matched["writes"] == (917, 917)
    assert matched["mean write"] == pytest.approx((2.4, 2.4), abs=0.001)
    shares = [row["busy_percent"] for row in result["busy"]]
    assert shares[:2] == [16, 10.8] and all(0 < share < 100 for share in shares)
    invented = {row["parameter"]: row for row in result["invented"]}
    assert invented["rewrite_share"]["value"] == 0.25 != invented["rewrite_share"]["preset"]
    assert all(row["meaning"] for row in invented.values())
    shown = run(*VMS, "-o", tmp_path / "y.csv").stdout.decode()
    assert all(word in shown for word in ("matched", "busy", "invented", "rewrite_distance_writes", "y.csv"))


def test_standard_output_has_the_trace_alone(run: Run) -> None:
    done = run(*VMS, "-o", "-")
    assert done.returncode == 0
    assert done.stdout.startswith(b"# iotrace vms-io 1\n") and b"invented" not in done.stdout
    assert b"invented" in done.stderr


def test_a_reader_that_leaves_is_no_error(run: Run, tmp_path: Path) -> None:
    done = run.shell('"$IOTRACE" generate vms --like off-day --scale 0.1 -o - | head -n 1', tmp_path)
    assert done.stdout == b"# iotrace vms-io 1\n" and done.stderr == b""


def test_so_many_requests(run: Run) -> None:
    done = run("generate", "vms", "--like", "air-rsv", "--requests", "500", "-o", "-")
    assert done.stdout.count(b"LBLK") == 500


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["generate", "pdp", "--like", "off-day"], "unknown generator 'pdp'"),
        (
            ["generate", "vms", "--like", "weekend"],
            "'weekend' is not one of air-rsv, air-rsv-database, air-rsv-system, off-day, ",
        ),
        ([*VMS, "--requests", "10"], "--scale cannot be combined with --requests"),
        ([*VMS[:4], "--scale", "0"], "--scale is a number above 0"),
        ([*VMS[:4], "--scale", "nan"], "--scale is a number above 0"),
        ([*VMS[:4], "--requests", "-3"], "too few"),
        ([*VMS[:4], "--requests", "1000000000000"], "too many"),
        ([*VMS, "--format", "parquet"], "--format table, csv or json"),
        ([*VMS, "--seed", "-1"], "--seed: -1 is below 0"),
        ([*VMS, "--set", "rewrite_share"], "--set takes NAME=VALUE"),
        ([*VMS, "--set", "colour=3"], "'colour' is not one of"),
        ([*VMS, "--set", "rewrite_share=much"], "--set rewrite_share: 'much' is not a number"),
        ([*VMS, "--set", "rewrite_share=1.5"], "rewrite_share: 1.5 is not from 0 to 1"),
        (
            [*VMS, "--set", "rewrite_share=0.95", "--set", "write_after_read_share=0.3"],
            "more than 1 together",
        ),
    ],
)
def test_bad_values_are_one_line(run: Run, tmp_path: Path, words: list[str], why: str) -> None:
    output = tmp_path / "out.csv"
    assert why in refused(run(*words, "-o", output), code=2)
    assert not any(tmp_path.iterdir())


def test_what_exists_is_kept(run: Run, tmp_path: Path) -> None:
    for name in ("x.csv", "x.iotrace"):
        output = tmp_path / name
        assert run(*VMS, "-o", output).returncode == 0
        assert "exists" in refused(run(*VMS, "-o", output), code=2)
        assert run(*VMS, "-o", output, "--force").returncode == 0
    nowhere = refused(run(*VMS, "-o", tmp_path / "no" / "x.csv"))
    assert nowhere.startswith(str(tmp_path / "no" / "x.csv"))
    os.mkfifo(tmp_path / "pipe")
    for no_file in (tmp_path, tmp_path / "pipe"):
        assert "is not a file" in refused(run(*VMS, "-o", no_file, "--force"), code=2)
