"""Check that a folder holds a complete release: one wheel per platform and a source distribution, in one version.

    python3 packaging/complete.py FOLDER [--tag v0.1.0]

Prints what is missing or unexpected; exit status 1 if anything is. Without a wheel ``pip install`` falls back to the
source, which needs a Rust compiler; an incomplete release is therefore not published.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

PLATFORMS = {
    "Linux on x86-64": r"manylinux_2_\d+_x86_64",
    "Linux on arm64": r"manylinux_2_\d+_aarch64",
    "macOS on x86-64": r"macosx_\d+_\d+_x86_64",
    "macOS on arm64": r"macosx_\d+_\d+_arm64",
}


def missing(folder: Path, version: str) -> list[str]:
    """Return a sentence for each file that a release of this version lacks in a folder, or has too many of."""
    names = sorted(path.name for path in folder.iterdir())
    patterns = {
        f"wheel for {name}": rf"iotrace_toolkit-{re.escape(version)}-cp311-abi3-(\w+\.)*{tag}(\.\w+)*\.whl"
        for name, tag in PLATFORMS.items()
    }
    patterns["source distribution"] = rf"iotrace_toolkit-{re.escape(version)}\.tar\.gz"
    wrong = []
    for what, pattern in patterns.items():
        fitting = [name for name in names if re.fullmatch(pattern, name)]
        if len(fitting) != 1:
            wrong.append(f"{what}: {len(fitting)} files, not one")
        names = [name for name in names if name not in fitting]
    return wrong + [f"{name}: belongs to no release of {version}" for name in names]


def main() -> int:
    """Print what is wrong; return the exit status."""
    parser = argparse.ArgumentParser(description="Check that a release is complete.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tag", default="", help="the tag that it is built from, v and the version")
    given = parser.parse_args()
    project = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))
    version = project["project"]["version"]
    wrong = missing(given.folder, version)
    if given.tag not in ("", f"v{version}"):
        wrong.append(f"the tag is {given.tag}, the version in pyproject.toml {version}")
    print("\n".join(wrong) or f"complete: {version}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
