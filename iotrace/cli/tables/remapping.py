"""The tables of ``iotrace attribute --advise`` as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iotrace import units
from iotrace.cli.output import Output
from iotrace.libraries import pa

COSTS = {"reads": "read misses", "requests": "disk requests", "time": "disk time"}
"""What an objective counts, in words."""
NOTE = (
    "Saved is simulated: alone is what a move saves by itself, the other what it saves after the moves above it. The"
    " moves are chosen greedily among the candidates; other sets of files may save more."
)


def emit_advice(tables: Mapping[str, pa.Table], output: Output) -> None:
    """Write what moving files saves: for a terminal a sentence for each total, and the files."""
    if not output.is_table:
        output.emit_many(dict(tables))
        return
    rows, moves = tables["remapping"].to_pylist(), tables["moves"].to_pylist()
    has_traces = len({row["trace"] for row in rows}) > 1
    shown: dict[str, pa.Table] = {}
    for row in rows:
        mine = [move for move in moves if _place(move) == _place(row)]
        name = f"{row['trace']}: " if has_traces else ""
        if mine:
            shown[f"{name}{_sentence(row)}"] = _moves(mine, row["objective"])
            shown[f"{name}{row['configuration']}"] = _costs(row)
        else:
            shown[f"{name}{_sentence(row)}"] = _costs(row)
    output.emit_many(shown, NOTE)


def _place(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["trace"], row["total_bytes"]


def _sentence(row: Mapping[str, Any]) -> str:
    total, what = units.size(row["total_bytes"]), COSTS[row["objective"]]
    if not row["files_moved"]:
        return f"No file is moved at {total}: none of {row['candidates']} candidates saves {what} in another subcache"
    files = "this file" if row["files_moved"] == 1 else f"these {row['files_moved']} files"
    return f"Moving {files} saves {row['saved_percent']:.1f} % of the {what} at {total} (simulated)"


def _written(cost: float, objective: str) -> str:
    return units.duration(cost) if objective == "time" else units.count(round(cost))


def _moves(moves: list[dict[str, Any]], objective: str) -> pa.Table:
    def costs(name: str) -> list[str]:
        return [_written(move[name], objective) for move in moves]

    columns = {
        "file": [move["path"] for move in moves],
        "from": [move["from_class"] for move in moves],
        "to": [move["to_class"] for move in moves],
        "saved alone": costs("saved_alone"),
        "saved": costs("saved"),
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _costs(row: Mapping[str, Any]) -> pa.Table:
    objective = row["objective"]
    columns = {
        "files": units.count(row["files"]),
        "candidates": units.count(row["candidates"]),
        "moved": units.count(row["files_moved"]),
        f"{COSTS[objective]} of the scheme": _written(row["cost"], objective),
        "predicted": _written(row["predicted_cost"], objective),
        "simulated": _written(row["remapped_cost"], objective),
        "best sizes without moves": _written(row["best_cost"], objective),
    }
    return pa.table({name: pa.array([value]) for name, value in columns.items()})
