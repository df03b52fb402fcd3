"""``iotrace sql A B``, ``iotrace.connect`` and ``iotrace views``: several traces in one DuckDB, a schema each."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import Run, refused

import iotrace
from iotrace import queries
from iotrace.errors import UsageError
from iotrace.store.database import without_if
from iotrace.store.traces import RESERVED, schema_names

OPENED = {"a": 3, "b": 5}


@pytest.fixture(scope="module")
def stores(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with stores of programs that open some files, and of requests to a disk."""
    folder = tmp_path_factory.mktemp("several")
    for name, files in OPENED.items():
        opens = (
            f'7 100.{n:06} openat(AT_FDCWD, "/data/{n}", O_RDONLY) = {n + 3} <0.000001>' for n in range(files)
        )
        (folder / f"{name}.strace").write_text("\n".join([*opens, "7 101.000000 +++ exited with 0 +++", ""]))
        assert run("ingest", f"{name}.strace", folder=folder).returncode == 0
        (folder / f"{name}.strace.iotrace").rename(folder / f"{name}.iotrace")
    (folder / "disk.csv").write_text("128166372003061629,hm,1,Read,383496192,32768,413\n" * 4)
    assert run("ingest", "disk.csv", "-o", "disk.iotrace", folder=folder).returncode == 0
    return folder


def answer(run: Run, folder: Path, *words: object) -> list[dict[str, object]]:
    done = run("sql", *words, "-f", "json", folder=folder)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def test_each_trace_has_a_schema_and_views_without_one_have_all_rows(run: Run, stores: Path) -> None:
    both = ["a.iotrace", "b.iotrace"]
    assert answer(
        run, stores, *both, "select a.totals.calls as a, b.totals.calls as b from a.totals, b.totals"
    ) == [{"a": 3, "b": 5}]
    counted = [{"trace": "a", "calls": 3}, {"trace": "b", "calls": 5}]
    assert answer(run, stores, *both, "select trace, calls from totals order by 1") == counted
    assert answer(run, stores, *both, "select trace, calls from traces.totals order by 1") == counted
    assert (
        answer(
            run,
            stores,
            *both,
            "select trace, count(*) as calls from syscall where call = 'openat' group by 1 order by 1",
        )
        == counted
    )


def test_names_are_given_or_made_of_files(run: Run, stores: Path, tmp_path: Path) -> None:
    (tmp_path / "select.iotrace").symlink_to(stores / "a.iotrace")
    traces = [tmp_path / "select.iotrace", "before=b.iotrace", "a.iotrace", stores / "a.iotrace"]
    assert answer(run, stores, *traces, "select trace from totals order by 1") == [
        {"trace": name} for name in ("_select", "a", "a_2", "before")
    ]
    assert "two traces are called X" in refused(
        run("sql", "x=a.iotrace", "X=b.iotrace", "select 1", folder=stores), 2
    )
    assert "'traces' cannot be" in refused(
        run("sql", "traces=a.iotrace", "b.iotrace", "select 1", folder=stores), 2
    )
    assert "give a query" in refused(run("sql", "a.iotrace", "x=b.iotrace", folder=stores), 2)


def test_a_file_whose_name_has_an_equals_sign_is_that_file(run: Run, stores: Path, tmp_path: Path) -> None:
    (tmp_path / "x=y.iotrace").symlink_to(stores / "a.iotrace")
    assert answer(run, tmp_path, "x=y.iotrace", "select calls from totals") == [{"calls": 3}]


@given(
    st.lists(
        st.text(max_size=12).filter(lambda text: "/" not in text and text not in ("", ".", "..")), max_size=6
    )
)
def test_made_names_need_no_quotes_and_are_all_different(names: list[str]) -> None:
    made = schema_names([(None, Path(name)) for name in names])
    assert len({name.lower() for name in made}) == len(names)
    assert not {name.lower() for name in made} & set(RESERVED)
    for name in made:
        assert re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)
        duckdb.extract_statements(f"select {name}.totals.calls from {name}.totals")


@pytest.mark.parametrize("given_names", [["a", "A"], [""], ["main"]])
def test_given_names_are_refused(given_names: list[str]) -> None:
    with pytest.raises(UsageError):
        schema_names([(name, Path("x")) for name in given_names])


def test_traces_of_different_families_are_asked_together(run: Run, stores: Path) -> None:
    query = "select trace, count(*) as n from {} group by 1 order by 1"
    traces = ["a.iotrace", "disk.iotrace"]
    assert answer(run, stores, *traces, query.format("disk_io")) == [{"trace": "disk", "n": 4}]
    assert answer(run, stores, *traces, query.format("syscall where call = 'openat'")) == [
        {"trace": "a", "n": 3}
    ]
    assert answer(run, stores, *traces, query.format("reference where operation = 'read'"))[-1] == {
        "trace": "disk",
        "n": 4,
    }


def test_a_part_of_each_trace(run: Run, stores: Path) -> None:
    words = ["a.iotrace", "b.iotrace", "select trace, calls from totals order by 1", "--path", "/data/[0-3]"]
    assert answer(run, stores, *words) == [{"trace": "a", "calls": 3}, {"trace": "b", "calls": 4}]


def test_the_guards_hold_for_several_traces(run: Run, stores: Path, tmp_path: Path) -> None:
    for query in (f"copy (select 1) to '{tmp_path}/x'", "attach 'x.duckdb'", "set threads = 1"):
        done = run("sql", "a.iotrace", "b.iotrace", query, folder=stores)
        assert done.returncode and not done.stdout
    (tmp_path / "other.csv").write_text("a\n1\n")
    read = run("sql", "a.iotrace", "b.iotrace", f"from '{tmp_path}/other.csv'", folder=stores)
    assert read.returncode == 1 and not read.stdout
    assert not (tmp_path / "x").exists()


def test_python_has_the_same(stores: Path) -> None:
    counted = [("a", 3), ("b", 5)]
    query = "select trace, calls from totals order by 1"
    a, b = (stores / f"{name}.iotrace" for name in OPENED)
    assert iotrace.connect([a, iotrace.open(b)]).sql(query).fetchall() == counted
    connection = iotrace.connect({"before": a, "after": str(b)})
    assert connection.sql("select calls from after.totals").fetchall() == [(5,)]
    assert iotrace.connect(a).sql("select calls from totals").fetchall() == [(3,)]
    with pytest.raises(UsageError):
        iotrace.connect([])
    no_comment = "select count(*) from {} where not internal and comment is null"
    for listed in ("duckdb_views()", "duckdb_columns()"):
        assert connection.sql(no_comment.format(listed)).fetchall() == [(0,)]


def test_views_for_other_programs(run: Run, stores: Path, tmp_path: Path) -> None:
    written = tmp_path / "both.duckdb"
    done = run("views", "a.iotrace", "b.iotrace", "--database", written, folder=stores)
    assert done.returncode == 0 and b"schema traces has the rows of all" in done.stderr
    connection = duckdb.connect(written, read_only=True)
    assert connection.execute("select trace, calls from traces.totals order by 1").fetchall() == [
        ("a", 3),
        ("b", 5),
    ]
    assert "exists" in refused(run("views", stores / "a.iotrace", "--database", written), 2)
    script = run("views", stores / "a.iotrace", "--schema", "x").stdout.decode()
    connection = duckdb.connect()
    connection.execute(script)
    assert connection.execute("select calls from x.totals").fetchall() == [(3,)]


def test_views_of_a_moved_store_say_what_to_run(run: Run, stores: Path, tmp_path: Path) -> None:
    store = shutil.copytree(stores / "a.iotrace", tmp_path / "a.iotrace")
    script = run("views", store, "--schema", "x").stdout.decode()
    store.rename(tmp_path / "moved.iotrace")
    with pytest.raises(duckdb.Error, match=r"Run again, for its place: iotrace views STORE --schema x"):
        duckdb.connect().execute(script)


def test_views_of_what_is_not_a_store(run: Run, stores: Path, tmp_path: Path) -> None:
    assert "iotrace ingest makes one" in refused(run("views", stores / "a.strace"), 1)
    assert "single store" in refused(
        run("views", "a.iotrace", "b.iotrace", "--schema", "x", folder=stores), 2
    )
    pattern = shutil.copytree(stores / "a.iotrace", tmp_path / "a[1].iotrace")
    assert "pattern" in refused(run("views", pattern), 2)


@pytest.mark.parametrize(
    ("sql", "changed"),
    [
        ("select if(a, b, c)", "select (case when a then  b else  c end)"),
        ("if(if(a, b), f(c, [d, e]))", "(case when (case when a then  b end) then  f(c, [d, e]) end)"),
        ("'if(a, b)' -- if(c, d)\nnullif(e, f)", "'if(a, b)' -- if(c, d)\nnullif(e, f)"),
        ("if(a = ',)', 1, 2)", "(case when a = ',)' then  1 else  2 end)"),
    ],
)
def test_if_becomes_case(sql: str, changed: str) -> None:
    assert without_if(sql) == changed


ASKED = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
print(connection.execute("select trace, calls from traces.totals order by 1").fetchall())
for name in sys.argv[2:]:
    connection.execute(f"from traces.{name} limit 1").fetchall()
"""


@pytest.mark.nightly
def test_the_oldest_duckdb_reads_a_database_of_views(run: Run, stores: Path, tmp_path: Path) -> None:
    old = [sys.executable, "-m", "pip", "install", "-q", "--target", tmp_path / "old", "duckdb==1.1.3"]
    if subprocess.run(old, capture_output=True, check=False).returncode:
        pytest.skip("DuckDB 1.1.3 cannot be installed here")
    written = tmp_path / "both.duckdb"
    assert run("views", "a.iotrace", "b.iotrace", "--database", written, folder=stores).returncode == 0
    for folder in ([], [str(tmp_path / "old")]):
        environment = os.environ | {"PYTHONPATH": ":".join(folder)}
        done = subprocess.run(
            [sys.executable, "-c", ASKED, written, *queries.views(), *queries.names()],
            env=environment,
            capture_output=True,
            check=True,
        )
        assert done.stdout == b"[('a', 3), ('b', 5)]\n"
