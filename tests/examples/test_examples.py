import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_python_interface_example_runs() -> None:
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / "python_interface.py")], capture_output=True, text=True, check=True
    ).stdout
    assert "references" in result
    assert result.count("read request miss ratio") == 3
