"""Builds Increment-and-Freeze (Bender and others, SPAA 2023) from the user's copy of its source."""

import subprocess
from pathlib import Path

DRIVER = Path(__file__).with_suffix(".cc")
SOURCES = ("bounded_iaf.cc", "increment_and_freeze.cc", "projection.cc")
OPTIONS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-DADDR_BIT32", "-fopenmp")


def build(source: Path, folder: Path) -> Path:
    """Compile our driver with the source in `source`; return the program, in `folder`. Needs g++ with OpenMP."""
    program = folder / "increment_and_freeze"
    sources = [str(source / name) for name in SOURCES]
    subprocess.run(["g++", *OPTIONS, f"-I{source}", str(DRIVER), *sources, "-o", str(program)], check=True)
    return program
