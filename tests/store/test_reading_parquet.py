"""Reading a Parquet file whole: like pyarrow, but a missing column is an error."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from iotrace.files.parquet import read_table

TABLE = pa.table({"a": [1, None, 3], "b": ["x", "y", None], "c": [[1], [], None]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    pq.write_table(TABLE, tmp_path / "t[1].parquet", row_group_size=2)
    return tmp_path / "t[1].parquet"


@pytest.mark.parametrize("use_threads", [True, False])
@pytest.mark.parametrize("columns", [None, ["a"], ["c", "a"], []])
def test_a_table_or_some_columns_are_read(path: Path, columns: list[str] | None, use_threads: bool) -> None:
    expected = TABLE if columns is None else TABLE.select(columns)
    assert read_table(path, columns, use_threads).equals(expected)


def test_a_missing_column_is_refused(path: Path) -> None:
    with pytest.raises(pa.ArrowException, match="no column d"):
        read_table(path, ["a", "d"])


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no Parquet")
    for name in ("absent", "text", "."):
        with pytest.raises((pa.ArrowException, OSError)):
            read_table(tmp_path / name)
