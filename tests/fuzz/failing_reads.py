"""Reads of one file that fail behind some bytes, as on a disk with a bad block (a library loaded before the others)."""

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.fuzz.corpus import TESTS

SHARE = 0.25
"""The share of mutants whose reads fail, where the library is loaded."""


def start_again(folder: Path) -> None:
    """Compile the library into a folder and start this program again with it."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        sys.exit("--failing-reads needs Linux and a C compiler")
    library = folder / "breaking.so"
    source = TESTS / "truth" / "breaking.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    os.environ["LD_PRELOAD"] = str(library)
    os.execv(sys.executable, sys.orig_argv)


def is_loaded() -> bool:
    """Return whether the library is loaded."""
    return "breaking.so" in os.environ.get("LD_PRELOAD", "")


def chosen(draw: random.Random, file: Path) -> Mapping[str, str]:
    """Return the variables with which reads of a file fail from some byte on, or none."""
    if not is_loaded() or not file.is_file() or draw.random() >= SHARE:
        return {}
    return {"BROKEN_FILE": str(file.resolve()), "BROKEN_AFTER": str(draw.randrange(file.stat().st_size + 1))}
