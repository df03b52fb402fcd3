"""A generated access pattern: as pattern text, or timed as UMD's text."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from typing import Any, TextIO

import numpy as np
import pyarrow as pa

from iotrace import units
from iotrace.errors import UsageError
from iotrace.formats import pattern, umd_ascii
from iotrace.generate.generated import GeneratedTrace
from iotrace.generate.patterns.program import program
from iotrace.generate.patterns.schedule import Schedule, scheduled
from iotrace.generate.patterns.settings import Pattern, Settings
from iotrace.generate.settings import Timing

FILE = "shared.dat"
ROWS = 1 << 16


def generated(
    pattern: str, settings_of: Callable[..., Settings], timing: Timing, *, command: str
) -> GeneratedTrace:
    """Return a pattern by its name; raises UsageError for one that there is not."""
    if pattern not in tuple(Pattern):
        raise UsageError(f"PATTERN: {pattern!r} is not one of {', '.join(Pattern)}")
    settings = settings_of(pattern=Pattern(pattern))
    schedule = None
    if timing.timed:
        given: dict[str, Any] = {"access_ns": timing.access_ns, "jitter": timing.jitter}
        times = {name: value for name, value in given.items() if value is not None}
        schedule = Schedule(settings.processes, seed=settings.seed, **times)
    return written(settings, schedule, command)


def written(settings: Settings, schedule: Schedule | None, described: str) -> GeneratedTrace:
    """Return a pattern as a trace that is written: timed, where a schedule says how its processes took the records."""
    parts = (settings, *(() if schedule is None else (schedule,)))
    return GeneratedTrace(
        described,
        (pattern if schedule is None else umd_ascii).FORMAT.name,
        partial(_write_text, settings, schedule, described),
        {field.name: getattr(part, field.name) for part in parts for field in fields(part)},
        sentence=lambda count: (
            f"{settings.pattern.sentence}: {units.count(count)} records of {units.size(settings.record_bytes)} by"
            f" {units.count(settings.processes)} processes, {settings.does} in a file of"
            f" {units.count(settings.extent_blocks)} blocks of {units.size(settings.block_bytes)}"
        ),
    )


def _write_text(settings: Settings, schedule: Schedule | None, described: str, file: TextIO) -> int:
    records = program(settings)
    if schedule is not None:
        file.writelines(_umd(schedule, records))
    else:
        lines = pattern.text(_rows(records), [FILE])
        file.write(next(lines))
        file.write(f"# generated, not traced: {described}\n")
        file.writelines(lines)
    return int(records.num_rows)


def _umd(schedule: Schedule, records: pa.Table) -> Iterator[str]:
    """Give the text of the timed trace; every process that accesses the file opens it at the start."""
    table = scheduled(records, schedule)
    active = np.unique(np.asarray(table["process"])).tolist()
    ends = (np.asarray(table["time_ns"]) + np.asarray(table["duration_ns"])).max()
    opens = ({"operation": "open", "process": process, "file": 0, "time_ns": 0} for process in active)
    closes = (
        {"operation": "close", "process": process, "file": 0, "time_ns": int(ends)} for process in active
    )
    calls = itertools.chain(opens, _accesses(table), closes)
    return umd_ascii.text(
        ({"offset": None, "length": None, **call} for call in calls),
        [FILE],
        len(active),
        table.num_rows + 2 * len(active),
    )


def _accesses(table: pa.Table) -> Iterator[dict[str, Any]]:
    return _rows(table.select(["operation", "process", "file", "time_ns", "offset", "length"]))


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=ROWS):
        yield from batch.to_pylist()
