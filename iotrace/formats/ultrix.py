"""The text of the ULTRIX traces (Richardson 1994, 2.1): a call and its return are two entries."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace.families import CALLS
from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import read_known_files


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    from iotrace.engine import native

    return native.SyscallRun(
        "ultrix", [str(path) for path in paths], list(model.items()), order, read_known_files(known_files)
    )


_LINES = (
    ("first line", "# iotrace ultrix-calls 2; other lines that begin with # are comments"),
    ("call", "SEQUENCE TIME THREAD C NAME ARGUMENT..., as in 0 1000 17 C open /etc/passwd O_RDONLY -"),
    ("return", "SEQUENCE TIME THREAD R NAME RESULT ERROR, as in 1 4000 17 R open 3 -"),
    ("end of a thread", "SEQUENCE TIME THREAD E process_exited STATUS, as in 4 9500 17 E process_exited 0"),
    ("columns", "separated by blanks or tabs; - is an absent value"),
    ("SEQUENCE", "the number of the entry; the order of the lines counts"),
    ("TIME", "nanoseconds since any start"),
    ("THREAD", "the number of the thread"),
    ("NAME", "the name of the call; a return belongs to the oldest open call of its thread and name"),
    ("ARGUMENT", "in the order of the list of calls; one in brackets may be left out; then others as KEY=VALUE"),
    ("RESULT, ERROR", "the result, and the error's name, as in -1 ENOENT; then size=BYTES and type=f, d or l if known"),
    ("names of files", "letters, digits and _./+,:@~|- as they are, other characters as % and two hexadecimal digits;"
                   ' the name - is %2D, an empty one ""'),
    ("version 1", "also files without the first line: TIME is in microseconds; flags, origins of lseek and errors"
                  " may be ULTRIX's numbers"),
)  # fmt: skip
"""The content of a line, in words."""


def _calls() -> list[tuple[str, str, bool]]:
    from iotrace.engine import native

    return list(native.ultrix_calls())


FORMAT = Format(
    name="ultrix",
    family=CALLS,
    description="System calls as two-entry text: a line for each call, a line for each return.",
    endings=".ultrix .txt",
    recognises=lambda head: head.startswith(b"# iotrace ultrix-calls"),
    start=_start,
    reads_ahead=True,
    calls=_calls,
    lines=_LINES,
)
