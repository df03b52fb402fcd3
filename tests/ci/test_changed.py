"""Which test files a change touches."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

SCRIPT = Path(__file__).parents[2] / ".ci/changed"
FILES = {
    "iotrace/store/views.py": "",
    "iotrace/store/other.py": "",
    "queries/a.sql": "",
    "tests/store/test_views.py": "from iotrace.store import views\n",
    "tests/cli/test_verbs.py": "import iotrace.store.views\n",
    "tests/store/test_more.py": "from iotrace.store import viewsfinder\n",
    "tests/store/twin.py": "",
    "tests/queries/test_queries.py": "",
}


def changed(folder: Path, *words: str) -> list[str]:
    command = [sys.executable, str(SCRIPT), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout.split()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    subprocess.run(["git", "-C", str(tmp_path), *identity, "commit", "-qm", "First"], check=True)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("iotrace/store/views.py", ["tests/cli/test_verbs.py", "tests/store/test_views.py"]),
        ("iotrace/store/other.py", ["tests/store"]),
        ("queries/a.sql", ["tests/queries"]),
        ("tests/cli/test_verbs.py", ["tests/cli/test_verbs.py"]),
        ("tests/store/twin.py", ["tests/store/test_more.py", "tests/store/test_views.py"]),
    ],
)
def test_tests_of_a_file(folder: Path, name: str, tests: list[str]) -> None:
    (folder / name).write_text("# changed\n" + FILES[name])
    assert changed(folder) == tests


def test_without_changes_it_is_the_last_commit(folder: Path) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    (folder / "queries/a.sql").write_text("select 1")
    subprocess.run(["git", "-C", str(folder), *identity, "commit", "-qam", "Second"], check=True)
    assert changed(folder) == changed(folder, "HEAD~1") == ["tests/queries"]
