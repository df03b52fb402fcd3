"""From table disk_io to the reference stream: a block trace seen as reads and writes of files, one for each disk.

A request that moves data is a reference of type disk to its device's file, from byte lbn × 512 on, of blocks × 512
bytes; of unknown direction it counts as a read, and of unknown length its length is null. A flush is a sync of that
file. Requests for no blocks move nothing and are no references. Neither is a discard: it takes a range out of the
middle of a disk, and the stream's removals are of a file's end (truncate) or of all of it (delete); table disk_io
has it. Each disk is one use, from before the trace to beyond its end.
"""

import contextlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.files.names import local_name
from iotrace.files.parquet import read_table
from iotrace.formats.reading import tables
from iotrace.ingest import sort
from iotrace.libraries import pc
from iotrace.store.writer import TableWriters

BATCH_ROWS = 1 << 18
BLOCK_BYTES = 512
OPERATIONS = ("read", "write", "sync")
READ, WRITE, SYNC = range(3)
OPERATION_OF = {"read": READ, None: READ, "write": WRITE, "flush": SYNC}
SYNCHRONOUS = ("forced", "synchronous")
"""The flags of a write for which somebody waits."""


def derive(folder: Path, is_sorted: bool) -> dict[str, int]:
    """Write tables reference and use into a folder that holds disk_io and file; return their numbers of rows.

    Where disk_io is not in the order of time it is sorted first. Raises OSError if the folder cannot be written.
    """
    requests = folder / "disk_io.parquet"
    if not is_sorted:
        sort.sort(folder, "disk_io")
    files = read_table(folder / "file.parquet", ["file", "device"])
    with contextlib.closing(TableWriters(folder)) as writers:
        writers.empty("reference")
        uses = Uses(files)
        for batch in pq.ParquetFile(local_name(requests)).iter_batches(BATCH_ROWS):
            writers.write("reference", uses.references(batch))
        writers.write("use", uses.table())
    return writers.rows


class Uses:
    """Makes references of requests, and keeps count of what each disk's use did."""

    def __init__(self, files: pa.Table) -> None:
        of_device = files.filter(files["device"].is_valid()).sort_by("device")
        self.file = of_device["file"].to_numpy().astype(np.int32)
        self.moved = np.zeros((len(self.file), 2), np.int64)
        self.bytes = np.zeros((len(self.file), 2), np.int64)
        self.rows = 0

    def references(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the references that these requests, which follow those before, are."""
        operation = _codes(batch["operation"])
        blocks = pc.fill_null(batch["blocks"], -1).to_numpy(zero_copy_only=False)
        rows = np.flatnonzero((operation == SYNC) | ((operation >= 0) & (blocks != 0)))
        moves = operation[rows] != SYNC
        device = batch["device"].to_numpy()[rows]
        length = np.where(moves & (blocks[rows] > 0), blocks[rows] * BLOCK_BYTES, 0)
        self._count(device[moves], operation[rows][moves], length[moves])
        taken = batch.take(pa.array(rows))
        still = ~moves
        length_bytes = pa.array(length, mask=still | (blocks[rows] < 0))
        offset = pc.multiply(pc.fill_null(taken["lbn"], 0), BLOCK_BYTES).to_numpy()
        columns = {
            "seq": tables.running(self.rows, len(rows)),
            "call_seq": taken["seq"],
            "time_ns": taken["time_ns"],
            "duration_ns": taken["latency_ns"],
            "process": taken["process"],
            "node": pa.nulls(len(rows), pa.int32()),
            "use": pa.array(device),
            "file": pa.array(self.file[device]),
            "type": _named(np.zeros(len(rows), np.int32), ["disk"]),
            "operation": _named(operation[rows], list(OPERATIONS)),
            "flags": _named(_waits(taken["flags"]), ["synchronous"]),
            "offset": pa.array(offset, mask=still),
            "offset_source": _named(np.where(moves, 0, -1), ["explicit"]),
            "length": length_bytes,
            "requested": length_bytes,
            "file_size": pa.nulls(len(rows), pa.int64()),
        }
        self.rows += len(rows)
        return tables.of_columns("reference", columns)

    def _count(self, device: np.ndarray, operation: np.ndarray, length: np.ndarray) -> None:
        np.add.at(self.moved, (device, operation), 1)
        np.add.at(self.bytes, (device, operation), length)

    def table(self) -> pa.RecordBatch:
        """Return table use."""
        count = len(self.file)
        read, written = self.moved[:, READ] > 0, self.moved[:, WRITE] > 0
        mode = np.where(read & written, 2, np.where(written, 1, np.where(read, 0, 3)))
        columns = {
            "use": pa.array(np.arange(count, dtype=np.int32)),
            "file": pa.array(self.file),
            "process": pa.nulls(count, pa.int32()),
            "type": _named(np.zeros(count, np.int32), ["disk"]),
            "open_ns": pa.nulls(count, pa.int64()),
            "close_ns": pa.nulls(count, pa.int64()),
            "mode": _named(mode, ["read", "write", "read_write", "unknown"]),
            "references": pa.array(self.moved.sum(axis=1)),
            "bytes_read": pa.array(self.bytes[:, READ]),
            "bytes_written": pa.array(self.bytes[:, WRITE]),
        }
        return tables.of_columns("use", columns)


def _codes(operations: pa.DictionaryArray) -> np.ndarray:
    """Return each request's operation as its place in `OPERATIONS`, -1 for what is no reference."""
    names = operations.dictionary.to_pylist()
    place = np.array([OPERATION_OF.get(name, -1) for name in [*names, None]], np.int32)
    return _looked_up(place, operations.indices)


def _waits(flags: pa.DictionaryArray) -> np.ndarray:
    """Return 0 for each request that is synchronous, -1 for the others."""
    names = flags.dictionary.to_pylist()
    waits = [0 if any(word in name.split("|") for word in SYNCHRONOUS) else -1 for name in names]
    place = np.array([*waits, -1], np.int32)
    return _looked_up(place, flags.indices)


def _looked_up(place: np.ndarray, indices: pa.Array) -> np.ndarray:
    """Return what stands at these indices, the last for null."""
    values: np.ndarray = place[pc.fill_null(indices, len(place) - 1).to_numpy(zero_copy_only=False)]
    return values


def _named(places: np.ndarray, names: list[str]) -> pa.DictionaryArray:
    """Return names by their places, null for -1."""
    indices = pa.array(places.astype(np.int32), mask=places < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()))
