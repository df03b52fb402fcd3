"""How a comparison is said: better or worse first, by how much, and what of it is noise."""

from __future__ import annotations

from iotrace import units
from iotrace.analysis.compare.compare import Comparison, Row
from iotrace.analysis.compare.measure import WINDOWS
from iotrace.analysis.compare.noise import CONFIDENCE
from iotrace.queries.metrics import metrics

FIRST = {
    "syscall": ("wall_time", "storage_time", "storage_call_time"),
    "disk_io": ("read_latency_p50", "write_latency_p50", "queue_depth"),
    "parallel_io": ("wall_time", "rank_time_max", "storage_call_time"),
    "key_io": (),
}
"""By family, the metrics of which the first that changed beyond noise decides between better and worse."""
NAMED = 5
"""Metrics that a sentence names."""


def sentences(found: Comparison) -> list[str]:
    """Return the first lines: better or worse, then the changes beyond noise, then how noise was judged."""
    return [_first(found), *_counts(found), *_wall_time(found), noise_stated(found), *lacking(found)]


def lacking(found: Comparison) -> list[str]:
    """Return sentences on what cannot be compared, since a trace does not record it."""
    if not found.is_timed:
        return [
            "A trace has no times: there is no comparison of times and rates. For system calls, strace -f -ttt -T or"
            " iotrace record records them."
        ]
    if found.family == "syscall" and not found.is_call_timed:
        return [
            "A trace does not record how long calls took: there is no comparison of latencies. strace -T or iotrace"
            " record records them."
        ]
    return []


def verdict(found: Comparison, row: Row) -> str:
    """Return better or worse for what changed beyond noise; unclear where noise cannot be judged; else nothing."""
    if row.significant is None and row.a is not None and row.b is not None and row.a != row.b:
        return "unclear"
    return row.verdict(metrics(found.family).by_name[row.metric].better)


def value(number: float | None, unit: str) -> str:
    """Return a metric's value as a person reads it."""
    if number is None:
        return ""
    if unit == "s":
        return units.duration(1e9 * number)
    if unit == "us":
        return units.duration(1e3 * number)
    if unit in ("bytes", "bytes/s"):
        return units.size(number) + ("/s" if unit == "bytes/s" else "")
    if unit == "percent":
        return units.percent(number)
    return f"{number:,.0f}" if number == int(number) or number >= 100 else f"{number:,.3g}"


def times_as_much(ratio: float | None) -> str:
    """Return a ratio: `1.2x`, `0.05x`."""
    if ratio is None:
        return ""
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def band(row: Row) -> str:
    """Return the ratios that noise explains."""
    if row.low is None or row.high is None:
        return ""
    high = "any" if row.high >= 1e4 else times_as_much(row.high)
    return f"{times_as_much(round(row.low, 4))} to {high}"


def _first(found: Comparison) -> str:
    changed = [row for name in FIRST[found.family] if (row := found.row(name)).is_change]
    if changed:
        row = changed[0]
        return f"{verdict(found, row).capitalize()}: {change(row)}; noise explains {band(row)}."
    if any(row.is_change for row in found.rows):
        return "Neither better nor worse in time beyond noise; other metrics changed."
    if any(row.significant is False for row in found.rows):
        return "No change beyond noise."
    return "Better or worse cannot be said: noise cannot be judged from these traces."


def change(row: Row) -> str:
    """Return a metric's change in words."""
    return (
        f"{row.metric} {times_as_much(row.ratio)}, {value(row.a, row.unit)} before,"
        f" {value(row.b, row.unit)} after"
    )


def _counts(found: Comparison) -> list[str]:
    judged = sum(row.significant is not None for row in found.rows)
    said = []
    for word in ("worse", "better"):
        rows = [row for row in found.rows if verdict(found, row) == word]
        if rows:
            named = ", ".join(f"{row.metric} {times_as_much(row.ratio)}" for row in rows[:NAMED])
            more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
            said.append(f"{word.capitalize()} beyond noise, {len(rows)} of {judged} metrics: {named}{more}.")
    return said


def _wall_time(found: Comparison) -> list[str]:
    row = found.row("wall_time")
    if row.ratio is None or row.significant is not None or row.ratio == 1:
        return []
    return [f"Unclear: {change(row)}; only repeated traces show whether that is noise."]


def noise_stated(found: Comparison) -> str:
    """Return how noise was judged."""
    sure = units.percent(100 * CONFIDENCE)
    if found.is_repeated:
        before, after = map(len, found.sides)
        return (
            f"Noise: how {before} and {after} traces differ among themselves; Welch's t test, {sure} band for each"
            " metric."
        )
    if not found.is_timed:
        return (
            "Noise is not judged: a trace without times has no windows to resample, and nothing is repeated."
        )
    return (
        f"Noise: how each trace varies over {WINDOWS} windows of its time; block bootstrap, {sure} band for each"
        " metric. Differences from run to run need repeated traces: A1 A2 A3 vs B1 B2 B3."
    )
