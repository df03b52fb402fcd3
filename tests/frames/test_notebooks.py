"""Stores, queries and curves in notebooks: Jupyter's kernel without ipywidgets, by nbclient, and marimo."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

START = """
import sys
sys.modules["ipywidgets"] = None
import iotrace, duckdb, polars as pl, pyarrow as pa
from iotrace.frames import object_curve
store = iotrace.open("one.strace")
table = pa.table({"key": ["a", "b", "a"], "size": [1, 2, 1]})
frame = pl.DataFrame(pl.from_arrow(table))
"""
CELLS = {
    "a relation": ("store.relation('totals').project('calls').fetchall()", "[(2,)]"),
    "a relation shows itself": ("store.relation('totals')", "calls"),
    "a connection": ("store.connect().sql('select calls from totals').fetchall()", "[(2,)]"),
    "a query": (
        "store.sql('select call from call_wide order by seq').fetchall()",
        "[('openat',), ('read',)]",
    ),
    "a curve of a relation": ("iotrace.curve(store.relation('reference').project('file')).requests", "6"),
    "a view as Arrow": ("store.arrow('totals').column('calls').to_pylist()", "[2]"),
    "a view as a lazy frame": ("store.polars('totals').select('calls').collect().item()", "2"),
    "what a store is": ("store", "call_wide"),
    "Parquet of keys": (
        "iotrace.open('keys.parquet', columns='key=url,size=bytes').manifest['tables']['key_io']",
        "3",
    ),
    "objects in a table": (
        "object_curve(table, unit='bytes', sizes=[3]).column('byte_misses').to_pylist()",
        "[3]",
    ),
    "objects in a data frame": (
        "object_curve(frame, unit='bytes', sizes=[3]).column('byte_misses').to_pylist()",
        "[3]",
    ),
    "keys and sizes": ("iotrace.curve(frame).table.num_rows", "2"),
    "a lazy frame": ("iotrace.curve(frame.lazy(), policy='fifo', sizes=[2]).table.num_rows", "1"),
    "no keys": ("iotrace.curve([]).table.num_rows", "0"),
    "a drawing": ("iotrace.curve(frame, key='size')", "plotly"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "one.strace").write_text(
        '7 100.000001 openat(AT_FDCWD, "/data/f", O_RDONLY) = 3 <0.000001>\n'
        '7 100.000002 read(3, "x", 10) = 1 <0.000001>\n'
    )
    pq.write_table(pa.table({"url": ["a", "b", "a"], "bytes": [1, 2, 1]}), folder / "keys.parquet")
    return folder


@pytest.fixture(scope="module")
def outputs(folder: Path) -> dict[str, str]:
    """What each cell gives, of any form, in one text."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell(text) for text in (START, *(text for text, _ in CELLS.values()))
    ]
    client = nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(folder)}}, allow_errors=True
    )
    client.execute()
    start, *cells = notebook.cells
    assert not start.outputs, start.outputs
    return {name: str(cell.outputs) for name, cell in zip(CELLS, cells, strict=True)}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_of_a_notebook(name: str, outputs: dict[str, str]) -> None:
    assert "traceback" not in outputs[name], outputs[name]
    assert CELLS[name][1] in outputs[name], outputs[name]


@pytest.mark.skipif(find_spec("marimo") is None, reason="marimo is not installed")
def test_marimo(folder: Path) -> None:
    script = folder / "app.py"
    script.write_text(
        "import marimo\napp = marimo.App()\n"
        "@app.cell\ndef _():\n"
        "    import iotrace\n    store = iotrace.open('one.strace')\n    store\n    return (store,)\n"
        "@app.cell\ndef _(store):\n"
        "    calls = store.sql('select call, count(*) as calls from call_wide group by call')\n"
        "    print(sorted(calls.fetchall()), store.polars('call_wide').collect().height)\n    return\n"
        "if __name__ == '__main__':\n    app.run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", script], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.stdout == "[('openat', 1), ('read', 1)] 2\n", done.stderr
