"""``iotrace curve --policy`` on the small log of the curve's tests."""

import json
from pathlib import Path

import pytest
from test_curve_verb import LOG, rows_of, run

from iotrace.analysis.curves import POLICIES
from iotrace.analysis.curves.policies import policies_schema
from iotrace.cli.options.policies import VARIANTS
from iotrace.errors import UsageError


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "small.log"
    path.write_text(LOG)
    return path


def test_every_format_has_a_row_for_each_policy_and_size(log: Path, tmp_path: Path) -> None:
    asked = ("--policy", "SLRU, lru,slru", "--sizes", "16K,1M")
    rows = rows_of(run(log, *asked, "--format", "csv"))
    assert list(rows[0]) == policies_schema().names
    expected = [("slru", "16384"), ("slru", "1048576"), ("lru", "16384"), ("lru", "1048576")]
    assert [(row["policy"], row["size_bytes"]) for row in rows] == expected
    assert len(json.loads(run(log, *asked, "--format", "json"))) == 4
    run(log, *asked, "--format", "parquet", "--output", tmp_path / "out.parquet")
    assert (tmp_path / "out.parquet").stat().st_size > 0


def test_lru_has_the_row_of_the_curve(log: Path) -> None:
    asked = ("--sizes", "8K", "--coalesce", "none", "--format", "csv")
    _, expected = rows_of(run(log, *asked))
    (found,) = rows_of(run(log, "--policy", "lru", *asked))
    assert {name: found[name] for name in expected} == expected


def test_all_is_every_policy_at_the_usual_sizes(log: Path) -> None:
    rows = rows_of(run(log, "--policy", "all", "--block", "128K", "--format", "csv"))
    assert list(dict.fromkeys(row["policy"] for row in rows)) == list(POLICIES)
    assert min(int(row["size_bytes"]) for row in rows) == 256 * 1024


def test_the_table_says_whether_segmented_lru_is_as_good_as_twice_the_lru(log: Path) -> None:
    result = run(log, "--policy", "slru,lru", "--sizes", "1M")
    assert "as good as LRU of twice the size or more at 0 of 1 sizes" in result
    assert "as good" not in run(log, "--policy", "slru", "--sizes", "1M")


def test_help_and_table_say_the_variant_of_each_policy(log: Path) -> None:
    assert list(VARIANTS) == list(POLICIES)
    shown = " ".join(run("--policy", "help").split())
    for variant in VARIANTS.values():
        assert variant.split(";")[0].split(" (")[0] in shown
    table = " ".join(run(log, "--policy", "clock,slru", "--sizes", "1M").split())
    assert f"clock: {VARIANTS['clock']}" in table and f"slru: {VARIANTS['slru']}" in table
    assert "s3-fifo" not in table


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ["--policy", "unknown"],
            "'unknown' is not one of lru, lru-k, .*; for caches of blocks opt, of objects gdsf, ",
        ),
        (["--policy", "lru", "--by", "type"], "--policy cannot be combined with --by"),
        (
            ["--policy", "lru", "--write-policy", "no-allocate"],
            "--policy cannot be combined with --write-policy no-allocate",
        ),
        (["--protected", "50"], "--protected needs --policy slru or all"),
        (["--policy", "lru", "--protected", "50"], "--protected needs --policy slru or all"),
        (["--policy", "lru", "--sizes", "100"], "less than one block"),
        (["--policy", "lru", "--sizes", "0"], "less than one block"),
    ],
)
def test_refusals(log: Path, words: list[str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        run(log, *words)


def test_the_documentation_has_the_variant_of_each_policy() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "policies.md").read_text("utf-8")
    assert all(f"| `{name}` | {variant} |" in page for name, variant in VARIANTS.items())
