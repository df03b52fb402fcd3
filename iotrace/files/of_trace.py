"""Which files a trace is made of."""

from collections.abc import Sequence
from pathlib import Path

CONVERTED = ("_text", "_parquet")
"""Folders that recorder2text and recorder2parquet make in a folder of traces."""


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files of a trace: those given, and those in a folder that is given, by name.

    Of a folder of Recorder's binary files those are taken that its converters put into a folder in it.
    """
    files: list[Path] = []
    for given in paths:
        path = next((given / inner for inner in CONVERTED if (given / inner).is_dir()), given)
        files += sorted(entry for entry in path.iterdir() if entry.is_file()) if path.is_dir() else [path]
    return files
