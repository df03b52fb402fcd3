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
        said.append("The input is damaged: what follows the damage is missing.")
    too_many = SkippedRecords.too_many_of(manifest)
    if too_many:
        said.append(f"{units.percent(too_many[0].percent)} of the records could not be read.")
    seen = manifest.get("seen") or {}
    if seen.get("lost_calls") or seen.get("lost_records"):
        said.append("Records were lost: numbers are at least what is said.")
    elif seen.get("lost_events"):
        said.append(
            "Events of disks and the page cache were lost: disks took at least, and memory at most, what is said."
        )
    if facts is not None and facts.unseen_may_matter:
        parts = [f"{units.size(facts.mapped_bytes)} of mapped files"] if facts.mapped_bytes else []
        parts += ["asynchronous calls"] if facts.asynchronous_calls else []
        said.append(f"Not measured: I/O of {' and '.join(parts)}.")
    return tuple(said)
