"""Imitations: repeatable, within bounds, and of the structure that their descriptions say."""

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import schemas
from iotrace.errors import UsageError
from iotrace.generate.imitations import DB2, IMITATIONS, LU, Cholesky, Imitation, Mining, Pgrep, Titan
from iotrace.option import options, with_texts


def frame(table: pa.Table) -> pl.DataFrame:
    found = pl.DataFrame(pl.from_arrow(table)).with_columns(pl.col("operation").cast(pl.String))
    return found.with_columns(end=pl.col("offset") + pl.col("length"))


def merged(part: pl.DataFrame) -> list[tuple[int, int]]:
    """The bytes that a part touches, as ranges."""
    ranges: list[tuple[int, int]] = []
    for start, end in sorted(zip(part["offset"], part["end"], strict=True)):
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return ranges


@pytest.mark.parametrize("name", IMITATIONS)
def test_repeatable_by_turns_and_as_the_schema_says(name: str) -> None:
    imitation = IMITATIONS[name](processes=3)
    table = imitation.program(5)
    assert table.schema.equals(schemas.schema("program"))
    assert table.equals(imitation.program(5))
    made = frame(table)
    assert made["process"].to_list() == made["node"].to_list()
    turns = made.with_columns(turn=pl.int_range(pl.len()).over("process"))
    order = list(zip(turns["turn"], turns["process"], strict=True))
    assert order == sorted(order)
    assert made["length"].min() > 0 and made["offset"].min() >= 0  # type: ignore[operator]
    assert all(
        "assumed" in sentence or "Uysal" in sentence
        for sentence in (one.help for one in options(type(imitation)))
    )
    assert (IMITATIONS[name].__doc__ or "").startswith("An imitation of ")


@examples(20)
@given(st.integers(1, 4), st.integers(1, 40), st.integers(1, 12), st.integers(8, 400))
def test_lu_reads_what_is_left_of_each_slab_on_and_below_the_diagonal(
    processes: int, rows: int, slab: int, request: int
) -> None:
    made = frame(LU(processes, rows, slab, request, 0).program())
    expected: list[list[tuple[str, int]]] = [[] for _ in range(processes)]
    for number, first in enumerate(range(0, rows, slab)):
        mine = expected[number % processes]
        whole = [(column, 0) for column in range(first, min(first + slab, rows))]
        left = [
            (column, before) for before in range(0, first, slab) for column in range(before, before + slab)
        ]
        for column, top in [*whole, *left]:
            mine += [
                ("read", (column * rows + row) * 8 + byte) for row in range(top, rows) for byte in range(8)
            ]
        mine += [
            ("write", (column * rows + row) * 8 + byte)
            for column, _ in whole
            for row in range(rows)
            for byte in range(8)
        ]
    for process in range(processes):
        part = made.filter(pl.col("process") == process)
        touched = [
            (operation, byte)
            for operation, start, end in zip(part["operation"], part["offset"], part["end"], strict=True)
            for byte in range(start, end)
        ]
        assert touched == expected[process]


def test_cholesky_reads_and_writes_each_panel_and_reads_to_the_left() -> None:
    made = frame(Cholesky(processes=1, panels=50).program(2))
    writes = made.filter(pl.col("operation") == "write")
    assert len(merged(writes)) == 1
    assert writes["length"].sum() == merged(writes)[0][1]
    done = 0
    for operation, end in zip(made["operation"], made["end"], strict=True):
        done = max(done, end)
        assert operation == "read" or end <= done


def test_titan_reads_windows_of_chunks() -> None:
    made = frame(Titan(processes=2, queries=1, grid_chunks=16, window_chunks=4, chunk_bytes=100).program(3))
    assert len(made) == 16
    rows, columns = np.divmod(made["offset"].to_numpy() // 100, 16)
    assert len(set(rows)) == len(set(columns)) == 4
    assert rows.max() - rows.min() == columns.max() - columns.min() == 3
    assert set(made["operation"]) == {"read"}


def test_mining_reads_everything_in_each_pass() -> None:
    made = frame(
        Mining(processes=3, data_bytes=1000, candidate_bytes=50, passes=3, request_bytes=64).program()
    )
    for phase in range(3):
        data = made.filter(pl.col("phase") == phase, pl.col("file") == 0)
        assert merged(data) == [(0, 1000)] and data["length"].sum() == 1000
    written = made.filter(pl.col("operation") == "write")
    assert set(written["process"]) == {0} and written["length"].sum() == 150


def test_pgrep_reads_each_text_once_but_for_overlaps() -> None:
    made = frame(
        Pgrep(processes=4, texts=3, text_bytes=10_000, overlap_bytes=10, request_bytes=512).program(1)
    )
    for text in range(3):
        part = made.filter(pl.col("file") == text)
        assert len(merged(part)) == 1
        assert part["length"].sum() == merged(part)[0][1] + 3 * 10


def test_db2_looks_up_scans_and_logs() -> None:
    made = frame(DB2(processes=2, table_pages=1000, index_fanout=10, operations=200).program(1))
    log = made.filter(pl.col("file") >= 2)
    assert set(log["operation"]) == {"write"}
    for process in (0, 1):
        mine = log.filter(pl.col("process") == process)
        assert set(mine["file"]) == {2 + process}
        assert mine["offset"].to_list() == [4096 * number for number in range(len(mine))]
    index = made.filter(pl.col("file") == 1)["offset"].to_numpy() // 4096
    assert index.max() < 1 + 10 + 100
    assert (index == 0).sum() == len(index) / 3
    assert made.filter(pl.col("file") == 0)["end"].max() <= 1000 * 4096  # type: ignore[operator]


@pytest.mark.parametrize(
    ("imitation", "given", "message"),
    [
        (LU, {"rows": "0"}, "rows: 0 is not from 1"),
        (LU, {"seed": "0"}, "'seed' is not one of processes, rows"),
        (DB2, {"scan_share": "1.5"}, "scan_share: 1.5 is not from 0 to 1"),
        (DB2, {"scan_share": "many"}, "scan_share: 'many' is not a number"),
        (DB2, {"scan_share": "nan"}, "scan_share: nan is not from 0 to 1"),
    ],
)
def test_refusals(imitation: type[Any], given: dict[str, str], message: str) -> None:
    values: Imitation = imitation()
    with pytest.raises(UsageError) as refused:
        with_texts(values, given, "--set")
    assert message in str(refused.value)
