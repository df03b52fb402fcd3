"""Rows of tables disk_io and key_io put into the order of time while they pass, where few rows in memory suffice."""

from __future__ import annotations

from iotrace.formats.disk_io.requests import STAGES
from iotrace.formats.reading import tables
from iotrace.libraries import np, pa, pc

HELD_ROWS = 1 << 16
"""How many rows are held back at least: a row that comes after more later ones than these comes too late."""
SINCE_FIRST = ("time_ns", *STAGES)
"""Columns that count from the first event of the trace."""


class Order:
    """Takes rows in the order of the trace and returns them in that of time; rows of one time keep their order.

    They are numbered anew, and their times count from the first. One that comes too late ends that: from then on all
    pass as they come, so that those of one time still follow each other as in the trace.
    """

    def __init__(self) -> None:
        self.is_kept = True
        """Whether all rows that were returned are in the order of time."""
        self._held: pa.RecordBatch | None = None
        self._returned = 0
        self._reached_ns = 0
        self._first_ns = 0

    def take(self, rows: pa.RecordBatch) -> list[pa.RecordBatch]:
        """Take some more rows; return those that are ready."""
        if self.is_kept and rows["time_ns"].null_count:
            return [*self._ended(), self._since_first(rows)]
        if not self.is_kept:
            return [self._since_first(rows)]
        held = self._held
        if held is None:
            self._held = _sorted(rows, self._returned)
            return []
        least_ns = rows["time_ns"].to_numpy().min()
        settled = int(np.searchsorted(held["time_ns"].to_numpy(), least_ns, side="right"))
        settled = max(0, min(settled, held.num_rows + rows.num_rows - HELD_ROWS))
        if settled < held.num_rows:
            rows = _joined(held.slice(settled), rows)
        self._held = _sorted(rows, self._returned + settled)
        return self._ready(held.slice(0, settled)) if settled else []

    def rest(self) -> list[pa.RecordBatch]:
        """Return the rows that are held back, at the end."""
        held, self._held = self._held, None
        return [] if held is None else self._ready(held)

    def _ended(self) -> list[pa.RecordBatch]:
        ready = self.rest()
        self.is_kept = False
        return ready

    def _ready(self, rows: pa.RecordBatch) -> list[pa.RecordBatch]:
        if not self._returned:
            self._first_ns = self._reached_ns = _first_ns(rows)
        is_late = _first_ns(rows) < self._reached_ns
        self._returned += rows.num_rows
        self._reached_ns = _last_ns(rows)
        return [self._since_first(rows), *(self._ended() if is_late else [])]

    def _since_first(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        if not self._first_ns:
            return rows
        columns = [name for name in SINCE_FIRST if name in rows.schema.names]
        return _with(rows, **{name: pc.subtract(rows[name], self._first_ns) for name in columns})


def _sorted(rows: pa.RecordBatch, first_seq: int) -> pa.RecordBatch:
    """Return rows in the order of time, numbered from ``first_seq`` on."""
    times_ns = rows["time_ns"].to_numpy()
    if (times_ns[1:] >= times_ns[:-1]).all():
        return rows
    places = pa.array(np.argsort(times_ns, kind="stable"))
    moved = {
        name: rows[name].take(places) for name in rows.schema.names if rows[name].null_count < len(places)
    }
    return _with(rows, **moved | {"seq": tables.running(first_seq, rows.num_rows)})


def _joined(first: pa.RecordBatch, other: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows of both; columns without values take neither time nor memory."""
    count = first.num_rows + other.num_rows
    none: dict[pa.DataType, pa.Array] = {}
    columns = []
    for field, left, right in zip(first.schema, first.columns, other.columns, strict=True):
        if left.null_count + right.null_count < count:
            columns.append(pa.chunked_array([left, right]).unify_dictionaries().combine_chunks())
            continue
        if field.type not in none:
            none[field.type] = pa.nulls(count, field.type)
        columns.append(none[field.type])
    return pa.RecordBatch.from_arrays(columns, schema=first.schema)


def _first_ns(rows: pa.RecordBatch) -> int:
    return int(rows["time_ns"][0].as_py())


def _last_ns(rows: pa.RecordBatch) -> int:
    return int(rows["time_ns"][-1].as_py())


def _with(rows: pa.RecordBatch, **columns: pa.Array) -> pa.RecordBatch:
    """Return rows with other columns in place of some."""
    arrays = [columns.get(name, rows[name]) for name in rows.schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=rows.schema)
