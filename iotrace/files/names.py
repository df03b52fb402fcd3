"""The names by which DuckDB, polars and pyarrow open exactly one local file, with any characters in its name.

Those libraries take some names for patterns (``run[1]``), addresses (``s3:x``) or home folders (``~``), and read UTF-8
only. Every path that reaches one of them goes through this module. Patterns are not escaped: DuckDB fails to match them
where a neighbour has a name like ``:``.
"""

import os
import re
from pathlib import Path

_PATTERN = re.compile(r"[\[*?]")
_DESCRIPTORS = "/proc/self/fd" if Path("/proc/self/fd").exists() else "/dev/fd"
_open: dict[tuple[int, int], int] = {}
"""Descriptors through which names lead, by device and inode; they stay open until the process ends."""


def local_name(path: Path) -> str:
    """Return an absolute name of a file that every library takes literally.

    A folder whose own path is no such name is opened, and named by its descriptor; a file in it need not exist yet.
    A file of which only the last part is no such name is opened itself. Raises OSError if that cannot be done.
    """
    absolute = str(path.absolute())
    if is_literal(absolute):
        return absolute
    folder, name = os.path.split(absolute)
    return f"{_descriptor(folder)}/{name}" if is_literal(name) else _descriptor(absolute)


def is_literal(name: str) -> bool:
    """Return whether those libraries take an absolute name literally."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return not _PATTERN.search(name)


def _descriptor(path: str) -> str:
    number = os.open(path, os.O_RDONLY)
    status = os.fstat(number)
    known = _open.setdefault((status.st_dev, status.st_ino), number)
    if known != number:
        os.close(number)
    return f"{_DESCRIPTORS}/{known}"
