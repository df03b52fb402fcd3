"""Locks by which a later run knows whether unfinished files and folders are still being written."""

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import socket
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

WITHOUT_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EBADF, errno.EINVAL)
"""How file systems without flock refuse it: Lustre without ``-o flock``, NFS for what cannot be opened for writing."""
OTHER_HOSTS_S = 24 * 3600
"""Locks of other hosts are abandoned when nothing in them has changed for this long."""
LONGEST_HOST = 24
"""Characters of a host's name that a file's name repeats for people; a hash of the whole name follows."""
HASH_DIGITS = 12
MACHINE_ID = Path("/etc/machine-id")
_OWNER = re.compile(r"(?P<process>[0-9]+)\.(?P<host>[0-9A-Za-z_.]*\.[0-9a-f]{12})-[^-/]*\Z")


def owner() -> str:
    """Return what the names of unfinished files say of their writer: its process and host, and a hyphen."""
    return f"{os.getpid()}.{_host()}-"


def has_owner(name: str) -> bool:
    """Return whether what follows the prefix of a name says who writes it (see `owner`)."""
    return _OWNER.match(name) is not None


def _host() -> str:
    return _identified(socket.gethostname())


@cache
def _identified(name: str) -> str:
    """Return what identifies a host in a file's name; names of a cluster's nodes often begin alike."""
    machine = b""
    with contextlib.suppress(OSError):
        machine = MACHINE_ID.read_bytes()
    whole = hashlib.sha256(os.fsencode(name) + b"\0" + machine).hexdigest()[:HASH_DIGITS]
    return f"{re.sub(r'[^0-9A-Za-z_.]', '_', name)[:LONGEST_HOST]}.{whole}"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Hold a lock on a file or folder; give whether it still has its name, which another run may have removed.

    Where the file system has no locks, nothing is held. Raises OSError if the path cannot be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        except OSError as error:
            if error.errno not in WITHOUT_LOCKS:
                raise
        yield _has_name(descriptor, path)
    finally:
        os.close(descriptor)


def _has_name(descriptor: int, path: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), path.stat(follow_symlinks=False))
    return False


@contextlib.contextmanager
def held(path: Path) -> Iterator[bool]:
    """Give whether this process alone changes a folder within the block; where there are no locks it is taken to."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_held = _has_name(descriptor, path.resolve())
        except OSError as error:
            if error.errno not in (*WITHOUT_LOCKS, errno.EWOULDBLOCK):
                raise
            is_held = error.errno != errno.EWOULDBLOCK
        yield is_held
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def abandoned(path: Path) -> Iterator[bool]:
    """Give whether no process writes an unfinished file or folder any more; none can lock it within the block.

    Where the file system has no locks, the process and host in its name decide (see `owner`). What another host wrote
    must be old too: some network file systems keep the locks of each host separate (Lustre with ``-o localflock``).
    """
    with unlocked(path) as is_unlocked:
        yield is_unlocked and (not _is_of_other_host(path) or _is_old(path))


@contextlib.contextmanager
def unlocked(path: Path) -> Iterator[bool]:
    """Give whether no process holds a lock that this host can see; without locks, whether its writer has ended.

    No other process on this host can lock the path within the block.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_unlocked = _has_name(descriptor, path)
        except OSError as error:
            is_unlocked = error.errno in WITHOUT_LOCKS and _has_no_owner(path)
        yield is_unlocked
    finally:
        os.close(descriptor)


def _has_no_owner(path: Path) -> bool:
    """Return whether the process that wrote a file has ended, by the file's name, or by its age on another host."""
    named = _OWNER.search(path.name)
    if named is not None and named["host"] == _host():
        return not _is_running(int(named["process"]))
    return _is_old(path)


def _is_of_other_host(path: Path) -> bool:
    named = _OWNER.search(path.name)
    return named is not None and named["host"] != _host()


def _is_old(path: Path) -> bool:
    with contextlib.suppress(OSError):
        changed_s: float = max(member.lstat().st_mtime for member in (path, *path.rglob("*")))
        return time.time() - changed_s > OTHER_HOSTS_S
    return False


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
