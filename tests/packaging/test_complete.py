"""A release is published only if every wheel and the source exist, all in the tag's version."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
WHEELS = [
    "manylinux_2_27_x86_64.manylinux_2_28_x86_64",
    "manylinux_2_28_aarch64",
    "macosx_11_0_x86_64",
    "macosx_11_0_arm64",
]
RELEASE = [f"iotrace_toolkit-{VERSION}-cp311-abi3-{tag}.whl" for tag in WHEELS] + [
    f"iotrace_toolkit-{VERSION}.tar.gz"
]


def checked(folder: Path, names: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    """Run the check on a folder with these files."""
    for name in names:
        (folder / name).touch()
    command = [sys.executable, str(ROOT / "packaging/complete.py"), str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_whole_release(tmp_path: Path) -> None:
    done = checked(tmp_path, RELEASE, "--tag", f"v{VERSION}")
    assert (done.returncode, done.stdout) == (0, f"complete: {VERSION}\n")


@pytest.mark.parametrize("absent", RELEASE)
def test_a_missing_file(tmp_path: Path, absent: str) -> None:
    done = checked(tmp_path, [name for name in RELEASE if name != absent])
    assert done.returncode == 1 and done.stdout.endswith("0 files, not one\n")


def test_another_version_and_another_tag(tmp_path: Path) -> None:
    done = checked(tmp_path, [*RELEASE, "iotrace_toolkit-9.9.9.tar.gz"], "--tag", "v9.9.9")
    assert done.returncode == 1
    assert "iotrace_toolkit-9.9.9.tar.gz: belongs to no release" in done.stdout
    assert "the tag is v9.9.9" in done.stdout
