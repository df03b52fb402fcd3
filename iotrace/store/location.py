"""Where a raw trace's store is kept, and for which traces and choices it stands."""

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError, UsageError
from iotrace.files.outputs import can_hold
from iotrace.files.temporary import folder_of_process, is_of_process
from iotrace.store.store import STORE_VERSION, SUFFIX

FINGERPRINT_BYTES = 4096
"""How much of a file's beginning and end its fingerprint covers."""


def fingerprint(paths: Sequence[Path], choices: dict[str, Any]) -> list[Any]:
    """Describe inputs and choices so that a cached store is used only for the same ones.

    A file is described by its place, size, times of modification and change in ns, inode, and a hash of its first and
    last block: what writes as many other bytes and sets the old time does not go unnoticed. Of a folder, all that is
    in it counts, and the files that are read in its stead (see `files_of`).
    """
    from iotrace.formats.reading.files import files_of

    listed = [member for path in paths for member in (sorted(path.iterdir()) if path.is_dir() else [path])]
    members = dict.fromkeys([*listed, *files_of(paths)])
    return [STORE_VERSION, [_file_fingerprint(member) for member in members], choices]


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


def named(path: Path) -> Path:
    """Return a path that has a name, after which a store can be called; raises IotraceError for `.`, `..` and `/`."""
    if path.name in ("", ".."):
        raise IotraceError(f"{path}: has no name from which to name its store: name the folder or file")
    return path


def usual_place(trace: Path) -> Path:
    """Return where a trace's store is written by default; raises as `named`, and for standard input."""
    if str(trace) == "-":
        raise UsageError("standard input has no name; give -o STORE")
    return named(trace).with_name(trace.name + SUFFIX)


def job_place(place: Path, job: str) -> Path:
    """Return where the store of a job of a trace is written."""
    return place.with_name(f"{place.name.removesuffix(SUFFIX)}.job-{job}{SUFFIX}")


def cache_path(paths: Sequence[Path], choices: dict[str, Any]) -> Path:
    """Return where the store of a raw trace is kept: next to it if it is read as usual, else in the user's cache.

    It is there, too, if the trace's folder cannot be written. If neither can, it is kept while the process runs (see
    `is_temporary`).
    """
    first = paths[0]
    if len(paths) == 1 and not choices and can_hold(first.resolve().parent):
        return first.with_name(first.name + SUFFIX)
    home = cache_home()
    key = json.dumps([[str(path.resolve()) for path in paths], choices], sort_keys=True)
    name = f"{first.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}{SUFFIX}"
    return (home if can_hold(home) else folder_of_process()) / name


def cache_home() -> Path:
    """Return the folder of stores that cannot be next to their traces."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "iotrace"


def is_temporary(place: Path) -> bool:
    """Return whether a store is removed when this process ends."""
    return is_of_process(place)
