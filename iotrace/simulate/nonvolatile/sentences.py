"""Notes on simulations of limited non-volatile memory: savings, and write policies without effect."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis.curves.curves import tally
from iotrace.analysis.curves.stream import nothing_chosen
from iotrace.errors import IotraceError
from iotrace.simulate.nonvolatile.settings import Settings, compared, possible
from iotrace.simulate.nonvolatile.simulation import TimeSpan
from iotrace.store.store import Store


def largest_saving(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Say where data that may be lost save the most non-volatile writes; None where there are none to save."""
    settings = ("write_policy", "interval_ns", "process_memory_bytes", "volatile_bytes", "nonvolatile_bytes")
    secured = {tuple(row[name] for name in settings): row for row in rows if row["may_be_lost"] is None}
    pairs = [
        (secured[tuple(row[name] for name in settings)]["nonvolatile_block_writes"], row)
        for row in rows
        if row["may_be_lost"] is not None
    ]
    if not any(before for before, _ in pairs):
        return None
    before, row = max(pairs, key=lambda pair: pair[0] - pair[1]["nonvolatile_block_writes"])
    after = row["nonvolatile_block_writes"]
    if after >= before:
        return "No cache writes less to non-volatile memory where these data may be lost."
    memories = (
        f"{units.size(row['volatile_bytes'])} volatile, {units.size(row['nonvolatile_bytes'])} non-volatile"
    )
    return (
        f"The largest saving is {before - after:,} non-volatile block writes ({100 * (before - after) / before:.1f} %),"
        f" {after:,} instead of {before:,}: {row['write_policy']}, {memories}."
    )


def possible_of(
    store: Store, settings: Sequence[Settings], named: Collection[str]
) -> tuple[list[Settings], list[str]]:
    """Return the settings that the trace's time stamps allow, those `compared`, and a warning where some are left out.

    Raises IotraceError if their write policies were named.
    """
    allowed = possible(settings, store.manifest["times"])
    missing = dict.fromkeys(case.write_policy for case in settings if case not in allowed)
    if missing and "write_policy" in named:
        raise IotraceError(
            f"{store.name}: the trace has no time stamps, which {' and '.join(missing)} writes need"
        )
    return compared(allowed), [
        f"no {' and no '.join(missing)}: the trace has no time stamps"
    ] if missing else []


def warnings_of(rows: pa.Table, where: str | None, span: TimeSpan, settings: Sequence[Settings]) -> list[str]:
    """Say where no request was chosen, and which write policies never act."""
    return [*nothing_chosen(tally(rows), where), *_never_due(span, settings)]


def _never_due(span: TimeSpan, settings: Sequence[Settings]) -> list[str]:
    """Return which write policies never act, because what is simulated ends before their interval does."""
    idle = [case for case in settings if span.is_idle(case)]
    lasts = units.duration((span.last_ns or 0) - (span.first_ns or 0))
    warnings = []
    for interval_ns in dict.fromkeys(case.interval_ns for case in idle):
        never = dict.fromkeys(case.write_policy for case in idle if case.interval_ns == interval_ns)
        warnings.append(
            f"what is simulated lasts {lasts}, and no interval of {units.duration(interval_ns)}"
            f" ends in it: {' and '.join(never)} writes are never due, so that these rows equal copy-back's;"
            " choose a shorter --interval"
        )
    return warnings
