"""Programs, traces and devices whose truth is known by other means, run through iotrace as a user would."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "cli"))

from program import Run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The installed program."""
    return Run(tmp_path_factory.mktemp("cache"))
