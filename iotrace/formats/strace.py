"""Logs of ``strace`` with any flags (https://strace.io); the scanner is in the engine."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace.families import CALLS
from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import read_known_files
from iotrace.formats.reading.unpacked import most_bytes


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    from iotrace.engine import native

    return native.SyscallRun(
        "strace",
        [str(path) for path in paths],
        list(model.items()),
        order,
        read_known_files(known_files),
        most_bytes(),
    )


FORMAT = Format(
    name="strace",
    family=CALLS,
    description="System calls as strace prints them: any flags, -f, -ff (a folder, list of files, tar), stderr.",
    endings=".strace .log .txt, a folder",
    recognises=lambda head: False,
    start=_start,
    reads_ahead=True,
)
