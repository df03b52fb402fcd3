"""The site has every page, and builds without a warning."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pages import DOCS, PROJECT, pages

CONFIGURATION = PROJECT / "mkdocs.yml"


def test_every_page_is_in_the_navigation() -> None:
    listed = {
        line.split("- ")[-1].strip() for line in CONFIGURATION.read_text("utf-8").splitlines() if "- " in line
    }
    assert set(pages()) == {name for name in listed if name.endswith(".md")}


def test_the_site_builds(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("zensical")
    if not program.exists():
        pytest.skip("zensical is not installed: pip install '.[docs]'")
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(CONFIGURATION, tmp_path)
    done = subprocess.run(
        [program, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "fonts.googleapis.com" not in index
    assert (tmp_path / "site" / "quickstart.html").exists()
