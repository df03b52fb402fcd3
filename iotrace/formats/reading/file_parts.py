"""Parts of a plain text file that are read alone: they begin and end at ends of lines."""

from pathlib import Path
from typing import BinaryIO

from iotrace.errors import IotraceError

PART_BYTES = 64 << 20
SEARCHED_BYTES = 1 << 16
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class PartError(IotraceError):
    """A part of a file cannot be read without those before it."""


def parts_of(path: Path) -> list[range]:
    """Return the parts of a plain text file, of about `PART_BYTES`; one where it must be read as a whole.

    That is so where it is compressed, and where its last line has no end, since that line is judged by all others.
    Raises OSError if it cannot be read.
    """
    size = path.stat().st_size
    if size <= PART_BYTES or not path.is_file() or not _is_plain(path):
        return [range(size)]
    starts = [0]
    with path.open("rb") as file:
        file.seek(size - 1)
        if file.read(1) != b"\n":
            return [range(size)]
        while (start := _next_line(file, starts[-1] + PART_BYTES)) < size:
            starts.append(start)
    return [range(start, end) for start, end in zip(starts, [*starts[1:], size], strict=True)]


def _next_line(file: BinaryIO, at: int) -> int:
    """Return where the first line begins that does not begin before a place, or where the file ends."""
    file.seek(at - 1)
    while block := file.read(SEARCHED_BYTES):
        if (found := block.find(b"\n")) >= 0:
            return at + found
        at += len(block)
    return at


def _is_plain(path: Path) -> bool:
    from iotrace.engine import native

    with path.open("rb") as file:
        head = file.read(SEARCHED_BYTES)
    return native.first_bytes(path, SEARCHED_BYTES).startswith(head.removeprefix(BYTE_ORDER_MARK))
