"""What the engine learnt late of references gets into their stored table, row by row, and changes nothing else."""

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.formats.reading.tables import of_rows
from iotrace.ingest.rebase import Rebase, amend
from iotrace.store.writer import TableWriters

FILES = st.integers(0, 5)
SOURCES = st.sampled_from(["relative", "explicit", "tracked", None])
ROWS = st.tuples(
    st.none() | FILES, st.none() | st.integers(0, 2**40), SOURCES, st.none() | st.integers(0, 99)
)
GROUPS = st.lists(st.lists(ROWS, min_size=1, max_size=6), min_size=1, max_size=5)
REBASES = st.dictionaries(
    FILES, st.tuples(st.integers(0, 2**40), st.sampled_from(["explicit", "estimated"]), FILES)
)


def references(groups: list[list[tuple[Any, ...]]]) -> list[list[dict[str, Any]]]:
    rows = iter(range(10**6))
    return [
        [
            {
                "seq": next(rows),
                "file": file,
                "offset": offset,
                "offset_source": source,
                "duration_ns": took_ns,
            }
            | {"type": "datafile", "operation": "read", "length": 7, "process": 1}
            for file, offset, source, took_ns in group
        ]
        for group in groups
    ]


def amended(row: dict[str, Any], rebases: dict[int, Rebase], late: dict[int, int]) -> dict[str, Any]:
    """Say again what `Rebase` and a late duration mean, for one row."""
    row = row | {"duration_ns": late.get(row["seq"], row["duration_ns"])}
    rebase = rebases.get(row["file"])
    if rebase is None:
        return row
    if row["offset_source"] == "relative":
        offset = None if row["offset"] is None else row["offset"] + rebase.start_bytes
        row = row | {"offset": offset, "offset_source": rebase.source}
    return row | {"file": rebase.target}


@examples(150)
@given(GROUPS, REBASES, st.dictionaries(st.integers(0, 29), st.integers(0, 10**9), max_size=3))
def test_only_what_the_report_says_changes(
    groups: list[list[tuple[Any, ...]]],
    found: dict[int, tuple[int, str, int]],
    late: dict[int, int],
) -> None:
    stored = references(groups)
    rows = [row for group in stored for row in group]
    late = {seq: took_ns for seq, took_ns in late.items() if seq < len(rows)}
    rebases = {file: Rebase(file, *rest) for file, rest in found.items()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        writers = TableWriters(folder)
        for group in stored:
            writers.write("reference", of_rows("reference", group))
        writers.close()
        report = {"rebases": [tuple(one) for one in rebases.values()], "late_durations": list(late.items())}
        amend(folder, report)
        assert [file.name for file in folder.iterdir()] == ["reference.parquet"]
        with pq.ParquetFile(folder / "reference.parquet") as file:
            assert file.num_row_groups == len(groups)
            check_places(file.metadata)
            table: pa.Table = file.read()
    expected = [amended(row, rebases, late) for row in rows]
    assert [{name: row[name] for name in expected[0]} for row in table.to_pylist()] == expected


def check_places(metadata: Any) -> None:
    """Check that columns follow one another without a gap, as readers that fetch whole row groups expect."""
    at = len(b"PAR1")
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        columns = [group.column(column) for column in range(group.num_columns)]
        assert group.total_byte_size == sum(column.total_uncompressed_size for column in columns)
        for column in columns:
            pages = [column.dictionary_page_offset, column.data_page_offset]
            assert min(page for page in pages if page) == at
            at += column.total_compressed_size
