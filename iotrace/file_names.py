"""The names by which DuckDB, polars and pyarrow open exactly one local file, whatever it is called.

Those libraries take some names for patterns (``run[1]``), addresses (``s3:x``) or home folders (``~``), and read UTF-8
only. Every path that reaches one of them goes through this module.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_PATTERN = re.compile(r"[\[*?]")
_folders: dict[tuple[int, int], int] = {}
"""Open folders whose paths are not UTF-8, by device and inode; they stay open, since names lead through them."""


def local_name(path: Path) -> str:
    """Return an absolute name of the file that no library takes for an address; the file need not exist yet.

    The name of a file in a folder whose path is not UTF-8 leads through an open descriptor of that folder. A file
    whose own name is not UTF-8 is named by a descriptor of its own, which holds until the process ends. Raises OSError
    where such a folder or file cannot be opened.
    """
    absolute = str(path.absolute())
    if _is_utf8(absolute):
        return absolute
    if not _is_utf8(os.path.basename(absolute)):  # noqa: PTH119
        return _through_descriptor(absolute)
    folder, name = os.path.split(absolute)
    return f"{_through_descriptor(folder)}/{name}"


def sql_name(path: Path) -> str:
    """Return the same name as DuckDB's file functions take it: a pattern that only the file itself matches."""
    return _PATTERN.sub(lambda found: f"[{found[0]}]", local_name(path))


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _through_descriptor(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY)
    status = os.fstat(descriptor)
    known = _folders.setdefault((status.st_dev, status.st_ino), descriptor)
    if known != descriptor:
        os.close(descriptor)
    return f"/proc/self/fd/{known}"
