"""A form in which a trace can be written as one text: its name, and the function that writes it."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from iotrace.errors import IotraceError
from iotrace.families import Family
from iotrace.files import atomic_write
from iotrace.files.outputs import failures_named, refuse_existing, refuse_folder, unwritable
from iotrace.files.remote import Place
from iotrace.libraries import duckdb
from iotrace.store.store import Store

FROM_1970 = "the trace does not say when it began: its times count from 1970"
WORDS = {"time_ns": "times", "operation": "operations", "blocks": "lengths"}
"""Things that a trace can lack and a form may need, by the column."""


@dataclass(frozen=True)
class Form:
    """A text, or records, that can be ingested again."""

    name: str
    description: str
    writer: Callable[[Store, Place, bool], tuple[str, ...]]
    families: tuple[Family, ...] = ()
    """Those of whose traces it is made; of all if none is named."""
    needs: tuple[str, ...] = ()
    """Which of `WORDS` it cannot do without."""

    def write(self, store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
        """Write a store to a file (``-`` for standard output), replaced if it exists only with `force`.

        Returns a sentence for each kind of thing for which the text has no place. Raises IotraceError for a store that
        cannot be written so, UsageError where the file exists.
        """
        if self.families and store.family not in self.families:
            kinds = " or ".join(family.rows for family in self.families)
            raise IotraceError(
                f"{store.name}: is made of {store.family.rows}; {self.name} is a form of {kinds}"
            )
        lacks = store.manifest.get("lacks", ())
        if lacking := [WORDS[name] for name in self.needs if name in lacks]:
            raise IotraceError(
                f"{store.name}: the trace has no {' and no '.join(lacking)}, which {self.name} needs"
            )
        return self.writer(store, output, force)


def refuse(output: Place, force: bool) -> None:
    """Raise UsageError for a folder, and for what exists unless it is to be replaced."""
    refuse_folder(output)
    refuse_existing(output, force)


@contextmanager
def failures(output: Place) -> Iterator[None]:
    """Turn what the system or DuckDB refuses within the block into an IotraceError."""
    try:
        with failures_named(output):
            yield
    except duckdb.Error as error:
        raise unwritable(output, error) from None


@contextmanager
def text_file(output: Place, force: bool) -> Iterator[TextIO]:
    """Give a text file, which takes its place when the block ends without an error; ``-`` is standard output."""
    if str(output) == "-":
        yield sys.stdout
        return
    refuse(output, force)
    with (
        failures(output),
        atomic_write(output, replace=force) as partial,
        partial.open("w", encoding="utf-8") as file,
    ):
        yield file


@contextmanager
def binary_file(output: Place, force: bool) -> Iterator[BinaryIO]:
    """Give a file of bytes as `text_file` does one of text."""
    if str(output) == "-":
        yield sys.stdout.buffer
        return
    refuse(output, force)
    with failures(output), atomic_write(output, replace=force) as partial, partial.open("wb") as file:
        yield file


def left_out(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Say how much of what was left out."""
    if not counts:
        return ()
    return (", ".join(f"{count:,} {reason}" for reason, count in counts.items()) + " were left out",)
