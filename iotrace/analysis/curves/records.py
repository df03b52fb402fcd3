"""Which records of a trace a state has: consecutive ones of a trace, or of several traces that follow each other."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from iotrace.errors import IotraceError, UsageError
from iotrace.store.store import Store

_IDENTITY = ("time_ns", "operation", "file", '"offset"', "length")


@dataclass(frozen=True)
class Records:
    """Consecutive rows of table reference of one trace."""

    trace: str
    """The name of the trace."""
    first: int
    end: int
    is_at_end: bool
    """Whether the trace had no further record."""
    beginning: str
    """A digest of the trace's first record, by which the trace is recognized."""
    last: str
    """A digest of the last of these records."""
    start_ns: int | None
    """When the trace starts, since 1970; None where that is unknown."""
    end_ns: int | None
    """When the last of these records was issued, since 1970."""

    @property
    def shown(self) -> str:
        """The records as messages name them."""
        return f"{self.trace} {self.first:,} to {self.end:,}"

    def is_of(self, other: "Records") -> bool:
        """Return whether both are of one trace."""
        return (self.trace, self.beginning) == (other.trace, other.beginning)


def chosen_records(text: str | None, store: Store) -> range:
    """Return the records that a text FIRST:END names, all without one.

    Raises UsageError for what names none, and IotraceError for a trace without references.
    """
    rows = int(store.manifest["tables"]["reference"])
    if rows == 0:
        raise IotraceError(f"{store.name}: has no references: there is nothing to make a state of")
    if text is None:
        return range(rows)
    first, colon, end = text.replace(",", "").replace("_", "").partition(":")
    if not colon or not all(number.isascii() and number.isdecimal() for number in (first, end) if number):
        raise UsageError(f"--records {text}: give FIRST:END, such as 0:1000000, or FIRST: for all from there")
    start, stop = int(first or 0), int(end or rows)
    if not start < stop <= rows:
        raise UsageError(f"--records {text}: the trace has records 0 to {rows:,}")
    return range(start, stop)


def describe(store: Store, trace: str, records: range) -> Records:
    """Return the description of some records of a store, at least one."""
    numbers = {0, records.stop - 1}
    query = f"select seq, {', '.join(_IDENTITY)} from reference where seq in ({', '.join(map(str, numbers))})"
    with store.queried() as connection:
        rows = {row[0]: row[1:] for row in connection.sql(query).fetchall()}
    times = store.manifest.get("times") or {}
    start_ns = times.get("first_ns") if times.get("base") == "epoch" else None
    time_ns = rows[records.stop - 1][0]
    return Records(
        trace=trace,
        first=records.start,
        end=records.stop,
        is_at_end=records.stop == store.manifest["tables"]["reference"],
        beginning=_digest(rows[0]),
        last=_digest(rows[records.stop - 1]),
        start_ns=start_ns,
        end_ns=None if start_ns is None or time_ns is None else start_ns + time_ns,
    )


def _digest(row: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()[:16]


def following(store: Store, trace: str, last: Records) -> range:
    """Return the records of a store after those of a state, whose last ones are `last`.

    Raises IotraceError where the store has not these records, or no further ones.
    """
    rows = int(store.manifest["tables"]["reference"])
    if rows < last.end:
        raise IotraceError(f"{trace} has {rows:,} records; the state has records {last.shown}")
    now = describe(store, trace, range(last.first, last.end))
    if not now.is_of(last):
        raise IotraceError(f"the state is of records {last.shown}, whose trace is another one than {trace}")
    if now.last != last.last:
        raise IotraceError(f"{trace} has changed: record {last.end - 1:,} is not the one that the state has")
    if rows == last.end:
        raise IotraceError(f"{trace} has no records after those of the state ({last.shown})")
    return range(last.end, rows)


def joined(left: Sequence[Records], right: Sequence[Records]) -> tuple[Records, ...]:
    """Return the records of two states, the right one following the left; raises IotraceError where it does not."""
    before, after = left[-1], right[0]
    if before.is_of(after):
        if after.first != before.end:
            raise IotraceError(f"{_misfit(before, after)}: {before.shown}, then {after.shown}")
        both = replace(after, first=before.first)
        return (*left[:-1], both, *right[1:])
    if shared := [mine.trace for mine in left for theirs in right if mine.is_of(theirs)]:
        raise IotraceError(f"both states have records of {shared[0]}, which are not consecutive")
    if not before.is_at_end:
        raise IotraceError(f"records are missing: {before.trace} goes on after record {before.end - 1:,}")
    if after.first != 0:
        raise IotraceError(f"records are missing: those of {after.trace} before record {after.first:,}")
    if before.end_ns is not None and after.start_ns is not None and after.start_ns < before.end_ns:
        raise IotraceError(
            f"{after.trace} starts before {before.trace} ends: give states in the order of time. Those of traces that"
            " overlap in time do not merge: which requests follow each other decides what a cache holds, and states do"
            " not have that; iotrace ingest of all their files has the curve of all, and of stores that of what iotrace"
            " export --to msr-cambridge writes of each"
        )
    return (*left, *right)


def _misfit(before: Records, after: Records) -> str:
    if after.first > before.end:
        return f"records {before.end:,} to {after.first:,} are missing"
    return "states overlap" if after.end > before.first else "states are in the wrong order"
