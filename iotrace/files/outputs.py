"""What is said of an output that is there already, or that cannot be written: one rule and one sentence for all."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files import is_taken


def taken(output: Path, why: str = "exists", option: str = "-o") -> UsageError:
    """Return the refusal of an output in whose place something is that only ``--force`` replaces."""
    return UsageError(f"{output}: {why}; give --force to replace it, or another {option}")


def refuse_existing(output: Path, force: bool, option: str = "-o") -> None:
    """Raise UsageError where writing would replace something, unless ``--force`` is given; ``-`` is standard output."""
    if not force and str(output) != "-" and is_taken(output):
        raise taken(output, option=option)


def refuse_folder(output: Path) -> None:
    """Raise UsageError where a file cannot be, since a folder is there."""
    if output.is_dir():
        raise UsageError(f"{output}: is a directory; -o takes a file")


@contextlib.contextmanager
def failures_named(output: Path | str) -> Iterator[None]:
    """Raise IotraceError, with the output and the reason, where the system refuses to write within the block."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IotraceError(f"{output}: cannot be written: {reason(error)}") from None
