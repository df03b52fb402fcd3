"""Files of typed columns (Parquet, Arrow, NumPy, JSON Lines), as the text of which ``--columns`` describes the columns.

Its first line has their names, unless the description has numbers only. Timestamps and durations become seconds, with
all their digits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files.names import local_name
from iotrace.files.temporary import temporary_folder
from iotrace.formats import columns, described, key_columns
from iotrace.formats.reading.files import first_bytes
from iotrace.formats.reading.unpacked import Space
from iotrace.formats.standard_input import DESCRIPTOR, first_bytes_of_standard_input
from iotrace.formats.standard_input import PATH as STANDARD_INPUT
from iotrace.libraries import np, pa, pc

BATCH_ROWS = 1 << 16
KEY = "key"
"""The name of the column of an array without names."""
NS = Decimal("0.000000001")
Batches = Iterator[Any]


@contextlib.contextmanager
def as_text(paths: Sequence[Path], format: str | None) -> Iterator[Sequence[Path]]:
    """Give for a block what is to be read of a trace: where columns are described, text in place of typed columns.

    Errors in the block name the files that were given. Raises IotraceError for files that cannot be read, and where
    they have not the columns, and UsageError for a description of text.
    """
    is_described = (format or "").startswith(columns.PREFIX)
    readers = [_reader(path) for path in paths] if is_described else []
    if not any(readers):
        yield paths
        return
    sources = _sources((format or "").removeprefix(columns.PREFIX))
    with temporary_folder() as folder:
        given: dict[Path, Path] = {}
        space = Space()
        for number, (path, reader) in enumerate(zip(paths, readers, strict=True)):
            text = path if reader is None else folder / f"{number}.csv"
            given[text] = path
            if reader is not None:
                _write(reader(_stored(path, folder / f"{number}", space)), text, path, sources, space)
        try:
            yield list(given)
        except IotraceError as error:
            for text, path in given.items():
                error.args = tuple(str(part).replace(str(text), str(path)) for part in error.args)
            raise


def _sources(description: str) -> list[str]:
    """Return the names and numbers of the columns that a description has."""
    items = described.sources_of(description, (*columns.NAMES, *key_columns.NAMES))
    if {"separator", "skip"} & items.keys():
        raise UsageError("--columns: separator and skip are of text, and the trace has typed columns")
    every = (source for name, source in items.items() if name not in described.WORDS)
    return list(dict.fromkeys(source for source in every if not source.startswith("@")))


def _reader(path: Path) -> Callable[[Path], Batches] | None:
    """Return what reads a file of typed columns; None of text."""
    if path != STANDARD_INPUT and not path.is_file():
        return None
    head = first_bytes_of_standard_input() if path == STANDARD_INPUT else first_bytes(path)
    return next((reader for magic, reader in READERS.items() if head.startswith(magic)), None)


def _stored(path: Path, copy: Path, space: Space) -> Path:
    """Return a file that can be read at any place: a copy of standard input."""
    if path != STANDARD_INPUT:
        return path
    with open(DESCRIPTOR, "rb", closefd=False) as source:
        space.copy(source, copy, "standard input")
    return copy


def _of_parquet(path: Path) -> Batches:
    from iotrace.files.parquet import parquet_file

    with parquet_file(path) as file:
        yield _empty(file.schema_arrow)
        yield from file.iter_batches(BATCH_ROWS)


def _of_arrow_file(path: Path) -> Batches:
    with pa.memory_map(local_name(path)) as source, pa.ipc.open_file(source) as file:
        yield _empty(file.schema)
        yield from (file.get_batch(number) for number in range(file.num_record_batches))


def _of_arrow_stream(path: Path) -> Batches:
    with pa.memory_map(local_name(path)) as source, pa.ipc.open_stream(source) as stream:
        yield _empty(stream.schema)
        yield from stream


def _of_json_lines(path: Path) -> Batches:
    import pyarrow.json

    yield from pyarrow.json.open_json(local_name(path))


def _of_numpy(path: Path) -> Batches:
    values = np.load(path, mmap_mode="r", allow_pickle=False)
    if values.ndim != 1:
        raise ValueError(f"an array of {values.ndim} dimensions, and not of one")
    for start in range(0, max(len(values), 1), BATCH_ROWS):
        part = np.ascontiguousarray(values[start : start + BATCH_ROWS])
        names = list(part.dtype.names or ())
        columns = [part[name] for name in names] if names else [part]
        yield pa.record_batch([pa.array(np.ascontiguousarray(column)) for column in columns], names or [KEY])


READERS: dict[bytes, Callable[[Path], Batches]] = {
    b"PAR1": _of_parquet,
    b"ARROW1": _of_arrow_file,
    b"\xff\xff\xff\xff": _of_arrow_stream,
    b"\x93NUMPY": _of_numpy,
    b'{"': _of_json_lines,
}
"""By how the files begin."""


def _empty(schema: Any) -> Any:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


def _write(batches: Batches, text: Path, path: Path, sources: Sequence[str], space: Space) -> None:
    """Write batches as text, in which columns are empty that have none of these names and numbers."""
    import pyarrow.csv

    name = "standard input" if path == STANDARD_INPUT else str(path)
    named = [source for source in sources if not source.isdecimal()]
    is_first = True
    with text.open("wb") as out:
        try:
            for batch in batches:
                if missing := [column for column in named if column not in batch.schema.names]:
                    has = ", ".join(batch.schema.names)[:200]
                    raise IotraceError(f"{name}: has no column {', '.join(missing)}; it has {has}")
                batch.validate(full=True)
                options = pyarrow.csv.WriteOptions(include_header=is_first and bool(named))
                is_first = False
                plain = [
                    _plain(batch.column(place), column)
                    if column in named or str(place + 1) in sources
                    else pa.nulls(len(batch), pa.string())
                    for place, column in enumerate(batch.schema.names)
                ]
                before = out.tell()
                pyarrow.csv.write_csv(pa.record_batch(plain, batch.schema.names), out, options)
                space.reserve(out.tell() - before, name)
        except (pa.ArrowException, ValueError, OSError) as error:
            raise IotraceError(f"{name}: cannot be read: {reason(error)}") from None


def _plain(column: Any, name: str) -> Any:
    """Return a column as numbers or text; raises ValueError for lists, structures and others that are neither."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _plain(column.cast(kind.value_type), name)
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        of_ns = pa.timestamp("ns", kind.tz) if pa.types.is_timestamp(kind) else pa.duration("ns")
        ns = column.cast(of_ns).cast(pa.int64()).cast(pa.decimal128(19, 0))
        return pc.multiply(ns, pa.scalar(NS)).cast(pa.string())
    if pa.types.is_nested(kind) or pa.types.is_temporal(kind):
        raise ValueError(f"column {name} is of type {kind}, which is neither a number nor text")
    if pa.types.is_string_view(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return column.cast(pa.large_string())
    return column.cast(pa.string()) if pa.types.is_null(kind) or pa.types.is_decimal(kind) else column
