"""Stores in notebooks and sessions of Python: connections, relations, tables and their errors."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import iotrace
from iotrace import queries
from iotrace.errors import IotraceError

KERNEL = """
import sys, types

del sys.modules["__main__"].__file__  # DuckDB looks for this, for IPython's kernel, and for ipywidgets
sys.modules["IPython"] = types.ModuleType("IPython")
sys.modules["IPython"].get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
sys.modules["ipywidgets"] = None

import duckdb, iotrace

try:
    duckdb.connect().execute("set enable_progress_bar = false")
except duckdb.InvalidInputException as refused:
    print("ipywidgets" in str(refused))
store = iotrace.open(sys.argv[1])
print(store.relation("totals").fetchall() == store.connect().execute("from totals").fetchall())
print(iotrace.curve(store.relation("reference").project("file")).table.num_rows > 0)
"""


def test_relations_in_a_notebook_without_ipywidgets(small: Path, tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text(KERNEL)
    done = subprocess.run([sys.executable, "-P", script, small], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\nTrue\nTrue\n", "")


def test_views_are_read_like_tables(small: Path) -> None:
    store = iotrace.open(small)
    totals = store.arrow("totals")
    assert totals.schema.equals(queries.query("totals").schema, check_metadata=True)
    assert totals.column("calls").to_pylist() == [3]
    calls = store.polars("call_wide").filter(pl.col("bytes") > 0).select("call", "path", "bytes", "duration")
    assert calls.collect().rows() == [("read", "/data/f", 1, None)]
    assert calls.collect_schema()["duration"] == pl.Duration("us")
    assert store.polars("call_wide").head(2).collect().height == 2
    for read in (store.arrow, store.polars):
        with pytest.raises(IotraceError, match="has no table tables; it has call_file"):
            read("tables")
    with pytest.raises(IotraceError, match="has no table or view tables"):
        store.relation("tables")


@pytest.mark.parametrize("name", [*queries.views(), *queries.names()])
def test_every_view_is_a_lazy_frame(small: Path, name: str) -> None:
    columns = [column.name for column in queries.query(name).columns]
    assert iotrace.open(small).polars(name).head(1).collect().columns == columns


def test_no_view_or_answer_has_numbers_of_128_bits(small: Path) -> None:
    store = iotrace.open(small)
    columns = store.sql("select column_name, data_type from information_schema.columns").fetchall()
    assert len(columns) > 1000
    assert [name for name, kind in columns if "HUGEINT" in kind or "DECIMAL" in kind] == []
    total = store.sql("select sum(duration_ns) as total, sum(bytes) as bytes from call_wide")
    assert total.types == ["BIGINT", "BIGINT"]
    assert total.pl().schema == {"total": pl.Int64, "bytes": pl.Int64}


def test_answers_of_a_store_can_be_joined(small: Path) -> None:
    store = iotrace.open(small)
    calls = store.sql("select call, count(*) as calls from syscall group by call")
    wide = store.sql("select call, bytes from call_wide where call = $call", call="read")
    assert calls.join(wide, "call").fetchall() == [("read", 1, 1)]
    text = "select call, bytes from call_wide where call = $call"
    assert store.sql(text, params={"call": "read"}).fetchall() == wide.fetchall()
    with pytest.raises(IotraceError, match="most like it: totals"):
        store.sql("from toals")
    text = "a value of the caller"
    with pytest.raises(IotraceError, match="there is no table or view text"):
        store.sql("from text")
    assert text


def test_a_notebook_shows_what_a_store_is(small: Path) -> None:
    odd = small.rename(small.with_name("<b>&.iotrace"))
    shown = iotrace.open(odd)._repr_html_()
    assert "&lt;b&gt;&amp;.iotrace" in shown and "<b>&" not in shown
    assert "call_wide" in shown and "<td style='text-align:right'>3</td>" in shown


@pytest.fixture
def small(tmp_path: Path) -> Path:
    log = tmp_path / "one.strace"
    log.write_text('7 openat(AT_FDCWD, "/data/f", O_RDONLY) = 3\n7 read(3, "x", 1) = 1\n7 close(3) = 0\n')
    from iotrace.ingest.pipeline import ingest

    return ingest([log], tmp_path / "one.iotrace").path
