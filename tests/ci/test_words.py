"""The lint of phrases: it counts them in tracked text files and fails above its limit."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

SCRIPT = Path(__file__).parents[2] / ".ci/words"
PHRASE = " ".join(["So", "many"])  # not written out: the lint reads this file as well


def repository(folder: Path, files: dict[str, str]) -> Path:
    """Return a git work tree that tracks these files."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    subprocess.run(["git", "-C", str(folder), "add", "."], check=True)
    return folder


def words(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_hits_are_listed_and_fail_above_the_limit(tmp_path: Path) -> None:
    folder = repository(
        tmp_path, {"page.md": f"# Page\n\n{PHRASE} blocks.\n", "code/a.py": f"# {PHRASE.lower()}\n"}
    )
    done = words("--limit", 1, folder)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:2] == [f"code/a.py:1: {PHRASE.lower()}", f"page.md:3: {PHRASE}"]
    assert words("--limit", 2, folder).returncode == 0


def test_only_tracked_text_and_whole_words_count(tmp_path: Path) -> None:
    folder = repository(tmp_path, {"a.md": "Also manyfold.\n", "data.csv": PHRASE, "gone.py": PHRASE})
    (folder / "gone.py").unlink()
    (folder / "untracked.md").write_text(PHRASE)
    done = words("--limit", 0, folder)
    assert (done.returncode, done.stdout) == (0, "0 phrases that this project does not use; the limit is 0\n")


def test_a_folder_outside_git_is_refused(tmp_path: Path) -> None:
    done = words(tmp_path)
    assert done.returncode == 2 and "not a git repository" in done.stderr and "Traceback" not in done.stderr
