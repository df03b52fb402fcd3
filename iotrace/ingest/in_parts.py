"""Files of a block trace made one store by workers: what one process makes of them, each input in a partition.

An input is a file, or a part of a large one that is plain text. Each worker reads an input into rows in its order, with
numbers and a clock of its own. What was found in the inputs is merged as if one process had read them, which gives
every device, file and process its number. Then each worker writes a partition: the rows of an input, or where inputs
overlap in time or are out of its order, those of a span of time of all.
"""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from iotrace import formats
from iotrace.errors import IotraceError
from iotrace.files.names import local_name
from iotrace.formats.disk_io import parts
from iotrace.formats.disk_io.run import DiskRun
from iotrace.formats.format import Format, Run
from iotrace.formats.reading.file_parts import PART_BYTES, PartError, parts_of
from iotrace.ingest import block
from iotrace.ingest.spans import Rows, cuts_of, surveyed, written
from iotrace.store.partitions import file_name
from iotrace.store.writer import TableWriters
from iotrace.workers import Workers, map_merge

TABLE = "disk_io"
WHOLE = (
    f"there is one, and in parts is read plain text of over {PART_BYTES >> 20} MB whose last line has an end"
)
AS_READ = "as-read"
"""The folder of what workers write before partitions."""


@dataclass(frozen=True)
class _Input:
    """A file of a trace, or a part of one, for a worker."""

    path: Path
    format: str
    folder: Path
    prefix: parts.TracePrefix
    part: range | None
    """Its bytes that are read; None for all."""


@dataclass(frozen=True)
class Read:
    """The result of a worker for a file."""

    rows: Path
    result: parts.FileResult
    uses: block.Uses


@dataclass(frozen=True)
class Made:
    """The tables that were written, as `pipeline.ingest` needs them."""

    rows: dict[str, int]
    report: dict[str, Any]
    deriving: block.Requests
    partitions: dict[str, list[int]]


def why_whole(source: Format, paths: Sequence[Path]) -> str | None:
    """Return why the files of a trace are read one after the other; None where workers can read one each."""
    if source.family.read_in_order is not None:
        return source.family.read_in_order
    if source.split is None:
        return f"a file of format {source.name} is read by what the files before hold"
    files, _ = source.split(paths)
    if not all(path.is_file() for path in files):
        return "a pipe can be read only once"
    if len(files) == 1 and len(_parts_of(source, files[0])) == 1:
        return WHOLE if source.has_lines else "there is one"
    return None


def _parts_of(source: Format, path: Path) -> list[range | None]:
    """Return the parts of a file that workers read; of one that is short or not plain text, one part."""
    found = parts_of(path) if source.has_lines else []
    return [*found] if len(found) > 1 else [None]


def make(
    folder: Path, paths: Sequence[Path], source: Format, start: Callable[[], Run], workers: Workers
) -> Made | str:
    """Write tables disk_io, file and process into a store's folder; the reason where one process must read the files.

    ``start`` begins to read all files, of which the beginning is needed.
    Raises IotraceError as ingesting does, or where a worker does not see a file or the folder.
    """
    assert source.split is not None
    files, warnings = source.split(paths)
    run = start()
    assert isinstance(run, DiskRun)
    prefix = parts.read_prefix(run)
    paths_read = [(path, part) for path in files for part in _parts_of(source, path)]
    try:
        read = _read_all(folder, paths_read, source, prefix, workers)
    except PartError as error:
        if len(files) == 1:
            return str(error)
        paths_read = [(path, None) for path in files]
        read = _read_all(folder, paths_read, source, prefix, workers)
    results = [one.result for one in read]
    if not parts.fit_together(results):
        return "their clocks are not the same"
    _call_as_given(results, [path for path, _ in paths_read])
    whole, partitions = _partitioned(folder, source, paths, warnings, read, workers)
    with closing(TableWriters(folder)) as writers:
        for name, rows in whole.last_tables():
            writers.write(name, rows)
    deriving = block.Requests()
    for part in read:
        deriving.uses.add(
            part.uses, np.array([whole.devices.of[name] for name in part.result.devices], np.int64)
        )
    report = whole.report()
    report.pop("unsorted")
    return Made(writers.rows | {TABLE: whole.rows}, report, deriving, {TABLE: partitions})


def _read_all(
    folder: Path,
    paths: Sequence[tuple[Path, range | None]],
    source: Format,
    prefix: parts.TracePrefix,
    workers: Workers,
) -> list[Read]:
    """Have workers read files and parts of files; raises PartError for a part that cannot be read alone."""
    copies = folder / AS_READ
    copies.mkdir(exist_ok=True)
    inputs = [_Input(path.absolute(), source.name, copies.absolute(), prefix, part) for path, part in paths]
    read: list[Read] = map_merge(workers.executor, _read, add, inputs)
    return read


def _read(file: _Input) -> list[Read]:
    """Write the rows of an input as they are read, with the numbers that they have in it."""
    for path in (file.folder, file.path):
        if not path.exists():
            raise IotraceError(
                f"on worker {socket.gethostname()}: {path}: is not there (workers read the files and write the store's"
                " partitions themselves: both must be on storage that they see under the same path)"
            )
    run = formats.named(file.format).start([file.path], {}, "time", None)
    assert isinstance(run, DiskRun)
    parts.resume_after(run, file.prefix, file.part)
    uses = block.Uses()
    folder = file.folder / secrets.token_hex(8)
    folder.mkdir()
    with closing(TableWriters(folder)) as writers:
        writers.empty(TABLE)
        for rows in run.as_read():
            uses.count(rows)
            writers.write(TABLE, rows)
    return [Read(folder / f"{TABLE}.parquet", parts.file_result(run), uses)]


def _call_as_given(results: Sequence[parts.FileResult], files: Sequence[Path]) -> None:
    """Have sentences call files as the user does, and not as workers do."""
    for part, path in zip(results, files, strict=True):
        for sentences in (part.notes.warnings, part.notes.damage):
            sentences[:] = [sentence.replace(str(path.absolute()), str(path)) for sentence in sentences]
        for counts in list(part.counts_by_file.values()):
            part.counts_by_file.clear()
            part.counts_by_file[str(path)] = counts


def _partitioned(
    folder: Path,
    source: Format,
    paths: Sequence[Path],
    warnings: Sequence[str],
    read: Sequence[Read],
    workers: Workers,
) -> tuple[DiskRun, list[int]]:
    """Write the partitions; return the run over all files, and the rows of each partition."""
    results = [part.result for part in read]
    whole = parts.merged(source.name, paths, warnings, results, overtaken=0)
    whole.refuse_without_data()
    rows = [
        _rows(part, whole, reached)
        for part, reached in zip(read, parts.reached_ns(results), strict=True)
        if part.result.rows
    ]
    if not whole.clock.unsorted and not any(file_rows.is_overtaken for file_rows in rows):
        counts = [file_rows.count for file_rows in rows]
        spans: list[tuple[list[Rows], int | None, int | None]] = [
            ([file_rows], None, None) for file_rows in rows
        ]
    else:
        cuts = cuts_of([pq.read_metadata(local_name(file_rows.path)) for file_rows in rows], rows)
        survey = map_merge(workers.executor, partial(surveyed, cuts_ns=cuts), np.add, rows)
        whole = parts.merged(source.name, paths, warnings, results, overtaken=int(survey[0]))
        ends = [None, *cuts, None]
        counts = [int(count) for count in survey[1:]]
        spans = [(list(rows), low, high) for low, high in pairwise(ends)]
        spans = [span for span, count in zip(spans, counts, strict=True) if count]
        counts = [count for count in counts if count]
    starts = np.cumsum([0, *counts]).tolist()
    tasks = [
        (
            of,
            low,
            high,
            starts[number],
            folder.absolute() / AS_READ,
            folder.absolute() / file_name(TABLE, number),
        )
        for number, (of, low, high) in enumerate(spans)
    ]
    made = map_merge(workers.executor, partial(written, first_ns=whole.clock.first_ns), add, tasks)
    if made != counts:
        raise IotraceError(f"{', '.join(map(str, paths))}: changed while they were read")
    return whole, counts


def _rows(part: Read, whole: DiskRun, reached_ns: int | None) -> Rows:
    """Return where a file's rows are, and what its numbers are in the whole trace."""
    result = part.result
    return Rows(
        part.rows,
        result.rows,
        result.clock.zero_ns,
        result.clock.unsorted == 0,
        reached_ns if reached_ns is not None and reached_ns > result.clock.first_ns else None,
        np.array([whole.devices.of[name] for name in result.devices], np.int32),
        np.array([whole.files[key] for key in result.files], np.int32),
        np.array([whole.processes.of[key] for key in result.processes], np.int32),
    )
