"""Table reference of a block trace: a view, made of table disk_io whenever it is read.

A request that moves data is a reference of type disk to its device's file, from byte lbn × 512 on, of blocks × 512
bytes; of unknown direction it counts as a read, and of unknown length its length is null. A flush is a sync of that
file. Requests for no blocks move nothing and are not references. Neither is a discard: it takes a range out of the
middle of a disk, and the stream's removals are of a file's end (truncate) or of all of it (delete); table disk_io
has it. Each disk is one use, from before the trace to beyond its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from iotrace import schemas
from iotrace.engine.native import references_of_disks
from iotrace.libraries import pc
from iotrace.store.constant_columns import named, unknown

if TYPE_CHECKING:
    from iotrace.store.store import Store

NATIVE = "disk_io"
BLOCK_BYTES = 512
READ, WRITE, SYNC = range(3)
OPERATION_OF = {"read": READ, None: READ, "write": WRITE, "flush": SYNC}
SYNCHRONOUS = ("forced", "synchronous")
"""The flags of a write that a process waits for."""
MADE_OF: Mapping[str, tuple[str, ...]] = {
    "seq": (),
    "call_seq": ("seq",),
    "time_ns": ("time_ns",),
    "duration_ns": ("latency_ns",),
    "process": ("process",),
    "node": (),
    "use": ("device",),
    "file": ("device",),
    "type": (),
    "operation": ("operation",),
    "flags": ("flags",),
    "offset": ("operation", "lbn"),
    "offset_source": ("operation", "lbn"),
    "length": ("operation", "blocks"),
    "requested": ("operation", "blocks"),
    "file_size": (),
}
"""The columns of disk_io of which each column is made."""
AS_THEY_ARE: Mapping[str, str] = {
    name: MADE_OF[name][0] for name in ("call_seq", "time_ns", "duration_ns", "process", "use")
}
"""The columns that are columns of disk_io."""
UNKNOWN: Mapping[str, pa.DataType] = {"node": pa.int32(), "file_size": pa.int64()}
COMPUTED_FROM = ("device", "operation", "lbn", "blocks", "flags")
"""The columns of disk_io of which the engine makes columns: file, operation, flags, offset and length."""
CHOSEN_BY = ("operation", "blocks")
"""Those that show whether a request is a reference."""


@dataclass(frozen=True)
class DiskReferences:
    """The view of one store.

    ``file_of_device`` has the number of each device's file (int32); None where they are the same. ``every_request`` is
    whether each request is a reference.
    """

    native: ClassVar[str] = NATIVE
    file_of_device: pa.Array | None
    every_request: bool

    @classmethod
    def of(cls, store: Store) -> Self:
        """Return the view of a store, with the files of its devices."""
        described = cls.described(store.manifest)
        if described.file_of_device is None:
            return described
        files = store.arrow("file", ["file", "device"])
        of_device = files.filter(files["device"].is_valid()).sort_by("device")
        return replace(described, file_of_device=of_device["file"].combine_chunks())

    @classmethod
    def described(cls, manifest: Mapping[str, Any]) -> Self:
        """Return the view of a store with this manifest, without the files of its devices."""
        tables = manifest["tables"]
        are_devices = manifest["views"]["reference"].get("files_are_devices")
        numbers = None if are_devices else pa.array([], pa.int32())
        return cls(numbers, every_request=bool(tables["reference"] == tables[NATIVE]))

    def count(self, requests: pa.RecordBatch) -> int:
        """Return how many references requests are, of which these have `CHOSEN_BY` unless each is one."""
        return requests.num_rows if self.every_request else int(referring(requests).sum())

    def needs(self, columns: Sequence[str]) -> list[str]:
        """Return the columns of disk_io of which these columns are made, at least one."""
        chosen_by = () if self.every_request else CHOSEN_BY
        wanted = dict.fromkeys([*chosen_by, *(native for name in columns for native in MADE_OF[name])])
        return list(wanted) or ["seq"]

    def rows(self, requests: pa.RecordBatch, columns: Sequence[str], first_seq: int) -> pa.RecordBatch:
        """Return these columns of the references that requests are, which are numbered from ``first_seq`` on."""
        if not self.every_request:
            is_reference = referring(requests)
            if not is_reference.all():
                requests = requests.filter(pa.array(is_reference))
        computed = _Columns(requests, self.file_of_device, first_seq)
        schema = schemas.schema("reference")
        described = pa.schema([schema.field(name) for name in columns], schema.metadata)
        return pa.RecordBatch.from_arrays([computed.of(name) for name in columns], schema=described)

    def sql(self) -> str:
        """Return the same as a SELECT over tables disk_io and file."""
        file = "device"
        if self.file_of_device is not None:
            file = "(select list(file order by device) from file where device is not null)[device + 1]"
        seq = "seq" if self.every_request else "row_number() over () - 1"
        waits = " or ".join(f"'|' || flags || '|' like '%|{flag}|%'" for flag in SYNCHRONOUS)
        moves = "operation is distinct from 'flush'"
        rows = (
            ""
            if self.every_request
            else " where operation = 'flush' or ((operation is null or operation in ('read', 'write'))"
            " and blocks is distinct from 0)"
        )
        return (
            f"select {seq} as seq, seq as call_seq, time_ns, latency_ns as duration_ns, process,"
            f" null::integer as node, device as use, {file} as file, 'disk' as type,"
            " case operation when 'flush' then 'sync' when 'write' then 'write' else 'read' end as operation,"
            f" case when {waits} then 'synchronous' end as flags,"
            f' case when {moves} then coalesce(lbn, 0) * {BLOCK_BYTES} end as "offset",'
            f" case when {moves} then 'explicit' end as offset_source,"
            f" case when {moves} then blocks * {BLOCK_BYTES} end as length,"
            f" case when {moves} then blocks * {BLOCK_BYTES} end as requested,"
            f" null::bigint as file_size from {NATIVE}{rows}"
        )


def referring(requests: pa.RecordBatch) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which requests are references, by their operation and blocks."""
    operation = _codes(requests["operation"])
    blocks = pc.fill_null(requests["blocks"], -1).to_numpy(zero_copy_only=False)
    is_reference: np.ndarray[Any, np.dtype[np.bool_]] = (operation == SYNC) | (
        (operation >= 0) & (blocks != 0)
    )
    return is_reference


class _Columns:
    """The columns of table reference, for requests that are references."""

    def __init__(self, requests: pa.RecordBatch, file_of_device: pa.Array | None, first_seq: int) -> None:
        sources = requests.select([name for name in COMPUTED_FROM if name in requests.schema.names])
        self._computed = sources
        if sources.num_columns:
            self._computed = pa.record_batch(references_of_disks(sources, file_of_device))
        self._requests = requests
        self._first_seq = first_seq
        self._count = requests.num_rows

    def of(self, name: str) -> pa.Array:
        """Return a column."""
        if name == "seq":
            return pa.array(np.arange(self._first_seq, self._first_seq + self._count, dtype=np.int64))
        if name == "requested":
            return self._computed["length"]
        if name in self._computed.schema.names:
            return self._computed[name]
        if name in AS_THEY_ARE:
            return self._requests[AS_THEY_ARE[name]]
        if name in UNKNOWN:
            return unknown(UNKNOWN[name], self._count)
        if name == "type":
            return named("disk", self._count)
        assert name == "offset_source"
        explicit = named("explicit", self._count)
        moves = self._computed["offset"].is_valid()
        return pa.DictionaryArray.from_arrays(pc.if_else(moves, explicit.indices, None), explicit.dictionary)


def _codes(operations: pa.DictionaryArray) -> np.ndarray[Any, np.dtype[np.int32]]:
    names = operations.dictionary.to_pylist()
    place = np.array([OPERATION_OF.get(name, -1) for name in [*names, None]], np.int32)
    return _looked_up(place, operations.indices)


def _looked_up(place: np.ndarray[Any, Any], indices: pa.Array) -> np.ndarray[Any, Any]:
    """Return what stands at these indices, the last for null."""
    values: np.ndarray[Any, Any] = place[pc.fill_null(indices, len(place) - 1).to_numpy(zero_copy_only=False)]
    return values
