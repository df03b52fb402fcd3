"""Folders for what is needed while the program runs; the next run removes those of killed ones."""

import atexit
import contextlib
import os
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path

from iotrace.files import TEMPORARY_PREFIX, partial_folder

_OF_PROCESSES: dict[int, Path] = {}


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a folder (in ``TMPDIR``, or where the system has such) that is removed when the block ends.

    Raises OSError if it cannot be made.
    """
    with partial_folder(Path(tempfile.gettempdir()), TEMPORARY_PREFIX) as folder:
        yield folder


def folder_of(owner: object) -> Path:
    """Return a new folder that is removed when its owner is; raises OSError if it cannot be made."""
    leaving = contextlib.ExitStack()
    folder = leaving.enter_context(temporary_folder())
    weakref.finalize(owner, leaving.close)
    return folder


def folder_of_process() -> Path:
    """Return this process's folder, which is removed when it ends; raises OSError if it cannot be made."""
    process = os.getpid()
    if process not in _OF_PROCESSES:
        leaving = contextlib.ExitStack()
        _OF_PROCESSES[process] = leaving.enter_context(temporary_folder())
        atexit.register(_close, leaving, process)
    return _OF_PROCESSES[process]


def is_of_process(path: Path) -> bool:
    """Return whether a path lies in this process's folder, which need not be there."""
    folder = _OF_PROCESSES.get(os.getpid())
    return folder is not None and path.is_relative_to(folder)


def _close(leaving: contextlib.ExitStack, process: int) -> None:
    if process == os.getpid():  # and not a process forked from it
        leaving.close()
