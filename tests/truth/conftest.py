"""Programs, traces and devices whose truth is known by other means, run through iotrace as a user would."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "cli"))
sys.path.append(str(Path(__file__).parents[1] / "formats"))

from outputs_of_commands import made
from program import Run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The installed program."""
    return Run(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def _made(run: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return made(run, tmp_path_factory.mktemp("made"))


@pytest.fixture
def places(_made: dict[str, Path], tmp_path: Path) -> dict[str, Path]:
    """Copies of what commands are given: traces, a store, a state."""
    (tmp_path / "given").mkdir()
    return {word: _copied(path, tmp_path / "given" / path.name) for word, path in _made.items()}


def _copied(source: Path, target: Path) -> Path:
    return Path((shutil.copytree if source.is_dir() else shutil.copyfile)(source, target))
