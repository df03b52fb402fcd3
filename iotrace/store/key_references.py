"""Table reference of a key trace: a view, made of table key_io whenever it is read.

Every request is a reference of type datafile to its key's file, whose number is the key's: to the whole object, from
offset 0 on, of as many bytes as the object has, null where the trace does not state them. What sets, adds, replaces or
changes an object writes it, what removes one deletes it, and all else reads it; so do requests of which the trace does
not state the operation. There are no uses: nobody opens an object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.key_operations import DELETE, DELETES, OPERATIONS, READ, WRITE, WRITES, kind_of
from iotrace.libraries import pc
from iotrace.store.constant_columns import named, unknown, zeros

if TYPE_CHECKING:
    from iotrace.store.store import Store

NATIVE = "key_io"
MADE_OF: Mapping[str, tuple[str, ...]] = {
    "seq": (),
    "call_seq": ("seq",),
    "time_ns": ("time_ns",),
    "duration_ns": ("duration_ns",),
    "process": (),
    "node": (),
    "use": (),
    "file": ("key",),
    "type": (),
    "operation": ("operation",),
    "flags": (),
    "offset": ("operation",),
    "offset_source": ("operation",),
    "length": ("operation", "size"),
    "requested": ("operation", "size"),
    "file_size": ("operation", "size"),
}
"""The columns of key_io of which each column is made."""


@dataclass(frozen=True)
class KeyReferences:
    """The view; every request is a reference."""

    native: ClassVar[str] = NATIVE
    every_request: bool = True

    @classmethod
    def of(cls, store: Store) -> Self:
        """Return the view of a store."""
        return cls()

    @classmethod
    def described(cls, manifest: Mapping[str, Any]) -> Self:
        """Return the view of a store with this manifest."""
        return cls()

    def count(self, requests: pa.RecordBatch) -> int:
        """Return how many references requests are."""
        return int(requests.num_rows)

    def needs(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of key_io of which these columns are made, at least one."""
        return list(dict.fromkeys(native for name in columns for native in MADE_OF[name])) or ["seq"]

    def rows(self, requests: pa.RecordBatch, columns: Sequence[str], first_seq: int) -> pa.RecordBatch:
        """Return these columns of the references that requests are, which are numbered from ``first_seq`` on."""
        computed = _Columns(requests, first_seq)
        schema = schemas.schema("reference")
        described = pa.schema([schema.field(name) for name in columns], schema.metadata)
        return pa.RecordBatch.from_arrays([getattr(computed, name)() for name in columns], schema=described)

    def sql(self) -> str:
        """Return the same as a SELECT over table key_io."""
        stays = f"(operation is null or operation not in ({_quoted(DELETES)}))"
        return (
            "select seq, seq as call_seq, time_ns, duration_ns, null::integer as process, null::integer as node,"
            " null::integer as use, key::integer as file, 'datafile' as type,"
            f" case operation {_each(WRITES, OPERATIONS[WRITE])} {_each(DELETES, OPERATIONS[DELETE])} else"
            f" '{OPERATIONS[READ]}' end as operation, null::varchar as flags,"
            f' case when {stays} then 0::bigint end as "offset",'
            f" case when {stays} then 'explicit' end as offset_source,"
            f" case when {stays} then size end as length, case when {stays} then size end as requested,"
            f" case when {stays} then size end as file_size from {NATIVE}"
        )


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


def _each(words: Sequence[str], operation: str) -> str:
    """Return the cases of words. With `in` of so long a list DuckDB makes a join, which can give rows out of order."""
    return " ".join(f"when '{word}' then '{operation}'" for word in words)


class _Columns:
    """The columns of table reference, each a method of its name."""

    def __init__(self, requests: pa.RecordBatch, first_seq: int) -> None:
        self._requests = requests
        self._first_seq = first_seq
        self._count = requests.num_rows

    def seq(self) -> pa.Array:
        return pa.array(np.arange(self._first_seq, self._first_seq + self._count, dtype=np.int64))

    def call_seq(self) -> pa.Array:
        return self._requests["seq"]

    def time_ns(self) -> pa.Array:
        return self._requests["time_ns"]

    def duration_ns(self) -> pa.Array:
        return self._requests["duration_ns"]

    def process(self) -> pa.Array:
        return unknown(pa.int32(), self._count)

    node = process
    use = process

    def file(self) -> pa.Array:
        return self._requests["key"].cast(pa.int32())

    def type(self) -> pa.Array:
        return named("datafile", self._count)

    def operation(self) -> pa.DictionaryArray:
        return operations_of(self._requests["operation"])

    def flags(self) -> pa.Array:
        return unknown(pa.dictionary(pa.int32(), pa.string()), self._count)

    def offset(self) -> pa.Array:
        return self._of_kept(zeros(self._count))

    def offset_source(self) -> pa.Array:
        explicit = named("explicit", self._count)
        return pa.DictionaryArray.from_arrays(self._of_kept(explicit.indices), explicit.dictionary)

    def length(self) -> pa.Array:
        return self._of_kept(self._requests["size"])

    requested = length
    file_size = length

    def _of_kept(self, values: pa.Array) -> pa.Array:
        """Return values, null where an object is removed."""
        operation = self.operation()
        delete = pc.index(operation.dictionary, OPERATIONS[DELETE]).as_py()
        return values if delete < 0 else pc.if_else(pc.equal(operation.indices, delete), None, values)


def operations_of(operations: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return each request's operation as a reference has it, one of `OPERATIONS`."""
    if operations.null_count == len(operations):
        return named(OPERATIONS[READ], len(operations))
    kinds = [max(kind_of(name), READ) for name in operations.dictionary.to_pylist()]
    names = list(dict.fromkeys([*kinds, READ] if operations.null_count else kinds))
    indices = operations.indices
    if names != kinds:
        place = pa.array([names.index(kind) for kind in kinds], pa.int32())
        indices = place.take(indices)
    if indices.null_count:
        indices = indices.fill_null(names.index(READ))
    return pa.DictionaryArray.from_arrays(
        indices, pa.array([OPERATIONS[kind] for kind in names], pa.string())
    )
