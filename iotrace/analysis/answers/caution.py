"""A few words on what is missing from the numbers of a trace, where that changes the answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iotrace import units
from iotrace.analysis.facts import Facts
from iotrace.store.skipped import SkippedRecords


def cautions(manifest: Mapping[str, Any], facts: Facts | None) -> tuple[str, ...]:
    """Return short sentences on damage, losses and I/O that the trace cannot show; `iotrace info` has all of them."""
    said = []
    if manifest.get("damage"):
        said.append("What follows the damage is missing.")
    too_many = SkippedRecords.too_many_of(manifest)
    if too_many:
        said.append(f"{units.percent(too_many[0].percent)} of the records could not be read.")
    seen = manifest.get("seen") or {}
    records, calls, events = (int(seen.get(f"lost_{what}") or 0) for what in ("records", "calls", "events"))
    lost = [units.plural(records, "record was lost", "records were lost")] if records else []
    lost += [f"at least {units.plural(calls, 'call is incomplete', 'calls are incomplete')}"] if calls else []
    if lost:
        named = " and ".join(lost)
        said.append(f"{named[0].upper()}{named[1:]}: the numbers are lower bounds.")
    elif events:
        were = units.plural(
            events, "event of disks and the page cache was", "events of disks and the page cache were"
        )
        said.append(f"{were} lost: times of disks are lower bounds, and hits in memory upper bounds.")
    if facts is not None and facts.unseen_may_matter:
        parts = [f"{units.size(facts.mapped_bytes)} of mapped files"] if facts.mapped_bytes else []
        parts += ["asynchronous calls"] if facts.asynchronous_calls else []
        said.append(f"Not measured: I/O of {' and '.join(parts)}.")
    return tuple(said)
