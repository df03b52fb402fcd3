"""Parquet files of tables are read by pyarrow, DuckDB and polars as the rows that were written, in any form."""

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import schemas
from iotrace.errors import IotraceError
from iotrace.store.table_file import Form, StoredGroups, TableFile
from iotrace.store.writer import TableWriters

WORDS = pa.dictionary(pa.int32(), pa.string())
ENDS_32, ENDS_64 = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
VALUES = {
    pa.int32(): st.integers(*ENDS_32) | st.sampled_from(ENDS_32) | st.integers(0, 3),
    pa.int64(): st.integers(*ENDS_64) | st.sampled_from(ENDS_64) | st.integers(0, 3),
    pa.float64(): st.floats(allow_nan=False),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(max_size=5) | st.sampled_from(["read", "write"]),
    WORDS: st.sampled_from(["", "a", "é", "write"]) | st.text(max_size=3),
}
COUNTS = st.integers(1, 40) | st.sampled_from([31, 32, 33, 64, 127, 128, 129, 130, 257])
FORMS = st.tuples(
    st.sampled_from(["lz4", "zstd"]), st.sampled_from(["plain", "differences", "dictionary"]), st.booleans()
)


@st.composite
def columns(draw: st.DrawFn, kind: pa.DataType, nullable: bool, rows: int) -> pa.Array:
    """Draw a column: values that repeat, stay the same or are missing in part or altogether, cut from a larger one."""
    few = draw(st.lists(VALUES[kind], min_size=1, max_size=12))
    nulls = draw(st.sampled_from(["none", "some", "all"])) if nullable else "none"
    chance = draw(st.randoms(use_true_random=False))
    values = [
        None if nulls == "all" or (nulls == "some" and chance.random() < 0.4) else chance.choice(few)
        for _ in range(rows + 3)
    ]
    array = pa.array(values, pa.string() if kind == WORDS else kind)
    if kind == WORDS:
        words = sorted({*few, "not used"})
        if nulls == "some" and draw(st.booleans()):
            words.append(None)  # a word that is null
        codes = [words.index(value) if value is not None or None in words else None for value in values]
        array = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(words, pa.string()))
    return array.slice(draw(st.integers(0, 3)), rows)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[pa.RecordBatch], list[Form]]:
    """Draw batches of a table with a schema, and the forms of its columns."""
    kinds = draw(st.lists(st.tuples(st.sampled_from(list(VALUES)), st.booleans()), min_size=1, max_size=5))
    fields = [pa.field(f"c{n}", kind, nullable) for n, (kind, nullable) in enumerate(kinds)]
    schema = pa.schema(fields, {"table": "drawn"})
    batches = []
    for rows in draw(st.lists(COUNTS, max_size=3)):
        arrays = [draw(columns(kind, nullable, rows)) for kind, nullable in kinds]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return batches or [pa.RecordBatch.from_pylist([], schema=schema)], [draw(FORMS) for _ in fields]


def write(path: Path, batches: list[pa.RecordBatch], forms: list[Form]) -> None:
    with closing(TableFile(path, batches[0].schema, forms)) as file:
        for batch in batches:
            if batch.num_rows:
                file.write(batch)


def check(path: Path, batches: list[pa.RecordBatch]) -> None:
    """Check that all readers see the rows, and pyarrow the schema and the row groups."""
    expected = pa.Table.from_batches(batches)
    with pq.ParquetFile(path) as file:
        assert file.schema_arrow.equals(expected.schema, check_metadata=True)
        groups = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        assert groups == [batch.num_rows for batch in batches if batch.num_rows]
        table = file.read()
        table.validate(full=True)
    rows = expected.to_pylist()
    assert table.to_pylist() == rows
    assert pl.read_parquet(path).rows(named=True) == rows
    names = expected.column_names
    with duckdb.connect(config={"threads": 1}) as connection:
        read = connection.execute("select * from read_parquet(?)", [str(path)]).fetchall()
    assert [dict(zip(names, row, strict=True)) for row in read] == rows


@examples(200)
@given(tables())
def test_readers_see_what_was_written(table: tuple[list[pa.RecordBatch], list[Form]]) -> None:
    batches, forms = table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write(path, batches, forms)
        check(path, batches)


@examples(60)
@given(tables(), st.data())
def test_copied_groups_have_the_columns_that_are_newer(
    table: tuple[list[pa.RecordBatch], list[Form]], data: st.DataObject
) -> None:
    batches, forms = table
    with tempfile.TemporaryDirectory() as folder:
        former, path = Path(folder) / "former.parquet", Path(folder) / "table.parquet"
        write(former, batches, forms)
        schema, expected = batches[0].schema, []
        with (
            closing(StoredGroups(former)) as stored,
            closing(TableFile(path, schema, forms)) as file,
        ):
            assert [stored.rows(group) for group in range(len(stored))] == [
                batch.num_rows for batch in batches if batch.num_rows
            ]
            for group, batch in enumerate(batches if len(stored) else []):
                names = data.draw(st.lists(st.sampled_from(schema.names), unique=True))
                arrays = {
                    field.name: data.draw(columns(field.type, field.nullable, batch.num_rows))
                    for field in schema
                    if field.name in names
                }
                file.copy(stored, group, pa.RecordBatch.from_pydict(arrays) if arrays else None)
                whole = [arrays.get(name, batch[name]) for name in schema.names]
                expected.append(pa.RecordBatch.from_arrays(whole, schema=schema))
        check(path, expected or batches)


@pytest.mark.parametrize("name", schemas.names())
def test_each_table_is_stored_whole(name: str, tmp_path: Path) -> None:
    """Row groups of one row and of many, of nulls and of values, in the types of each table."""
    schema = schemas.schema(name)
    if any("*" in field.name for field in schema):
        pytest.skip("has columns for each trace, and is never stored")
    batches = []
    for rows, is_null in ((1, False), (1, True), (1000, False), (1000, True)):
        arrays = [column_of(field, rows, is_null) for field in schema]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    writers = TableWriters(tmp_path)
    for batch in batches:
        writers.write(name, batch)
    writers.close()
    assert writers.rows == {name: 2002}
    check(tmp_path / f"{name}.parquet", batches)


def column_of(field: pa.Field, rows: int, is_null: bool) -> pa.Array:
    if is_null and field.nullable:
        return pa.nulls(rows, field.type)
    numbers = [row * row % 37 - 5 for row in range(rows)]
    if pa.types.is_dictionary(field.type) or pa.types.is_string(field.type):
        return pa.array([str(number) for number in numbers]).cast(field.type)
    return pa.array(numbers).cast(field.type)


@pytest.mark.parametrize("form", ["plain", "differences", "dictionary"])
def test_several_pages(form: str, tmp_path: Path) -> None:
    """More rows than a page has, more words than 2^16, and more of their bytes than a small dictionary has."""
    rows = 300_001
    numbers = pa.array(
        [None if row % 7 == 3 else row * 2654435761 % 2**40 for row in range(rows)], pa.int64()
    )
    texts = pa.array([None if row % 5 == 1 else f"/folder/{row % 90_001}/file" for row in range(rows)])
    words = [f"word {word}" for word in range(70_000)]
    codes = pa.array([None if row % 11 == 1 else row * 7 % 70_000 for row in range(rows)], pa.int32())
    few = pa.array([2 if row == 5 else row % 2 if row % 4 else None for row in range(rows)], pa.int32())
    columns = {
        "numbers": numbers,
        "texts": texts,
        "repeated": texts.dictionary_encode(),
        "words": pa.DictionaryArray.from_arrays(codes, words),
        "one": pa.DictionaryArray.from_arrays(few, ["a", "b", "x" * (1 << 21)]),
        "bits": pa.array([row % 3 == 0 for row in range(rows)]),
    }
    batch = pa.RecordBatch.from_pydict(columns)
    path = tmp_path / "table.parquet"
    write(path, [batch], [("lz4", form, False)] * len(columns))
    expected = pa.Table.from_batches([batch])
    assert pq.read_table(path).equals(expected)
    with duckdb.connect() as connection:
        read = connection.read_parquet(str(path)).to_arrow_table()
    plain = expected.schema.remove_metadata()
    for name in plain.names:
        column = expected[name]
        is_dictionary = pa.types.is_dictionary(column.type)
        assert read[name].equals(column.cast(pa.string()) if is_dictionary else column)


def test_row_groups_have_statistics_of_numbers_and_times(tmp_path: Path) -> None:
    schema = schemas.schema("reference")
    rows = [
        {"seq": seq, "time_ns": time_ns, "operation": "read"} for seq, time_ns in enumerate([5, -3, None])
    ]
    writers = TableWriters(tmp_path)
    for part in (rows[:2], rows[2:]):
        writers.write("reference", pa.RecordBatch.from_pylist(part, schema=schema))
    writers.close()
    metadata = pq.read_metadata(tmp_path / "reference.parquet")
    seq, time_ns = (schema.get_field_index(name) for name in ("seq", "time_ns"))
    known = [
        metadata.row_group(group).column(column).statistics for group in (0, 1) for column in (seq, time_ns)
    ]
    assert [(one.has_min_max, one.min, one.max, one.null_count) for one in known] == [
        (True, 0, 1, 0),
        (True, -3, 5, 0),
        (True, 2, 2, 0),
        (False, None, None, 1),
    ]
    assert metadata.row_group(0).column(1).statistics is None


def test_a_null_where_none_may_be_is_refused(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("seq", pa.int64(), nullable=False)])
    with closing(TableFile(tmp_path / "table.parquet", schema, [("lz4", "plain", False)])) as file:
        rows = pa.RecordBatch.from_arrays([pa.array([1, None])], schema=schema)
        with pytest.raises((ValueError, pa.ArrowException), match="null"):
            file.write(rows)
        with pytest.raises(ValueError, match="Int32, not Int64"):
            file.write(pa.RecordBatch.from_arrays([pa.array([1], pa.int32())], names=["seq"]))


def test_a_full_disk_is_an_error_of_the_system() -> None:
    schema = pa.schema([pa.field("seq", pa.int64())])
    file = TableFile(Path("/dev/full"), schema, [("lz4", "plain", False)])
    with pytest.raises(OSError, match="No space left"):
        file.write(pa.RecordBatch.from_pydict({"seq": list(range(100_000))}, schema=schema))
    with pytest.raises(OSError, match="No space left"):
        file.close()
    file.close()


def test_a_closed_table_is_not_begun_again(tmp_path: Path) -> None:
    schema = schemas.schema("failed_path")
    none = pa.RecordBatch.from_pylist([], schema=schema)
    row = pa.RecordBatch.from_pylist([{"call_seq": 0, "directory": 1}], schema=schema)
    writers = TableWriters(tmp_path)
    writers.write("failed_path", none)
    writers.close()
    with pytest.raises(ValueError, match="closed"):
        writers.write("failed_path", row)
    writers.close()
    assert pq.read_metadata(tmp_path / "failed_path.parquet").num_rows == 0


@examples(60)
@given(st.binary(max_size=40), st.integers(0, 2**20), st.integers(0, 255))
def test_a_damaged_file_is_not_copied(start: bytes, place: int, byte: int) -> None:
    """One sentence, or the bytes that are there: never another error."""
    schema = pa.schema([pa.field("seq", pa.int64())])
    batch = pa.RecordBatch.from_pydict({"seq": [1, 2, 3]}, schema=schema)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write(path, [batch], [("lz4", "plain", True)])
        whole = bytearray(path.read_bytes())
        whole[place % len(whole)] = byte
        for damaged in (start, bytes(whole[: place % len(whole)]), bytes(whole)):
            path.write_bytes(damaged)
            copy_or_refuse(path, Path(folder) / "copy.parquet", schema)


def copy_or_refuse(path: Path, output: Path, schema: Any) -> None:
    try:
        with (
            closing(StoredGroups(path)) as stored,
            closing(TableFile(output, schema, [("lz4", "plain", True)])) as file,
        ):
            for group in range(len(stored)):
                try:
                    file.copy(stored, group)
                except ValueError:
                    return
    except IotraceError as error:
        assert str(path) in str(error)
