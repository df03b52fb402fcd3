"""A form in which a trace can be written as one text: its name, and the function that writes it."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from iotrace.files import placed
from iotrace.files.outputs import failures_named, refuse_existing, refuse_folder, unwritable
from iotrace.libraries import duckdb
from iotrace.store.store import Store


@dataclass(frozen=True)
class Form:
    """A text, or records, that can be ingested again."""

    name: str
    description: str
    write: Callable[[Store, Path, bool], tuple[str, ...]]
    """Writes a store to a file (``-`` for standard output), replaced if it exists only if the last argument says so.

    Returns a sentence for each kind of thing for which the text has no place. Raises IotraceError for a store that
    cannot be written so, UsageError where the file exists.
    """


def refuse(output: Path, force: bool) -> None:
    """Raise UsageError for a folder, and for what exists unless it is to be replaced."""
    refuse_folder(output)
    refuse_existing(output, force)


@contextmanager
def failures(output: Path) -> Iterator[None]:
    """Turn what the system or DuckDB refuses within the block into an IotraceError."""
    try:
        with failures_named(output):
            yield
    except duckdb.Error as error:
        raise unwritable(output, error) from None


@contextmanager
def text_file(output: Path, force: bool) -> Iterator[TextIO]:
    """Give a text file, which takes its place when the block ends without an error; ``-`` is standard output."""
    if str(output) == "-":
        yield sys.stdout
        return
    refuse(output, force)
    with (
        failures(output),
        placed(output, replace=force) as partial,
        partial.open("w", encoding="utf-8") as file,
    ):
        yield file


@contextmanager
def binary_file(output: Path, force: bool) -> Iterator[BinaryIO]:
    """Give a file of bytes as `text_file` does one of text."""
    if str(output) == "-":
        yield sys.stdout.buffer
        return
    refuse(output, force)
    with failures(output), placed(output, replace=force) as partial, partial.open("wb") as file:
        yield file


def left_out(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Say how much of what was left out."""
    if not counts:
        return ()
    return (", ".join(f"{count:,} {reason}" for reason, count in counts.items()) + " were left out",)
