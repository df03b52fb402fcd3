"""Making a part of a page, which says in its place why it could not be made."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

from iotrace.analysis.characterize import Shortage
from iotrace.errors import (
    IotraceError,
    MemoryLimitError,
    UnusableStoreError,
    damage,
    is_interruption,
    reason,
)

Made = TypeVar("Made")


class Failure(str):
    """Why a part could not be made, where that is a failure of this program, of a library or of the machine."""

    __slots__ = ()


def attempted(make: Callable[[], Made]) -> tuple[Made | None, str | None]:
    """Return what is made, or None and why it could not be, in one line.

    Raises UnusableStoreError, and errors from an interruption. If IOTRACE_TRACEBACK is set in the environment, raises
    every error that is not an IotraceError.
    """
    try:
        return make(), None
    except UnusableStoreError:
        raise
    except Exception as error:
        if is_interruption(error):
            raise
        if isinstance(error, MemoryLimitError):
            return None, Shortage(error)
        if isinstance(error, IotraceError):
            return None, sentence(error)
        if damaged := damage(error):
            raise UnusableStoreError(damaged) from error
        if os.environ.get("IOTRACE_TRACEBACK"):
            raise
        return None, Failure(sentence(error))


def sentence(error: Exception) -> str:
    """Return what went wrong in one line, without a full stop."""
    message: Any = reason(error).strip() or type(error).__name__
    return str(message.splitlines()[0]).removesuffix(".")
