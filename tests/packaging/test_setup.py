"""If iotrace cannot be built, one sentence says why and what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def programs(folder: Path, **versions: str) -> str:
    """A PATH on which only these programs are, each of which prints its version."""
    for name, version in versions.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\necho {name} {version}\n")
        program.chmod(0o755)
    return str(folder)


def refused(path: str, python: str = sys.executable) -> str:
    """Return the message of setup.py; check that it is one line and an error."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CARGO", "CC", "RUSTC")}
    command = [python, str(ROOT / "setup.py"), "--version"]
    done = subprocess.run(
        command, env=environment | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and not done.stdout
    (line,) = done.stderr.splitlines()
    return line


def test_no_compiler_of_rust(tmp_path: Path) -> None:
    line = refused(programs(tmp_path))
    assert line.startswith("error: cargo was not found: ") and line.endswith("get it from https://rustup.rs")


def test_an_old_compiler_of_rust(tmp_path: Path) -> None:
    line = refused(programs(tmp_path, cargo="1.63.0", rustc="1.63.0"))
    assert line.startswith("error: this machine's rustc is 1.63: ") and "https://rustup.rs" in line


def test_no_compiler_of_c(tmp_path: Path) -> None:
    assert refused(programs(tmp_path, cargo="1.99.0", rustc="1.99.0")).startswith(
        "error: no C compiler was found"
    )


@pytest.mark.skipif(shutil.which("python3.10") is None, reason="needs Python 3.10")
def test_an_old_python() -> None:
    version = subprocess.run(["python3.10", "--version"], capture_output=True, check=False)
    if version.returncode:
        pytest.skip("python3.10 does not run")
    assert refused(os.environ["PATH"], "python3.10").startswith("error: iotrace needs Python 3.11 or newer")
