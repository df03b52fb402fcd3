"""The errors that a user sees: one line each, and an exit code."""

from __future__ import annotations

import os


class IotraceError(Exception):
    """Something that the user can understand and act on; shown as one line, exit code 1."""

    exit_code = 1


class UsageError(IotraceError):
    """The command's words do not fit together; exit code 2."""

    exit_code = 2


def reason(error: Exception) -> str:
    """Return what went wrong in the system's own words where it is the system that refused, else the error's."""
    number = error.errno if isinstance(error, OSError) else None
    return os.strerror(number) if number else str(error)
