"""Messages for an output that exists already, or that cannot be written: one rule and one sentence for all."""

import contextlib
import errno
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files import is_taken
from iotrace.files.inputs import refuse_protected
from iotrace.files.remote import Address, Place, check_writable


def taken(output: Place, why: str = "exists", option: str = "-o") -> UsageError:
    """Return the refusal of an output in whose place something is that only ``--force`` replaces."""
    return UsageError(f"{output}: {why}; give --force to replace it, or another {option}")


def refuse_existing(output: Place, force: bool, option: str = "-o") -> None:
    """Raise UsageError where writing would replace something, unless ``--force`` is given; ``-`` is standard output.

    An input or a store's own file is never replaced. Raises IotraceError if nothing can be written there: better now
    than after the work.
    """
    if str(output) == "-":
        return
    refuse_protected(output, option)
    if not force and is_taken(output):
        raise taken(output, option=option)
    refuse_unwritable(output)


def refuse_no_folder(output: Place) -> None:
    """Raise UsageError where a folder cannot be, since something else is there."""
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output}: is not a folder, which the files would need")


def refuse_in_folder(folder: Place, names: Collection[str], force: bool, option: str = "-o") -> None:
    """Raise UsageError where files of these names should not be written into a folder.

    ``--force`` replaces them only in a folder that holds no others: any other folder is not this program's.
    """
    targets = [folder / name for name in names]
    for target in targets:
        refuse_folder(target)
        refuse_existing(target, force, option)
    if any(map(is_taken, targets)):
        others = [member.name for member in folder.iterdir() if member.name not in names]
        if others:
            raise UsageError(
                f"{folder}: also holds {min(others)}, so nothing is replaced there; choose another {option}"
            )


def refuse_unwritable(output: Place) -> None:
    """Raise IotraceError where no file or folder can be made: the same sentence as when writing fails."""
    if isinstance(output, Address):
        check_writable(output)
        return
    folder = output.resolve().parent if output.is_file() else output.absolute().parent
    if (output.exists() and not output.is_file()) or can_hold(folder):
        return
    there = _nearest(folder)
    if not there.is_dir():
        number = errno.ENOTDIR
    else:
        number = errno.EROFS if os.statvfs(there).f_flag & os.ST_RDONLY else errno.EACCES
    raise unwritable(output, OSError(number, os.strerror(number)))


def refuse_without_folder(output: Place) -> None:
    """Raise IotraceError where the folder of a file is not there; ``-`` is standard output."""
    if not isinstance(output, Address) and str(output) != "-" and not output.parent.exists():
        raise unwritable(output, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))


def can_hold(folder: Path) -> bool:
    """Return whether a folder can be written, or made in the nearest folder above it that exists."""
    there = _nearest(folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _nearest(folder: Path) -> Path:
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if os.access(path, os.F_OK))


NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
FULL = (errno.ENOSPC, errno.EDQUOT)


def unwritable(output: Place | str, error: Exception) -> IotraceError:
    """Return what is said where the system refuses to write an output, with the way out."""
    number = error.errno if isinstance(error, OSError) else None
    why = reason(error)
    if (
        number == errno.ENOENT
        and isinstance(output, str | Path)
        and not (folder := Path(output).parent).exists()
    ):
        why = f"there is no folder {folder}; mkdir -p {folder} makes it"
    elif number in NOT_ALLOWED:
        why += "; give a place in a folder that you may write"
    elif number in FULL:
        why += "; free some space, or give a place on another disk"
    return IotraceError(f"{output}: cannot be written: {why}")


def refuse_folder(output: Place) -> None:
    """Raise UsageError where a file cannot be, since a folder is there."""
    if output.is_dir():
        raise UsageError(f"{output}: is a directory; -o takes a file")


@contextlib.contextmanager
def failures_named(output: Place | str) -> Iterator[None]:
    """Raise IotraceError, with the output and the reason, where the system refuses to write within the block."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(output, error) from None
