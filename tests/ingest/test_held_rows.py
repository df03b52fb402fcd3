"""Rows of parallel traces that are sorted in memory are those of a stable sort by time."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import schemas
from iotrace.formats.reading import tables
from iotrace.ingest import held_rows
from iotrace.ingest.held_rows import HeldRows

Batches = list[list[tuple[int | None, str | None]]]


class GivenRun:
    """A run of batches of rows with these times and flags."""

    def __init__(self, batches: Batches) -> None:
        seqs = iter(range(sum(map(len, batches))))
        self.steps: list[list[tuple[str, pa.RecordBatch]]] = [
            [("parallel_io", batch_of([(next(seqs), *row) for row in rows]))] for rows in batches
        ]
        self.steps.append([("file", tables.of_rows("file", []))])
        self.unsorted = sum(map(len, batches))

    def tables(self) -> list[str]:
        return ["parallel_io", "file"]

    def progress(self) -> tuple[int, int | None]:
        return 0, None

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        return self.steps.pop(0) if self.steps else None

    def report(self) -> dict[str, Any]:
        return {"unsorted": self.unsorted}


def batch_of(rows: list[tuple[int, int | None, str | None]]) -> pa.RecordBatch:
    """Return rows of the table; the offset is the place in the trace."""
    return tables.of_rows(
        "parallel_io",
        [
            {"seq": seq, "offset": seq, "time_ns": time, "operation": "read", "flags": flags}
            for seq, time, flags in rows
        ],
    )


ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(["append", "create", None])), min_size=1, max_size=5
)


@examples(150)
@given(st.lists(ROWS, min_size=1, max_size=6), st.integers(1, 12), st.booleans())
def test_held_rows_are_those_of_a_stable_sort(batches: Batches, most: int, has_unknown: bool) -> None:
    if has_unknown:
        batches[-1][-1] = (None, None)
    rows = [row for batch in batches for row in batch]
    times = [time for time, _ in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held_rows, "HELD_ROWS", most)
        run = HeldRows(GivenRun(batches), "parallel_io")
        steps: list[tuple[str, pa.RecordBatch]] = []
        while (step := run.next()) is not None:
            steps += step
    assert [table for table, _ in steps].count("file") == 1
    made = [row for table, batch in steps if table == "parallel_io" for row in batch.to_pylist()]
    assert all(batch.schema == schemas.schema(table) for table, batch in steps)
    assert [row["seq"] for row in made] == list(range(len(rows)))
    is_sorted = run.report()["unsorted"] == 0
    if len(rows) > most or has_unknown:
        assert not is_sorted
    if not is_sorted:
        assert [(row["time_ns"], row["flags"], row["offset"]) for row in made] == [
            (*row, place) for place, row in enumerate(rows)
        ]
        assert len(rows) > most or has_unknown or times == sorted(times)
        return
    order = sorted(range(len(rows)), key=lambda place: rows[place][0] or 0)
    assert [row["offset"] for row in made] == order
    assert [row["time_ns"] for row in made] == [rows[place][0] - min(times) for place in order]
    assert [row["flags"] for row in made] == [rows[place][1] for place in order]
