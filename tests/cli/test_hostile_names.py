"""Stores and traces of any name are what commands read, not their neighbours; no name ends in an internal error."""

import os
import shutil
from pathlib import Path

import pytest
from program import LOG, Run
from typer.testing import CliRunner

from iotrace.cli import application
from iotrace.ingest.pipeline import ingest

NAMES = [b"run[1]", b"a*b", b"**", b"?", b"{a}", b"file:x", b"s3:x", b"caf\xe9", b"\x1b[31mred"]
DECOYS = [b"run1", b"aXb", b"x", b"a", b"b", b":"]
VERBS: dict[str, tuple[str, ...]] = {
    "info": ("info", "STORE", "-f", "csv"),
    "characterize": ("characterize", "STORE", "totals", "-f", "csv"),
    "curve": ("curve", "STORE", "--where", "true", "-f", "csv"),
    "attribute": ("attribute", "STORE", "--class", "Logs: path like '%.log'", "-f", "csv"),
    "nonvolatile": ("nonvolatile", "STORE", "-f", "csv"),
    "patterns": ("patterns", "STORE", "--least", "1", "-f", "csv"),
    "sql": ("sql", "STORE", "select count(*) from reference", "-f", "csv"),
    "cluster": ("cluster", "STORE", "-f", "csv"),
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of each name, and others of half the trace, which no command is to read."""
    folder = tmp_path_factory.mktemp("names")
    half = folder / "half.strace"
    half.write_bytes(b"".join(LOG.read_bytes().splitlines(keepends=True)[:9]))
    traces = {path: ingest([path], folder / f"{path.stem}.iotrace").path for path in (LOG, half)}
    for name in (*NAMES, *DECOYS):
        shutil.copytree(traces[half if name in DECOYS else LOG], folder / os.fsdecode(name + b".iotrace"))
    return folder


def answer(store: Path, verb: str) -> str:
    """Return what a command says of a store, which it may name."""
    done = CliRunner().invoke(
        application(), [str(store) if word == "STORE" else word for word in VERBS[verb]]
    )
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout.replace(store.stem, LOG.stem)


@pytest.mark.parametrize("verb", VERBS)
def test_a_store_of_any_name_is_the_one_that_is_read(stores: Path, verb: str) -> None:
    expected = answer(stores / "copy.iotrace", verb)
    for name in NAMES if verb in ("characterize", "sql") else NAMES[:2]:
        if name.isascii():
            assert answer(stores / os.fsdecode(name + b".iotrace"), verb) == expected, name


@pytest.mark.parametrize("verb", ["characterize", "curve", "sql"])
def test_a_store_whose_name_is_not_utf8(run: Run, stores: Path, verb: str) -> None:
    store = stores / os.fsdecode(b"caf\xe9.iotrace")
    done = run(*(store if word == "STORE" else word for word in VERBS[verb]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == answer(stores / "copy.iotrace", verb)


@pytest.mark.parametrize("name", [b"caf\xe9.strace", b"s3:x", b"run[1].strace"])
def test_a_trace_of_any_name_is_kept_and_ingested_next_to_itself(
    run: Run, tmp_path: Path, name: bytes
) -> None:
    trace = tmp_path / os.fsdecode(name)
    shutil.copy(LOG, trace)
    done = run("characterize", trace.name, "totals", "-f", "csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b",18," in done.stdout
    shown = name.replace(b"\xe9", rb"\xe9")
    assert done.stderr.startswith(b"iotrace: kept as ") and done.stderr.endswith(shown + b".iotrace\n")
    assert run("ingest", trace.name, folder=tmp_path).returncode == 0
    assert (tmp_path / f"{trace.name}.iotrace" / "manifest.json").exists()
    assert run("export", f"{trace.name}.iotrace", "--to", "csv", "-o", "t", folder=tmp_path).returncode == 0
    assert (tmp_path / "t" / "reference.csv").read_bytes().count(b"\n") > 30
