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
from iotrace.errors import IotraceError
from iotrace.libraries import pc

if TYPE_CHECKING:
    from iotrace.store.store import Store

NATIVE = "disk_io"
BLOCK_BYTES = 512
OPERATIONS = ("read", "write", "sync")
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
    "offset_source": ("operation",),
    "length": ("operation", "blocks"),
    "requested": ("operation", "blocks"),
    "file_size": (),
}
"""The columns of disk_io of which each column is made."""
CHOSEN_BY = ("operation", "blocks")
"""Those that show whether a request is a reference."""


@dataclass(frozen=True)
class DiskReferences:
    """The view of one store.

    ``file_of_device`` has the number of each device's file; None where they are the same. ``every_request`` is whether
    each request is a reference.
    """

    native: ClassVar[str] = NATIVE
    file_of_device: np.ndarray[Any, np.dtype[np.int32]] | None
    every_request: bool

    @classmethod
    def of(cls, store: Store) -> Self:
        """Return the view of a store, with the files of its devices."""
        described = cls.described(store.manifest)
        if described.file_of_device is None:
            return described
        files = store.arrow("file", ["file", "device"])
        of_device = files.filter(files["device"].is_valid()).sort_by("device")
        return replace(described, file_of_device=of_device["file"].to_numpy().astype(np.int32))

    @classmethod
    def described(cls, manifest: Mapping[str, Any]) -> Self:
        """Return the view of a store with this manifest, without the files of its devices."""
        tables = manifest["tables"]
        are_devices = manifest["views"]["reference"].get("files_are_devices")
        numbers = None if are_devices else np.empty(0, np.int32)
        return cls(numbers, every_request=bool(tables["reference"] == tables[NATIVE]))

    def check(self, store: Store, requests: pa.RecordBatch) -> None:
        """Raise IotraceError for a device that has no file."""
        if self.file_of_device is None or "device" not in requests.schema.names or not requests.num_rows:
            return
        largest = int(requests["device"].to_numpy().max())
        if largest >= len(self.file_of_device):
            raise IotraceError(
                f"{store.path}: {NATIVE}.parquet is not usable: device {largest} has no row in table file; ingest the"
                " trace again"
            )

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
        return pa.RecordBatch.from_arrays([getattr(computed, name)() for name in columns], schema=described)

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


def operations_of(requests: pa.RecordBatch) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return each request's operation as its place in `OPERATIONS`, -1 for what is not a reference."""
    return _codes(requests["operation"])


class _Columns:
    """The columns of table reference, each a method of its name, for requests that are references."""

    def __init__(
        self, requests: pa.RecordBatch, file_of_device: np.ndarray[Any, Any] | None, first_seq: int
    ) -> None:
        self._requests = requests
        self._file_of_device = file_of_device
        self._first_seq = first_seq
        self._count = requests.num_rows
        self._moving: Any = None

    def seq(self) -> pa.Array:
        return pa.array(np.arange(self._first_seq, self._first_seq + self._count, dtype=np.int64))

    def call_seq(self) -> pa.Array:
        return self._requests["seq"]

    def time_ns(self) -> pa.Array:
        return self._requests["time_ns"]

    def duration_ns(self) -> pa.Array:
        return self._requests["latency_ns"]

    def process(self) -> pa.Array:
        return self._requests["process"]

    def node(self) -> pa.Array:
        return pa.nulls(self._count, pa.int32())

    def use(self) -> pa.Array:
        return self._requests["device"]

    def file(self) -> pa.Array:
        device = self._requests["device"]
        if self._file_of_device is None:
            return device
        return pa.array(self._file_of_device[device.to_numpy()])

    def type(self) -> pa.Array:
        return _named(np.zeros(self._count, np.int32), ["disk"])

    def operation(self) -> pa.Array:
        return _named(operations_of(self._requests), list(OPERATIONS))

    def flags(self) -> pa.Array:
        flags = self._requests["flags"]
        names = flags.dictionary.to_pylist()
        waits = [0 if any(word in name.split("|") for word in SYNCHRONOUS) else -1 for name in names]
        return _named(_looked_up(np.array([*waits, -1], np.int32), flags.indices), ["synchronous"])

    def offset(self) -> pa.Array:
        offset = pc.multiply(pc.fill_null(self._requests["lbn"], 0), BLOCK_BYTES)
        return self._of_moving(offset)

    def offset_source(self) -> pa.Array:
        return _named(np.where(self._moves(), 0, -1), ["explicit"])

    def length(self) -> pa.Array:
        return self._of_moving(pc.multiply(self._requests["blocks"], BLOCK_BYTES))

    def requested(self) -> pa.Array:
        return self.length()

    def file_size(self) -> pa.Array:
        return pa.nulls(self._count, pa.int64())

    def _moves(self) -> Any:
        if self._moving is None:
            self._moving = operations_of(self._requests) != SYNC
        return self._moving

    def _of_moving(self, values: pa.Array) -> pa.Array:
        moves = self._moves()
        return values if moves.all() else pc.if_else(pa.array(moves), values, None)


def _codes(operations: pa.DictionaryArray) -> np.ndarray[Any, np.dtype[np.int32]]:
    names = operations.dictionary.to_pylist()
    place = np.array([OPERATION_OF.get(name, -1) for name in [*names, None]], np.int32)
    return _looked_up(place, operations.indices)


def _looked_up(place: np.ndarray[Any, Any], indices: pa.Array) -> np.ndarray[Any, Any]:
    """Return what stands at these indices, the last for null."""
    values: np.ndarray[Any, Any] = place[pc.fill_null(indices, len(place) - 1).to_numpy(zero_copy_only=False)]
    return values


def _named(places: np.ndarray[Any, Any], names: list[str]) -> pa.DictionaryArray:
    """Return names by their places, null for -1."""
    indices = pa.array(places.astype(np.int32), mask=places < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()))
