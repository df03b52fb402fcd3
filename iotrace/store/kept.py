"""The stores that are kept of raw traces in the user's cache: used, made, and removed where there are too many.

Each has a folder of its own (an entry), whose name stands for the trace as it is now and for how it is read. Who uses a
store holds a shared lock on its entry until the process ends; who makes or removes one, an exclusive lock. Where the
file system has no locks, each process makes the store itself, and none is removed.
"""

import atexit
import contextlib
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.files import locks, remove_abandoned, unfinished_prefix
from iotrace.files.inputs import marked_version
from iotrace.files.remote import Address, Place
from iotrace.files.temporary import folder_of_process, is_of_process
from iotrace.store.folder import SUFFIX, is_store
from iotrace.store.location import said_bytes
from iotrace.store.own_files import foreign_member
from iotrace.store.store import Store, read

MOST_BYTES = 10 * 10**9
SHARE = 10
"""The cache takes at most one part in `SHARE` of the space that is free without it."""
PATIENCE_S = 1.0
"""How long a process waits for another's store before it says so."""
POLL_S = 0.05
_ENTRY = re.compile(r"[0-9a-f]{16}-[0-9a-f]{16}")
_held: dict[tuple[int, int], int] = {}
"""Descriptors of the entries that this process uses, by device and inode."""
_leaving: dict[Path, int] = {}
"""Entries that are removed when this process ends, since they are larger than the cache, and how large they are."""

Make = Callable[[Path], Store]


def limit_bytes(home: Path, kept_bytes: int) -> int:
    """Return how large the cache may be: what IOTRACE_CACHE_SIZE says, or 10 GB or a tenth of the free space.

    The space that the cache has taken counts as free. Raises UsageError for a variable that is not a size.
    """
    if (limit := said_bytes()) is not None:
        return limit
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free = os.statvfs(there)
    return min(MOST_BYTES, (free.f_bavail * free.f_frsize + kept_bytes) // SHARE)


def opened(place: Path, sources: list[Any], make: Make, waits: Callable[[], None]) -> tuple[Store, bool]:
    """Return the store that is kept at a place for these sources, or make it; and whether it was made.

    ``waits`` is called where another process makes it, after a second. What else is in the cache's folder stays.
    """
    if is_of_process(place):
        store = _usable(place, sources)
        return (make(place), True) if store is None else (store, False)
    entry = place.parent
    was_made = False
    while True:
        try:
            entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            entry.mkdir(mode=0o700, exist_ok=True)
        except OSError:  # a folder that takes none, whatever its mode says, as those of /proc
            return opened(folder_of_process() / entry.name / place.name, sources, make, waits)
        with contextlib.ExitStack() as leaving:
            try:
                descriptor = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except FileNotFoundError:
                continue  # it was removed meanwhile
            leaving.callback(os.close, descriptor)
            leaving.callback(_remove_empty, entry)  # where no store could be made
            has_locks = _locked(descriptor, fcntl.LOCK_SH, waits)
            store = _usable(place, sources)
            if store is None:
                _locked(descriptor, fcntl.LOCK_EX, waits)
                if not _is_at(descriptor, entry):
                    continue
                store = _usable(place, sources)
                if store is None:
                    _remove_remains(place)
                    store, was_made = make(place), True
                if has_locks:
                    _locked(descriptor, fcntl.LOCK_SH, waits)
            if not _is_at(descriptor, entry) or not is_store(place):
                continue
            _hold(descriptor, leaving)
            with contextlib.suppress(OSError):
                os.utime(entry)
        if was_made:
            _make_room(entry)
        return store, was_made


def removed_at_end(place: Place) -> int | None:
    """Return the size of a store that is removed when this process ends, as the cache is smaller; else None."""
    return None if isinstance(place, Address) else _leaving.get(place.parent)


def _remove_empty(entry: Path) -> None:
    with contextlib.suppress(OSError):
        entry.rmdir()


def _remove_remains(place: Path) -> None:
    """Remove a store whose manifest is lost or cannot be read, as after a power cut."""
    if place.is_dir() and marked_version(place) is None and foreign_member(place) is None:
        shutil.rmtree(place)


def _usable(place: Path, sources: list[Any]) -> Store | None:
    if is_store(place):
        with contextlib.suppress(IotraceError):
            store = read(place)
            if store.manifest.get("fingerprint") == sources and not store.manifest.get("damage"):
                return store  # of a trace that could not be read to its end, the rest may be there now
    return None


def _locked(descriptor: int, kind: int, waits: Callable[[], None]) -> bool:
    """Lock, when no other process has a lock against it; return whether there are locks."""
    began_s, is_said = time.monotonic(), False
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if not is_said and time.monotonic() - began_s >= PATIENCE_S:
                waits()
                is_said = True
            time.sleep(POLL_S)
        except OSError as error:
            if error.errno in locks.WITHOUT_LOCKS:
                return False
            raise


def _is_at(descriptor: int, path: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False))
    return False


def _hold(descriptor: int, leaving: contextlib.ExitStack) -> None:
    """Keep an entry's lock until the process ends: tables may be read from its store that long."""
    status = os.fstat(descriptor)
    if (status.st_dev, status.st_ino) not in _held:
        _held[status.st_dev, status.st_ino] = descriptor
        leaving.pop_all()


def _make_room(store: Path) -> None:
    """Remove what is no longer valid, and then those used longest ago, until the cache is as small as it may be.

    A store that is larger than that alone is removed when this process ends.
    """
    home = store.parent
    sizes = {entry: size_bytes(entry) for entry in entries(home)}
    key = store.name.partition("-")[0]
    for entry in [entry for entry in sizes if entry != store]:
        is_old = entry.name.startswith(f"{key}-")  # the store of the trace as it was
        if (is_old or not any(entry.glob(f"*{SUFFIX}"))) and removed(entry):
            del sizes[entry]
    limit = limit_bytes(home, sum(sizes.values()))
    if sizes.get(store, 0) > limit:
        _leaving[store] = sizes.pop(store)
        atexit.register(_remove_at_end, store, os.getpid())
    for entry in sorted(sizes, key=used_ns):
        if sum(sizes.values()) <= limit:
            break
        if removed(entry):
            del sizes[entry]


def _remove_at_end(entry: Path, process: int) -> None:
    if process != os.getpid():
        return
    with contextlib.suppress(OSError):
        status = entry.stat()
        os.close(_held.pop((status.st_dev, status.st_ino)))
        removed(entry)


def entries(home: Path) -> Iterator[Path]:
    """Yield the entries: folders of their names that hold a store, or what a killed writer left, and nothing else."""
    for name in os.listdir(home):  # noqa: PTH208
        if name.startswith(".") and _ENTRY.fullmatch(name[1:34]):
            remove_abandoned(home, name[:34] + ".partial-")  # of a killed process that removed one
        elif _ENTRY.fullmatch(name) and _is_own(home / name):
            yield home / name


def _is_own(entry: Path) -> bool:
    with contextlib.suppress(OSError):
        return not entry.is_symlink() and all(
            member.is_dir()
            and not member.is_symlink()
            and (_is_unfinished(member.name) or (member.suffix == SUFFIX and foreign_member(member) is None))
            for member in entry.iterdir()
        )
    return False


def _is_unfinished(name: str) -> bool:
    return name.startswith(".") and locks.has_owner(name.rpartition(".partial-")[2])


def size_bytes(entry: Path) -> int:
    """Return how much the files of an entry have."""
    with contextlib.suppress(OSError):
        return sum(member.lstat().st_size for member in entry.rglob("*"))
    return 0


def used_ns(entry: Path) -> int:
    """Return when an entry was last used, in ns since 1970; 0 where that is not known."""
    with contextlib.suppress(OSError):
        return entry.stat().st_mtime_ns
    return 0


def removed(entry: Path) -> bool:
    """Remove an entry that no process uses; return whether that was so."""
    try:
        descriptor = os.open(entry, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_at(descriptor, entry):
            return False
        prefix = unfinished_prefix(entry)
        away = Path(tempfile.mkdtemp(prefix=f"{prefix}{locks.owner()}", dir=entry.parent))
        entry.rename(away)
        shutil.rmtree(away, ignore_errors=True)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
