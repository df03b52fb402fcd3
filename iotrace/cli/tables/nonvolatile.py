"""The table of ``iotrace nonvolatile`` as a person reads it, and its warnings."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iotrace import units
from iotrace.cli.output import PIECES, Output
from iotrace.cli.tables.curve import warn_of_nothing
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import IotraceError
from iotrace.libraries import pa
from iotrace.simulate.nonvolatile.settings import Settings, possible

if TYPE_CHECKING:
    from iotrace.simulate.nonvolatile.simulation import TimeSpan
    from iotrace.store.store import Store

AT_RISK = (
    "At risk is what a crash would have lost, at a random moment in the mean, and at the worst one."
    f" Oldest is the longest time for which a write was. {PIECES}"
)
UNSECURED = " Unsecured are dirty blocks of data that may be lost; they are not counted as at risk."
TEMPORARY = (
    " Temporary files are those that the trace creates and deletes, which is known only afterwards: these rows show"
    " what perfect knowledge would save."
)


def emit_nonvolatile(rows: pa.Table, block_bytes: int, output: Output) -> None:
    """Write the result: for a terminal in words, otherwise all of it."""
    if not output.is_table:
        output.emit(rows)
        return
    title = f"Limited non-volatile memory, blocks of {units.size(block_bytes)}"
    intervals = sorted({value for value in rows["interval_ns"].to_pylist() if value is not None})
    if intervals:
        title += f", an interval of {', '.join(map(units.duration, intervals))}"
    conditions = set(rows["may_be_lost"].to_pylist()) - {None}
    saving = largest_saving(rows.to_pylist())
    if saving and output.output is None:
        print(saving)
    note = AT_RISK + UNSECURED * bool(conditions) + TEMPORARY * ("temporary" in conditions)
    output.emit(_for_reading(rows, block_bytes), title, note)


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


def possible_with_warning(
    store: Store, settings: Sequence[Settings], named: Collection[str]
) -> list[Settings]:
    """Return the settings that the trace's time stamps allow, and say so where some are left out.

    Raises IotraceError if their write policies were named.
    """
    allowed = possible(settings, store.manifest["times"])
    missing = dict.fromkeys(case.write_policy for case in settings if case not in allowed)
    if missing and "write_policy" in named:
        raise IotraceError(
            f"{store.name}: the trace has no time stamps, which {' and '.join(missing)} writes need"
        )
    if missing:
        warn_of(f"no {' and no '.join(missing)}: the trace has no time stamps")
    return allowed


def warn_of_references(
    rows: pa.Table, where: str | None, span: TimeSpan, settings: Sequence[Settings]
) -> None:
    """Say where no request was chosen, and which of the write policies never act, because what is simulated ends before
    their interval does."""
    from iotrace.analysis.curves.curves import tally

    warn_of_nothing(tally(rows), where)
    idle = [case for case in settings if span.is_idle(case)]
    for interval_ns in dict.fromkeys(case.interval_ns for case in idle):
        never = dict.fromkeys(case.write_policy for case in idle if case.interval_ns == interval_ns)
        lasts = units.duration((span.last_ns or 0) - (span.first_ns or 0))
        warn_of(
            f"what is simulated lasts {lasts}, and no interval of {units.duration(interval_ns)}"
            f" ends in it: {' and '.join(never)} writes are never due, so that these rows equal copy-back's;"
            " choose a shorter --interval"
        )


def _for_reading(rows: pa.Table, block_bytes: int) -> pa.Table:
    """Return sizes and times in words, and what was written as a share of the blocks that the trace wrote."""

    def shares(counted: str, of: str) -> pa.Array:
        pairs = zip(rows[counted].to_pylist(), rows[of].to_pylist(), strict=True)
        return pa.array([f"{100 * part / whole:.1f} %" if whole else None for part, whole in pairs])

    def sizes(name: str, unit_bytes: int) -> pa.Array:
        values = rows[name].to_pylist()
        return pa.array([None if size is None else units.size(size * unit_bytes) for size in values])

    def times(name: str) -> pa.Array:
        return pa.array([None if time is None else units.duration(time) for time in rows[name].to_pylist()])

    def reasons() -> dict[str, pa.Array]:
        return {
            "expelled": rows["blocks_expelled"],
            "flushed": rows["blocks_flushed"],
            "synced": rows["blocks_synced"],
            "through": rows["blocks_written_through"],
        }

    def may_be_lost() -> dict[str, pa.Array]:
        return {
            "may be lost": pa.array([text or "nothing" for text in rows["may_be_lost"].to_pylist()]),
            "non-volatile writes": rows["nonvolatile_block_writes"],
        }

    def unsecured() -> dict[str, pa.Array]:
        return {
            "unsecured, mean": sizes("mean_unsecured", block_bytes),
            "unsecured, most": sizes("most_unsecured", block_bytes),
        }

    has_processes = any(rows["process_memory_bytes"].to_pylist())
    has_lost = any(rows["may_be_lost"].to_pylist())
    several = len({value for value in rows["interval_ns"].to_pylist() if value is not None}) > 1
    return pa.table(
        {
            "write policy": rows["write_policy"],
            **({"interval": times("interval_ns")} if several else {}),
            "volatile": sizes("volatile_bytes", 1),
            **({"volatile, least": sizes("least_volatile_blocks", block_bytes)} if has_processes else {}),
            "non-volatile": sizes("nonvolatile_bytes", 1),
            **(may_be_lost() if has_lost else {}),
            "read misses": shares("read_request_misses", "read_requests"),
            "blocks written": shares("blocks_written", "write_block_references"),
            **({} if has_lost else reasons()),
            "at risk, mean": sizes("mean_at_risk", block_bytes),
            "at most": sizes("most_at_risk", block_bytes),
            "oldest": times("longest_at_risk_ns"),
            **(unsecured() if has_lost else {}),
        }
    )
