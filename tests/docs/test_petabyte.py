"""The tables of docs/scale.md on a petabyte are those that the script works out."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_has_the_tables_of_the_script() -> None:
    script = ROOT / "tests" / "benchmarks" / "petabyte.py"
    made = subprocess.run([sys.executable, "-P", script], capture_output=True, text=True, check=True).stdout
    page = (ROOT / "docs" / "scale.md").read_text("utf-8")
    for table in made.strip().split("\n\n"):
        assert table in page
