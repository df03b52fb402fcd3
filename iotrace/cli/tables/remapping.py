"""The tables of ``iotrace attribute --advise`` as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iotrace import units
from iotrace.cli.output import Output
from iotrace.libraries import pa, pc
from iotrace.queries.shown import shown

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
    remapped, moves = tables["remapping"], tables["moves"]
    has_traces = len(pc.unique(remapped["trace"])) > 1
    shown_tables: dict[str, pa.Table] = {}
    for place, row in enumerate(remapped.to_pylist()):
        costs = shown(remapped.slice(place, 1))
        mine = moves.filter(pc.and_(*(pc.equal(moves[name], row[name]) for name in ("trace", "total_bytes"))))
        name = f"{row['trace']}: " if has_traces else ""
        if len(mine):
            shown_tables[f"{name}{_sentence(row)}"] = shown(mine, objective=row["objective"])
            shown_tables[f"{name}{row['configuration']}"] = costs
        else:
            shown_tables[f"{name}{_sentence(row)}"] = costs
    output.emit_many(shown_tables, NOTE)


def _sentence(row: Mapping[str, Any]) -> str:
    total, what = units.size(row["total_bytes"]), COSTS[row["objective"]]
    if not row["files_moved"]:
        return f"No file is moved at {total}: none of {row['candidates']} candidates saves {what} in another subcache"
    files = "this file" if row["files_moved"] == 1 else f"these {row['files_moved']} files"
    return f"Moving {files} saves {row['saved_percent']:.1f} % of the {what} at {total} (simulated)"


def emit_learnt(tables: Mapping[str, pa.Table], output: Output) -> None:
    """Write learnt rules and what they save on other traces: for a terminal a sentence for each trace and total."""
    if not output.is_table:
        output.emit_many(dict(tables))
        return
    learnt, rules = tables["learnt"], tables["rules"]
    shown_tables: dict[str, pa.Table] = {}
    for total in pc.unique(learnt["total_bytes"]).to_pylist():
        judged, mine = (rows.filter(pc.equal(rows["total_bytes"], total)) for rows in (learnt, rules))
        first = judged.slice(0, 1).to_pylist()[0]
        where = f"from {first['learnt_from']} at {units.size(total)}"
        title = f"Rules learnt {where}" if len(mine) else f"No rule learnt {where} saves anything there"
        shown_tables[title] = shown(mine, objective=first["objective"])
        shown_tables[f"Judged on other traces, {first['configuration']}"] = shown(judged)
    output.emit_many(shown_tables, LEARNT_NOTE)


LEARNT_NOTE = (
    "Rules are learnt from the first trace alone; what they save there is no claim. On the other traces a file's class"
    " follows from its first request. Searched is the better of what --advise and rules learnt from it save on the"
    " trace itself."
)
