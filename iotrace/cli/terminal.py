"""The one place through which commands print: control characters appear as ``\\xNN`` or ``\\uNNNN``.

Names and messages come from traces, stores and archives of strangers. Printed as they are, they could move the cursor,
hide text, reverse its direction or run a terminal's own commands.
"""

import builtins
import contextlib
import io
import sys
from collections.abc import Iterable
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, TextIO

from iotrace.errors import IotraceError, reason

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def visible(text: str) -> str:
    """Return a text on one line, with each character that does not print as itself written as an escape."""
    if text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def visible_lines(text: str) -> str:
    """Return the same, but with its lines kept."""
    return "\n".join(map(visible, text.split("\n")))


def _visible_character(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a name that is no UTF-8 text
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")


def print(*values: object, sep: str = " ", end: str = "\n", file: TextIO | None = None) -> None:
    """Print as Python does, but visibly; what goes to standard error is one line."""
    shows = visible if file is sys.stderr else visible_lines
    shown = (visible(str(value)) if isinstance(value, PurePath) else shows(str(value)) for value in values)
    builtins.print(*shown, sep=sep, end=end, file=file)


def warn_of(message: str) -> None:
    """Print a warning, on one line of standard error."""
    print(f"iotrace: warning: {message}", file=sys.stderr)


def note_of(message: str) -> None:
    """Print what a reader may like to know, on one line of standard error."""
    print(f"iotrace: {message}", file=sys.stderr)


def warn_of_all(warnings: Iterable[str]) -> None:
    """Print warnings on standard error."""
    for warning in warnings:
        warn_of(warning)


class VisibleLines:
    """A terminal as a stream of text, to which lines go visibly."""

    def __init__(self, terminal: IO[str]) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Write a text, and return its length."""
        self._terminal.write(visible_lines(text))
        return len(text)


class StandardOutput(io.FileIO):
    """Standard output; raises IotraceError once where it cannot be written, as to a full disk."""

    has_failed = False
    is_closed = False
    """Whether whoever read it has gone."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write bytes, and return how many were written; what follows a failure goes nowhere."""
        if self.has_failed:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except BrokenPipeError:
            StandardOutput.is_closed = True
            raise
        except OSError as error:
            self.has_failed = True
            raise IotraceError(f"standard output: cannot be written: {reason(error)}") from None


def prepare_streams() -> None:
    """Make standard output and error write escapes for what their encoding has not, and name output that fails."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    with contextlib.suppress(AttributeError, OSError, ValueError):
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout = _named(sys.stdout)


def _named(output: io.TextIOWrapper) -> io.TextIOWrapper:
    """Return the same stream, with errors that name it; raises OSError for one without a descriptor."""
    raw = StandardOutput(output.fileno(), "w", closefd=False)
    unbuffered = output.write_through
    return io.TextIOWrapper(
        raw if unbuffered else io.BufferedWriter(raw),
        output.encoding,
        "backslashreplace",
        line_buffering=output.line_buffering,
        write_through=unbuffered,
    )


def is_unicode(stream: object) -> bool:
    """Return whether a stream of text can write every character."""
    encoding = getattr(stream, "encoding", None)
    return encoding is None or encoding.lower().replace("_", "-").startswith("utf")
