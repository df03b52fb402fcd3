"""The output of ``iotrace compare``: the verdict and tables to read, or a row for each metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.analysis.grouping import Grouping
from iotrace.cli.output import Output
from iotrace.cli.progress import doing
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import UsageError
from iotrace.files.remote import Place
from iotrace.libraries import pa, pc

if TYPE_CHECKING:
    from iotrace.analysis.compare import Comparison
    from iotrace.analysis.compare.conditions import Condition
    from iotrace.store.store import Store

DRAWN_ROWS = 8
"""Rows of each table of times that a person reads."""


def emit_comparison(
    comparison: Comparison,
    a: Sequence[Store],
    b: Sequence[Store],
    groupings: Sequence[Grouping],
    output: Output,
) -> None:
    """Write result ``comparison``; or, for a person, the verdict, the metrics, and what changed most."""
    from iotrace.analysis.compare.changes import advice_changes, known, table
    from iotrace.analysis.compare.words import lacking, sentences

    if not output.is_table:
        for sentence in lacking(comparison):
            warn_of(sentence.rstrip("."))
        output.emit(table(comparison))
        return
    if output.is_interactive:
        print(*sentences(comparison), sep="\n")
    output.emit_many(
        {
            "metrics": table(known(comparison)),
            **{
                f"time in storage calls by {by}": table
                for by, table in times_by_grouping(comparison, a, b, groupings).items()
            },
            "advice": advice_changes(a, b),
        },
        None if output.is_interactive else "\n".join(sentences(comparison)),
    )


def emit_fleet(store: Store, folder: Place, output: Output) -> None:
    """Write where a trace stands among the stores of a folder: result ``fleet_comparison``."""
    from iotrace.analysis.compare.fleet import measured, table
    from iotrace.analysis.compare.measure import measure

    if not folder.is_dir():
        raise UsageError(f"{folder}: {'is not a folder' if folder.exists() else 'no such folder'}")
    store.family.check_answers("accesses", store.name)
    of = measure(store)
    with doing() as progress:
        fleet = measured(store, folder, progress)
    if fleet.others:
        warn_of(f"{units.plural(fleet.others, 'store is', 'stores are')} of another family, and left out")
    if fleet.left_out:
        count = units.plural(len(fleet.left_out), "store", "stores")
        warn_of(f"{count} cannot be measured; the first: {fleet.left_out[0]}")
    output.emit(table(of, fleet.measures), store.name)


def times_by_grouping(
    comparison: Comparison,
    a: Sequence[Store],
    b: Sequence[Store],
    groupings: Sequence[Grouping],
    most: int | None = DRAWN_ROWS,
) -> dict[str, pa.Table]:
    """Return the changes of times, by grouping."""
    from iotrace.analysis.compare.changes import time_changes

    if not comparison.family.answers("time") or not comparison.is_call_timed:
        return {}
    changed = time_changes(a, b, groupings)
    return {
        grouping.value: changed.filter(pc.equal(changed["by"], grouping.value)).slice(0, most)
        for grouping in groupings
    }


def emit_time_changes(
    a: Sequence[Store], b: Sequence[Store], groupings: Sequence[Grouping], output: Output
) -> None:
    """Write result ``time_changes``."""
    from iotrace.analysis.compare.changes import time_changes

    output.emit(time_changes(a, b, groupings))


def warn_of_failures(comparison: Comparison, conditions: Sequence[Condition]) -> bool:
    """Print which conditions hold, and return whether any does; raises IotraceError where one cannot be judged."""
    from iotrace.analysis.compare.words import change

    failed = [condition for condition in conditions if condition.holds(comparison)]
    for condition in failed:
        warn_of(f"--fail-if {condition.text!r} holds: {change(comparison.row(condition.metric))}")
    return bool(failed)
