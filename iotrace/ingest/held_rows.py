"""The rows of a parallel trace put into the order of time while they are in memory, where they are few enough."""

from __future__ import annotations

from typing import Any

from iotrace.formats import Run
from iotrace.formats.reading import tables
from iotrace.ingest.sort import BATCH_ROWS
from iotrace.libraries import np, pa, pc

HELD_ROWS = 1 << 20
"""How many rows are held; of more none is, and `iotrace.ingest.sort` sorts their table."""


class HeldRows:
    """A run whose rows of one table come at its end, in the order of time; rows of one time keep their order.

    They are numbered anew, and their times count from the first. Rows that are in order already, and those of a trace
    with more than `HELD_ROWS` or with unknown times, stay as they come.
    """

    def __init__(self, run: Run, table: str) -> None:
        self.run = run
        self.table = table
        self.tables, self.progress = run.tables, run.progress
        self._held: list[pa.RecordBatch] | None = []
        self._rows = 0
        self._are_sorted = False

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on; return the batches that are complete, or None at the end."""
        batches = self.run.next()
        if batches is None:
            return [(self.table, held) for held in self._rest()] or None
        ready: list[tuple[str, pa.RecordBatch]] = []
        for table, rows in batches:
            if table != self.table:
                ready.append((table, rows))
            else:
                ready += ((table, passed) for passed in self._take(rows))
        return ready

    def report(self) -> dict[str, Any]:
        """Return the run's report; ``unsorted`` counts rows that are left to be sorted."""
        report = self.run.report()
        return report | {"unsorted": 0} if self._are_sorted else report

    def _take(self, rows: pa.RecordBatch) -> list[pa.RecordBatch]:
        if self._held is None:
            return [rows]
        self._held.append(rows)
        self._rows += rows.num_rows
        if self._rows <= HELD_ROWS and not rows["time_ns"].null_count:
            return []
        passed, self._held = self._held, None
        return passed

    def _rest(self) -> list[pa.RecordBatch]:
        held, self._held = self._held, None
        if not held:
            return []
        times_ns = np.concatenate([rows["time_ns"].to_numpy() for rows in held])
        if (times_ns[1:] >= times_ns[:-1]).all():
            return held
        self._are_sorted = True
        return _in_order(held, times_ns)


def _in_order(batches: list[pa.RecordBatch], times_ns: np.ndarray) -> list[pa.RecordBatch]:
    whole = pa.Table.from_batches(batches).unify_dictionaries()
    places, count = pa.array(np.argsort(times_ns, kind="stable")), len(whole)
    columns = {
        name: pa.nulls(count, column.type)
        if column.null_count == count
        else column.combine_chunks().take(places)
        for name, column in zip(whole.column_names, whole.columns, strict=True)
    }
    columns["time_ns"] = pc.subtract(columns["time_ns"], int(times_ns.min()))
    columns["seq"] = tables.running(0, count)
    ordered: list[pa.RecordBatch] = pa.Table.from_arrays(
        list(columns.values()), schema=whole.schema
    ).to_batches(BATCH_ROWS)
    return ordered
