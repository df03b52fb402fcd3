"""Files of typed columns, which --columns describes as it does those of text."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from program import PROGRAM

import iotrace
from iotrace.errors import IotraceError

KEYS = ["/a,1", "/b", "/a,1", 'q"', "/c\nd", "/b"]
ROWS = pa.table(
    {
        "url": pa.array(KEYS).dictionary_encode(),
        "at": pa.array([0, 1_000_001, 2, 3, 4, 5], pa.timestamp("us")),
        "bytes": pa.array([10, 20, 10, None, 5, 20], pa.int32()),
        "parts": pa.array([[1]] * 6),
    }
)
COLUMNS = "csv:key=url,size=bytes"


def written(folder: Path, form: str) -> Path:
    path = folder / f"keys.{form}"
    if form == "parquet":
        pq.write_table(ROWS, path, row_group_size=2)
    elif form == "arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, ROWS.schema) as writer:
            writer.write_table(ROWS, max_chunksize=4)
    elif form == "arrows":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, ROWS.schema) as writer:
            writer.write_table(ROWS, max_chunksize=4)
    elif form == "jsonl":
        lines = ROWS.select(["url", "bytes"]).to_pylist()
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    else:
        plain = ROWS.select(["bytes"]).add_column(0, "url", ROWS["url"].cast(pa.string()))
        pyarrow.csv.write_csv(plain, path)
    return path


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow", "arrows", "jsonl"])
def test_all_forms_are_the_same_trace(form: str, tmp_path: Path) -> None:
    store = iotrace.open(written(tmp_path, form), format=COLUMNS)
    rows = store.sql(
        "select key_name.name, size from key_io join key_name using (key) order by seq"
    ).fetchall()
    assert rows == list(zip(KEYS, ROWS["bytes"].to_pylist(), strict=True))
    assert store.manifest["sources"] == [str(tmp_path / f"keys.{form}")]


def test_timestamps_are_seconds(tmp_path: Path) -> None:
    store = iotrace.open(written(tmp_path, "parquet"), format="csv:key=url,time=at")
    times = store.sql("select time_ns from key_io order by time_ns").fetchall()
    assert [time for (time,) in times] == [0, 2000, 3000, 4000, 5000, 1_000_001_000]


def test_columns_by_number(tmp_path: Path) -> None:
    np.save(tmp_path / "keys.npy", np.array([7, 8, 7], np.uint64))
    pairs = np.array([(7, 1), (8, 2), (7, 1)], [("id", "i8"), ("size", "i4")])
    np.save(tmp_path / "pairs.npy", pairs)
    for name, columns in (("keys", "key=1"), ("keys", "key=key"), ("pairs", "key=1"), ("pairs", "key=id")):
        store = iotrace.open(tmp_path / f"{name}.npy", format=f"csv:{columns}")
        assert store.manifest["tables"]["key_io"] == 3, columns
        assert store.sql("select count(distinct key) from key_io").fetchall() == [(2,)]


def test_offsets_of_disks(tmp_path: Path) -> None:
    pq.write_table(pa.table({"lba": [8, 16], "n": [8, 8], "op": ["r", "w"]}), tmp_path / "disk.parquet")
    store = iotrace.open(tmp_path / "disk.parquet", format="csv:offset=lba:512,length=n:512,op=op")
    assert store.sql("select operation, lbn, blocks from disk_io order by seq").fetchall() == [
        ("read", 8, 8),
        ("write", 16, 8),
    ]


@pytest.mark.parametrize(
    ("form", "columns", "message"),
    [
        ("parquet", "key=no", "{path}: has no column no; it has url, at, bytes, parts"),
        ("parquet", "key=parts", "column parts is of type list"),
        ("parquet", "key=url,skip=2", "separator and skip are of text"),
        ("parquet", "key=5", "fields"),
        ("arrow", "key=bytes,size=url", "none of its 7 records is a request"),
    ],
)
def test_what_does_not_fit_is_said(form: str, columns: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, form)
    with pytest.raises(IotraceError, match=message.format(path=path)) as refused:
        iotrace.open(path, format=f"csv:{columns}")
    assert "/0.csv" not in str(refused.value)


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows", "jsonl"])
def test_cut_files_are_refused(form: str, tmp_path: Path) -> None:
    path = written(tmp_path, form)
    whole = path.read_bytes()
    for length in range(10, len(whole) - 2, max(1, len(whole) // 20)):
        path.write_bytes(whole[:length])
        try:
            store = iotrace.open(path, format=COLUMNS)
        except IotraceError as error:
            assert str(error).startswith(f"{path}: "), error
        else:  # whole lines or batches alone
            assert store.manifest["tables"]["key_io"] <= len(KEYS)


def test_a_pipe(tmp_path: Path) -> None:
    path = written(tmp_path, "parquet")
    made = subprocess.run(
        f"cat {path} | {PROGRAM} curve - --columns key=url --sizes 2,4 -f csv",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.splitlines()[1:] == ["2,6,5,,", "4,6,4,,"]
