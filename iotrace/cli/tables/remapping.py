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


def emit_learnt(tables: Mapping[str, pa.Table], output: Output) -> None:
    """Write learnt rules and what they save on other traces: for a terminal a sentence for each trace and total."""
    if not output.is_table:
        output.emit_many(dict(tables))
        return
    rows, rules = tables["learnt"].to_pylist(), tables["rules"].to_pylist()
    shown: dict[str, pa.Table] = {}
    for total in dict.fromkeys(row["total_bytes"] for row in rows):
        judged = [row for row in rows if row["total_bytes"] == total]
        mine = [rule for rule in rules if rule["total_bytes"] == total]
        first, size = judged[0]["learnt_from"], units.size(total)
        if mine:
            shown[f"Rules learnt from {first} at {size}"] = _rules(mine, judged[0]["objective"])
        else:
            shown[f"No rule learnt from {first} at {size} saves anything there"] = _rules([], "reads")
        shown[f"Judged on other traces, {judged[0]['configuration']}"] = _judged(judged)
    output.emit_many(shown, LEARNT_NOTE)


LEARNT_NOTE = (
    "Rules are learnt from the first trace alone; what they save there is no claim. On the other traces a file's class"
    " follows from its first request. Searched is the better of what --advise and rules learnt from it save on the"
    " trace itself."
)


def _rules(rules: list[dict[str, Any]], objective: str) -> pa.Table:
    columns = {
        "files whose first request has": [rule["conditions"] for rule in rules],
        "go to": [rule["to_class"] for rule in rules],
        "files there": [units.count(rule["files_moved"]) for rule in rules],
        "saved there": [_written(rule["saved"], objective) for rule in rules],
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def _judged(rows: list[dict[str, Any]]) -> pa.Table:
    objective = rows[0]["objective"]

    def percents(name: str) -> list[str | None]:
        return [None if row[name] is None else f"{row[name]:.1f} %" for row in rows]

    columns = {
        "trace": [row["trace"] for row in rows],
        "moved": [f"{units.count(row['files_moved'])} of {units.count(row['files'])}" for row in rows],
        f"{COSTS[objective]} of the scheme": [_written(row["cost"], objective) for row in rows],
        "with rules": [_written(row["learnt_cost"], objective) for row in rows],
        "saved": percents("learnt_saved_percent"),
        "searched": [_written(row["searched_cost"], objective) for row in rows],
        "would save": percents("searched_saved_percent"),
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
