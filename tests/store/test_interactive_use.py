"""Stores in notebooks and sessions of Python: connections, relations, tables and their errors."""

import subprocess
import sys
from pathlib import Path

import pytest

import iotrace
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


def test_tables_and_views_say_which_they_are(small: Path) -> None:
    store = iotrace.open(small)
    for read in (store.arrow, store.polars):
        with pytest.raises(IotraceError, match="totals is a view, not a table"):
            read("totals")
        with pytest.raises(IotraceError, match="has no table tables; it has call_file"):
            read("tables")
    with pytest.raises(IotraceError, match="has no table or view tables"):
        store.relation("tables")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    log = tmp_path / "one.strace"
    log.write_text('7 openat(AT_FDCWD, "/data/f", O_RDONLY) = 3\n7 read(3, "x", 1) = 1\n7 close(3) = 0\n')
    from iotrace.ingest.pipeline import ingest

    return ingest([log], tmp_path / "one.iotrace").path
