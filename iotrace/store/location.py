"""Where a raw trace's store is kept, and for which traces and choices it stands."""

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from iotrace import units
from iotrace.errors import IotraceError, UsageError
from iotrace.files import LONGEST_NAME_BYTES
from iotrace.files.of_trace import files_of
from iotrace.files.outputs import can_hold
from iotrace.files.remote import Address, Place, paths_of, resolved
from iotrace.files.temporary import folder_of_process, is_of_process
from iotrace.files.transfers import state
from iotrace.store.folder import STORE_VERSION, SUFFIX

FINGERPRINT_BYTES = 4096
"""How much of a file's beginning and end its fingerprint covers."""
HASH_DIGITS = 16
SIZE = "IOTRACE_CACHE_SIZE"
"""The variable that says how large the cache may be."""


def fingerprint(paths: Sequence[Place], choices: dict[str, Any]) -> list[Any]:
    """Describe inputs and choices so that a cached store is used only for the same ones.

    A file is described by its place, size, times of modification and change in ns, inode, and a hash of its first and
    last block: what writes as many other bytes and sets the old time does not go unnoticed. Of a folder, all that is
    in it counts, and the files that are read in its stead (see `files_of`).
    """

    here = paths_of(paths)
    listed = [member for path in here for member in (sorted(path.iterdir()) if path.is_dir() else [path])]
    members = dict.fromkeys([*listed, *files_of(here)])
    addresses = [path for path in paths if isinstance(path, Address)]
    remote = [state(addresses)] if addresses else []
    return [STORE_VERSION, [_file_fingerprint(member) for member in members], choices, *remote]


def _file_fingerprint(path: Path) -> list[Any]:
    status = path.stat()
    return [
        str(path.resolve()),
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        _ends_hash(path, status.st_size) if stat.S_ISREG(status.st_mode) else None,
    ]


def _ends_hash(path: Path, size_bytes: int) -> str | None:
    """Return a hash of a file's first and last block; None if it cannot be read, which its reader says."""
    try:
        with path.open("rb") as file:
            ends = hashlib.sha256(file.read(FINGERPRINT_BYTES))
            file.seek(max(0, size_bytes - FINGERPRINT_BYTES))
            ends.update(file.read(FINGERPRINT_BYTES))
    except OSError:
        return None
    return ends.hexdigest()


def named(path: Place) -> Place:
    """Return a place that has a name, after which a store can be called; raises IotraceError for `.`, `..` and `/`."""
    if path.name in ("", ".."):
        raise IotraceError(f"{path}: has no name from which to name its store: name the folder or file")
    return path


def usual_place(trace: Place) -> Place:
    """Return where a trace's store is written by default; raises as `named`, and for standard input."""
    if str(trace) == "-":
        raise UsageError("standard input has no name; give -o STORE")
    return named(trace).with_name(trace.name + SUFFIX)


def job_place(place: Place, job: str) -> Place:
    """Return where the store of a job of a trace is written."""
    return place.with_name(f"{place.name.removesuffix(SUFFIX)}.job-{job}{SUFFIX}")


def cache_path(paths: Sequence[Place], choices: dict[str, Any], sources: list[Any]) -> Path:
    """Return where the store of a trace that is read so is kept: in the user's cache, in a folder of its own.

    The folder's name stands for the places and choices, and for the ``sources``, their fingerprint. Where nothing is
    to be kept, or the cache cannot be written or lies in the trace, it is in this process's folder (`is_temporary`).
    """
    home = cache_home()
    is_usable = (
        said_bytes() != 0
        and can_hold(home)
        and not any(home.resolve().is_relative_to(path.resolve()) for path in paths_of(paths))
    )
    name = os.fsdecode(os.fsencode(paths[0].name)[:LONGEST_NAME_BYTES])
    places = [[str(resolved(path)) for path in paths], choices]
    entry = f"{_hash(places)}-{_hash(sources)}"
    return (home if is_usable else folder_of_process()) / entry / f"{name}{SUFFIX}"


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:HASH_DIGITS]


def cache_home() -> Path:
    """Return the folder of the stores that commands make of raw traces."""
    home = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (home if home.is_absolute() else Path("~/.cache").expanduser()) / "iotrace"


def said_bytes() -> int | None:
    """Return how large the cache may be by IOTRACE_CACHE_SIZE; None where that is not set.

    Raises UsageError for what is not a size.
    """
    if not (text := os.environ.get(SIZE)):
        return None
    try:
        return units.size_bytes(text)
    except UsageError as error:
        raise UsageError(f"{SIZE}: {error}") from None


def is_kept(place: Place) -> bool:
    """Return whether a store is one that a command made and the cache keeps."""
    return isinstance(place, Path) and place.is_relative_to(cache_home())


def is_temporary(place: Place) -> bool:
    """Return whether a store is removed when this process ends."""
    return isinstance(place, Path) and is_of_process(place)
