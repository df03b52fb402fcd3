"""Notes on simulated write caches: their settings, the trace, and what is doubtful of them."""

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from iotrace import units


def policies(rows: pa.Table) -> list[str]:
    """Return the settings in which the rows differ, in words."""
    texts = [_in_words(row) for row in rows.to_pylist()]
    differing = [name for name in texts[0] if len({row[name] for row in texts}) > 1]
    return [", ".join(filter(None, (row[name] for name in differing or row))) for row in texts]


def _in_words(row: dict[str, Any]) -> dict[str, str]:
    """Format a row's settings, each by its name; empty where the setting is the default."""

    def size(name: str) -> str:
        held = row[f"{name}_cache_bytes"]
        return "" if held is None else f"{name} {units.size(held)}"

    limits = [f"{row[name]:g}" for name in ("high_percent", "low_percent") if row[name] is not None]
    return {
        "single": size("single"),
        "write": "no write cache" if row["write_cache_bytes"] == 0 else size("write"),
        "read": size("read"),
        "purge": f"{row['purge'] or ''} {'/'.join(limits)}".strip(),
        "interval": "" if row["interval"] is None else f"every {row['interval']:,}",
        "unit": row["unit"],
        "piggyback": "" if row["piggyback"] == "none" else f"{row['piggyback']} piggyback",
        "victim": "" if row["victim"] == "most-dirty" else row["victim"],
        "write_effect": "" if row["write_effect"] in ("purge", None) else f"write {row['write_effect']}",
        "admission": "" if row["admission"] == "whole" else "admitted by blocks",
        "forced": "" if row["forced"] == "cached" else "forced go through",
        "queue": "" if row["queue"] == "fifo" else row["queue"],
        "sharing": "" if row["sharing"] == "common" else row["sharing"],
    }


def refitted(rows: pa.Table) -> list[str]:
    """Say how many requests are for blocks that the disk has not, which makes every number doubtful."""
    first = rows.slice(0, 1).to_pylist()[0]
    if not (requests := first["refitted_requests"]):
        return []
    how = {"wrap": "wrapped around it", "scale": "scaled down to it"}[first["fit"]]
    share = units.percent(100 * requests / (first["reads"] + first["writes"]))
    return [
        f"{requests:,} requests ({share}) are for blocks beyond the end of {first['disk']} and were {how}, so that"
        " seeks and hits are not the trace's: choose a larger --disk"
    ]


def notes(rows: pa.Table, chosen_devices: Sequence[str]) -> list[str]:
    """Say what was simulated, and what was done to the trace for it."""
    first = rows.slice(0, 1).to_pylist()[0]
    tally = json.loads(rows.schema.metadata[b"tally"])
    count = "" if first["disks"] == 1 else f"{first['disks']} of "
    only = f" (of the trace, {', '.join(chosen_devices)})" if chosen_devices else ""
    lines = [
        f"{count}{first['disk']}{only}; {first['reads']:,} reads, {first['writes']:,} writes; {first['replay']} replay"
        + (f", times multiplied by {first['time_scale']:.4g}" if first["time_scale"] != 1 else "")
        + "."
    ]
    for name, description in (
        ("unsorted", "requests came out of order and were sorted by time"),
        ("without_blocks", "requests without blocks were left out"),
        ("unknown", "requests that are neither read nor write were left out"),
    ):
        if tally[name]:
            lines.append(f"{tally[name]:,} {description}.")
    lines.extend(_dirty_at_end(rows))
    lines.extend(f"{reason}." for reason in dict.fromkeys(filter(None, rows["w_wc_reason"].to_pylist())))
    warnings = dict.fromkeys(filter(None, rows["warning"].to_pylist()))
    lines.extend(f"Warning: {warning}." for warning in warnings)
    return [*lines, "--format json has all metrics."]


def _dirty_at_end(rows: pa.Table) -> list[str]:
    """Say how much was never written because the trace ended; nothing if all was."""
    shares = {row["dirty_at_end"]: row["dirty_at_end_percent"] for row in rows.to_pylist()}
    most = max(shares)
    if not most:
        return []
    least = "" if len(shares) == 1 else f"{units.count(min(shares))} to "
    share = "" if shares[most] is None else f", {units.percent(shares[most])} of the blocks written"
    return [
        f"Not written when the trace ended, and not in w_wc: {least}{units.count(most)} dirty blocks of 512 bytes"
        f"{share} (dirty at end)."
    ]
