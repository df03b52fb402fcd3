"""The report's timeline and phases: statistics over time, and what changes in them."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
from iotrace.reports.pages.schemas import table_schema

from iotrace.analysis.phases import Phase, phases

QUERIES = ("calls_over_time", "storage_by_window")
"""The statistics of which the tables are made."""


def tables(results: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Return the tables, without rows for a trace without times."""
    windows = results["calls_over_time"].to_pylist()
    run_phases = phases(results["storage_by_window"], len(windows))
    numbers = {
        window: number
        for number, phase in enumerate(run_phases, 1)
        for window in range(phase.first_window, phase.last_window + 1)
    }
    timeline = [
        {
            **row,
            "phase": numbers.get(index),
            "phase_title": run_phases[numbers[index] - 1].title if index in numbers else None,
        }
        for index, row in enumerate(windows)
    ]
    listed = [_row(number, phase, windows) for number, phase in enumerate(run_phases, 1)]
    return {
        "timeline": pa.Table.from_pylist(timeline, schema=table_schema("timeline")),
        "phases": pa.Table.from_pylist(listed, schema=table_schema("phases")),
    }


def _row(number: int, phase: Phase, windows: list[dict[str, Any]]) -> dict[str, Any]:
    windows_of_phase = windows[phase.first_window : phase.last_window + 1]
    seconds = [row["storage_s"] for row in windows_of_phase if row["storage_s"] is not None]
    return {
        "phase": number,
        "title": phase.title,
        "start_ns": windows_of_phase[0]["start_ns"],
        "end_ns": windows_of_phase[-1]["end_ns"],
        **{name: phase.names[name] for name in ("program", "kind", "directory")},
        "storage_calls": _sum(row["storage_calls"] for row in windows_of_phase),
        "storage_s": sum(seconds) if seconds else None,
        "bytes_read": _sum(row["bytes_read"] for row in windows_of_phase),
        "bytes_written": _sum(row["bytes_written"] for row in windows_of_phase),
    }


def _sum(values: Iterable[int]) -> int:
    """Return a sum, at most the largest integer of 64 bits."""
    return min(sum(values), 2**63 - 1)
