"""The requests of a block trace that a text or record has a place for, as frames, and how many it has none for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from iotrace.libraries import pl
from iotrace.store.store import Store

ROWS = 65536


@dataclass
class DiskRequests:
    """A block trace's requests with one of `operations`, the others counted.

    Frames have the columns of view disk_request, and ``device_number``, dense from 0.
    """

    store: Store
    operations: Sequence[str]
    left_out: int = field(default=0, init=False)
    last_ns: int = field(default=0, init=False)
    """When the last request that was given arrived; 0 without times."""

    def devices(self) -> list[str]:
        """Return the names of the disks, by their numbers."""
        rows = (
            self.store.sandboxed([])
            .sql("select path from file where kind = 'device' order by device")
            .fetchall()
        )
        return [path for (path,) in rows]

    def frames(self) -> Iterator[pl.DataFrame]:
        """Give the requests in order, those for no known place left out except for flushes."""
        numbered = "select r.*, d.device as device_number from disk_request r join disk_io d using (seq) order by seq"
        for batch in self.store.sandboxed(["disk_request"]).sql(numbered).to_arrow_reader(ROWS):
            frame: pl.DataFrame = pl.from_arrow(batch)  # type: ignore[assignment]
            placed = pl.col("lbn").is_not_null() & pl.col("blocks").is_not_null()
            kept = frame.filter(
                pl.col("operation").is_in(list(self.operations)).fill_null(value=False)
                & (placed | (pl.col("operation") == "flush"))
            )
            self.left_out += len(frame) - len(kept)
            self.last_ns = kept["time_ns"].max() or self.last_ns  # type: ignore[assignment]
            yield kept

    def remarks(self) -> Mapping[str, int]:
        """Return what `form.left_out` says, after the frames were given."""
        is_of_moves = "flush" not in self.operations
        kinds = "discards, flushes and " if is_of_moves else ""
        return {f"{kinds}requests of unknown direction or place": self.left_out} if self.left_out else {}
