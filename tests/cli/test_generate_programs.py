"""``iotrace generate micro|nests|imitation`` as a user runs it: text, table and store of a program."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program import Run, refused

import iotrace
from iotrace import schemas

MICRO = ("generate", "micro", "--offset", "10", "--operations", "50", "--nodes", "2", "--compute", "1ms")
NESTS = ("generate", "nests", "vpenta", "--size", "64", "--set", "nodes=2")
KINDS = {
    "micro": MICRO,
    "nests": NESTS,
    "imitation": ("generate", "imitation", "db2", "--set", "operations=9"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_text_table_and_store_hold_the_same_accesses(run: Run, tmp_path: Path, kind: str) -> None:
    for name in ("made.asc", "made.parquet", "made.iotrace"):
        done = run(*KINDS[kind], "-o", tmp_path / name)
        assert done.returncode == 0, done.stderr
    table = pq.read_table(tmp_path / "made.parquet")
    assert table.schema.equals(schemas.schema("program"), check_metadata=True)
    assert run("ingest", tmp_path / "made.asc", "-o", tmp_path / "read.iotrace").returncode == 0
    made, read = (iotrace.open(tmp_path / name) for name in ("made.iotrace", "read.iotrace"))
    assert made.arrow("reference").equals(read.arrow("reference"))
    columns = ["process", "operation", "offset", "length"]
    result = made.arrow("reference").select(columns).to_pylist()
    expected = [row for row in table.select(columns).to_pylist() if row["offset"] is not None]
    for process in {row["process"] for row in expected}:
        mine = [row for row in expected if row["process"] == process]
        assert [row for row in result if row["process"] == process] == mine
    assert len(result) == len(expected)
    assert made.manifest["sources"][0].startswith(f"iotrace generate {kind}")


def test_what_is_assumed_is_told(run: Run, tmp_path: Path) -> None:
    result = json.loads(run(*NESTS, "--format", "json", "-o", tmp_path / "x.asc").stdout)
    parameters = {row["parameter"]: row for row in result["parameters"]}
    assert parameters["nodes"]["source"] == "set by the user"
    assert parameters["iterations"]["source"].startswith("assumed")
    assert [row["name"] for row in result["parts"] if row["part"] == "nest"] == [
        "forward sweep",
        "back substitution",
    ]


def test_an_imitation_says_so_in_its_text(run: Run) -> None:
    text = run("generate", "imitation", "titan", "--set", "queries=1", "-o", "-").stdout.decode()
    assert "imitation-of-titan.0" in text.splitlines()[1]


@pytest.mark.parametrize(
    ("last", "at", "message"),
    [
        (0, "i", "mine: reads and writes nothing"),
        (9, "i", "mine: nest sweep: subscript 1 of a reaches 9, not within 1 to 8"),
    ],
)
def test_nests_of_one_s_own_that_make_no_sense(
    run: Run, tmp_path: Path, last: int, at: str, message: str
) -> None:
    names = ("nodes", "processes_per_node", "iterations", "largest_request_bytes")
    source = 'source = "mine"'
    text = ['description = "mine"']
    for name in names:
        text += ["[[parameter]]", f'name = "{name}"', "value = 1", 'description = "mine"', source]
    text += ["[[array]]", 'name = "a"', 'extents = ["8"]', "element_bytes = 8", source]
    text += ["[[nest]]", 'name = "sweep"', "compute_ps = 0", source]
    text += ["[[nest.loop]]", 'index = "i"', 'from = "1"', f'to = "{last}"', "tile = 1"]
    text += ["[[nest.reference]]", 'array = "a"', f'at = ["{at}"]', 'operation = "read"']
    (tmp_path / "mine.toml").write_text("\n".join(text))
    done = run("generate", "nests", tmp_path / "mine.toml", "-o", tmp_path / "x.parquet")
    assert message in refused(done, 1)
    assert not (tmp_path / "x.parquet").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("imitation", "oracle"), "'oracle' is not one of lu, cholesky, titan, mining, pgrep, db2"),
        (("imitation", "lu", "--set", "rows"), "--set takes NAME=VALUE"),
        (("nests", "vpenta", "--size", "1000000"), "GB in memory; 67,108,864 are the most"),
        (("nests", "swim"), "NAME: 'swim' is neither a file nor one of lu, tomcatv, vpenta"),
        (("nests", "vpenta", "--size", "0"), "extents and element bytes are at least 1"),
        (("nests", "vpenta", "--set", "nodes=0"), "parameter nodes is 0"),
        (("micro", "--largest", "0"), "--largest: 0 is not from 1"),
        (("micro", "--nodes", "100000000"), "--nodes: 100,000,000 is not from 1 to 65,536"),
        (("micro", "--seed", "-1"), "--seed: -1 is below 0"),
        (("micro", "--format", "parquet"), "--format table, csv or json"),
    ],
)
def test_refusals(run: Run, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = run("generate", *words, "-o", tmp_path / "x.asc")
    assert message in refused(done, 1 if "--size" in words else 2)
    assert list(tmp_path.iterdir()) == []
