"""The profile with which wheels are built: its commands exist, and the release uses the file that it writes."""

import os
import runpy
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from iotrace.cli import COMMANDS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "pgo.py"
TRAINING = [line.split() for line in runpy.run_path(str(SCRIPT))["COMMANDS"].strip().splitlines()]
WHEELS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]


def test_the_commands_exist_and_each_input_was_made_before() -> None:
    made = {"DEMO"}
    for words in TRAINING:
        assert words[0] in COMMANDS, words
        if words[0] != "generate":
            assert words[1] in made, words
        if "-o" in words:
            made.add(words[words.index("-o") + 1])


def test_the_profile_has_each_sort_of_work() -> None:
    assert {words[0] for words in TRAINING} > {"ingest", "curve", "report", "nonvolatile", "write-cache"}
    assert any("--policy" in words for words in TRAINING)


def test_wheels_for_linux_are_built_with_the_profile() -> None:
    linux = WHEELS["linux"]
    _, script, profile = shlex.split(linux["before-build"][0])
    assert script == "{package}/packaging/pgo.py"
    assert linux["environment"]["RUSTFLAGS"] == f"-Cprofile-use={profile}"
    assert linux["before-build"][1:] == [WHEELS["before-build"]]
    assert "--component llvm-tools" in linux["before-all"]


def test_a_toolchain_without_the_program_that_merges(tmp_path: Path) -> None:
    rustc = tmp_path / "rustc"
    rustc.write_text(f"#!/bin/sh\necho {tmp_path}\n")
    rustc.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, str(SCRIPT), str(tmp_path / "iotrace.profdata")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: llvm-profdata was not found: run rustup component add llvm-tools\n"
