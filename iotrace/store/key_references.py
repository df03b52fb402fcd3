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
from iotrace.key_operations import DELETE, DELETES, OPERATIONS, READ, WRITES, kind_of
from iotrace.libraries import pc

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

    def check(self, store: Store, requests: pa.RecordBatch) -> None:
        """Every request is a reference."""

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
            f" case when operation in ({_quoted(WRITES)}) then 'write' when operation in ({_quoted(DELETES)})"
            " then 'delete' else 'read' end as operation, null::varchar as flags,"
            f' case when {stays} then 0::bigint end as "offset",'
            f" case when {stays} then 'explicit' end as offset_source,"
            f" case when {stays} then size end as length, case when {stays} then size end as requested,"
            f" case when {stays} then size end as file_size from {NATIVE}"
        )


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


class _Columns:
    """The columns of table reference, each a method of its name."""

    def __init__(self, requests: pa.RecordBatch, first_seq: int) -> None:
        self._requests = requests
        self._first_seq = first_seq
        self._count = requests.num_rows
        self._kinds: np.ndarray[Any, np.dtype[np.int32]] | None = None

    def seq(self) -> pa.Array:
        return pa.array(np.arange(self._first_seq, self._first_seq + self._count, dtype=np.int64))

    def call_seq(self) -> pa.Array:
        return self._requests["seq"]

    def time_ns(self) -> pa.Array:
        return self._requests["time_ns"]

    def duration_ns(self) -> pa.Array:
        return self._requests["duration_ns"]

    def process(self) -> pa.Array:
        return pa.nulls(self._count, pa.int32())

    node = process
    use = process

    def file(self) -> pa.Array:
        return self._requests["key"].cast(pa.int32())

    def type(self) -> pa.Array:
        return _named(np.zeros(self._count, np.int32), ["datafile"])

    def operation(self) -> pa.Array:
        return _named(self._operations(), list(OPERATIONS))

    def flags(self) -> pa.Array:
        return _named(np.full(self._count, -1, np.int32), ["synchronous"])

    def offset(self) -> pa.Array:
        return pa.array(np.zeros(self._count, np.int64), mask=self._operations() == DELETE)

    def offset_source(self) -> pa.Array:
        return _named(np.where(self._operations() == DELETE, -1, 0), ["explicit"])

    def length(self) -> pa.Array:
        deletes = self._operations() == DELETE
        sizes = self._requests["size"]
        return pc.if_else(pa.array(deletes), None, sizes) if deletes.any() else sizes

    requested = length
    file_size = length

    def _operations(self) -> np.ndarray[Any, np.dtype[np.int32]]:
        if self._kinds is None:
            self._kinds = operations_of(self._requests["operation"])
        return self._kinds


def operations_of(operations: pa.DictionaryArray) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return each request's operation as its place in `OPERATIONS`."""
    kinds = [max(kind_of(name), READ) for name in operations.dictionary.to_pylist()]
    place = np.array([*kinds, READ], np.int32)
    indices = pc.fill_null(operations.indices, len(kinds)).to_numpy(zero_copy_only=False)
    codes: np.ndarray[Any, np.dtype[np.int32]] = place[indices]
    return codes


def _named(places: np.ndarray[Any, Any], names: list[str]) -> pa.DictionaryArray:
    """Return names by their places, null for -1."""
    indices = pa.array(places.astype(np.int32), mask=places < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()))
