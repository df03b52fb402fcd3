"""``iotrace cache`` shows what is kept, and removes it: nothing in use, and nothing that is not iotrace's."""

import fcntl
import json
import os
import shutil
from pathlib import Path

import pytest
from program import LOG, Run


@pytest.fixture
def own(tmp_path: Path) -> Run:
    """The program with a cache that holds the store of one trace, its answers, and a catalogue."""
    run = Run(tmp_path / "cache")
    shutil.copyfile(LOG, tmp_path / "a.strace")
    (tmp_path / "fleet").mkdir()
    assert run("ingest", LOG, "-o", tmp_path / "fleet" / "b.iotrace").returncode == 0
    assert run(tmp_path / "a.strace").returncode == 0
    assert run("catalogue", tmp_path / "fleet").returncode == 0
    return run


def kept(run: Run) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(run("cache", "-f", "json").stdout)
    return rows


def test_what_is_kept_is_listed(own: Run, tmp_path: Path) -> None:
    store, answers, catalogues = kept(own)
    assert (store["kind"], store["trace"]) == ("store", str(tmp_path / "a.strace"))
    (entry,) = (path for path in (own.cache / "iotrace").iterdir() if "-" in path.name)
    assert store["bytes"] == sum(path.lstat().st_size for path in entry.rglob("*"))
    assert (answers["kind"], answers["files"]) == ("answers", 2)
    assert (catalogues["kind"], catalogues["files"]) == ("catalogues", 1)
    assert b"iotrace cache --clean removes them" in own("cache").stdout


def test_all_is_removed_but_what_is_used_and_what_is_not_iotraces(own: Run, tmp_path: Path) -> None:
    home = own.cache / "iotrace"
    (home / "answers" / "mine.json").write_text("{}")
    (home / "sql_history").write_text("select 1;\n")
    (entry,) = (path for path in home.iterdir() if "-" in path.name)
    descriptor = os.open(entry, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    done = own("cache", "--clean")
    assert done.returncode == 0 and b"removed 0 stores and 3 files of answers and catalogues" in done.stdout
    assert b"left 1 store that a process uses" in done.stdout and entry.exists()
    os.close(descriptor)
    assert b"removed 1 store and 0 files" in own("cache", "--clean").stdout
    assert kept(own) == []
    assert (home / "answers" / "mine.json").exists() and (home / "sql_history").exists()
    assert own(tmp_path / "a.strace").returncode == 0


def test_a_cache_that_is_not_there(tmp_path: Path) -> None:
    run = Run(tmp_path / "none")
    assert b"nothing is kept in" in run("cache").stdout
    assert run("cache", "--clean").stdout.startswith(b"removed 0 stores")
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "iotrace").write_text("")
    done = Run(tmp_path / "file")("cache")
    assert done.returncode == 1 and b"cannot be read: Not a directory" in done.stderr


def test_a_screen_that_has_a_limit_of_memory_is_not_kept(own: Run, tmp_path: Path) -> None:
    """It may lack what does not fit."""
    assert own("ingest", LOG, "-o", tmp_path / "b.iotrace").returncode == 0

    def answers() -> object:
        (files,) = (row["files"] for row in kept(own) if row["kind"] == "answers")
        return files

    before = answers()
    assert own(tmp_path / "b.iotrace", "--memory", "512M").returncode == 0
    assert answers() == before
    assert own(tmp_path / "b.iotrace").returncode == 0
    assert answers() == 3
