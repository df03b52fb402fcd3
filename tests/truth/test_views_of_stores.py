"""A store's views.sql in any DuckDB gives that store's rows, or an error: never the rows of another store."""

import json
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest
from program import Run


def store_of(run: Run, store: Path, files: int) -> Path:
    """Write a store of a program that opens this number of files."""
    log = store.with_suffix(".strace")
    opens = [
        f'7 100.{n:06} openat(AT_FDCWD, "/data/{n}", O_RDONLY) = {n + 3} <0.000001>' for n in range(files)
    ]
    log.write_text("\n".join([*opens, "7 101.000000 +++ exited with 0 +++"]) + "\n")
    assert run("ingest", log, "-o", store, "--force").returncode == 0
    return store


def files_of(script: Path) -> int:
    connection = duckdb.connect()
    connection.execute(script.read_text())
    ((count,),) = connection.execute("select count(*) from file where path like '/data/%'").fetchall()
    return int(count)


def test_two_stores_in_one_duckdb_keep_their_rows(run: Run, tmp_path: Path) -> None:
    connection = duckdb.connect(tmp_path / "both.duckdb")
    for name, files in (("a", 3), ("b", 5)):
        store = store_of(run, tmp_path / f"{name}.iotrace", files)
        connection.execute(f"create schema {name}; use {name}")
        connection.execute((store / "views.sql").read_text())
    connection.close()
    again = duckdb.connect(tmp_path / "both.duckdb")
    for name, files in (("a", 3), ("b", 5)):
        assert again.execute(f"select calls from {name}.totals").fetchall() == [(files,)]
        assert again.execute(f"select count(*) from {name}.syscall where call = 'openat'").fetchall() == [
            (files,)
        ]


def test_what_a_recording_measured_stays_with_its_store(run: Run, tmp_path: Path) -> None:
    from iotrace.store.writer import write_manifest

    connection = duckdb.connect()
    for name, waits in (("a", []), ("b", ["ppoll"])):
        store = store_of(run, tmp_path / f"{name}.iotrace", 2)
        manifest = json.loads((store / "manifest.json").read_text())
        write_manifest(store, manifest | {"unrecorded_waits": waits})
        connection.execute(f"create schema {name}; use {name}")
        connection.execute((store / "views.sql").read_text())
    states = {
        name: {row[0] for row in connection.execute(f"select state from {name}.wall_time").fetchall()}
        for name in "ab"
    }
    assert "computing" in states["a"] and "computing" not in states["b"]
    assert "not_recorded" in states["b"] and "not_recorded" not in states["a"]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_moved_store_says_what_to_run(run: Run, tmp_path: Path, is_replaced: bool) -> None:
    store = store_of(run, tmp_path / "a.iotrace", 3)
    moved = shutil.move(store, tmp_path / "moved.iotrace")
    if is_replaced:
        store_of(run, store, 5)
    with pytest.raises(duckdb.Error, match="moved or replaced") as refused:
        files_of(moved / "views.sql")
    command = str(refused.value).split("run: ")[1].split("; then")[0]
    subprocess.run(["sh", "-c", command], cwd=moved, check=True)
    assert files_of(moved / "views.sql") == 3


def test_a_copy_reads_no_other_store(run: Run, tmp_path: Path) -> None:
    store = store_of(run, tmp_path / "a.iotrace", 3)
    copy = shutil.copytree(store, tmp_path / "copy.iotrace")
    assert files_of(copy / "views.sql") == 3
    store_of(run, store, 5)
    with pytest.raises(duckdb.Error, match="moved or replaced"):
        files_of(copy / "views.sql")
    assert run("sql", copy, "select calls from totals", "-f", "csv").stdout == b"calls\n3\n"


def test_a_saved_database_does_not_read_what_replaced_its_store(run: Run, tmp_path: Path) -> None:
    store = store_of(run, tmp_path / "a.iotrace", 3)
    connection = duckdb.connect(tmp_path / "saved.duckdb")
    connection.execute((store / "views.sql").read_text())
    store_of(run, store, 5)
    for query in ("from totals", "select count(*) from syscall"):
        with pytest.raises(duckdb.Error, match="moved or replaced"):
            connection.execute(query).fetchall()


def test_a_folder_that_duckdb_takes_for_a_pattern(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(run, tmp_path / "a[1].iotrace", 3)
    other = store_of(run, tmp_path / "b.iotrace", 5)
    monkeypatch.chdir(store)
    assert files_of(store / "views.sql") == 3
    for folder in (tmp_path, other):
        monkeypatch.chdir(folder)
        with pytest.raises(duckdb.Error, match="working directory"):
            files_of(store / "views.sql")
