"""The benchmark of curves from stores runs from start to end, small, and finds what the Fenwick tree does."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "curve_of_store.py"


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_all_find_the_same_misses() -> None:
    command = [sys.executable, str(SCRIPT), "--references", "20000", "--blocks", "5000", "--rounds", "1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert [line.split("|")[1].strip() for line in result.stdout.splitlines() if line.startswith("|")] == [
        "case", "---", "Fenwick tree", "blocks, reads", "blocks, reads and writes, each write alone",
        "blocks, reads and writes", "keys",
    ]  # fmt: skip
