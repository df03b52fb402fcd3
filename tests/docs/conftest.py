"""A reader of the pages, and the trace that they take."""

import shutil
from pathlib import Path

import pytest
from shown import DEMO, Reader


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Who runs what the pages show."""
    return Reader(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def demo(reader: Reader, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example trace and its store."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copy(DEMO, folder)
    assert reader("info", DEMO.name, folder=folder).returncode == 0
    return folder


@pytest.fixture
def desk(demo: Path, tmp_path: Path) -> Path:
    """A folder of one page, with the example trace."""
    shutil.copytree(demo, tmp_path, dirs_exist_ok=True)
    return tmp_path
