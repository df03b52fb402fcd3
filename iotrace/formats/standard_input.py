"""The first bytes of standard input, read ahead so that a later reader still gets them."""

import contextlib
import os
import stat
import threading
from pathlib import Path

from iotrace.files.temporary import temporary_folder
from iotrace.formats.reading.files import HEAD_BYTES, first_bytes

PATH = Path("-")
"""The name of standard input."""
DESCRIPTOR = 0
MOST_BYTES = 1 << 20
"""The bytes read of compressed input to recognise it: bzip2 gives nothing before the end of a block of up to 900 kB."""
COPIED_BYTES = 1 << 16


def first_bytes_of_standard_input() -> bytes:
    """Return the first bytes of standard input, decompressed; none where it cannot be read.

    As many bytes are read of a pipe as of a file, so that the sizes of the pipe's writes do not matter.
    """
    try:
        if stat.S_ISREG(os.fstat(DESCRIPTOR).st_mode):
            at = os.lseek(DESCRIPTOR, 0, os.SEEK_CUR)
            return _decompressed(os.pread(DESCRIPTOR, MOST_BYTES, at))
        return _first_of_pipe()
    except OSError:
        return b""  # the reader of the trace reports why


def _first_of_pipe() -> bytes:
    """Read the first bytes of a pipe, and put another in its place that gives them again, and then the rest."""
    stored, head, ended = b"", b"", False
    while len(stored) < MOST_BYTES and len(head) < HEAD_BYTES and not ended:
        needed_bytes = min(MOST_BYTES, max(HEAD_BYTES, 2 * len(stored)))
        while len(stored) < needed_bytes and not ended:
            part = os.read(DESCRIPTOR, needed_bytes - len(stored))
            stored += part
            ended = not part
        head = _decompressed(stored)
    _give_back(stored, ended)
    return head


def _give_back(stored: bytes, ended: bool) -> None:
    rest = None if ended else os.dup(DESCRIPTOR)
    reader, writer = os.pipe()
    os.dup2(reader, DESCRIPTOR)
    os.close(reader)
    threading.Thread(target=_copy, args=(stored, rest, writer), name="standard input", daemon=True).start()


def _copy(part: bytes, rest: int | None, writer: int) -> None:
    """Write some bytes and what follows them; closing the pipe marks the input's end."""
    with contextlib.suppress(OSError), open(writer, "wb", buffering=0) as out:
        while part:
            view = memoryview(part)
            while view:
                view = view[out.write(view) :]
            part = os.read(rest, COPIED_BYTES) if rest is not None else b""
    if rest is not None:
        os.close(rest)


def _decompressed(stored: bytes) -> bytes:
    """Return what the first bytes hold, as of a file that was cut there."""
    with temporary_folder() as folder:
        file = folder / "head"
        file.write_bytes(stored)
        return first_bytes(file)
