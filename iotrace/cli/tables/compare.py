"""What ``iotrace compare`` writes: the verdict and tables to read, or a row for each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.analysis.grouping import Grouping
from iotrace.cli.inputs import names_of
from iotrace.cli.output import Output
from iotrace.cli.terminal import print, warn_of
from iotrace.libraries import pa, pc

if TYPE_CHECKING:
    from iotrace.analysis.compare import Comparison
    from iotrace.analysis.compare.conditions import Condition
    from iotrace.store.store import Store

DRAWN_ROWS = 8
"""Rows of each table of times that a person reads."""


def emit_comparison(
    found: Comparison, a: Sequence[Store], b: Sequence[Store], groupings: Sequence[Grouping], output: Output
) -> None:
    """Write result ``comparison``; or, for a person, the verdict, the metrics, and what changed most."""
    from iotrace.analysis.compare.words import lacking, sentences

    if not output.is_table:
        for sentence in lacking(found):
            warn_of(sentence.rstrip("."))
        output.emit(rows(found))
        return
    if output.is_to_read:
        print(*sentences(found), sep="\n")
    output.emit_many(
        {
            "metrics": metrics_to_read(found),
            **_times_to_read(found, a, b, groupings),
            "advice": _advice_to_read(a, b),
        },
        None if output.is_to_read else "\n".join(sentences(found)),
    )


def rows(found: Comparison) -> pa.Table:
    """Return result ``comparison``."""
    from iotrace import queries

    return queries.result_table("comparison", [astuple(row) for row in found.rows])


def metrics_to_read(found: Comparison) -> pa.Table:
    """Return the metrics that a trace has, in words."""
    from iotrace.analysis.compare import words

    shown = [row for row in found.rows if row.a or row.b]
    return pa.table(
        {
            "metric": [row.metric for row in shown],
            "before": [words.value(row.a, row.unit) for row in shown],
            "after": [words.value(row.b, row.unit) for row in shown],
            "ratio": [words.times_as_much(row.ratio) for row in shown],
            "noise": [words.band(row) for row in shown],
            "verdict": [row.verdict.replace("_", " ") for row in shown],
        }
    )


def _times_to_read(
    found: Comparison,
    a: Sequence[Store],
    b: Sequence[Store],
    groupings: Sequence[Grouping],
    most: int | None = DRAWN_ROWS,
) -> dict[str, pa.Table]:
    from iotrace.analysis.compare.changes import time_changes

    if not found.family.answers("time") or not found.is_call_timed:
        return {}
    changed = time_changes(a, b, groupings)
    tables = {}
    for grouping in groupings:
        own = changed.filter(pc.equal(changed["by"], grouping.value)).slice(0, most)
        tables[f"time in storage calls by {grouping.value}"] = pa.table(
            {
                grouping.value: own["name"],
                "before": [units.duration(1e9 * one) for one in own["a_s"].to_pylist()],
                "after": [units.duration(1e9 * one) for one in own["b_s"].to_pylist()],
                "change": [_signed(one) for one in own["change_s"].to_pylist()],
                "calls before": [units.count(one) for one in own["a_calls"].to_pylist()],
                "calls after": [units.count(one) for one in own["b_calls"].to_pylist()],
            }
        )
    return tables


def _signed(seconds: float) -> str:
    return ("+" if seconds > 0 else "") + units.duration(1e9 * seconds)


def _advice_to_read(a: Sequence[Store], b: Sequence[Store]) -> pa.Table:
    from iotrace.analysis.compare.changes import advice_changes

    found = advice_changes(a, b)
    at_stake = [None if one is None else units.duration(1e9 * one) for one in found["at_stake_s"].to_pylist()]
    return found.select(["change", "rule", "title"]).append_column(
        "at stake", pa.array(at_stake, pa.string())
    )


def emit_time_changes(
    a: Sequence[Store], b: Sequence[Store], groupings: Sequence[Grouping], output: Output
) -> None:
    """Write result ``time_changes``."""
    from iotrace.analysis.compare.changes import time_changes

    output.emit(time_changes(a, b, groupings))


def warn_of_failures(found: Comparison, asked: Sequence[Condition]) -> bool:
    """Print which conditions hold, and return whether any does; raises IotraceError where one cannot be judged."""
    from iotrace.analysis.compare.words import change

    failed = [condition for condition in asked if condition.holds(found)]
    for condition in failed:
        warn_of(f"--fail-if {condition.text!r} holds: {change(found.row(condition.metric))}")
    return bool(failed)


def write_page(
    found: Comparison, a: Sequence[Store], b: Sequence[Store], groupings: Sequence[Grouping], place: Path
) -> None:
    """Write the page, and print its path."""
    from iotrace.analysis.compare.changes import time_tree
    from iotrace.reports.pages.compare import page
    from iotrace.reports.pages.write import write_page

    times = _times_to_read(found, a, b, groupings, None)
    tree = time_tree(a, b) if times else None
    names = {title.rpartition(" by ")[2]: table for title, table in times.items()}
    named = (_name(a), _name(b))
    parts = [
        (f"Part of {name}", side[0].manifest["part"]["covers"])
        for name, side in zip(named, (a, b), strict=True)
        if "part" in side[0].manifest
    ]
    html = page(found, metrics_to_read(found), names, tree, _advice_to_read(a, b), named, parts)
    write_page(html, place)
    print(place)


def _name(stores: Sequence[Store]) -> str:
    names = list(names_of([Path(store.name) for store in stores]))
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
