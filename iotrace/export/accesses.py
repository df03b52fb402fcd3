"""The reads and writes of any trace, and of a parallel one what else fits, as its texts take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from iotrace.files.names import local_name
from iotrace.ingest import parallel
from iotrace.libraries import pl
from iotrace.schemas.reference_types import DATA
from iotrace.store.store import Store

BATCH_ROWS = 1 << 16
UNKNOWN = "reads and writes of unknown place, length or process"


class Accesses:
    """The calls of a store that a text has a place for, and how many others there are.

    These are reads and writes of data of which place and length are known, and the ``further`` operations, which only a
    parallel trace's own table has. Reads of inodes, directories and executables are not among them.
    """

    def __init__(self, store: Store, needs_process: bool, further: Sequence[str] = ()) -> None:
        self.store = store
        self.needs_process = needs_process
        self.further = further
        self.written = 0
        self.left_out = Counter[str]()
        """How many calls have no place, by what they are."""

    def batches(self) -> Iterator[pl.DataFrame]:
        """Give them in the order of the stream."""
        self.written = 0
        self.left_out.clear()
        needs = ["process"] if self.needs_process else []
        moves = pl.col("operation").is_in(["read", "write"])
        for frame in self._calls():
            is_known = pl.all_horizontal(pl.col("offset", "length", *needs).is_not_null())
            is_further = pl.all_horizontal(
                pl.col("operation").is_in(list(self.further)),
                (pl.col("operation") != "seek") | pl.col("whence").eq_missing("start"),
                *(pl.col(name).is_not_null() for name in needs),
            )
            known = frame.filter((moves & is_known) | is_further)
            self.written += known.height
            self._count(frame.filter(moves & ~is_known), UNKNOWN)
            for (operation,), rows in frame.filter(~moves & ~is_further).group_by(
                ["operation"], maintain_order=True
            ):
                self._count(rows, f"calls of {operation}")
            yield known

    def _count(self, rows: pl.DataFrame, reason: str) -> None:
        if rows.height:
            self.left_out[reason] += rows.height

    def _calls(self) -> Iterator[pl.DataFrame]:
        if self.store.family.has_ranks:
            table = self.store.table_path(self.store.family.name)
            of_no_file = (
                pl.scan_parquet(local_name(table), glob=False)
                .filter(pl.col("file").is_null())
                .select("operation")
                .collect()
            )
            for operation, count in of_no_file["operation"].cast(pl.String).value_counts().iter_rows():
                self.left_out[f"calls of {operation}"] += count
            yield from parallel.calls(table)
            return
        names = ["time_ns", "process", "operation", "flags", "file", "type", "offset", "length"]
        for batch in self.store.batches("reference", names, BATCH_ROWS):
            frame = pl.DataFrame(pl.from_arrow(batch))
            is_data = pl.col("type").cast(pl.String).is_in(DATA)
            for (kind,), rows in frame.filter(~is_data).group_by(
                pl.col("type").cast(pl.String), maintain_order=True
            ):
                self._count(rows, f"references of type {kind}")
            yield frame.filter(is_data).with_columns(
                pl.col("operation", "flags").cast(pl.String), whence=pl.lit(None, pl.String)
            )

    def parts(self) -> dict[int, int]:
        """Return of how many reads and writes that are written each list-I/O call consists."""
        counts = Counter[int]()
        for frame in self.batches() if self.store.family.has_ranks else ():
            moved = frame.filter(pl.col("operation").is_in(["read", "write"])).drop_nulls("list_call")
            counts.update(dict(moved.group_by("list_call").len().iter_rows()))
        return counts

    def numbers(self) -> dict[int, int]:
        """Return the number of each process: the trace's own, or that of its row where two ranks share theirs.

        Of traces that are not parallel it is the thread's, which an exec does not change; where a store has several
        recordings, that of the thread's first row.
        """
        table = self.store.arrow("process", ["process", "thread", "job"])
        rows, own, jobs = (table[name].to_pylist() for name in ("process", "thread", "job"))
        if not self.store.family.has_ranks and any(job is not None for job in jobs):
            first: dict[tuple[int, int], int] = {}
            return {
                row: first.setdefault(thread, row)
                for row, thread in zip(rows, zip(jobs, own, strict=True), strict=True)
            }
        is_own = None not in own and (not self.store.family.has_ranks or len(set(own)) == len(own))
        return dict(zip(rows, own if is_own else rows, strict=True))

    def files(self) -> list[str]:
        """Return the files' names by number, each on one line."""
        table = self.store.arrow("file", ["file", "path"]).sort_by("file")
        names = [
            " ".join((path or f"file {place}").split())
            for place, path in enumerate(table["path"].to_pylist())
        ]
        return [name or "-" for name in names]
