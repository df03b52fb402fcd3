"""Tables about a drive: a row of its properties, its zones, its seek curve (figure 3.1)."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.simulate.disk.description import Description

_STEPS = (1, 2, 3, 5, 7)


def overview(drives: Mapping[str, Description]) -> pa.Table:
    """Return a row for each drive; its columns are those of the result disk_drive."""
    rows = [_row(name, description) for name, description in drives.items()]
    return queries.result_table("disk_drive", rows)


def zone_table(description: Description) -> pa.Table:
    """Return a row for each of a drive's zones; its columns are those of the result disk_zone."""
    drive, rows = description.native, []
    for zone in description.zones:
        first = drive.blocks_of_track(zone.first_cylinder * drive.surfaces)[0]
        end = drive.blocks_of_track((zone.last_cylinder + 1) * drive.surfaces - 1)[1]
        rows.append(
            {
                "first_cylinder": zone.first_cylinder,
                "last_cylinder": zone.last_cylinder,
                "sectors_per_track": zone.sectors_per_track,
                "first_block": first,
                "blocks": end - first,
                "track_skew": zone.track_skew,
                "cylinder_skew": zone.cylinder_skew,
                "mb_per_s": zone.sectors_per_track * 512 * description.rpm / 60e6,
            }
        )
    return queries.result_table("disk_zone", rows)


def seek_table(description: Description) -> pa.Table:
    """Return the seek curve where it was measured, or at round distances that grow, and at its end.

    The columns are those of the result disk_seek.
    """
    times_ns = description.native.seek_ns()
    last = len(times_ns) - 1
    given = [distance for distance, _ in description.seek.table_ms] or [
        step * 10**power for power in range(len(str(last))) for step in _STEPS
    ]
    distances = sorted({distance for distance in [*given, last] if 0 < distance <= last})
    rows = [
        {"distance_cylinders": cylinders, "seek_ms": times_ns[cylinders] / 1e6} for cylinders in distances
    ]
    return queries.result_table("disk_seek", rows)


def _row(name: str, description: Description) -> dict[str, Any]:
    drive, buffer = description.native, description.buffer
    times_ns = drive.seek_ns()
    return {
        "disk": name,
        "name": description.name,
        "provenance": description.provenance,
        "blocks": drive.blocks,
        "rpm": description.rpm,
        "cylinders": drive.cylinders,
        "surfaces": drive.surfaces,
        "zones": len(description.zones),
        "sectors_per_track": max(zone.sectors_per_track for zone in description.zones),
        "seek_one_ms": times_ns[1] / 1e6 if len(times_ns) > 1 else None,
        "seek_mean_ms": mean_seek_ms(times_ns),
        "seek_full_ms": times_ns[-1] / 1e6 if len(times_ns) > 1 else None,
        "head_switch_ms": description.head_switch_ms,
        "buffer_blocks": buffer.segments * buffer.segment_blocks if buffer else 0,
    }


def mean_seek_ms(times_ns: list[int]) -> float | None:
    """Return the mean over all pairs of different cylinders, given the times of all distances from 0."""
    cylinders = len(times_ns)
    if cylinders < 2:
        return None
    # of n cylinders, 2 (n - d) pairs in order are d apart
    total = sum((cylinders - distance) * time for distance, time in enumerate(times_ns))
    return 2 * total / (cylinders * (cylinders - 1)) / 1e6
