"""A small log, and its store."""

import shutil
from pathlib import Path

import pytest
from program import LOG, Run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The installed program."""
    return Run(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A program copies a file; its child reads part of the copy and deletes the original."""
    return Path(shutil.copy(LOG, tmp_path / "copy.strace"))


@pytest.fixture(scope="session")
def shared_store(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of that log, not to be changed."""
    store = tmp_path_factory.mktemp("stores") / "copy.iotrace"
    done = run("ingest", LOG, "-o", store)
    assert done.returncode == 0, done.stderr
    return store


@pytest.fixture
def store(shared_store: Path, tmp_path: Path) -> Path:
    """A copy of that store, to be damaged."""
    return Path(shutil.copytree(shared_store, tmp_path / "copy.iotrace"))
