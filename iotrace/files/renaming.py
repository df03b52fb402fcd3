"""Renames that the C library offers and Python does not: without replacing, and two names exchanged."""

import ctypes
import errno
import os
from pathlib import Path

AT_FDCWD = -100
RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2
"""From linux/fs.h."""
UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM)


def rename_noreplace(source: Path, target: Path) -> None:
    """Rename a file or folder; raises FileExistsError if anything with the new name exists.

    A file system that cannot do this in one step gets a second link, or, for a folder, a rename that fails if the
    target is not empty.
    """
    if _renameat2(source, target, RENAME_NOREPLACE):
        return
    try:
        if source.is_dir():
            source.rename(target)
            return
        target.hardlink_to(source)
    except NotADirectoryError:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
    except OSError as error:
        if error.errno == errno.ENOTEMPTY:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        if error.errno not in UNSUPPORTED:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        source.rename(target)
        return
    source.unlink()


def exchanged(path: Path, other: Path) -> bool:
    """Exchange two names in one step; return False if the file system cannot."""
    return _renameat2(path, other, RENAME_EXCHANGE)


def _renameat2(source: Path, target: Path, flags: int) -> bool:
    """Rename with these flags; return False if that is not supported, and raise OSError where it fails."""
    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    names = (os.fsencode(source), os.fsencode(target))
    if function(AT_FDCWD, names[0], AT_FDCWD, names[1], ctypes.c_uint(flags)) == 0:
        return True
    number = ctypes.get_errno()
    if number in UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(source), None, str(target))
