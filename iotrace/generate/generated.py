"""A generated trace: how it is written as text, as a store, or as the table of a program, and what is said about it."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from iotrace import schemas
from iotrace.files import atomic_write
from iotrace.files.outputs import unwritable
from iotrace.files.remote import Place
from iotrace.files.temporary import temporary_folder
from iotrace.ingest.pipeline import ingest
from iotrace.store.folder import SUFFIX

PARQUET = ".parquet"


@dataclass(frozen=True)
class GeneratedTrace:
    """A trace that is made and not traced."""

    described: str
    """The command that makes it, in a line."""
    format: str
    """The format of its text, by the name of its reader."""
    write_text: Callable[[TextIO], int]
    """Writes the text, and returns how many records it has."""
    settings: Any
    """The manifest's entry ``generated``."""
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    """Tables that describe it, by name."""
    program: Callable[[], Iterator[pa.RecordBatch]] | None = None
    """Batches of table program, where it is a program."""
    sentence: Callable[[int], str] = "{:,} records".format
    """Says what was made, from the number of records."""
    source: object = None
    """The object that the text is written from, if it has further properties."""


def write(trace: GeneratedTrace, output: Place, replace: bool = False) -> int:
    """Write a generated trace as text (``-`` for standard output), and return how many records it has.

    Where the name ends in .iotrace, as a store; a program where it ends in .parquet, as all of table program. Raises
    IotraceError where that cannot be, and UsageError for a store that exists and is not to be replaced.
    """
    try:
        if str(output) == "-":
            return trace.write_text(sys.stdout)
        if output.suffix == SUFFIX:
            return _write_store(trace, output, replace)
        with atomic_write(output) as partial:
            if trace.program is not None and output.suffix.lower() == PARQUET:
                return _write_parquet(trace.program(), partial)
            with partial.open("w", encoding="utf-8") as file:
                return trace.write_text(file)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(output, error) from None


def _write_store(trace: GeneratedTrace, output: Place, replace: bool) -> int:
    with temporary_folder() as folder:
        text = folder / "generated.txt"
        with text.open("w", encoding="utf-8") as file:
            count = trace.write_text(file)
        described = {"sources": [trace.described], "generated": trace.settings}
        ingest([text], output, format=trace.format, replace=replace, described=described)
    return count


def _write_parquet(batches: Iterator[pa.RecordBatch], output: Path) -> int:
    count = 0
    with (
        output.open("wb") as file,
        pq.ParquetWriter(file, schemas.schema("program"), compression="zstd") as writer,
    ):
        for batch in batches:
            writer.write_batch(batch)
            count += batch.num_rows
    return count
