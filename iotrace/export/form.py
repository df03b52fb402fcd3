"""A form in which a trace can be written as one text: its name, and the function that writes it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files import is_taken, placed
from iotrace.store.store import Store


@dataclass(frozen=True)
class Form:
    """A text that can be ingested again."""

    name: str
    description: str
    write: Callable[[Store, Path, bool], tuple[str, ...]]
    """Writes a store to a file (``-`` for standard output), replaced if it exists only if the last argument says so.

    Returns a sentence for each kind of thing for which the text has no place. Raises IotraceError for a store that
    cannot be written so, UsageError where the file exists.
    """


def refuse_existing(output: Path, force: bool) -> None:
    """Raise UsageError for a folder, and for what exists unless it is to be replaced."""
    if output.is_dir():
        raise UsageError(f"{output}: is a directory")
    if is_taken(output) and not force:
        raise UsageError(f"{output}: exists; give --force to replace it")


@contextmanager
def failures(output: Path) -> Iterator[None]:
    """Turn what the system or DuckDB refuses within the block into an IotraceError."""
    import duckdb

    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, duckdb.Error) as error:
        raise IotraceError(f"{output}: cannot be written: {reason(error)}") from None


@contextmanager
def text_file(output: Path, force: bool) -> Iterator[TextIO]:
    """Give a text file, which takes its place when the block ends without an error; ``-`` is standard output."""
    if str(output) == "-":
        yield sys.stdout
        return
    refuse_existing(output, force)
    with (
        failures(output),
        placed(output, replace=force) as partial,
        partial.open("w", encoding="utf-8") as file,
    ):
        yield file


def left_out(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Say how much of what was left out."""
    if not counts:
        return ()
    return (", ".join(f"{count:,} {what}" for what, count in counts.items()) + " were left out",)
