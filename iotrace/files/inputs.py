"""Inputs of the running command. No output takes their place, lies in them, or lies in a store; none is more public."""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from iotrace.errors import UsageError
from iotrace.files.modes import mask_of, mode_of
from iotrace.files.remote import Address, Place, paths_of

MANIFEST = "manifest.json"
STORE_SUFFIX = ".iotrace"
MOST_MANIFEST_BYTES = 256 << 20
"""The largest manifest that is read; that of a log in a million files is smaller."""
_inputs: list[Place] = []


@contextlib.contextmanager
def read_by_command(paths: Sequence[Place]) -> Iterator[None]:
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


def note(paths: Sequence[Place]) -> None:
    """Name further inputs of the command that is running."""
    there = [path for path in paths_of(paths) if path.exists()]
    _inputs.extend([*there, *(path for path in paths if isinstance(path, Address))])
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


def refuse_protected(output: Place, option: str = "-o") -> None:
    """Raise UsageError for an output that is an input, lies in one, or lies in a store; `--force` allows none.

    Files that a link or a second name leads to are the same file. Others (a device, a pipe) are written to as
    they are, and ``-`` is standard output.
    """
    if str(output) == "-" or is_stream(output):
        return
    for source in _inputs:
        if is_same(output, source):
            raise UsageError(f"{output}: is an input of this command; choose another {option}")
        if _is_below(output, source):
            raise UsageError(f"{output}: lies in {source}, an input of this command; choose another {option}")
    if (store := _store_around(output)) is not None:
        raise UsageError(f"{output}: lies in the store {store}; choose another {option}")


def is_stream(output: Place) -> bool:
    """Return whether a place is a device or a pipe, which is written to as it is."""
    return isinstance(output, Path) and (output.is_char_device() or output.is_fifo())


def is_same(one: Place, other: Place) -> bool:
    """Return whether two places are the same file or folder."""
    if isinstance(one, Address) or isinstance(other, Address):
        return one == other
    return one.exists() and other.exists() and one.samefile(other)


def _is_below(output: Place, source: Place) -> bool:
    if isinstance(output, Address) or isinstance(source, Address):
        return isinstance(output, Address) and isinstance(source, Address) and output.is_below(source)
    return source.is_dir() and placed_at(output).is_relative_to(source.resolve())


def _store_around(output: Place) -> Place | None:
    """Return the store that an output would lie in."""
    if isinstance(output, Address):
        return output.parent if output.parent.suffix == STORE_SUFFIX else None
    return next((folder for folder in placed_at(output).parents if marked_version(folder) is not None), None)


def refuse_above_input(folder: Path) -> None:
    """Raise UsageError for a folder to be replaced in which an input lies."""
    for source in _inputs:
        if not isinstance(source, Address) and source.resolve().is_relative_to(placed_at(folder)):
            raise UsageError(f"{folder}: holds {source}, an input of this command; choose another -o")


def placed_at(output: Path) -> Path:
    """Return where an output is without links: a link that leads nowhere is itself replaced."""
    return output.resolve() if output.exists() else output.parent.resolve() / output.name
