"""From what the simulator counted to the paper's metrics (section 3.3 and table 4.4)."""

from collections.abc import Mapping
from typing import Any

from iotrace import units
from iotrace.simulate.ratios import percent, ratio
from iotrace.simulate.write_cache.settings import BLOCK_BYTES, Settings

SATURATED_PERCENT = 95.0
"""An offered load above this is worth a warning: queues then say more about the trace's length than about the disk."""

ROUNDING = 1e-9
"""By how much a mean of floats may exceed what it is the mean of."""
PASSED_ON = (
    "reads", "writes", "discards", "flushes", "disk_reads", "disk_writes", "idle_purges", "immediate_purges",
    "written_units", "partial_entries", "dirty_at_start",
    "write_throughs", "purged_blocks", "piggybacked_blocks", "piggybacked_reads", "read_blocks",
    "written_blocks", "read_cache_hits", "write_cache_hits", "stalled_reads", "stalled_writes",
    "longest_queue", "most_dirty", "dirty_at_end", "dropped_dirty",
)  # fmt: skip
"""Counts that are in the result as they are."""


def metrics(row: dict[str, Any], settings: Settings, replay: str, disks: int) -> dict[str, Any]:
    """Return a row's metrics by name: percentages, milliseconds, kilobytes; None if nothing can be divided."""
    purges = row["idle_purges"] + row["immediate_purges"]
    requests = row["reads"] + row["writes"]
    stalled = row["stalled_reads"] + row["stalled_writes"]
    span_ns = row["end_ns"] - row["first_arrival_ns"]
    offered_ns = row["last_arrival_ns"] - row["first_arrival_ns"]
    offered = percent(row["busiest_ns"], offered_ns) if replay == "open" else None
    values: dict[str, Any] = {name: row[name] for name in PASSED_ON}
    values |= {
        "w_wc": percent(row["disk_writes"], row["writes"]),
        "w_wc_reason": _above_100(row, settings),
        "r_wc": percent(row["disk_reads"], row["reads"]),
        "io_stall": percent(stalled, requests),
        "dirty_at_end_percent": percent(row["dirty_at_end"], row["written_blocks"]),
        "total_ios": row["disk_reads"] + row["disk_writes"],
        "read_queue_ms": _ms(row["read_wait_ns"], row["disk_reads"]),
        "read_queue_behind_writes_ms": _ms(row["read_wait_behind_writes_ns"], row["disk_reads"]),
        "read_service_ms": _ms(row["read_service_ns"], row["disk_reads"]),
        "write_service_ms": _ms(row["write_service_ns"], row["disk_writes"]),
        "piggyback_success": percent(row["piggybacked_reads"], row["disk_reads"]),
        "kbytes_per_purge": _kbytes(row["purged_blocks"], purges),
        "kbytes_per_piggyback": _kbytes(row["piggybacked_blocks"], row["piggybacked_reads"]),
        "disk_busy": percent(row["busy_ns"], span_ns * disks),
        "offered_load": offered,
        "queue_length": ratio(row["wait_ns"], span_ns),
        "read_response_ms": _ms(row["read_response_ns"], row["reads"]),
        "write_response_ms": _ms(row["write_response_ns"], row["writes"]),
        "high_blocks_at_end": row["high_blocks"],
        "low_blocks_at_end": row["low_blocks"],
        "warning": _warning(offered),
    }
    for kind, operations in (("read", "disk_reads"), ("write", "disk_writes")):
        for part in ("overhead", "seek", "rotation", "transfer"):
            values[f"{kind}_{part}_ms"] = _ms(row[f"{kind}_{part}_ns"], row[operations])
        for percentile in ("p50", "p90", "p95", "p99", "p100"):
            time_ns = row[f"{kind}_response_{percentile}_ns"]
            name = f"{kind}_response_{percentile}_ms".replace("p100", "max")
            values[name] = None if time_ns is None else time_ns / 1e6
        _check_mean(values, f"{kind}_response")
    return values


def _check_mean(values: Mapping[str, Any], name: str) -> None:
    """Raise ArithmeticError for a mean above the largest value, or below zero."""
    mean_ms, largest_ms = values[f"{name}_ms"], values[f"{name}_max_ms"]
    if mean_ms is not None and not 0 <= mean_ms <= largest_ms * (1 + ROUNDING):
        raise ArithmeticError(f"{name}: the mean is {mean_ms} ms, the largest {largest_ms} ms")


def _above_100(row: Mapping[str, Any], settings: Settings) -> str | None:
    """Return why there are more disk writes than writes, and None where there are not.

    A purge of a unit writes all that is dirty in it: there are no more disk writes than units that writes touched, but
    for writes that entered in parts, and for what was dirty before.
    """
    writes, written, parts = row["writes"], row["written_units"], row["partial_entries"]
    if not 0 < writes < row["disk_writes"]:
        return None
    causes = []
    if written > writes:
        causes.append(f"one for each {settings.unit} that it touches ({written / writes:.2f} on average)")
    if parts:
        causes.append(
            f"one for each part of it that enters a full cache alone ({parts:,} such parts; with --admission whole"
            " there are none)"
        )
    reasons = [f"a write can take several disk writes: {', and '.join(causes)}"] if causes else []
    if row["dirty_at_start"]:
        dirty = units.plural(row["dirty_at_start"], "block was", "blocks were")
        reasons.append(f"{dirty} dirty before, and their disk writes count")
    return f"w_wc is above 100 % because {'; and because '.join(reasons)}"


def _warning(offered_percent: float | None) -> str | None:
    if offered_percent is None or offered_percent <= SATURATED_PERCENT:
        return None
    return (
        f"the offered load is {offered_percent:.0f} % of what the disk can do: its queue grew with the trace, and"
        " waiting times mean little; scale the times up (--time-scale), or replay closed"
    )


def _ms(nanoseconds: int, count: int) -> float | None:
    return ratio(nanoseconds / 1e6, count)


def _kbytes(blocks: int, count: int) -> float | None:
    return ratio(blocks * BLOCK_BYTES / 1024, count)
