"""The installed program, which the tests of the command line share."""

import sys
from pathlib import Path

import pytest

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("cli", "workers")]
from program import Run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The installed program."""
    return Run(tmp_path_factory.mktemp("cache"))
