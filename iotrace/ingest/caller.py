"""Under sudo: whose name a recording runs under, and root's rights where they are needed.

The process becomes its caller, with root as its real user, so that it can take the rights back to start a recorder or
to look at other users' processes; `give_up` ends that.
"""

import contextlib
import os
import pwd
import sys
from collections.abc import Iterator
from pathlib import Path

import iotrace
from iotrace import engine
from iotrace.errors import UsageError


def become(as_root: bool = False) -> None:
    """Become the caller of sudo: user, groups, HOME, USER and LOGNAME, as with ``sudo -u``; other variables stay.

    Nothing changes without sudo, or as root. Raises UsageError where there is no such user.
    """
    number = os.environ.get("SUDO_UID", "")
    if as_root or os.geteuid() != 0 or number in ("", "0"):
        return
    try:
        user = pwd.getpwuid(int(number))
    except (KeyError, ValueError, OverflowError):
        raise UsageError(f"SUDO_UID is {number}, which is no user here; --as-root records as root") from None
    os.initgroups(user.pw_name, user.pw_gid)
    os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
    os.setresuid(0, user.pw_uid, 0)
    if not all(map(_is_readable, (os.__file__, iotrace.__file__, engine.native.__file__))):
        os.setresuid(0, 0, 0)
        raise UsageError(
            f"{user.pw_name} cannot read iotrace, which is installed in {Path(iotrace.__file__).parent}, or its"
            " Python: install it where all can read it, or record as root with --as-root"
        )
    os.environ.update(HOME=user.pw_dir, USER=user.pw_name, LOGNAME=user.pw_name)


def _is_readable(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True


def words_for_recorder() -> list[str]:
    """Return the options of ``iotrace-capture`` that say whose its command and files are."""
    return ["--uid", str(os.geteuid())] if _is_held() else []


@contextlib.contextmanager
def rights() -> Iterator[None]:
    """Have root's rights, if they were not given up; a program that is started then runs as root."""
    user = os.geteuid()
    if not _is_held():
        yield
        return
    os.seteuid(0)
    try:
        yield
    finally:
        os.seteuid(user)


def give_up() -> None:
    """Give root's rights up for good."""
    if _is_held():
        user = os.geteuid()
        os.setresuid(user, user, user)


def _is_held() -> bool:
    return sys.platform.startswith("linux") and os.getresuid()[0] == 0 != os.geteuid()
