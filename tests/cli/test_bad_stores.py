"""Stores that are damaged, newer, or in the way; folders and disks that cannot be written."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program import Run, refused

VERBS = (["info"], ["characterize"], ["curve"], ["sql", "from file"], ["report", "-o", "-"])


def ask(verb: list[str], store: Path) -> list[object]:
    return [verb[0], store, *verb[1:]]


def change_manifest(store: Path, change: Callable[[dict[str, object]], object]) -> None:
    manifest = json.loads((store / "manifest.json").read_text())
    change(manifest)
    (store / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_store_of_a_newer_version(run: Run, store: Path, verb: list[str]) -> None:
    change_manifest(store, lambda manifest: manifest.update(store_version=99, iotrace="9.0.0"))
    assert "written by another iotrace (store version 99" in refused(run(*ask(verb, store)))


def test_a_store_from_before_the_first_release(run: Run, store: Path) -> None:
    change_manifest(store, lambda manifest: manifest.update(store_version=6))
    for verb in VERBS:
        assert "made before iotrace 0.1.0; ingest the trace again" in refused(run(*ask(verb, store)))
    change_manifest(store, lambda manifest: manifest.update(store_version=1))
    reference = pq.read_table(store / "reference.parquet")
    pq.write_table(reference.drop_columns(["call_seq"]), store / "reference.parquet")  # its first layout
    message = "reference.parquet does not have the columns of table reference; ingest the trace again"
    for verb in VERBS:
        assert message in refused(run(*ask(verb, store)))


@pytest.mark.parametrize(
    "manifest", ["", '{"iotr', "[]", "{}", '{"store_version": 1}', "\0", '{"store_version": "x"}']
)
def test_a_damaged_manifest(run: Run, store: Path, manifest: str) -> None:
    (store / "manifest.json").write_text(manifest)
    for verb in VERBS:
        assert "manifest.json" in refused(run(*ask(verb, store)))


def test_a_store_without_a_manifest(run: Run, store: Path) -> None:
    (store / "manifest.json").unlink()
    assert "no manifest.json" in refused(run("info", store))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_missing_table(run: Run, store: Path, verb: list[str]) -> None:
    (store / "file.parquet").unlink()
    assert "file.parquet is missing" in refused(run(*ask(verb, store)))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
@pytest.mark.parametrize("damage", ["cut", "other", "empty", "text"])
def test_a_damaged_table(run: Run, store: Path, verb: list[str], damage: str) -> None:
    table = store / "reference.parquet"
    content = {
        "cut": table.read_bytes()[:200],
        "other": (store / "use.parquet").read_bytes(),
        "empty": b"",
        "text": b"PAR1 not really PAR1",
    }
    table.write_bytes(content[damage])
    assert "copy.iotrace: reference.parquet " in refused(run(*ask(verb, store)))


def test_what_exists_is_replaced_only_by_force_and_only_if_it_is_a_store(run: Run, log: Path) -> None:
    folder = log.parent
    assert run("ingest", log, "-o", "a.iotrace", folder=folder).returncode == 0
    before = (folder / "a.iotrace" / "manifest.json").stat().st_mtime_ns
    assert "--force" in refused(run("ingest", log, "-o", "a.iotrace", folder=folder), 2)
    assert (folder / "a.iotrace" / "manifest.json").stat().st_mtime_ns == before
    assert run("ingest", log, "-o", "a.iotrace", "--force", folder=folder).returncode == 0
    assert (folder / "a.iotrace" / "manifest.json").stat().st_mtime_ns > before
    (folder / "precious").mkdir()
    (folder / "precious" / "thesis.tex").touch()
    (folder / "letter").touch()
    (folder / "dangling").symlink_to("nowhere")
    for name in ("precious", "letter"):
        assert "is not a store" in refused(run("ingest", log, "-o", name, "--force", folder=folder), 2)
    refused(run("ingest", log, "-o", "dangling", folder=folder), 2)
    assert (folder / "dangling").is_symlink()
    assert run("ingest", log, "-o", "dangling", "--force", folder=folder).returncode == 0
    assert not (folder / "dangling").is_symlink() and not (folder / "nowhere").exists()
    assert (folder / "precious" / "thesis.tex").exists()
    assert {path.name for path in folder.iterdir()} == {
        "a.iotrace",
        "copy.strace",
        "precious",
        "letter",
        "dangling",
    }


def test_other_outputs_that_exist(run: Run, store: Path, tmp_path: Path) -> None:
    (tmp_path / "x.ultrix").write_text("mine")
    words = ("export", store, "--to", "ultrix", "-o", tmp_path / "x.ultrix")
    assert "--force" in refused(run(*words), 2)
    assert (tmp_path / "x.ultrix").read_text() == "mine"
    assert run(*words, "--force").returncode == 0
    assert "is a directory" in refused(run("sql", store, "from file", "-o", tmp_path), 2)
    assert f"mkdir -p {tmp_path}/no" in refused(run("sql", store, "from file", "-o", tmp_path / "no" / "x"))


def test_a_folder_that_may_not_be_written(run: Run, log: Path, store: Path) -> None:
    closed = Path("/sys/kernel")  # where not even root may make files
    for output in (closed / "a.iotrace", closed / "new" / "a.iotrace", Path("/dev/null/a.iotrace")):
        assert refused(run("ingest", log, "-o", output)).startswith(f"{output}: cannot be written: ")
    for words in (
        ["export", store, "--to", "csv", "-o", closed],
        ["export", store, "--to", "ultrix", "-o", closed / "x.ultrix"],
        ["sql", store, "from file", "-o", closed / "x.csv"],
        ["sql", store, "from file", "-f", "parquet", "-o", closed / "x.parquet"],
        ["report", store, "-o", closed / "x.html"],
    ):
        message = refused(run(*words))
        assert str(closed) in message and "a folder that you may write" in message


def test_a_place_that_may_not_be_written_is_refused_before_the_work(run: Run, tmp_path: Path) -> None:
    page = Path("/dev/null/x.html")
    assert refused(run("report", tmp_path / "not-read.strace", "-o", page)).startswith(f"{page}: ")
    assert refused(run("demo", "-o", page)).startswith(f"{page}: ")
    done = run("record", "-o", "/dev/null/x.iotrace", "--", "touch", tmp_path / "ran")
    assert refused(done).startswith("/dev/null/x.iotrace: cannot be written: ")
    assert not (tmp_path / "ran").exists()


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk that is full")
    options = ["-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if subprocess.run(["mount", *options], capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk(run: Run, log: Path, store: Path, full_disk: Path) -> None:
    assert "No space left on device" in refused(run("ingest", log, "-o", full_disk / "a.iotrace"))
    assert list(full_disk.iterdir()) == []
    for words in (
        ["export", store, "--to", "csv", "-o", full_disk / "tables"],
        ["sql", store, "from range(1000000)", "-f", "csv", "-o", full_disk / "x.csv"],
        ["report", store, "-o", full_disk / "x.html"],
    ):
        assert refused(run(*words))


def test_files_that_may_not_grow(run: Run, log: Path) -> None:
    done = run.shell('ulimit -f 1; "$IOTRACE" ingest copy.strace -o a.iotrace', log.parent)
    assert refused(done) == "a.iotrace: cannot be written: File too large"
    assert [path.name for path in log.parent.iterdir()] == ["copy.strace"]


@pytest.mark.parametrize("form", ["table", "csv", "json", "parquet"])
def test_standard_output_on_a_full_disk(run: Run, store: Path, tmp_path: Path, form: str) -> None:
    line = f'"$IOTRACE" sql {store} "from range(100000)" -f {form} > /dev/full'
    assert refused(run.shell(line, tmp_path)) == "standard output: cannot be written: No space left on device"


@pytest.mark.parametrize("form", ["table", "csv", "json", "parquet"])
def test_a_reader_that_has_seen_enough(run: Run, store: Path, tmp_path: Path, form: str) -> None:
    done = run.shell(f'"$IOTRACE" sql {store} "from range(300000)" -f {form} | head -c 10', tmp_path)
    assert len(done.stdout) == 10 and done.stderr == b""


def test_streams_that_are_closed(run: Run, log: Path) -> None:
    done = run.shell('"$IOTRACE" ingest copy.strace -o a.iotrace >&- 2>&- <&-', log.parent)
    assert done.returncode == 0
    assert (log.parent / "a.iotrace" / "manifest.json").exists()


@pytest.mark.parametrize(
    "words", [("report", "STORE", "-o", "/proc/no/page.html"), ("report", "STORE", "-o", "/dev/full")]
)
def test_a_report_that_cannot_be_written_is_named(
    run: Run, shared_store: Path, words: tuple[str, ...]
) -> None:
    done = run(*(str(shared_store) if word == "STORE" else word for word in words))
    assert refused(done).startswith(f"{words[-1]}: cannot be written: ")


def test_a_query_that_is_no_text_is_one_line(run: Run, store: Path, tmp_path: Path) -> None:
    query = b'select 1 as "\xff"'
    (tmp_path / "query.sql").write_bytes(query)
    assert "query.sql: is not UTF-8 text" in refused(run("sql", store, "--file", tmp_path / "query.sql"), 2)
    assert "standard input: is not UTF-8 text" in refused(run("sql", store, "-", given=query), 2)
    assert "the query: is not UTF-8 text" in refused(run("sql", store, os.fsdecode(query)), 2)
    assert "statements of this type are refused" in refused(run("sql", store, "update extensions"), 2)
