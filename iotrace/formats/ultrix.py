"""The text of the ULTRIX traces (Richardson 1994, 2.1): a call and its return are two entries."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import read_known_files


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    from iotrace.engine import native

    return native.SyscallRun(
        "ultrix", [str(path) for path in paths], list(model.items()), order, read_known_files(known_files)
    )


def _calls() -> list[tuple[str, str, bool]]:
    from iotrace.engine import native

    return list(native.ultrix_calls())


FORMAT = Format(
    name="ultrix",
    family="syscall",
    sentence="System calls as two-entry text: a line for each call, a line for each return.",
    endings=".ultrix .txt",
    recognises=lambda head: head.startswith(b"# iotrace ultrix-calls"),
    start=_start,
    calls=_calls,
)
