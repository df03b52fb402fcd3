"""The temporary space that the files of archives, and copies of compressed files, may take."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol

from iotrace.errors import IotraceError, reason

COPIED_BYTES = 1 << 20
EMPTY_BYTES = 8192
"""The space of a file without content in a folder that holds nothing else: a block of each and their inodes."""
_MOST_BYTES: ContextVar[int | None] = ContextVar("most_unpacked_bytes", default=None)


class Bytes(Protocol):
    """A source of bytes."""

    def read(self, count: int, /) -> bytes:
        """Return at most ``count`` bytes; none at the end."""


@contextlib.contextmanager
def limited(most_bytes: int | None) -> Iterator[None]:
    """Limit the temporary space of each trace opened within the block; None is half of the free space."""
    token = _MOST_BYTES.set(most_bytes)
    try:
        yield
    finally:
        _MOST_BYTES.reset(token)


def most_bytes() -> int:
    """Return how much temporary space a trace may take."""
    most = _MOST_BYTES.get()
    return shutil.disk_usage(tempfile.gettempdir()).free // 2 if most is None else most


class Space:
    """The temporary space of one trace."""

    def __init__(self) -> None:
        self.left_bytes = most_bytes()

    def new_folder(self, folder: Path, name: str) -> None:
        """Make a folder for one file; raises IotraceError if too little is left, or it cannot be made."""
        self.reserve(EMPTY_BYTES, name)
        with _unpacking(name):
            folder.mkdir()

    def copy(self, source: Bytes, target: Path, name: str) -> None:
        """Write a file; raises IotraceError if it would take more than is left, or cannot be written."""
        with _unpacking(name):
            out = target.open("xb")
        with contextlib.closing(out):
            while part := source.read(COPIED_BYTES):
                self.reserve(len(part), name)
                with _unpacking(name):
                    out.write(part)
            with _unpacking(name):
                out.flush()

    def reserve(self, size_bytes: int, name: str) -> None:
        """Take some of what is left; raises IotraceError if it is not enough."""
        self.left_bytes -= size_bytes
        if self.left_bytes < 0:
            raise IotraceError(
                f"{name}: unpacked, the trace takes more temporary space than it may (half of the free disk, if not"
                " given); iotrace ingest --max-unpacked SIZE allows more"
            )


@contextlib.contextmanager
def _unpacking(name: str) -> Iterator[None]:
    """Raise IotraceError where the system refuses to write; what refuses to be read is for the caller."""
    try:
        yield
    except OSError as error:
        raise IotraceError(
            f"{name}: cannot be unpacked: {reason(error)}; set TMPDIR to a folder with more space"
        ) from None
