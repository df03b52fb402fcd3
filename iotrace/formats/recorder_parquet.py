"""Recorder's traces as Parquet: what recorder2parquet writes, and the table that its analysis tools make of them.

Both have ``rank``, ``tstart``, ``tend`` (seconds, in 32 bits only) and ``func_id``. The first has the call's arguments
in ``args_1`` to ``args_10``, read as in Recorder's text. The second has ``file_name`` and ``size``: the bytes of a read
or write, or the offset of an lseek, whose origin is not recorded: an offset other than 0 is taken to count from the
start, and after an offset of 0 the file pointer is unknown. If it has ``tmid`` (the call's middle, in steps of 100 ns)
and ``duration``, times are taken from these, which are finer. Lengths are the requested ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.files.names import local_name
from iotrace.formats.parallel_io.accesses import ParallelSource, frame_of
from iotrace.formats.parallel_io.calls import OPERATION_OF, STREAM_CALLS, number, plain
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.jobs import by_folder
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.formats.reading.durations import between_ns
from iotrace.libraries import pa

MAGIC = b"PAR1"
NEEDED = ("rank", "tstart", "tend", "func_id")
SUMMED = ("file_name", "size")
ARGUMENTS = tuple(f"args_{number}" for number in range(1, 11))
FINER = ("tmid", "duration")
OPTIONAL = ("thread_id", "hostname", "index", "arg_count")
BATCH_ROWS = 1 << 16
STEP_NS = 100
LATEST_S = 4e9
"""Every time and difference of times is less."""


class RecorderTables(ParallelSource):
    """The rows of Parquet files, one after the other."""

    def __init__(self, members: Members, paths: Sequence[Path]) -> None:
        super().__init__(paths)
        self.members = members
        data = [path for path in paths if not path.name.startswith("_")]
        self.paths = data or list(paths)
        self._batches = self._read()
        self._rows = 0

    def progress(self) -> tuple[int, int | None]:
        """Return nothing read, of an unknown number of bytes: Parquet is not read in order."""
        return 0, None

    def next(self) -> Batch | None:
        """Return the calls of the next rows; raises IotraceError for tables that are not Recorder's."""
        return next(self._batches, None)

    def _read(self) -> Iterator[Batch]:
        import pyarrow.parquet as pq

        for path in self.paths:
            name = self.members.name_of(path)
            try:
                file = pq.ParquetFile(local_name(self.members.on_disk(path)))
                columns = self._columns(name, file.schema_arrow.names)
                for batch in file.iter_batches(BATCH_ROWS, columns=columns):
                    yield self._batch(batch)
            except (pa.ArrowException, OSError, ValueError) as error:
                first = str(error).splitlines()[0] if str(error) else type(error).__name__
                if not self._rows:
                    raise IotraceError(self.members.beside_damage(f"{name}: is damaged: {first}")) from None
                self.notes.damage.append(f"{name}: is damaged: {first}")

    def _columns(self, name: str, names: Sequence[str]) -> list[str]:
        has_arguments = ARGUMENTS[0] in names
        if missing := [key for key in (*NEEDED, *(() if has_arguments else SUMMED)) if key not in names]:
            raise IotraceError(
                f"{name}: is no Parquet of Recorder: it has no column {' and no column '.join(missing)}"
                "; --columns describes other Parquet"
            )
        columns = (*NEEDED, *SUMMED, *ARGUMENTS, *FINER, *OPTIONAL)
        return [key for key in columns if key in names]

    def _batch(self, batch: pa.RecordBatch) -> Batch:
        first = self._rows + 1
        self._rows += batch.num_rows
        calls = []
        for record, row in enumerate(batch.to_pylist(), first):
            call = self._call({name: _single(value) for name, value in row.items()})
            if call is not None:
                calls.append({"record": record, **call})
        self.notes.records += len(calls)
        return Batch(
            frame_of(calls),
            ("process", "operation", "time_ns", "file"),
            lambda row: str(batch.slice(row - first, 1).to_pylist()),
        )

    def _call(self, row: Mapping[str, Any]) -> Mapping[str, Any] | None:
        function = row["func_id"]
        if not isinstance(function, str):
            return {"reason": "no call"}
        name = plain(function)
        operation = OPERATION_OF.get(name)
        known = (_of_arguments if ARGUMENTS[0] in row else _of_size)(name, row)
        if operation is None or known is None:
            self.notes.remark("other calls")
            return None
        start_ns, duration_ns = _times(row)
        return {
            "time_ns": start_ns,
            "duration_ns": duration_ns,
            "process": number(row["rank"]),
            "host": _text(row.get("hostname")),
            "thread": number(row.get("thread_id")),
            "operation": operation,
            **known,
        }


def _single(value: Any) -> Any:
    """Return what a column that may repeat has in a row."""
    return (value[0] if value else None) if isinstance(value, list) else value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _of_arguments(name: str, row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    from iotrace.engine import native

    count = row.get("arg_count")
    arguments = [row.get(key) for key in ARGUMENTS]
    texts = [text for text in arguments if isinstance(text, str) and (text or isinstance(count, int))]
    given = texts[: count if isinstance(count, int) and count >= 0 else None]
    return native.recorder_arguments(name, [text for text in given if text])


def _of_size(name: str, row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    operation, size = OPERATION_OF.get(name), number(row["size"])
    layer = "stdio" if name in STREAM_CALLS else "posix"
    known: dict[str, Any] = {"layer": layer, "file": _text(row["file_name"])}
    if operation in ("read", "write"):
        return {**known, "length": size, "requested": size}
    if operation == "seek":
        return {**known, "offset": size or None, "whence": "start"}
    if operation == "truncate":
        return known
    return None if operation == "barrier" else known


def _times(row: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return a call's start and duration in nanoseconds."""
    start, end, middle, duration = (row.get(name) for name in ("tstart", "tend", *FINER))
    if isinstance(middle, int) and isinstance(duration, float) and 0 <= duration < 1e9:
        return middle * STEP_NS - round(duration * NS_PER_S / 2), round(duration * NS_PER_S)
    start_ns, end_ns = _of_seconds(start), _of_seconds(end)
    return start_ns, between_ns(start_ns, end_ns)


def _of_seconds(seconds: Any) -> int | None:
    """Return seconds as nanoseconds; None for what is no time."""
    is_time = isinstance(seconds, int | float) and abs(seconds) < LATEST_S
    return round(seconds * NS_PER_S) if is_time else None


FORMAT = parallel_format(
    name="recorder-parquet",
    description="Recorder's Parquet: of recorder2parquet (arguments), or of its analysis tools (file_name, size).",
    endings=".parquet",
    recognises=lambda head: head.startswith(MAGIC),
    source=RecorderTables,
    jobs=by_folder,
    repeats=True,
)
