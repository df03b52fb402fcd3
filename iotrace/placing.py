"""Files that are in their place as a whole or not at all: written beside it and renamed."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def placed(output: Path, mode: int | None = None) -> Iterator[Path]:
    """Give a file to write, which takes its place, with this mode, only when the block ends without an error.

    The mode is that of any new file unless given. What exists and is no regular file (a device, a pipe) is written to
    as it is, never replaced. Raises OSError where the folder cannot be written.
    """
    if output.exists() and not output.is_file():
        yield output
        return
    handle, name = tempfile.mkstemp(prefix=f".{output.name}.partial-", dir=output.parent)
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        partial.chmod(0o666 & ~umask() if mode is None else mode)
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)


def umask() -> int:
    """Return the process's file mode mask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
