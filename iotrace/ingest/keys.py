"""Tables derived from key_io: an empty table of uses, and how the reference stream is made of the requests.

The stream itself is a view (see `iotrace.store.key_references`).
"""

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.files.names import local_name
from iotrace.ingest import sort
from iotrace.ingest.deriving import Deriving
from iotrace.store.key_references import NATIVE
from iotrace.store.writer import TableWriters


class Requests(Deriving):
    """Table use without rows, and view reference."""

    def derive(self, folder: Path, rows: Mapping[str, int], report: dict[str, Any]) -> dict[str, int]:
        """Write table use into a folder that holds key_io, whose columns that are unknown are made null.

        Where key_io is unsorted it is sorted first.
        """
        if report.pop("unsorted", 0):
            sort.sort(folder, NATIVE)
        if unknown := report.pop("unknown"):
            _make_null(folder, unknown)
        with contextlib.closing(TableWriters(folder)) as writers:
            writers.empty("use")
        report["views"] = {"reference": {}}
        return {"use": 0, "reference": rows[NATIVE]}


def _make_null(folder: Path, columns: Sequence[str]) -> None:
    former = (folder / f"{NATIVE}.parquet").rename(folder / "former.parquet")
    with (
        pq.ParquetFile(local_name(former)) as read,
        contextlib.closing(TableWriters(folder)) as writers,
    ):
        for group in range(read.num_row_groups):
            for batch in read.read_row_group(group).combine_chunks().to_batches():
                for name in columns:
                    index = batch.schema.get_field_index(name)
                    field = batch.schema.field(index)
                    batch = batch.set_column(index, field, pa.nulls(batch.num_rows, field.type))
                writers.write(NATIVE, batch)
    former.unlink()
