"""The tables of ``iotrace attribute --advise`` as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping

from iotrace import units
from iotrace.cli.output import Output
from iotrace.libraries import pa, pc

NOTE = (
    "Saved is simulated: alone is what a move saves by itself, the other what it saves after the moves above it. The"
    " moves are chosen greedily among the candidates; other sets of files may save more."
)


def emit_advice(tables: Mapping[str, pa.Table], output: Output) -> None:
    """Write what moving files saves: for a terminal a sentence for each total, and the files."""
    if not output.is_table:
        output.emit_many(dict(tables))
        return
    from iotrace.simulate.attribute.advising import sentence

    remapped, moves = tables["remapping"], tables["moves"]
    has_traces = len(pc.unique(remapped["trace"])) > 1
    shown: dict[str, pa.Table] = {}
    for index, row in enumerate(remapped.to_pylist()):
        costs = remapped.slice(index, 1)
        mine = moves.filter(pc.and_(*(pc.equal(moves[name], row[name]) for name in ("trace", "total_bytes"))))
        name = f"{row['trace']}: " if has_traces else ""
        if len(mine):
            shown[f"{name}{sentence(row)}"] = mine
            shown[f"{name}{row['configuration']}"] = costs
        else:
            shown[f"{name}{sentence(row)}"] = costs
    output.emit_many(shown, NOTE, objective=next(iter(remapped["objective"].to_pylist()), ""))


def emit_learnt(tables: Mapping[str, pa.Table], output: Output) -> None:
    """Write learnt rules and what they save on other traces: for a terminal a sentence for each trace and total."""
    if not output.is_table:
        output.emit_many(dict(tables))
        return
    learnt, rules = tables["learnt"], tables["rules"]
    shown: dict[str, pa.Table] = {}
    for total in pc.unique(learnt["total_bytes"]).to_pylist():
        judged, mine = (rows.filter(pc.equal(rows["total_bytes"], total)) for rows in (learnt, rules))
        first = judged.slice(0, 1).to_pylist()[0]
        where = f"from {first['learnt_from']} at {units.size(total)}"
        title = f"Rules learnt {where}" if len(mine) else f"No rule learnt {where} saves anything there"
        shown[title] = mine
        shown[f"Judged on other traces, {first['configuration']}"] = judged
    output.emit_many(shown, LEARNT_NOTE, objective=next(iter(learnt["objective"].to_pylist()), ""))


LEARNT_NOTE = (
    "Rules are learnt from the first trace alone; what they save there is no claim. On the other traces a file's class"
    " follows from its first request. Searched is the better of what --advise and rules learnt from it save on the"
    " trace itself."
)
