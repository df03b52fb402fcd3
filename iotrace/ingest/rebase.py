"""What the engine learnt of references after it had passed them on.

It streams references. A file pointer from before the trace may be revealed long after, and a call that made its
references when it was issued may return long after. What is to be done to references that were passed on by then
comes with the engine's report.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.formats.reading.tables import of_columns
from iotrace.libraries import pl
from iotrace.store.writer import TableWriters

RELATIVE = "relative"


class Rebase(NamedTuple):
    """What is to be done to the references of one row of table file.

    Those whose offset_source is relative lie `start_bytes` further on, and their source becomes `source`; all of them
    go to the file `target`.
    """

    file: int
    start_bytes: int
    source: str
    target: int


def amend(folder: Path, report: Mapping[str, Any]) -> None:
    """Write table reference of a store that is being made again, with what an engine's report says of it."""
    rebases = [Rebase(*fields) for fields in report["rebases"]]
    durations_ns: list[tuple[int, int]] = report["late_durations"]
    if not rebases and not durations_ns:
        return
    table = folder / "reference.parquet"
    former = table.rename(folder / "reference.former.parquet")
    writers = TableWriters(folder)
    try:
        with pq.ParquetFile(former) as read:
            for batch in read.iter_batches():
                writers.write("reference", with_durations(rebased(batch, rebases), durations_ns))
    finally:
        writers.close()
    former.unlink()


def rebased(batch: pa.RecordBatch, rebases: Sequence[Rebase]) -> pa.RecordBatch:
    """Return rows of table reference with those that `rebases` concern where they belong."""
    wanted = pl.DataFrame(
        {
            "file": pl.Series([rebase.file for rebase in rebases], dtype=pl.Int32),
            "start_bytes": pl.Series([rebase.start_bytes for rebase in rebases], dtype=pl.Int64),
            "source": [rebase.source for rebase in rebases],
            "target": pl.Series([rebase.target for rebase in rebases], dtype=pl.Int32),
        }
    )
    rows = pl.DataFrame(pl.from_arrow(batch.select(["file", "offset", "offset_source"])))
    rows = rows.with_columns(pl.col("offset_source").cast(pl.String))
    joined = rows.join(wanted, on="file", how="left", maintain_order="left")
    if joined["target"].null_count() == len(joined):
        return batch
    moves = pl.col("target").is_not_null() & pl.col("offset_source").eq_missing(RELATIVE)
    moved = joined.select(
        file=pl.coalesce("target", "file"),
        offset=pl.when(moves).then(pl.col("offset") + pl.col("start_bytes")).otherwise("offset"),
        offset_source=pl.when(moves).then("source").otherwise("offset_source"),
    )
    columns = {name: batch[name] for name in batch.schema.names}
    return of_columns("reference", columns | {column.name: column.to_arrow() for column in moved})


def with_durations(batch: pa.RecordBatch, durations_ns: Sequence[tuple[int, int]]) -> pa.RecordBatch:
    """Return rows of table reference, of which those with these `seq` have these durations."""
    late = pl.DataFrame(list(durations_ns), {"seq": pl.Int64, "late_ns": pl.Int64}, orient="row")
    rows = pl.DataFrame(pl.from_arrow(batch.select(["seq", "duration_ns"])))
    joined = rows.join(late, on="seq", how="left", maintain_order="left")
    if joined["late_ns"].null_count() == len(joined):
        return batch
    at = batch.schema.get_field_index("duration_ns")
    durations = joined.select(pl.coalesce("late_ns", "duration_ns")).to_series().to_arrow()
    return batch.set_column(at, batch.schema.field(at), durations)
