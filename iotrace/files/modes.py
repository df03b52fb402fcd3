"""Who may read what is made: no more than may read what it is made of."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

PRIVATE = 0o600
"""Of what its maker alone may read and write."""
PUBLIC = 0o666
_OTHERS = 0o066
_EXECUTE_OF_READ = 2
"""How far a class's bit to search a folder is below its bit to read."""


def mode_of(paths: Iterable[Path]) -> int:
    """Return the mode of a file made of these, before the process's mask: the narrowest, which its maker can write.

    Of a folder, its own mode counts and those of its members. Pipes, devices and what is not there allow anything.
    """
    mode = PUBLIC
    for status in (status for path in paths for status in _statuses(path)):
        if stat.S_ISREG(status.st_mode):
            mode &= status.st_mode | PRIVATE
        elif stat.S_ISDIR(status.st_mode):
            mode &= (
                status.st_mode | PRIVATE | (_OTHERS & 0o222)
            )  # who may add files to a folder may not change these
    readable = mode & 0o444
    return readable | (mode & 0o222 & readable >> 1)


def of_folder(mode: int) -> int:
    """Return the mode of a folder whose files have this one: who may read them may search it."""
    return mode | (mode & 0o444) >> _EXECUTE_OF_READ


def mask_of(mode: int) -> int:
    """Return the mask by which new files have at most this mode, and new folders that of `of_folder`."""
    return 0o777 & ~of_folder(mode)


def _statuses(path: Path) -> Iterator[os.stat_result]:
    try:
        yield path.stat()
        if path.is_dir():
            with os.scandir(path) as members:
                for member in members:
                    yield member.stat()
    except OSError:
        return  # whoever reads it says why that cannot be
