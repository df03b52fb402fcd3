"""``iotrace characterize``, as a user types it."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from iotrace import queries
from iotrace.cli import application
from iotrace.errors import IotraceError, UsageError

LOG = """\
10 1.000000 execve("/bin/cat", ["cat", "a"], 0x7ff /* 1 vars */) = 0
10 1.001000 chdir("/home") = 0
10 1.002000 openat(AT_FDCWD, "a", O_RDONLY) = 3
10 1.003000 fstat(3, {st_mode=S_IFREG|0644, st_size=6000, ...}) = 0
10 1.004000 read(3, "..."..., 4096) = 4096
10 1.005000 read(3, "..."..., 4096) = 1904
10 1.006000 openat(AT_FDCWD, "b", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 4
10 1.007000 write(4, "..."..., 6000) = 6000
10 1.008000 close(4) = 0
10 1.009000 close(3) = 0
10 1.010000 exit_group(0) = ?
10 1.011000 +++ exited with 0 +++
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "cat.strace"
    path.write_text(LOG)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(application(), ["characterize", *map(str, words)])


def test_the_verdict_comes_first_and_the_main_tables_follow(log: Path) -> None:
    done = run(log)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("1 process made ")
    assert lines[2].endswith("50 % are only read, 50 % only written, and 0 % both.")
    assert sum(line.strip() in ("summary", "static_by_type", "reuse_by_type") for line in lines) == 3


def test_everything_as_json_is_every_statistic(log: Path) -> None:
    result = json.loads(run(log, "--all", "--format", "json").stdout)
    assert list(result) == ["verdict", "summary", *queries.names("syscall")]
    assert {row["type"]: row["bytes"] for row in result["references_by_type"]}["datafile"] == 12000


def test_one_statistic_as_csv(log: Path) -> None:
    header, *rows = run(log, "requests_by_size", "--format", "csv").stdout.splitlines()
    assert header == "type,maximum_size_bytes,moved,moved_percent,asked,asked_percent"
    assert any(row.startswith("datafile,8192,1,") for row in rows)


def test_parameters_reach_the_queries(log: Path) -> None:
    rows = json.loads(run(log, "top_files", "--top", 2, "--format", "json").stdout)
    assert len(rows) == 2
    windows = json.loads(run(log, "requests_over_time", "--windows", 5, "--format", "json").stdout)
    assert {row["window"] for row in windows} == set(range(5))


def test_several_as_parquet_are_a_folder(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(log, "totals", "operations", "--format", "parquet", "-o", out).exit_code == 0
    assert pq.read_schema(out / "totals.parquet").equals(queries.query("totals").schema, check_metadata=True)


def test_the_sql_and_the_list_need_no_trace_to_be_read() -> None:
    assert run("nowhere", "totals", "--sql").stdout == queries.query("totals").sql
    listed = json.loads(run("--list", "--format", "json").stdout)
    assert [row["name"] for row in listed] == queries.names()


def test_every_view_can_be_asked_by_hand(log: Path) -> None:
    for name in ("totals", "sequential_run", "runs_by_length"):
        done = CliRunner().invoke(application(), ["sql", str(log), f"from {name}", "--format", "csv"])
        assert done.stdout.splitlines()[0].split(",") == queries.query(name).schema.names


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ([], UsageError, "give a trace"),
        (["nowhere"], IotraceError, "nowhere"),
        (["LOG", "nothing"], UsageError, "no statistic is called nothing"),
        (["LOG", "--sql"], UsageError, "name the statistics"),
        (["LOG", "nothing", "--sql"], UsageError, "no statistic is called nothing"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    log: Path, words: list[str], error: type[Exception], message: str
) -> None:
    done = run(*(log if word == "LOG" else word for word in words))
    assert isinstance(done.exception, error)
    assert message in str(done.exception) and "\n" not in str(done.exception)
