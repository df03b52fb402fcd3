"""A query of a command reads the store's tables, and reaches nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from iotrace import files
from iotrace.errors import IotraceError
from iotrace.ingest import pipeline
from iotrace.store import sandbox
from iotrace.store.store import Store

LOG = Path(__file__).parents[1] / "cli" / "copy.strace"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return pipeline.ingest([LOG], tmp_path_factory.mktemp("stores") / "run[1].iotrace")


def ask(store: Store, script: str) -> list[tuple[object, ...]]:
    """Do what iotrace sql does."""
    with store.sandboxed() as connection:
        sandbox.check_statements(connection, script)
        answer = connection.sql(script)
        return [] if answer is None else answer.fetchall()


@pytest.mark.parametrize(
    "script",
    [
        "select count(*) from file",
        "from totals",
        "show tables",
        "describe file",
        "explain select 1",
        "pivot (select kind, 1 as n from file) on kind using sum(n)",
        "set variable file_size = 'first'; from totals",
        "create temp table t as select 'copy' as a; insert into t values ('x'); from t",
        'select 1 as "copy" -- copy',
    ],
)
def test_what_stays_within_the_store(store: Store, script: str) -> None:
    assert ask(store, script)


WRITES = "(select 1) to 'TABLE' (format csv, use_tmp_file false)"
HIDDEN = f"with x as (copy {WRITES}) from x".replace("'", "''")


@pytest.mark.parametrize(
    "script",
    [
        f"copy {WRITES}",
        f"explain analyze copy {WRITES}",
        f"with x as (copy {WRITES}) from x",
        f"create table t as with x as (copy {WRITES}) from x",
        f"prepare p as copy {WRITES}; execute p",
        "copy (pivot file on kind) to 'TABLE' (format csv, use_tmp_file false)",
        f"from json_execute_serialized_sql(json_serialize_sql('{HIDDEN}'))",
        f"from \"json_execute_serialized_sql\"(json_serialize_sql('{HIDDEN}'))",
        f"pragma json_execute_serialized_sql(json_serialize_sql('{HIDDEN}'))",
        f"from query('{HIDDEN}')",
        "copy (select 1) to 'OTHER'",
        "export database 'OTHER'",
        "attach 'TABLE' as other",
        "attach 'OTHER' as other",
        "from read_text('SECRET')",
        "from 'SECRET'",
        "from sniff_csv('SECRET')",
        "from glob('FOLDER/*')",
        "import database 'FOLDER'",
        "install httpfs",
        "update extensions",
        "load httpfs",
        "from 'https://example.com/x.csv'",
        "set lock_configuration = false",
        "set enable_external_access = true",
        "set allowed_paths = ['/etc/passwd']",
        "set temp_directory = 'FOLDER'",
        "set profiling_output = 'OTHER'",
        "from LOCAL",
    ],
)
def test_what_reaches_outside_is_refused(store: Store, tmp_path: Path, script: str) -> None:
    LOCAL = duckdb.sql("select 1")  # noqa: F841 - which DuckDB would find by its name
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    before = {path.name: path.read_bytes() for path in store.path.iterdir()}
    names = {
        "TABLE": store.table_path("file"),
        "OTHER": tmp_path / "new",
        "SECRET": secret,
        "FOLDER": tmp_path,
    }
    for name, path in names.items():
        script = script.replace(name, str(path))
    with pytest.raises((IotraceError, duckdb.Error)):
        ask(store, script)
    assert {path.name: path.read_bytes() for path in store.path.iterdir()} == before
    assert list(tmp_path.iterdir()) == [secret]


def test_the_python_interface_stays_as_open_as_duckdb(store: Store, tmp_path: Path) -> None:
    store.connect().execute(f"copy file to '{tmp_path / 'files.csv'}'")
    assert (tmp_path / "files.csv").read_text().startswith("file,")


def test_what_does_not_fit_in_memory_is_spilled(store: Store) -> None:
    script = "set memory_limit = '200MB'; set threads = 1; set preserve_insertion_order = false"
    connection = sandbox.connect(script, [store.table_path("file")])
    many = "select count(*) from (select range, md5(range::varchar) as h from range(3000000) order by h)"
    assert connection.execute(many).fetchall() == [(3_000_000,)]


def test_what_a_killed_run_spilled_is_removed_by_the_next(tmp_path: Path) -> None:
    script = "set memory_limit = '50MB'; set threads = 1;"
    script += " create temp table t as select md5(range::varchar) as h from range(2000000)"
    code = "import os; from iotrace.store import sandbox\n"
    code += f"connection = sandbox.connect({script!r}, ())\n"
    code += "os.kill(os.getpid(), 9)"
    words = [sys.executable, "-P", "-c", code]
    killed = subprocess.run(words, env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    assert killed.returncode == -9
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]
    with files.partial_folder(tmp_path, files.TEMPORARY_PREFIX) as folder:
        assert list(tmp_path.iterdir()) == [folder]
