"""The tables of ``iotrace write-cache`` as a person reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from iotrace import units
from iotrace.cli.output import Output
from iotrace.cli.terminal import warn_of
from iotrace.libraries import pa

SHOWN = (
    "policy", "w_wc", "r_wc", "io_stall", "read_queue_ms", "read_service_ms", "write_service_ms",
    "piggyback_success", "kbytes_per_purge", "total_ios", "disk_busy", "dirty_at_end",
    "dirty_at_end_percent",
)  # fmt: skip


def emit_write_caches(rows: pa.Table, devices: Sequence[str], output: Output) -> None:
    """Write what controllers make of requests: for a terminal the paper's columns, and what was simulated."""
    _warn_of_refitted(rows)
    if output.is_table:
        output.emit(_in_paper_columns(rows), note=_note(rows, devices))
    else:
        output.emit(rows)


def _in_paper_columns(rows: pa.Table) -> pa.Table:
    """Return the columns that the paper has, after the settings in which the rows differ."""
    words = [_in_words(row) for row in rows.to_pylist()]
    differing = [name for name in words[0] if len({row[name] for row in words}) > 1]
    policies = [", ".join(filter(None, (row[name] for name in differing or row))) for row in words]
    return rows.add_column(0, "policy", pa.array(policies)).select(SHOWN)


def _in_words(row: dict[str, Any]) -> dict[str, str]:
    """Return a row's settings in words, by what they are about; empty if there is nothing to say."""

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


def _warn_of_refitted(rows: pa.Table) -> None:
    """Say how many requests are for blocks that the disk has not, before any number that they make doubtful."""
    first = rows.slice(0, 1).to_pylist()[0]
    if refitted := first["refitted_requests"]:
        how = {"wrap": "wrapped around it", "scale": "scaled down to it"}[first["fit"]]
        share = units.percent(100 * refitted / (first["reads"] + first["writes"]))
        warn_of(
            f"{refitted:,} requests ({share}) are for blocks beyond the end of {first['disk']} and were {how}, so that"
            " seeks and hits are not the trace's: choose a larger --disk"
        )


def _note(rows: pa.Table, chosen_devices: Sequence[str]) -> str:
    """Say what was simulated, and what was done to the trace for it."""
    first = rows.slice(0, 1).to_pylist()[0]
    tally = json.loads(rows.schema.metadata[b"tally"])
    count = "" if first["disks"] == 1 else f"{first['disks']} of "
    only = f" (of the trace, {', '.join(chosen_devices)})" if chosen_devices else ""
    notes = [
        f"{count}{first['disk']}{only}; {first['reads']:,} reads, {first['writes']:,} writes; {first['replay']} replay"
        + (f", times multiplied by {first['time_scale']:.4g}" if first["time_scale"] != 1 else "")
        + "."
    ]
    for name, words in (
        ("unsorted", "requests came out of order and were sorted by time"),
        ("without_blocks", "requests without blocks were left out"),
        ("unknown", "requests that are neither read nor write were left out"),
    ):
        if tally[name]:
            notes.append(f"{tally[name]:,} {words}.")
    notes.extend(_dirty_at_end(rows))
    notes.extend(f"{reason}." for reason in dict.fromkeys(filter(None, rows["w_wc_reason"].to_pylist())))
    warnings = dict.fromkeys(filter(None, rows["warning"].to_pylist()))
    notes.extend(f"Warning: {warning}." for warning in warnings)
    notes.append(
        "w_wc, r_wc, io_stall, piggyback_success and disk_busy in percent; --format json has all metrics."
    )
    return "\n".join(notes)


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
        f"{share} (dirty_at_end)."
    ]
