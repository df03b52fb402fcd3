"""Files and folders that are in their place as a whole or not at all: written next to it and renamed."""

import contextlib
import errno
import glob
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from iotrace.files import locks, renaming
from iotrace.files.inputs import is_stream, refuse_protected, umask
from iotrace.files.remote import Address, Place

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which users and systems end a program that is to clean up."""


TEMPORARY_PREFIX = "iotrace-temporary-"
"""How the names of folders in the system's temporary one begin."""
LONGEST_NAME_BYTES = 120
"""How much of an output's name the name of its unfinished file repeats."""


@contextlib.contextmanager
def atomic_write(output: Place, *, replace: bool = True) -> Iterator[Path]:
    """Give a file to write, which takes its place only when the block ends without an error.

    The mode is that of a new file, also where one is replaced (see `iotrace.files.inputs`). A link that leads to a
    file stands for that file; one that leads nowhere is itself replaced. Anything else than a regular file (a device,
    a pipe) is written to as it is; what is on object storage is made here and copied there. What killed runs left
    unfinished of the same output is removed first. Raises
    OSError if the folder cannot be written, FileExistsError where the output exists and is not to be replaced, and
    UsageError for an input or a store's own file.
    """
    refuse_protected(output)
    if isinstance(output, Address):
        with _uploaded(output, replace) as partial:
            yield partial
        return
    if output.exists():
        if not output.is_file():
            yield output
            return
        output = output.resolve()
    prefix = unfinished_prefix(output)
    remove_abandoned(output.parent, prefix)
    with contextlib.ExitStack() as leaving:
        try:
            with signals_deferred():
                partial = _new_file(output.parent, prefix, leaving)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(output)) from None
        yield partial
        partial.chmod(0o666 & ~umask())
        _synced(partial)
        if replace:
            partial.replace(output)
        else:
            renaming.rename_noreplace(partial, output)


@contextlib.contextmanager
def _uploaded(output: Address, replace: bool) -> Iterator[Path]:
    """Give a file that is copied to object storage when the block ends without an error."""
    from iotrace.files import transfers

    with partial_folder(Path(tempfile.gettempdir()), TEMPORARY_PREFIX) as folder:
        partial = folder / output.name
        partial.touch()
        yield partial
        if not replace and output.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(output))
        transfers.upload(partial, output)


def is_taken(output: Place) -> bool:
    """Return whether writing would replace something: a device or pipe is written to as it is."""
    if isinstance(output, Address):
        return output.exists()
    return os.path.lexists(output) and not is_stream(output)


def write_text(output: Place, text: str) -> None:
    """Write a text file, which is there as a whole or not at all; characters without a code in UTF-8 are escaped."""
    with atomic_write(output) as partial:
        partial.write_text(text, "utf-8", errors="backslashreplace")


def unfinished_prefix(output: Path) -> str:
    """Return how the names of the unfinished files and folders of an output begin."""
    name = os.fsdecode(os.fsencode(output.name)[:LONGEST_NAME_BYTES])
    return f".{name}.partial-"


def _new_file(parent: Path, prefix: str, leaving: contextlib.ExitStack) -> Path:
    """Make a file, locked and there until the stack is left."""
    while True:
        handle, name = tempfile.mkstemp(prefix=f"{prefix}{locks.owner()}", dir=parent)
        os.close(handle)
        partial = Path(name)
        with contextlib.ExitStack() as ours:
            ours.callback(partial.unlink, missing_ok=True)
            if ours.enter_context(locks.locked(partial)):
                leaving.push(ours.pop_all())
                return partial


def _synced(partial: Path) -> None:
    """Have the system write a file: where it cannot, as on a full network disk, that shows here."""
    descriptor = os.open(partial, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def partial_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Give a new folder inside another, which is removed when the block ends, unless it was renamed.

    What killed runs left with the same prefix is removed first. Raises OSError if it cannot be made.
    """
    remove_abandoned(parent, prefix)
    with contextlib.ExitStack() as leaving:
        with signals_deferred():
            folder = _new_folder(parent, prefix, leaving)
        yield folder


def _new_folder(parent: Path, prefix: str, leaving: contextlib.ExitStack) -> Path:
    """Make a folder, locked and there until the stack is left."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{prefix}{locks.owner()}", dir=parent))
        with contextlib.ExitStack() as ours:
            ours.callback(shutil.rmtree, folder, ignore_errors=True)
            if ours.enter_context(locks.locked(folder)):
                leaving.push(ours.pop_all())
                return folder


def remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove the files and folders of this prefix that killed processes left."""
    try:
        with os.scandir(parent) as entries:
            names = [entry.name for entry in entries if _is_unfinished(entry.name, prefix)]
    except OSError:
        return  # whoever writes there says why that cannot be
    for name in names:
        with locks.abandoned(parent / name) as is_abandoned:
            if is_abandoned:
                _remove(parent / name)


def _is_unfinished(name: str, prefix: str) -> bool:
    """Return whether a name is one that this program gives to what is unfinished; people's files have others."""
    return name.startswith(prefix) and locks.has_owner(name.removeprefix(prefix))


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def place_folder(folder: Path, output: Path, replace: bool) -> None:
    """Move a finished folder to where it belongs, in place of an old one if `replace`.

    Raises FileExistsError for an old one otherwise.
    """
    try:
        renaming.rename_noreplace(folder, output)
        return
    except FileExistsError:
        if not replace:
            raise
    with signals_deferred():
        if renaming.exchanged(folder, output):
            _remove(folder)
            return
        old = folder.with_name(folder.name.replace(".partial-", REPLACED, 1))
        output.rename(old)
        try:
            folder.rename(output)
        except OSError:
            old.rename(output)
            raise
        _remove(old)


REPLACED = ".replaced-"
"""In the name of what is being replaced on a file system that cannot exchange two names in one step."""


def restore_replaced(output: Path) -> None:
    """Bring back what a killed process had moved out of its place to replace it, or remove it where it was replaced."""
    prefix = unfinished_prefix(output).replace(".partial-", REPLACED)
    if not os.path.lexists(output):
        for old in sorted(output.parent.glob(f"{glob.escape(prefix)}*")):
            if not _is_unfinished(old.name, prefix):
                continue
            # another host's as well, however new: to give it its name back destroys nothing
            with locks.unlocked(old) as is_unlocked, contextlib.suppress(OSError):
                if is_unlocked:
                    renaming.rename_noreplace(old, output)
    remove_abandoned(output.parent, prefix)


@contextlib.contextmanager
def signals_deferred() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP until the block ends."""
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
