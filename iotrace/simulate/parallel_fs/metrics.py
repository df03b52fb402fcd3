"""From what the engine counted to the measures of section 4.2: means over trials, shares, seconds."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from iotrace.option import described
from iotrace.option.rules import Runs
from iotrace.simulate.parallel_fs.engine import Run
from iotrace.simulate.parallel_fs.settings import Settings
from iotrace.simulate.parallel_fs.workloads import Workload
from iotrace.simulate.ratios import percent, ratio

SPENT = ("computing", "overhead", "waiting_for_reads", "waiting_for_buffers", "waiting_for_writes")
"""The activities of a process: at any time of its life it does one of these."""
MEANS = (
    "records", "accesses", "hits", "pending_hits", "buffer_waits", "disk_reads", "disk_writes", "prefetches",
    "rereads", "rewrites", "longest_queue", "events",
)  # fmt: skip
"""Counts of which a result has the mean over the trials."""
CACHE_ONLY = ("hits", "pending_hits", "buffer_waits", "prefetches", "rewrites", "hit_ratio")
"""Metrics that need a cache."""


def totals(
    case: int, workload: Workload, settings: Settings, seed: int, runs: Sequence[Run]
) -> dict[str, Any]:
    """Return a case's row of result parallel."""
    measures = [trial.measures for trial in runs]
    seconds = [measure["execution_ns"] / 1e9 for measure in measures]
    mean_s = statistics.fmean(seconds)
    columns = described(settings, Runs.PATTERN if settings.pattern else Runs.TRACE) | {
        "case": case,
        "workload": workload.name,
        "swept": settings.swept,
        "processes": sum(workload.processes),
        "record_bytes": workload.record_bytes,
        "trials": len(runs),
        "seed": seed,
        "execution_s": mean_s,
        "cv": ratio(statistics.stdev(seconds), mean_s) if len(runs) > 1 else None,
        "least_s": min(seconds),
        "most_s": max(seconds),
        "busiest_disk": percent(_sum(measures, "busiest_ns"), _sum(measures, "execution_ns")),
        "disk_utilisation": percent(
            _sum(measures, "busy_ns"), _sum(measures, "execution_ns") * settings.disks
        ),
        "hit_ratio": ratio(_sum(measures, "hits"), _sum(measures, "accesses")),
    }
    columns |= {
        f"{name}_s": _sum(measures, f"{name}_ns") / 1e9 / len(runs)
        for name in ("ideal", "ideal_io", "ideal_compute")
    }
    columns |= {name: _sum(measures, name) / len(runs) for name in MEANS}
    columns["idle_processes"] = sum(
        not _requests(process) for run in runs for process in run.processes
    ) / len(runs)
    # those that make no request would only dilute what the others wait
    requesting = [process for run in runs for process in run.processes if _requests(process)]
    requesting = requesting or [process for run in runs for process in run.processes]
    columns |= {f"{name}_s": _sum(requesting, f"{name}_ns") / 1e9 / len(requesting) for name in SPENT}
    if not settings.buffers:
        columns |= dict.fromkeys(CACHE_ONLY)
    return columns


def processes(case: int, run: Run) -> list[dict[str, Any]]:
    """Return a run's rows of result parallel_processes."""
    return [
        {
            "case": case,
            "process": number,
            "application": process["application"],
            "records": process["records"],
            "finished_s": process["finished_ns"] / 1e9,
        }
        | {f"{name}_s": process[f"{name}_ns"] / 1e9 for name in SPENT}
        for number, process in enumerate(run.processes)
    ]


def windows(case: int, settings: Settings, run: Run) -> list[dict[str, Any]]:
    """Return a run's rows of result parallel_windows: means over each window of what the engine integrated."""
    rows = []
    for window in run.windows:
        length_ns = window["end_ns"] - window["start_ns"]
        mean = {
            name.removesuffix("_ns"): ratio(value, length_ns)
            for name, value in window.items()
            if name not in ("start_ns", "end_ns")
        }
        busy = ratio(window["disks_reading_ns"] + window["disks_writing_ns"], length_ns * settings.disks)
        rows.append(
            {
                "case": case,
                "start_s": window["start_ns"] / 1e9,
                "end_s": window["end_ns"] / 1e9,
                "disk_utilisation": None if busy is None else 100 * busy,
            }
            | mean
        )
    return rows


def _requests(process: Mapping[str, Any]) -> int:
    return int(process["requests"])


def _sum(rows: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(int(row[name]) for row in rows)
