"""Files of one recording of which some are not read: a recorder that writes several numbers them in their names."""

import re
from collections.abc import Sequence
from pathlib import Path

from iotrace.formats.reading.files import listed

_END = r"(?:\.(?:gz|zst|xz|bz2))?"
NUMBERED = {
    "blktrace": ("processor", re.compile(rf".+\.blktrace\.(\d+){_END}", re.DOTALL)),
    "strace": ("thread", re.compile(rf".+\.(\d+){_END}", re.DOTALL)),
    "recorder-text": ("process", re.compile(rf"(\d+)\.txt{_END}")),
    "recorder-parquet": ("process", re.compile(r"(\d+)\.parquet")),
    "dftracer": ("process", re.compile(rf".+?-(\d+)(?:-of-\d+)?\.pfw{_END}", re.DOTALL)),
}
"""By format: what has a file of its own in a recording, and how the files are called, with the number that differs."""


def warnings(name: str, files: Sequence[Path]) -> list[str]:
    """Return a sentence on the files beside those of a trace of a format that belong to its recording by their names.

    Those without content, and others with the number of a file that is read, do not count.
    """
    if name not in NUMBERED:
        return []
    what, form = NUMBERED[name]
    taken: dict[tuple[Path, str], set[str]] = {}
    for path in files:
        if position := _place(path.absolute(), form):
            taken.setdefault(position[0], set()).add(position[1])
    others: dict[tuple[tuple[Path, str], str], Path] = {}
    for folder in {folder for folder, _ in taken}:
        for path in sorted(folder.iterdir()):
            position = _place(path, form)
            if position and position[1] not in taken.get(position[0], {position[1]}) and _has_content(path):
                others.setdefault(position, path)
    if not others:
        return []
    named = listed(sorted(others.values(), key=lambda path: (len(path.name), path.name)))
    count = len(others)
    files_are, are = ("file is", "is") if count == 1 else ("files are", "are")
    return [
        f"{count:,} {files_are} of the same recording by name and {are} not read, each with what another {what} did:"
        f" {named}; give the folder or all of them"
    ]


def _place(path: Path, form: re.Pattern[str]) -> tuple[tuple[Path, str], str] | None:
    """Return a file's folder and name without its number and the end of compressed files, and its number."""
    match = form.fullmatch(path.name)
    if match is None:
        return None
    start, end = match.span(1)
    rest = re.sub(rf"{_END}$", "", path.name[end:])
    return (path.parent, f"{path.name[:start]}#{rest}"), match[1]


def _has_content(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0
