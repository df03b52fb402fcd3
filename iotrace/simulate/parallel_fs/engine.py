"""The engine's face: one program, on several file systems, with several seeds."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from iotrace.engine import available_cores
from iotrace.engine.native import ParallelProgram
from iotrace.option import options
from iotrace.simulate.disk import drive as drive_named
from iotrace.simulate.parallel_fs import overheads
from iotrace.simulate.parallel_fs.settings import Settings


@dataclass(frozen=True)
class Run:
    """What the engine counted in one run; times in nanoseconds."""

    measures: Mapping[str, Any]
    processes: Sequence[Mapping[str, Any]]
    windows: Sequence[Mapping[str, Any]]


def run(
    records: pa.Table,
    processes: Sequence[int],
    settings: Sequence[Settings],
    seeds: Sequence[int],
    windows: int,
    threads: int | None,
    progress: Callable[[int], object],
) -> list[list[Run]]:
    """Run a program with each of the settings, and each of them with every seed; windows are of the first seed only.

    ``processes`` has the number of each application's. Raises ValueError for what cannot be run.
    """
    application_of = [number for number, count in enumerate(processes) for _ in range(count)]
    program = ParallelProgram(records, application_of)
    # seed by seed, so that long runs are spread evenly over the threads
    cases = [
        for_engine(setting) | {"seed": seed, "windows": windows if seed == seeds[0] else 0}
        for seed in seeds
        for setting in settings
    ]
    drives = [
        None if setting.drive is None else drive_named(setting.drive).native for setting in settings
    ] * len(seeds)
    count = threads or available_cores()
    tables = program.run(json.dumps(cases), drives=drives, threads=count, progress=progress)
    totals, lives, spans = (_by_run(batch, len(cases)) for batch in tables[:3])
    runs = [Run(totals[place][0], lives[place], spans[place]) for place in range(len(cases))]
    return [runs[place :: len(settings)] for place in range(len(settings))]


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
