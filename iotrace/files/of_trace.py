"""Which files a trace is made of."""

from collections.abc import Sequence
from pathlib import Path

CONVERTED = ("_text", "_parquet")
"""Folders that recorder2text and recorder2parquet make in a folder of traces."""
FIRST = "recorder.mt"
"""The file of a folder of Recorder by which it is recognised."""


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files of a trace: those given, and those in a folder that is given, by name.

    Of a folder of Recorder's binary files those are taken that its converters put into a folder in it; without these
    the one comes first by which it is recognised.
    """
    files: list[Path] = []
    for given in paths:
        path = next((given / inner for inner in CONVERTED if (given / inner).is_dir()), given)
        entries = (entry for entry in path.iterdir() if entry.is_file()) if path.is_dir() else [path]
        files += sorted(entries, key=lambda entry: (entry.name != FIRST, entry))
    return files
