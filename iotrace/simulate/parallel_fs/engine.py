"""The engine's face: one program, on several file systems, with several seeds."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from iotrace.engine.native import ParallelProgram
from iotrace.option import options
from iotrace.simulate.disk import Description
from iotrace.simulate.disk import drive as drive_named
from iotrace.simulate.in_parts import outcomes_of_parts
from iotrace.simulate.parallel_fs import overheads
from iotrace.simulate.parallel_fs.settings import Settings
from iotrace.workers import Workers


@dataclass(frozen=True)
class Run:
    """Counts of the engine in one run; times in nanoseconds."""

    measures: Mapping[str, Any]
    processes: Sequence[Mapping[str, Any]]
    windows: Sequence[Mapping[str, Any]]


Case = tuple[dict[str, Any], Description | None]
"""A file system as the engine takes it, with its seed and windows, and its drive."""


def run(
    records: pa.Table,
    processes: Sequence[int],
    settings: Sequence[Settings],
    seeds: Sequence[int],
    windows: int,
    threads: int,
    progress: Callable[[int], object],
) -> list[list[Run]]:
    """Run a program with each of the settings, and each of them with every seed; windows are of the first seed only.

    ``processes`` has the number of each application's. Raises ValueError for what cannot be run.
    """
    runs = _runs(_cases(settings, seeds, windows), records, processes, threads, progress)
    return [runs[index :: len(settings)] for index in range(len(settings))]


def run_remote(
    records: pa.Table,
    processes: Sequence[int],
    settings: Sequence[Settings],
    seeds: Sequence[int],
    windows: int,
    workers: Workers,
) -> list[list[Run]]:
    """Return the same: remote workers take some of the settings and seeds each. Raises as `run`."""
    cases = _cases(settings, seeds, windows)
    runs = outcomes_of_parts(workers, _runs, cases, shared=(records, tuple(processes)))
    return [runs[index :: len(settings)] for index in range(len(settings))]


def _cases(settings: Sequence[Settings], seeds: Sequence[int], windows: int) -> list[Case]:
    """Return all cases seed by seed, so that long runs are spread evenly over threads and workers."""
    cases = [
        (for_engine(setting), None if setting.drive is None else drive_named(setting.drive))
        for setting in settings
    ]
    return [
        (given | {"seed": seed, "windows": windows if seed == seeds[0] else 0}, drive)
        for seed in seeds
        for given, drive in cases
    ]


def _runs(
    cases: Sequence[Case],
    records: pa.Table,
    processes: Sequence[int],
    threads: int = 1,
    progress: Callable[[int], object] = lambda done: None,
) -> list[Run]:
    """Return the run of each case."""
    application_of = [number for number, count in enumerate(processes) for _ in range(count)]
    program = ParallelProgram(records, application_of)
    given = json.dumps([given for given, _ in cases])
    drives = [None if drive is None else drive.native for _, drive in cases]
    tables = program.run(given, drives=drives, threads=threads, progress=progress)
    runs, processes_of, windows_of = (_by_run(batch, len(cases)) for batch in tables[:3])
    return [
        Run(measures, of_processes, of_windows)
        for (measures,), of_processes, of_windows in zip(runs, processes_of, windows_of, strict=True)
    ]


def for_engine(settings: Settings) -> dict[str, Any]:
    """Return settings as the engine takes them, in JSON; a drive is given separately."""
    given = {
        option.field: getattr(settings, option.field)
        for option in options(Settings)
        if option.field != "drive"
    }
    jitter = {"jitter_ns": given.pop("jitter_ns")}
    return given | {
        "write_policy": given.pop("policy"),
        "prefetch": settings.prefetch if settings.buffers else "none",
        "overheads": jitter | dataclasses.asdict(overheads.preset(settings.overheads)),
    }


def _by_run(batch: pa.RecordBatch, runs: int) -> list[list[dict[str, Any]]]:
    """Return a table's rows, for each run."""
    rows: list[list[dict[str, Any]]] = [[] for _ in range(runs)]
    for row in pa.record_batch(batch).to_pylist():
        rows[row.pop("run")].append(row)
    return rows
