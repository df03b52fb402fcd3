"""Traces that have the calls on a sample of the files: the share of the files, and the sentence on it."""

from collections.abc import Mapping
from typing import Any

from iotrace import units

KEY = "sampled_files_per_million"
"""Its place among what is ``seen`` of a trace, in a manifest."""
MILLION = 1_000_000


def share(manifest: Mapping[str, Any]) -> float | None:
    """Return which share of the files a trace is of, above 0; None if it is of all files."""
    per_million = int((manifest.get("seen") or {}).get(KEY) or MILLION)
    return None if per_million >= MILLION else per_million / MILLION


def sentence(manifest: Mapping[str, Any]) -> str | None:
    """Return the sentence that says that a trace is of a sample of the files; None if it is not."""
    part = share(manifest)
    if part is None:
        return None
    return (
        f"Only {percent(part)} of the files were recorded (--sample-files): requests, bytes and times are of these, but"
        " calls that change names or processes are of all; statistic sampled_totals estimates totals of all files,"
        f" whose caches need about {units.count(round(1 / part))} times the size for the same miss ratios"
    )


def percent(part: float) -> str:
    """Write a share as a percentage, in full: 0.01 %."""
    return f"{100 * part:.4f}".rstrip("0").rstrip(".") + " %"
