"""Checks of the build beyond pyproject.toml: where iotrace cannot be built, stop with one sentence and the way out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup


def check_platform() -> None:
    """Raise SystemExit on a system or a Python that iotrace does not run on."""
    if sys.version_info < (3, 11):  # noqa: UP036 - pip asks pyproject.toml, but not who runs this file
        found = ".".join(map(str, sys.version_info[:2]))
        raise SystemExit(
            f"error: iotrace needs Python 3.11 or newer, and this is {found}: install a newer one"
        )
    if os.name != "posix":
        raise SystemExit("error: iotrace runs on Linux and macOS; on Windows, install it in WSL")


def check_toolchain() -> None:
    """Raise SystemExit, with how to get it, where cargo, a recent rustc, or a C compiler is missing."""
    import tomllib

    workspace = tomllib.loads(Path(__file__).with_name("iotrace").joinpath("engine/Cargo.toml").read_text())
    needed: str = workspace["workspace"]["package"]["rust-version"]
    advice = f"iotrace's engine is built with Rust {needed} or newer; get it from https://rustup.rs"
    cargo = _version(os.environ.get("CARGO", "cargo"))
    rustc = _version(os.environ.get("RUSTC", "rustc"))
    if cargo is None or rustc is None:
        raise SystemExit(f"error: {'cargo' if cargo is None else 'rustc'} was not found: {advice}")
    if rustc < tuple(int(part) for part in needed.split(".")):
        raise SystemExit(f"error: this machine's rustc is {'.'.join(map(str, rustc))}: {advice}")
    if not any(shutil.which(name) for name in (os.environ.get("CC", "cc"), "cc", "gcc", "clang")):
        raise SystemExit("error: no C compiler was found: iotrace's engine needs one, such as gcc, to link")


def _version(program: str) -> tuple[int, ...] | None:
    try:
        output = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    version = re.search(r"(\d+)\.(\d+)", output)
    return tuple(int(part) for part in version.groups()) if version else None


check_platform()
check_toolchain()
# one wheel serves Python 3.11 and all later versions: the engine uses only their common interface (abi3)
setup(options={"bdist_wheel": {"py_limited_api": "cp311"}})
