"""A file is opened by its exact name, even if it looks like a pattern and similar names are next to it."""

import os
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import queries
from iotrace.files.names import local_name

FOLDERS = [
    b"run[1]",
    b"run1",
    b"*",
    b"**",
    b"?",
    b"a*b",
    b"aXb",
    b"{a,b}",
    b"a",
    b"b",
    b"file:x",
    b"s3:x",
    b"http:",
    b"[!a]",
    b"[",
    b"a]b[",
    b"[[]1",
    b"~",
    b"%41",
    b"back\\slash",
    b"q'q",
    b"line\nbreak",
    b"\x1b[31m",
    b"caf\xe9",
    b"\xff\xfe",
]


def made(folder: Path, name: bytes) -> Path:
    """Make a table that holds its folder's name."""
    place = folder / os.fsdecode(name)
    place.mkdir(exist_ok=True)
    with (place / "t.parquet").open("wb") as file:
        pq.write_table(pa.table({"name": [name.hex()]}), file)
    return place / "t.parquet"


def read(table: Path) -> set[str]:
    """Return what each library reads by the names that it gets."""
    sql = f"from read_parquet({queries.literal(local_name(table))})"
    return {
        *(row[0] for row in duckdb.connect().execute(sql).fetchall()),
        *pl.scan_parquet(local_name(table), glob=False).collect()["name"],
        *pq.read_table(local_name(table))["name"].to_pylist(),
    }


@pytest.mark.parametrize("from_inside", [False, True], ids=["absolute", "relative"])
def test_every_library_reads_the_file_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_inside: bool
) -> None:
    tables = {name: made(tmp_path, name) for name in FOLDERS}
    monkeypatch.chdir(tmp_path)
    for name, table in tables.items():
        assert read(table.relative_to(tmp_path) if from_inside else table) == {name.hex()}, name


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.sets(st.text("ab[]*?!-{},\\:~\xe9\udcff", min_size=1, max_size=6), min_size=2, max_size=4))
def test_no_name_matches_another(tmp_path: Path, names: set[str]) -> None:
    tables = [made(tmp_path, os.fsencode(name)) for name in names]
    for name, table in zip(names, tables, strict=True):
        assert read(table) == {os.fsencode(name).hex()}


def test_links_are_followed_as_the_system_does(tmp_path: Path) -> None:
    made(tmp_path, b"far")
    (tmp_path / "far" / "deep").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "deep")
    assert read(tmp_path / "link" / ".." / "t.parquet") == {b"far".hex()}
