"""Files and folders that are in their place as a whole or not at all: written beside it and renamed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which users and systems end a program that is to clean up."""


@contextlib.contextmanager
def placed(output: Path, mode: int | None = None) -> Iterator[Path]:
    """Give a file to write, which takes its place, with this mode, only when the block ends without an error.

    The mode is that of any new file unless given. What exists and is no regular file (a device, a pipe) is written to
    as it is, never replaced. Raises OSError where the folder cannot be written.
    """
    if output.exists() and not output.is_file():
        yield output
        return
    with contextlib.ExitStack() as leaving:
        with endings_held():
            handle, name = tempfile.mkstemp(prefix=f".{output.name}.partial-", dir=output.parent)
            partial = Path(name)
            leaving.callback(partial.unlink, missing_ok=True)
        os.close(handle)
        yield partial
        partial.chmod(0o666 & ~umask() if mode is None else mode)
        partial.replace(output)


@contextlib.contextmanager
def partial_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Give a new folder inside another, which is removed when the block ends, unless it was renamed.

    Raises OSError where it cannot be made.
    """
    with contextlib.ExitStack() as leaving:
        with endings_held():
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
            leaving.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


@contextlib.contextmanager
def endings_held() -> Iterator[None]:
    """Let no signal that ends the program do so within the block; those that came are heard when it ends."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python runs the handlers of signals in the main thread only
        return
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)

    with contextlib.ExitStack() as leaving:
        leaving.callback(_raise, heard)
        for number in ENDING:
            before = signal.getsignal(number)
            if before is not None:  # a handler that Python did not set, and could not set again
                leaving.callback(signal.signal, number, before)
                signal.signal(number, hear)
        yield


def _raise(heard: list[int]) -> None:
    for number in heard:
        signal.raise_signal(number)


def umask() -> int:
    """Return the process's file mode mask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
