"""Largest changes by call, file and program, and the advice that only one side has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.advice import Card, advise
from iotrace.analysis.characterize import prepared
from iotrace.analysis.compare.compare import Comparison
from iotrace.analysis.grouping import Grouping
from iotrace.analysis.times import times
from iotrace.store.manifest import calibration
from iotrace.store.store import Store

Times = dict[tuple[str, str], tuple[float, float]]
"""By grouping and name, seconds and calls."""


def table(comparison: Comparison) -> pa.Table:
    """Return result ``comparison``."""
    return queries.result_table("comparison", [astuple(row) for row in comparison.rows])


def known(comparison: Comparison) -> Comparison:
    """Return a comparison of the metrics that a trace has."""
    return replace(comparison, rows=tuple(row for row in comparison.rows if row.a or row.b))


def time_changes(a: Sequence[Store], b: Sequence[Store], groupings: Sequence[Grouping]) -> pa.Table:
    """Return result ``time_changes``; raises IotraceError as `times` does."""
    are_net = all(calibration(store.manifest) is not None for store in (*a, *b))
    left, right = (_mean_times(side, groupings, are_net) for side in (a, b))
    none = (0.0, 0.0)
    rows = [
        (by, name, before[0], after[0], after[0] - before[0], before[1], after[1])
        for by, name in left | right
        for before, after in [(left.get((by, name), none), right.get((by, name), none))]
    ]
    order = list(Grouping)
    rows.sort(key=lambda row: (order.index(Grouping(row[0])), -abs(row[4]), row[1]))
    return queries.result_table("time_changes", rows)


def _mean_times(stores: Sequence[Store], groupings: Sequence[Grouping], are_net: bool) -> Times:
    means: Times = {}
    for store in stores:
        rows = times(store, groupings, has_waiting=False, top=None).rows
        columns = (
            rows[name].to_pylist() for name in ("by", "name", "net_s" if are_net else "total_s", "calls")
        )
        for by, name, seconds, calls in zip(*columns, strict=True):
            before = means.get((by, name), (0.0, 0.0))
            means[by, name] = (
                before[0] + (seconds or 0.0) / len(stores),
                before[1] + calls / len(stores),
            )
    return means


def advice_changes(a: Sequence[Store], b: Sequence[Store]) -> pa.Table:
    """Return result ``advice_changes``, what has most at stake first: what is gained, then what is lost."""
    before, after = _advice(a), _advice(b)
    rows = [
        (change, name, card.title, card.at_stake_s)
        for change, cards_of_side, other in (("gained", after, before), ("lost", before, after))
        for name, card in sorted(cards_of_side.items(), key=lambda item: -(item[1].at_stake_s or 0.0))
        if name not in other
    ]
    return queries.result_table("advice_changes", rows)


def _advice(stores: Sequence[Store]) -> dict[str, Card]:
    """Return the first card of each rule that speaks in more than half of the traces."""
    cards: dict[str, list[Card]] = {}
    for store in (store for store in stores if store.family.answers("advice")):
        for card in advise(store).cards:
            cards.setdefault(card.rule.name, []).append(card)
    return {name: shown[0] for name, shown in cards.items() if 2 * len(shown) > len(stores)}


LEAVES = """
select process_name.program, directory, call, sum(timed_call.cost_ns) / 1e9 as seconds
from timed_call join process_name using (process)
where class = 'storage' and timed_call.cost_ns > 0
group by all
"""
"""The storage time of each program in each directory, by call."""


def time_tree(a: Sequence[Store], b: Sequence[Store]) -> pa.Table:
    """Return result ``time_tree``: the leaves of the tree of storage time, what takes longest on either side first."""
    left, right = _leaves(a), _leaves(b)
    rows = [(*names, left.get(names, 0.0), right.get(names, 0.0)) for names in left | right]
    rows.sort(key=lambda row: (-max(row[3], row[4]), row))
    return queries.result_table("time_tree", rows)


def _leaves(stores: Sequence[Store]) -> dict[tuple[str, str, str], float]:
    leaves: dict[tuple[str, str, str], float] = {}
    for store in stores:
        with store.queried() as connection, prepared(connection, ["timed_call", "process_name"], {}):
            for program, directory, call, seconds in connection.execute(LEAVES).fetchall():
                names = (program, directory, call)
                leaves[names] = leaves.get(names, 0.0) + seconds / len(stores)
    return leaves
