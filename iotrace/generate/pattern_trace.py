"""Generated parallel patterns: written as pattern text, as a timed trace in UMD's text, or as a store of either."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa

from iotrace.errors import IotraceError, reason
from iotrace.files import placed
from iotrace.files.temporary import temporary_folder
from iotrace.formats import pattern, umd_ascii
from iotrace.generate.patterns import Schedule, Settings, program, scheduled
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import SUFFIX

FILE = "shared.dat"
ROWS = 1 << 16


@dataclass(frozen=True)
class Made:
    """A pattern, and the schedule by which its processes took the records, where it is to have times."""

    settings: Settings
    schedule: Schedule | None
    described: str
    """What made it, in a line."""


def write(made: Made, output: Path, replace: bool = False) -> int:
    """Write a pattern (``-`` for standard output), or as a store where the name ends in .iotrace; count its records.

    Raises IotraceError where that cannot be, and UsageError for a store that exists and is not to be replaced.
    """
    records = program(made.settings)
    try:
        if str(output) == "-":
            _write_text(made, records, sys.stdout)
        elif output.suffix == SUFFIX:
            _write_store(made, records, output, replace)
        else:
            with placed(output) as partial, partial.open("w", encoding="utf-8") as file:
                _write_text(made, records, file)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IotraceError(f"{output}: {reason(error)}") from None
    return int(records.num_rows)


def _write_store(made: Made, records: pa.Table, output: Path, replace: bool) -> None:
    form = pattern if made.schedule is None else umd_ascii
    told: Mapping[str, Any] = {"sources": [made.described], "generated": _values(made)}
    with temporary_folder() as folder:
        text = folder / "generated.txt"
        with text.open("w", encoding="utf-8") as file:
            _write_text(made, records, file)
        ingest([text], output, format=form.FORMAT.name, replace=replace, described=told)


def _values(made: Made) -> dict[str, Any]:
    parts = (made.settings, *(() if made.schedule is None else (made.schedule,)))
    return {one.name: getattr(part, one.name) for part in parts for one in fields(part)}


def _write_text(made: Made, records: pa.Table, file: TextIO) -> None:
    if made.schedule is not None:
        file.writelines(_umd(made.schedule, records))
        return
    lines = pattern.text(_rows(records), [FILE])
    file.write(next(lines))
    file.write(f"# generated, not traced: {made.described}\n")
    file.writelines(lines)


def _umd(schedule: Schedule, records: pa.Table) -> Iterator[str]:
    """Give the text of the timed trace; every process that accesses the file opens it at the start."""
    table = scheduled(records, schedule)
    active = np.unique(np.asarray(table["process"])).tolist()
    ends = (np.asarray(table["time_ns"]) + np.asarray(table["duration_ns"])).max()
    opens = ({"operation": "open", "process": one, "file": 0, "time_ns": 0} for one in active)
    closes = ({"operation": "close", "process": one, "file": 0, "time_ns": int(ends)} for one in active)
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
