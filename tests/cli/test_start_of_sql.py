"""``iotrace sql`` starts fast: it loads nothing that a query of a store does not need."""

import subprocess
import sys
from pathlib import Path

import duckdb

from iotrace.ingest.opening import open as opened
from iotrace.store.database import write_database

SCRIPT = """
import sys
sys.argv = ["iotrace", "sql", *sys.argv[1:]]
from iotrace.__main__ import main
try:
    main()
except SystemExit as ending:
    assert not ending.code
print(*sorted(sys.modules), sep="\\n")
"""
HEAVY = {"polars", "plotly", "jinja2", "numpy.ma", "pyarrow.compute", "pyarrow.dataset"}


def test_it_loads_no_library_that_it_does_not_use(shared_store: Path) -> None:
    for query in ("select 1 as a", "select call, path from call_wide limit 1"):
        done = subprocess.run(
            [sys.executable, "-P", "-c", SCRIPT, shared_store, query],
            capture_output=True,
            text=True,
            check=True,
        )
        assert HEAVY.isdisjoint(done.stdout.splitlines())


def test_macros_are_there_without_a_table(shared_store: Path) -> None:
    store = opened(shared_store)
    assert store.sql("select human_bytes(1536)").fetchall() == [("1.5 KiB",)]
    assert store.sql("select EXTENSION('a.b')").fetchall() == [("b",)]


def test_a_database_of_views_has_all_of_them(shared_store: Path, tmp_path: Path) -> None:
    write_database({None: shared_store}, tmp_path / "views.duckdb")
    with duckdb.connect(str(tmp_path / "views.duckdb"), read_only=True) as connection:
        assert connection.sql("select count(*) from call_wide").fetchall()[0][0] > 0
