"""A few words on what is missing from the numbers of a trace, where that changes the answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis.facts import Facts
from iotrace.store import sampled_files
from iotrace.store.skipped import SkippedRecords

SAMPLED = "sampled_totals"
"""The statistic that estimates totals of all files from a sample of them."""


def cautions(
    manifest: Mapping[str, Any], facts: Facts | None, sampled: pa.Table | None = None
) -> tuple[str, ...]:
    """Return short sentences on damage, losses and I/O that the trace cannot show; `iotrace info` has all of them.

    ``sampled`` is statistic `SAMPLED` of a trace that is of a sample of the files.
    """
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
    if (share := sampled_files.share(manifest)) is not None:
        said.append(
            f"A sample of {sampled_files.percent(share)} of the files, and numbers are theirs{_of_all(sampled)}."
        )
    return tuple(said)


def _of_all(sampled: pa.Table | None) -> str:
    """Return the end of a sentence with the bytes that all files were read and written, with their standard errors."""
    rows = {row["quantity"]: row for row in (sampled.to_pylist() if sampled is not None else [])}
    parts = [
        f"{units.size(row['estimated'])} ± {units.size(row['standard_error'])} {what}"
        for quantity, what in (("bytes_read", "read"), ("bytes_written", "written"))
        if (row := rows.get(quantity)) and row["sampled"]
    ]
    return f"; all files, estimated with one standard error: {', '.join(parts)}" if parts else ""
