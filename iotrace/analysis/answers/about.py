"""The line under a trace's name: its family, length and processes, and when and how it was recorded."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis.facts import Facts
from iotrace.analysis.times import TracersPart, tracers_part
from iotrace.store import sampled_files
from iotrace.store.manifest import calibration, is_of_bpf
from iotrace.store.store import Store

UNKNOWN_YEAR = 1970
"""The year of time stamps that count from 0, whose day is not known."""


def about(store: Store, facts: Facts, of_jobs: pa.Table | None = None) -> tuple[str, ...]:
    """Return the parts of the line, of which those that a trace does not have are left out.

    ``of_jobs`` is statistic io_by_job of a store of counters.
    """
    totals = facts.totals
    length_ns, processes = totals["duration_ns"], totals["processes"]
    ran = "rank" if store.family.has_ranks else "process"
    parts = [store.family.title.lower()]
    parts += [units.duration(length_ns)] if length_ns else []
    parts += (
        [units.plural(processes, ran, "ranks" if store.family.has_ranks else "processes")]
        if processes
        else []
    )
    if of_jobs is not None and not length_ns and not processes:
        parts += _of_jobs(of_jobs)
    if part := store.manifest.get("part"):
        parts.append(f"part: {part['covers']}")
    if (share := sampled_files.share(store.manifest)) is not None:
        parts.append(f"{sampled_files.percent(share)} of the files")
    return (*parts, _recorded(store.manifest))


def _of_jobs(rows: pa.Table) -> list[str]:
    """Return how long a single job ran, with how many ranks, and when; of several, how many they are."""
    if len(rows) != 1:
        return [units.plural(len(rows), "job", "jobs")]
    (job,) = rows.to_pylist()
    parts = [units.duration(1e9 * job["run_s"])] if job["run_s"] else []
    parts.append(units.plural(job["ranks"], "rank", "ranks"))
    return [*parts, f"ran {_moment(job['start_ns']):%-d %b %Y}"] if job["start_ns"] else parts


def _moment(since_1970_ns: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(since_1970_ns // 10**9, datetime.UTC)


def _recorded(manifest: Mapping[str, Any]) -> str:
    times = manifest["times"]
    day = ""
    if times.get("base") == "epoch" and times.get("first_ns") is not None:
        began = _moment(times["first_ns"])
        day = f"recorded {began:%-d %b %Y} " if began.year > UNKNOWN_YEAR else ""
    by = "BPF" if is_of_bpf(manifest) else manifest["format"].partition(":")[0]  # without columns
    return f"{day}by {by}{_added(manifest)}" if day else f"format {by}{_added(manifest)}"


def _added(manifest: Mapping[str, Any]) -> str:
    """Return what the tracer adds to a call, and whether times are without it."""
    part = tracers_part(manifest)
    overhead = calibration(manifest)
    if part is TracersPart.TAKEN_OFF and overhead:
        return f" (+{units.duration(overhead['inside_ns'] + overhead['outside_ns'])} a call, taken off)"
    return " (what it adds to each call is included)" if part is TracersPart.CONTAINED else ""
