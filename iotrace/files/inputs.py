"""Inputs of the running command. No output takes their place, lies in them, or lies in a store; none is more public."""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from iotrace.errors import UsageError
from iotrace.files.modes import mask_of, mode_of
from iotrace.files.remote import RemotePath

MANIFEST = "manifest.json"
STORE_SUFFIX = ".iotrace"
MOST_MANIFEST_BYTES = 256 << 20
"""The largest manifest that is read; that of a log in a million files is smaller."""
_inputs: list[Path] = []


@contextlib.contextmanager
def read_by_command(paths: Sequence[Path]) -> Iterator[None]:
    """Name what the command that runs within the block reads; those that do not exist are left out.

    What it makes has no wider mode from its first byte, whichever library writes it: the process's mask sees to that.
    """
    before, mask = len(_inputs), umask()
    try:
        note(paths)
        yield
    finally:
        del _inputs[before:]
        os.umask(mask)


def note(paths: Sequence[Path]) -> None:
    """Name further inputs of the command that is running."""
    there = [path for path in paths if not isinstance(path, RemotePath) and path.exists()]
    _inputs.extend([*there, *(path for path in paths if isinstance(path, RemotePath))])
    os.umask(umask() | mask_of(mode_of(there)))


def umask() -> int:
    """Return the process's file mode mask."""
    mask = os.umask(0o777)
    os.umask(mask)
    return mask


def marked_version(folder: Path) -> int | None:
    """Return the store version in a folder's manifest; None where there is no manifest of a store."""
    path = folder / MANIFEST
    with contextlib.suppress(OSError, ValueError, RecursionError):
        if path.is_file() and path.stat().st_size <= MOST_MANIFEST_BYTES:
            manifest = json.loads(path.read_bytes())
            version = manifest.get("store_version") if isinstance(manifest, dict) else None
            return version if type(version) is int else None
    return None


def refuse_protected(output: Path, option: str = "-o") -> None:
    """Raise UsageError for an output that is an input, lies in one, or lies in a store; `--force` allows none.

    Files that a link or a second name leads to are the same file. Others (a device, a pipe) are written to as
    they are, and ``-`` is standard output.
    """
    if str(output) == "-" or output.is_char_device() or output.is_fifo():
        return
    path = placed_at(output)
    for source in _inputs:
        if _is_same(output, source):
            raise UsageError(f"{output}: is an input of this command; choose another {option}")
        if (isinstance(source, RemotePath) or source.is_dir()) and path.is_relative_to(source.resolve()):
            raise UsageError(f"{output}: lies in {source}, an input of this command; choose another {option}")
    if isinstance(path, RemotePath):
        if path.parent.suffix == STORE_SUFFIX:
            raise UsageError(f"{output}: lies in the store {path.parent}; choose another {option}")
        return
    for folder in path.parents:
        if marked_version(folder) is not None:
            raise UsageError(f"{output}: lies in the store {folder}; choose another {option}")


def _is_same(output: Path, source: Path) -> bool:
    if isinstance(output, RemotePath) or isinstance(source, RemotePath):
        return output == source
    return output.exists() and source.exists() and output.samefile(source)


def refuse_above_input(folder: Path) -> None:
    """Raise UsageError for a folder to be replaced in which an input lies."""
    path = placed_at(folder)
    for source in _inputs:
        if source.resolve().is_relative_to(path):
            raise UsageError(f"{folder}: holds {source}, an input of this command; choose another -o")


def placed_at(output: Path) -> Path:
    """Return where an output is without links: a link that leads nowhere is itself replaced."""
    if isinstance(output, RemotePath):
        return output
    return output.resolve() if output.exists() else output.parent.resolve() / output.name
