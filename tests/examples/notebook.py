"""Runs the notebook of examples/ as Jupyter does, and writes what its cells give back into it.

python -P tests/examples/notebook.py
"""

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[2] / "examples" / "keys.ipynb"


def sources(notebook: dict[str, Any]) -> list[str]:
    """Return the code of each cell that has code."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(cells: list[str]) -> list[str]:
    """Run cells one after the other, in an empty folder; return what each prints, and shows of its last line."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return [_shown(cell, names) for cell in cells]


def _shown(cell: str, names: dict[str, Any]) -> str:
    parsed = ast.parse(cell)
    last = parsed.body.pop() if parsed.body and isinstance(parsed.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(parsed, "cell", "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return printed.getvalue() + ("" if value is None else picture_or_text(value))


def picture_or_text(value: Any) -> str:
    """Return a value's text; of a figure, whose picture is drawn where the notebook is opened, its lines' names."""
    if hasattr(value, "to_plotly_json"):
        return f"a figure with lines {', '.join(trace.name for trace in value.data)}"
    return repr(value)


def refreshed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with what its cells give now."""
    results = iter(run(sources(notebook)))
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        text = next(results)
        cell["execution_count"] = count
        data = {"text/plain": text.splitlines(keepends=True)}
        shown = {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}
        cell["outputs"] = [shown] if text else []
    return notebook


if __name__ == "__main__":
    os.environ.setdefault("POLARS_FMT_MAX_COLS", "8")
    read = json.loads(NOTEBOOK.read_text("utf-8"))
    NOTEBOOK.write_text(json.dumps(refreshed(read), indent=1, ensure_ascii=False) + "\n", "utf-8")
