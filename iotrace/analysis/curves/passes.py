"""Shared by all passes of references through an engine: errors in one line, and results that carry their tally."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from iotrace.errors import IotraceError, UsageError


@contextmanager
def settings_read() -> Iterator[None]:
    """Turn an engine's refusal of its settings into UsageError."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise UsageError(str(error)) from error


@contextmanager
def references_read() -> Iterator[None]:
    """Turn what an engine and Arrow refuse of references into IotraceError."""
    try:
        yield
    except ValueError as error:
        raise IotraceError(str(error)) from error


def tallied(rows: pa.Table, described: pa.Schema, counts: dict[str, int]) -> pa.Table:
    """Give a result its documented schema, with the stream's counts in the metadata as ``tally``."""
    metadata = {**(described.metadata or {}), b"tally": json.dumps(counts).encode()}
    return rows.cast(described.with_metadata(metadata))
