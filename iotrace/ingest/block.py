"""Tables derived from disk_io: the uses of disks, and how the reference stream is made of it.

The stream itself is a view (see `iotrace.store.disk_references`).
"""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace.engine import native
from iotrace.files.parquet import read_table
from iotrace.formats.reading import tables
from iotrace.ingest import sort
from iotrace.ingest.deriving import Deriving
from iotrace.store.disk_references import BLOCK_BYTES, NATIVE, READ, WRITE
from iotrace.store.writer import TableWriters


class Requests(Deriving):
    """Table use, and view reference."""

    def __init__(self, align_clocks: bool = False) -> None:
        super().__init__(align_clocks)
        self.uses = Uses()

    def seen(self) -> Mapping[str, Callable[[pa.RecordBatch], None]]:
        """Count what each disk's use did."""
        return {NATIVE: self.uses.count}

    def derive(self, folder: Path, rows: Mapping[str, int], report: dict[str, Any]) -> dict[str, int]:
        """Write table use into a folder that holds disk_io and file; where disk_io is unsorted it is sorted first."""
        if report.pop("unsorted", 0):
            sort.sort(folder, NATIVE)
        file = files_of_devices(folder)
        with contextlib.closing(TableWriters(folder)) as writers:
            writers.write("use", self.uses.table(file))
        report["views"] = {"reference": view(file)}
        return writers.rows | {"reference": self.uses.references}


def files_of_devices(folder: Path) -> np.ndarray:
    """Return the number of each device's file, by table file in a folder."""
    files = read_table(folder / "file.parquet", ["file", "device"])
    of_device = files.filter(files["device"].is_valid()).sort_by("device")
    file: np.ndarray = of_device["file"].to_numpy().astype(np.int32)
    return file


def view(file: np.ndarray) -> dict[str, bool]:
    """Return what a manifest says of view reference, of devices with these files."""
    return {"files_are_devices": bool((file == np.arange(len(file))).all())}


class Uses:
    """Counts what each disk's use did."""

    def __init__(self) -> None:
        self.moved = np.zeros((0, 2), np.int64)
        self.blocks = np.zeros((0, 2), np.int64)
        self.references = 0

    def count(self, requests: pa.RecordBatch) -> None:
        """Count requests: columns device, operation and blocks."""
        references, moved, blocks = native.disk_uses(requests.select(["device", "operation", "blocks"]))
        self.references += references
        self.moved = _added(self.moved, np.array(moved, np.int64))
        self.blocks = _added(self.blocks, np.array(blocks, np.int64))

    def add(self, further: "Uses", devices: np.ndarray) -> None:
        """Add what others counted, whose devices have these numbers here."""
        self.references += further.references
        for name in ("moved", "blocks"):
            counts = getattr(further, name)
            here = np.zeros((int(devices.max(initial=-1)) + 1, 2), np.int64)
            here[devices[: len(counts)]] = counts
            setattr(self, name, _added(getattr(self, name), here.reshape(-1)))

    def table(self, file: np.ndarray) -> pa.RecordBatch:
        """Return table use; ``file`` is the number of each device's file."""
        count = len(file)
        none = np.zeros(2 * count, np.int64)
        moved, blocks = _added(self.moved, none), _added(self.blocks, none)
        read, written = moved[:, READ] > 0, moved[:, WRITE] > 0
        mode = np.where(read & written, 2, np.where(written, 1, np.where(read, 0, 3)))
        modes = pa.array(["read", "write", "read_write", "unknown"])
        columns = {
            "use": pa.array(np.arange(count, dtype=np.int32)),
            "file": pa.array(file),
            "process": pa.nulls(count, pa.int32()),
            "type": pa.array(["disk"] * count, pa.string()),
            "open_ns": pa.nulls(count, pa.int64()),
            "close_ns": pa.nulls(count, pa.int64()),
            "mode": modes.take(pa.array(mode)),
            "references": pa.array(moved.sum(axis=1)),
            "bytes_read": pa.array(blocks[:, READ] * BLOCK_BYTES),
            "bytes_written": pa.array(blocks[:, WRITE] * BLOCK_BYTES),
        }
        return tables.of_columns("use", columns)


def _added(counts: np.ndarray, further: np.ndarray) -> np.ndarray:
    """Return counts by device and direction, and further ones that may reach further."""
    rows = max(len(counts), (len(further) + 1) // 2)
    total = np.zeros((rows, 2), np.int64)
    total[: len(counts)] += counts
    total.reshape(-1)[: len(further)] += further
    return total
