"""Results that are no query's, made of rows."""

import pytest

from iotrace import queries


def test_rows_are_by_column_or_in_order() -> None:
    by_column = queries.result_table("disk_seek", [{"seek_ms": 2.5, "distance_cylinders": 1, "more": None}])
    assert by_column.equals(queries.result_table("disk_seek", [(1, 2.5)]))
    assert by_column.schema.equals(queries.table_schema("disk_seek"), check_metadata=True)
    assert queries.result_table("disk_seek", []).schema == by_column.schema


def test_a_row_that_lacks_a_column_is_refused() -> None:
    with pytest.raises(KeyError, match="seek_ms"):
        queries.result_table("disk_seek", [{"distance_cylinders": 1}])
    with pytest.raises(ValueError, match="zip"):
        queries.result_table("disk_seek", [(1,)])
