"""What can record here, and the blocks of recordings, for tests that record."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from iotrace.errors import UsageError
from iotrace.ingest import capture, tracing
from iotrace.store.store import read


def reason_to_skip() -> str | None:
    try:
        tracing.find_strace()
    except UsageError as error:
        return str(error)
    return None


REASON = reason_to_skip()
NO_BPF = capture.refusal()
needs_strace = pytest.mark.skipif(REASON is not None, reason=str(REASON))
needs_bpf = pytest.mark.skipif(NO_BPF is not None, reason=f"BPF programs cannot record here: {NO_BPF}")
BACKENDS = [pytest.param("strace", marks=needs_strace), pytest.param("bpf", marks=needs_bpf)]
SUFFIXES = {"strace": ".strace.zst", "bpf": ".iorec"}
"""What the name of a recording ends with."""
on_both_backends = pytest.mark.parametrize("backend", BACKENDS)


START, PROCESSES = 1, 4
"""Kinds of blocks."""


def rows(store: Path, table: str, *columns: str) -> list[tuple[object, ...]]:
    """The rows of columns of a table."""
    found = read(store).arrow(table)
    return list(zip(*(found[name].to_pylist() for name in columns), strict=True))


def blocks(recording: bytes) -> Iterator[tuple[int, bytes]]:
    """The kind and the frame of each whole block of a recording of BPF programs."""
    at = 12
    while at + 8 <= len(recording):
        size = int.from_bytes(recording[at + 4 : at + 8], "little")
        yield recording[at], recording[at + 8 : at + 8 + size]
        at += 8 + size


def unpacked(frame: bytes) -> bytes:
    """What a block holds."""
    return pa.CompressedInputStream(pa.BufferReader(frame), "zstd").read()
