"""Any Arrow stream of references, made ready for the engine batch by batch."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import units
from iotrace.analysis.curves.texts import Texts
from iotrace.errors import IotraceError, UsageError

NAMES = pa.dictionary(pa.int32(), pa.string())
REMOVALS = pa.array(["truncate", "delete"])
OPENS = {"open": "use", "requested": "requested"}
"""The engine's names of the columns that say through which open file a request went, and how much it asked for."""
CONTROLS = pa.array(["truncate", "delete", "sync"])
"""Operations that act on every cache, for every type of reference."""


def batches(references: Any) -> Iterator[pa.RecordBatch]:
    """Yield the record batches of anything that speaks Arrow: tables, readers, batches, data frames,
    relations.

    Raises UsageError for anything else.
    """
    if isinstance(references, pa.RecordBatch):
        return iter((references,))
    if isinstance(references, pa.Table):
        return iter(references.to_batches())
    if isinstance(references, (pa.RecordBatchReader, Iterator)):
        return iter(references)
    if hasattr(references, "__arrow_c_stream__"):
        return iter(pa.RecordBatchReader.from_stream(references))
    if hasattr(references, "__arrow_c_array__"):
        return iter((pa.record_batch(references),))
    raise UsageError(f"references are an Arrow stream or table, not {type(references).__name__}")


def names(column: pa.Array) -> pa.DictionaryArray:
    """Return a column of names, dictionary or plain, as a dictionary of int32 to string."""
    if column.type == NAMES:
        return column
    if pa.types.is_dictionary(column.type):
        return pa.DictionaryArray.from_arrays(
            column.indices.cast(pa.int32()), column.dictionary.cast(pa.string())
        )
    return column.cast(pa.string()).dictionary_encode()


class Components:
    """Gives each distinct value of a column a number, in the order of first appearance, null included."""

    def __init__(self) -> None:
        """Start without values."""
        self.numbers: dict[Any, int] = {}
        self.type: pa.DataType | None = None

    def of(self, column: pa.Array) -> pa.Array:
        """Return the numbers of a column's values as int32."""
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        self.type = encoded.type.value_type
        values = encoded.dictionary.to_pylist()
        numbers: list[int | None] = [None] * len(values)
        for code in pc.unique(encoded.indices.drop_null()).to_pylist():
            numbers[code] = self.numbers.setdefault(values[code], len(self.numbers))
        component = pa.array(numbers, pa.int32()).take(encoded.indices)
        if component.null_count:
            component = component.fill_null(self.numbers.setdefault(None, len(self.numbers)))
        return component

    def values(self) -> pa.Array:
        """Return the values by number; text is always of Arrow's type string."""
        kind = self.type
        text = kind is None or pa.types.is_string_view(kind) or pa.types.is_large_string(kind)
        return pa.array(list(self.numbers), pa.string() if text else kind)


def prepare(
    batch: pa.RecordBatch,
    by: str | None,
    components: Components,
    *,
    inodes: bool,
    synchronous: bool = False,
    opens: bool = False,
) -> pa.RecordBatch:
    """Return the columns that the engine reads, cast to its types.

    ``by`` names the column whose values become components; ``inodes`` adds which rows are inodes, and
    ``synchronous``, from the column flags where there is one, which rows wait for the disk; ``opens`` adds the open
    file and the number of bytes asked for, where the columns use and requested are there. Raises
    UsageError for a missing column and IotraceError for values that do not fit (a file number beyond 31
    bits).
    """
    columns = {
        "file": _integers(batch, "file", pa.int32()),
        "operation": names(_column(batch, "operation")),
        "offset": _integers(batch, "offset", pa.int64()),
        "length": _integers(batch, "length", pa.int64()),
    }
    for name in ("file_size", "time_ns"):
        if name in batch.schema.names:
            columns[name] = _integers(batch, name, pa.int64())
    if by is not None:
        columns["component"] = components.of(_column(batch, by))
    if inodes:
        columns["is_inode"] = pa.array(Texts.of(names(_column(batch, "type"))).are(("inode",)))
    for name, column in OPENS.items():
        if opens and column in batch.schema.names:
            columns[name] = _integers(batch, column, pa.int32() if name == "open" else pa.int64())
    if synchronous and "flags" in batch.schema.names:
        is_synchronous = Texts.of(names(batch.column("flags"))).that(lambda text: "synchronous" in text)
        if is_synchronous.any():
            columns["synchronous"] = pa.array(is_synchronous)
    return pa.record_batch(columns)


def _column(batch: pa.RecordBatch, name: str) -> pa.Array:
    if name not in batch.schema.names:
        raise UsageError(f"the references have no column '{name}'; they have {', '.join(batch.schema.names)}")
    return batch.column(name)


def _integers(batch: pa.RecordBatch, name: str, kind: pa.DataType) -> pa.Array:
    column = _column(batch, name)
    if column.type == kind:
        return column
    try:
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise IotraceError(f"column '{name}' of the references does not fit {kind}: {error}") from error


GUESSED = {
    "unknown_lengths": "requests of unknown length were taken to reach the file's end, or one block",
    "unknown_offsets": "requests of unknown offset were taken to start at the file's known end",
    "unplaced": "references that name no file or length were left out",
}
"""Messages on guesses, by their counts."""


def guesses(counts: Mapping[str, int]) -> list[str]:
    """Return sentences on what was guessed of a stream's requests, or left out."""
    return [f"{units.count(counts[name])} {sentence}" for name, sentence in GUESSED.items() if counts[name]]


def nothing_chosen(counts: Mapping[str, int], where: str | None) -> list[str]:
    """Say so where no request was chosen, by what the stream contained."""
    if counts["requests"]:
        return []
    return [
        f"no request {'is of the population; see --population' if where is None else f'fulfils --where {where!r}'}"
    ]
