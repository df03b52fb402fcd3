"""System calls as ``perf trace`` and ``perf script`` print them; the reader is in the engine (``syscalls/perf``)."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace.families import CALLS
from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import read_known_files
from iotrace.formats.reading.files import files_of

HEAD = re.compile(
    rb"^\s*\d+\.\d{3} \(\s*(?:\d+\.\d+ ms)?\s*\): .*\(|:\s+(?:\d+\s+)?(?:raw_)?syscalls:sys_(?:enter|exit)",
    re.MULTILINE,
)


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    from iotrace.engine import native

    logs = [str(path) for path in files_of(paths)]
    return native.SyscallRun("perf", logs, list(model.items()), order, read_known_files(known_files))


FORMAT = Format(
    name="perf",
    family=CALLS,
    description="System calls as perf trace prints them, or perf script of raw_syscalls:* or syscalls:*.",
    endings=".txt .perf",
    recognises=lambda head: HEAD.search(head[:8192]) is not None,
    start=_start,
)
