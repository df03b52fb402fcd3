"""``iotrace curve`` on a small log: the contract of its output, and its refusals."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from figure_data import figure_data
from iotrace.schemas import schema
from typer.testing import CliRunner

from iotrace.cli import application
from iotrace.errors import IotraceError, UsageError

LOG = """\
100 1700000000.000000 openat(AT_FDCWD, "/data/a", O_RDONLY) = 3
100 1700000000.001000 read(3, "x"..., 8192) = 8192
100 1700000000.002000 read(3, "x"..., 8192) = 8192
100 1700000000.003000 lseek(3, 0, SEEK_SET) = 0
100 1700000000.004000 read(3, "x"..., 8192) = 8192
100 1700000000.005000 openat(AT_FDCWD, "/data/b", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 4
100 1700000000.006000 write(4, "y"..., 100) = 100
100 1700000000.007000 write(4, "y"..., 100) = 100
100 1700000000.008000 close(4) = 0
100 1700000000.009000 close(3) = 0
100 1700000000.010000 exit_group(0) = ?
100 1700000000.011000 +++ exited with 0 +++
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "small.log"
    path.write_text(LOG)
    return path


def run(*words: object) -> str:
    result = CliRunner().invoke(application(), ["curve", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


DATA = ("--where", "type = 'datafile'", "--format", "csv")


def test_csv_has_the_columns_and_rows_of_table_curve(log: Path) -> None:
    rows = rows_of(run(log, "--block", "4K", *DATA))
    assert list(rows[0]) == schema("curve").names
    shown = [(row["size_blocks"], row["read_request_misses"], row["write_request_misses"]) for row in rows]
    assert shown == [("0", "3", "2"), ("1", "6", "1"), ("2", "3", "1"), ("4", "2", "1")]
    assert {row["block_references"] for row in rows} == {"8"}


def test_chosen_sizes_are_the_rows_in_their_order(log: Path) -> None:
    rows = rows_of(run(log, "--sizes", "1M,4K,5000", *DATA))
    assert [row["size_bytes"] for row in rows] == ["0", "1048576", "4096", "4096"]


def test_by_any_column_or_condition(log: Path) -> None:
    by_type = rows_of(run(log, "--by", "type", "--population", "all", "--sizes", "1M", "--format", "csv"))
    assert {row["type"] for row in by_type} == {"inode", "directory", "datafile"}
    by_path = rows_of(run(log, "--by", "path = '/data/b'", "--sizes", "1M", *DATA))
    assert {row["component"]: row["write_requests"] for row in by_path} == {"False": "0", "True": "2"}
    by_process = rows_of(run(log, "--by", "process", "--sizes", "1M", "--format", "csv"))
    assert [(row["process"], row["size_bytes"]) for row in by_process] == [("0", "0"), ("0", "1048576")]


def test_split_gives_each_value_a_cache_of_its_own(log: Path) -> None:
    shared = rows_of(run(log, "--by", "type", "--sizes", "4K", "--format", "csv"))
    split = rows_of(run(log, "--by", "type", "--split", "--sizes", "4K", "--format", "csv"))
    misses = [{row["type"]: int(row["block_misses"]) for row in rows} for rows in (shared, split)]
    assert misses[0].keys() == misses[1].keys()
    assert all(misses[1][kind] <= misses[0][kind] for kind in misses[0])


def test_warm_up_by_requests_and_by_time(log: Path) -> None:
    by_requests = rows_of(run(log, "--warm-up", "2", "--sizes", "1M", *DATA))
    by_time = rows_of(run(log, "--warm-up", "3ms", "--sizes", "1M", *DATA))
    assert by_requests[0]["read_requests"] == by_time[0]["read_requests"] == "1"


def test_the_other_forms(log: Path, tmp_path: Path) -> None:
    printed = json.loads(run(log, "--sizes", "1M", "--format", "json"))
    assert list(printed[0]) == schema("curve").names
    run(log, "--format", "parquet", "-o", tmp_path / "curve.parquet")
    assert pq.read_schema(tmp_path / "curve.parquet").equals(schema("curve"))
    assert "read request miss ratio" in run(log)


def test_the_plot_escapes_names(log: Path, tmp_path: Path) -> None:
    by = "'<script>alert(1)</script>'"
    run(log, "--by", by, "--plot", tmp_path / "curve.html")
    page = (tmp_path / "curve.html").read_text()
    assert "&lt;script&gt;alert(1)" in str(figure_data(page))
    assert "<script>alert(1)" not in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sizes", "1K"], "less than one block"),
        (["--sizes", "many"], "is not a size"),
        (["--block", "0"], "block size"),
        (["--split"], "--split needs --by"),
        (["--warm-up", "soon"], "is not a time"),
    ],
)
def test_words_that_do_not_fit_together(log: Path, words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(log, *words)


def test_sql_that_is_none(log: Path) -> None:
    with pytest.raises(IotraceError, match="SQL of --where: "):
        run(log, "--where", "nonsense(1) and")
