"""``iotrace curve --fetch`` and ``--coalesce`` on the small log of the curve's tests."""

import json
from pathlib import Path

import pytest
from test_curve_verb import LOG, rows_of, run

from iotrace import queries
from iotrace.errors import UsageError


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "small.log"
    path.write_text(LOG)
    return path


def test_every_format_has_a_row_for_each_fetch_block_and_size(log: Path, tmp_path: Path) -> None:
    asked = ("--fetch", "16K,4K", "--coalesce", "50", "--sizes", "16K,1M")
    rows = rows_of(run(log, *asked, "--format", "csv"))
    assert list(rows[0]) == queries.table_schema("disk_accesses").names
    expected = [(fetch, size) for fetch in ("16384", "4096") for size in ("0", "16384", "1048576")]
    assert [(row["fetch_bytes"], row["size_bytes"]) for row in rows] == expected
    assert {row["coalesce_percent"] for row in rows} == {"50"}
    assert len(json.loads(run(log, *asked, "--format", "json"))) == 6
    run(log, *asked, "--format", "parquet", "--output", tmp_path / "out.parquet")
    assert (tmp_path / "out.parquet").stat().st_size > 0


def test_a_sequential_reader_fetches_its_next_request(log: Path) -> None:
    """Two reads of 8 KB follow each other; the third repeats the first. The file's size is not known."""
    _, alone = rows_of(run(log, "--fetch", "4K", "--sizes", "1M", "--format", "csv"))
    _, ahead = rows_of(run(log, "--fetch", "16K", "--sizes", "1M", "--format", "csv"))
    assert (alone["read_request_misses"], ahead["read_request_misses"]) == ("2", "1")
    assert (ahead["fetches"], ahead["prefetched_blocks"], ahead["prefetched_hits"]) == ("1", "2", "2")


def test_without_fetch_blocks_the_curve_has_the_same_counts(log: Path) -> None:
    _, expected = rows_of(run(log, "--sizes", "8K", "--syncs", "ignore", "--format", "csv"))
    _, found = rows_of(run(log, "--coalesce", "100", "--sizes", "8K", "--format", "csv"))
    for name in ("read_request_misses", "read_block_misses", "write_block_misses", "write_expulsions"):
        assert found[name] == expected[name]
    assert found["fetch_bytes"] == "4096"


def test_the_table_has_what_was_asked_for(log: Path) -> None:
    fetched = run(log, "--fetch", "8K", "--coalesce", "none", "--sizes", "8K")
    assert "prefetched read" in fetched and "writes alone" not in fetched
    coalesced = run(log, "--coalesce", "25", "--sizes", "8K")
    assert "writes alone" in coalesced and "in the last 25 % of the LRU stack" in " ".join(coalesced.split())
    assert "prefetched read" not in coalesced
    assert all(
        "still dirty at the end are not counted" in " ".join(one.split()) for one in (fetched, coalesced)
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--policy", "lru"], "--fetch cannot be combined with --policy"),
        (["--by", "type"], "--fetch cannot be combined with --by"),
        (["--by", "type", "--split"], "--fetch cannot be combined with --by"),
        (["--plot", "no.html"], "--fetch cannot be combined with --plot"),
        (
            ["--coalesce", "5", "--inodes-per-block", "4"],
            "--fetch cannot be combined with --inodes-per-block",
        ),
        (["--write-policy", "no-allocate"], "--fetch cannot be combined with --write-policy no-allocate"),
        (["--syncs", "honour"], "--fetch cannot be combined with --syncs honour: these caches ignore syncs"),
        (["--block", "3K"], "a multiple of the cache block, 3072 bytes, not 8192 bytes"),
        (["--block", "16K"], "a multiple of the cache block, 16384 bytes, not 8192 bytes"),
        (["--sizes", "100"], "less than one block"),
    ],
)
def test_refusals(log: Path, words: list[str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        run(log, "--fetch", "8K", *words)


@pytest.mark.parametrize("size", ["many", "", "8K,", "8M"])
def test_a_fetch_block_that_is_none(log: Path, size: str) -> None:
    with pytest.raises(UsageError):
        run(log, "--fetch", size)
