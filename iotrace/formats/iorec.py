"""Recordings of ``iotrace record``; the reader is in the engine (``syscalls/recording``)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace.errors import UsageError
from iotrace.families import CALLS
from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import read_known_files
from iotrace.formats.reading.unpacked import most_bytes

MAGIC = b"\x89IOREC\r\n"


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    from iotrace.engine import native

    if len(paths) != 1:
        raise UsageError("a recording is one file: give each its own store")
    known = read_known_files(known_files)
    return native.SyscallRun("iorec", [str(paths[0])], list(model.items()), order, known, most_bytes())


FORMAT = Format(
    name="iorec",
    family=CALLS,
    description="System calls as iotrace record writes them where the kernel runs its BPF programs.",
    endings=".iorec",
    recognises=lambda head: head.startswith(MAGIC),
    start=_start,
)
